//! The arithmetic of the inner loops: exponentials, dot products, column tables, small Cholesky.

use serde::{Deserialize, Serialize};

/// Rows of components are padded to this many lanes, so that sums have one fixed order.
pub const LANES: usize = 4;

pub fn round_up(n: usize) -> usize {
    n.div_ceil(LANES) * LANES
}

/// Σ_i a_i b_i in four interleaved partial sums: the order of additions does not depend on the
/// machine's vector width. Both slices are a multiple of [`LANES`] long.
#[inline]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// e^x for x ≤ 0, in place: 0 below −708, within 2 units in the last place above it.
///
/// x = j ln 2 + r with |r| ≤ ln 2 / 2; e^r by its series to r¹³; 2^j through the exponent bits.
/// Free of branches and calls, so that the compiler can widen it.
#[inline]
pub fn exp_nonpositive(values: &mut [f64]) {
    for value in values {
        *value = exp_one(*value);
    }
}

#[inline(always)]
fn exp_one(x: f64) -> f64 {
    const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    // Adding 1.5 · 2⁵² rounds to a whole number and leaves it in the low bits.
    const ROUNDER: f64 = 6_755_399_441_055_744.0;
    let inside = x > -708.0;
    let x = if inside { x } else { 0.0 };
    let shifted = x * std::f64::consts::LOG2_E + ROUNDER;
    let j = shifted - ROUNDER;
    let r = (x - j * LN_2_HIGH) - j * LN_2_LOW;
    let r2 = r * r;
    let r4 = r2 * r2;
    let low = (1.0 + r) + r2 * (1.0 / 2.0 + r * (1.0 / 6.0));
    let middle = (1.0 / 24.0 + r * (1.0 / 120.0)) + r2 * (1.0 / 720.0 + r * (1.0 / 5_040.0));
    let high = (1.0 / 40_320.0 + r * (1.0 / 362_880.0)) + r2 * (1.0 / 3_628_800.0 + r * (1.0 / 39_916_800.0));
    let top = 1.0 / 479_001_600.0 + r * (1.0 / 6_227_020_800.0);
    let series = low + r4 * (middle + r4 * (high + r4 * top));
    let power = f64::from_bits((shifted.to_bits().wrapping_add(1023)) << 52);
    if inside { series * power } else { 0.0 }
}

/// ln Σ e^{x_i}.
pub fn ln_sum_exp(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let top = values.clone().fold(f64::NEG_INFINITY, f64::max);
    if top == f64::NEG_INFINITY {
        return top;
    }
    top + values.map(|value| (value - top).exp()).sum::<f64>().ln()
}

/// A table with a row a dimension and a column a slot (a component or a node): one pass over a row
/// serves all slots. Columns grow as slots are opened.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Columns {
    n_rows: usize,
    capacity: usize,
    values: Vec<f64>,
}

impl Columns {
    pub fn new(n_rows: usize) -> Self {
        Self { n_rows, capacity: 0, values: Vec::new() }
    }

    pub fn is_valid(&self, n_rows: usize, n_slots: usize) -> bool {
        self.n_rows == n_rows
            && self.capacity.is_multiple_of(LANES)
            && (n_rows == 0 || self.capacity >= n_slots)
            && Some(self.values.len()) == n_rows.checked_mul(self.capacity)
            && self.values.iter().all(|value| value.is_finite())
    }

    pub fn open(&mut self, n_slots: usize) {
        if n_slots <= self.capacity {
            return;
        }
        let capacity = round_up(n_slots.max(2 * self.capacity));
        let mut values = vec![0.0; self.n_rows * capacity];
        if self.capacity > 0 {
            for (new, old) in values.chunks_exact_mut(capacity).zip(self.values.chunks_exact(self.capacity)) {
                new[..self.capacity].copy_from_slice(old);
            }
        }
        self.values = values;
        self.capacity = capacity;
    }

    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    #[inline]
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.capacity..(row + 1) * self.capacity]
    }

    #[inline]
    pub fn get(&self, row: usize, slot: usize) -> f64 {
        self.values[row * self.capacity + slot]
    }

    #[inline]
    pub fn set(&mut self, row: usize, slot: usize, value: f64) {
        self.values[row * self.capacity + slot] = value;
    }

    pub fn column(&self, slot: usize) -> impl Iterator<Item = f64> + '_ {
        (0..self.n_rows).map(move |row| self.get(row, slot))
    }

    pub fn set_column(&mut self, slot: usize, values: &[f64]) {
        for (row, &value) in values.iter().enumerate() {
            self.set(row, slot, value);
        }
    }

    /// out_slot = Σ_row x_row · column_slot,row for the first `out.len()` slots.
    #[inline]
    pub fn products(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (row, &x) in x.iter().enumerate() {
            let values = &self.row(row)[..out.len()];
            for (out, &value) in out.iter_mut().zip(values) {
                *out += x * value;
            }
        }
    }

    /// out_slot = Σ_row (x_row − column_slot,row)² for the first `out.len()` slots.
    #[inline]
    pub fn squared_distances(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (row, &x) in x.iter().enumerate() {
            let values = &self.row(row)[..out.len()];
            for (out, &value) in out.iter_mut().zip(values) {
                let difference = x - value;
                *out += difference * difference;
            }
        }
    }
}

