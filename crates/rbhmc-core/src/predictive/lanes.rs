//! Some items side by side: what is done to one is done to all of them, in the same order.

use crate::numerics::{TILE, larger};

/// Items that go through the tree together.
pub const ITEMS: usize = 64;

/// A number for each of these items.
pub type Lanes = [f64; ITEMS];

pub const ZERO: Lanes = [0.0; ITEMS];

/// sums = Σ_i factors_i · rows_i, a few lanes at a time so that their sums stay in registers.
#[inline(always)]
pub fn weighted_sum(factors: &[f64], rows: &[Lanes], sums: &mut Lanes) {
    for (tile, sums) in sums.chunks_exact_mut(TILE).enumerate() {
        let mut own = [0.0; TILE];
        for (&factor, row) in factors.iter().zip(rows) {
            for (sum, value) in own.iter_mut().zip(&row[tile * TILE..]) {
                *sum += factor * value;
            }
        }
        sums.copy_from_slice(&own);
    }
}

/// sums = Σ_i (rows_i − centre_i)²
#[inline(always)]
pub fn squared_distance(centre: &[f64], rows: &[Lanes], sums: &mut Lanes) {
    for (tile, sums) in sums.chunks_exact_mut(TILE).enumerate() {
        let mut own = [0.0; TILE];
        for (&centre, row) in centre.iter().zip(rows) {
            for (sum, value) in own.iter_mut().zip(&row[tile * TILE..]) {
                *sum += (value - centre) * (value - centre);
            }
        }
        sums.copy_from_slice(&own);
    }
}

/// Raises each number to that of another row where this is larger.
#[inline(always)]
pub fn raise(lanes: &mut Lanes, others: &Lanes) {
    for (value, &other) in lanes.iter_mut().zip(others) {
        *value = larger(other, *value);
    }
}
