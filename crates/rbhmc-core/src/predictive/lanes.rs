//! Some items side by side: what is done to one is done to all of them, in the same order.

/// Items that go through the tree together.
pub const ITEMS: usize = 64;

/// A number for each of these items.
pub type Lanes = [f64; ITEMS];

pub const ZERO: Lanes = [0.0; ITEMS];

/// Σ_i factors_i · rows_i
pub fn weighted_sum(factors: impl Iterator<Item = f64>, rows: &[Lanes]) -> Lanes {
    let mut sums = ZERO;
    for (factor, row) in factors.zip(rows) {
        for (sum, value) in sums.iter_mut().zip(row) {
            *sum += factor * value;
        }
    }
    sums
}

/// Raises each number to that of another row where this is larger.
pub fn raise(lanes: &mut Lanes, others: &Lanes) {
    for (value, other) in lanes.iter_mut().zip(others) {
        *value = if *other > *value { *other } else { *value };
    }
}