/// The lower Cholesky factor of a symmetric n × n matrix (row-major, lower half read), in place.
///
/// The caller knows that the matrix is at least `floor` · I: no pivot is below `floor` but for
/// rounding, and none is let below it.
pub fn cholesky(matrix: &mut [f64], n: usize, floor: f64) {
    for i in 0..n {
        for j in 0..=i {
            let (upper, lower) = matrix.split_at_mut(i * n);
            let row_i = &mut lower[..n];
            let row_j = if j < i { &upper[j * n..j * n + n] } else { &*row_i };
            let mut sum = row_i[j];
            for k in 0..j {
                sum -= row_i[k] * row_j[k];
            }
            row_i[j] = if j < i { sum / row_j[j] } else { sum.max(floor).sqrt() };
        }
    }
}

/// Solves L y = b in place.
pub fn solve_lower(factor: &[f64], n: usize, b: &mut [f64]) {
    for i in 0..n {
        let row = &factor[i * n..i * n + n];
        let mut sum = b[i];
        for k in 0..i {
            sum -= row[k] * b[k];
        }
        b[i] = sum / row[i];
    }
}

/// Solves Lᵀ y = b in place.
pub fn solve_lower_transposed(factor: &[f64], n: usize, b: &mut [f64]) {
    for i in (0..n).rev() {
        b[i] /= factor[i * n + i];
        let solved = b[i];
        for k in 0..i {
            b[k] -= factor[i * n + k] * solved;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_within_two_units_of_the_last_place() {
        for i in 0..200_000 {
            let x = -708.0 * f64::from(i) / 200_000.0;
            let mut got = [x];
            exp_nonpositive(&mut got);
            let want = x.exp();
            assert!((got[0] - want).abs() <= 2.0 * f64::EPSILON * want, "exp({x})");
        }
        let mut ends = [0.0, -709.0, f64::NEG_INFINITY, -1e300];
        exp_nonpositive(&mut ends);
        assert_eq!(ends, [1.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn cholesky_solves_and_holds_its_floor() {
        let a = [4.0, 0.0, 0.0, 2.0, 5.0, 0.0, 0.6, 1.5, 3.8];
        let mut factor = a;
        cholesky(&mut factor, 3, 1e-9);
        let mut b = [1.0, -2.0, 0.5];
        solve_lower(&factor, 3, &mut b);
        solve_lower_transposed(&factor, 3, &mut b);
        let full = |i: usize, j: usize| a[i.max(j) * 3 + i.min(j)];
        for (i, want) in [1.0, -2.0, 0.5].into_iter().enumerate() {
            let got: f64 = (0..3).map(|j| full(i, j) * b[j]).sum();
            assert!((got - want).abs() < 1e-12);
        }
        let mut singular = [1.0, 0.0, 1.0, 1.0];
        cholesky(&mut singular, 2, 0.25);
        assert_eq!(singular[3], 0.5);
    }

    #[test]
    fn columns_keep_their_values_when_they_grow() {
        let mut table = Columns::new(2);
        for slot in 0..9 {
            table.open(slot + 1);
            table.set_column(slot, &[slot as f64, -(slot as f64)]);
        }
        assert!((0..9).all(|slot| table.get(1, slot) == -(slot as f64)));
        let mut out = [0.0; 9];
        table.products(&[2.0, 1.0], &mut out);
        assert_eq!(out[8], 8.0);
        table.squared_distances(&[1.0, 0.0], &mut out);
        assert_eq!(out[3], 4.0 + 9.0);
    }
}
