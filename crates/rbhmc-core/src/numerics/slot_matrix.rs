//! A matrix with one column for each slot, a component or a node, whose columns grow as slots are opened.

use serde::{Deserialize, Serialize};

use super::{LANES, add_terms, round_up, weighted_sum};

/// No chain reaches larger values from valid data and settings; their squares, and products with data, stay within
/// the range of a double.
const MAX_VALUE: f64 = 1e100;

/// One row for each dimension, one column for each slot: a pass over a row serves all slots.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SlotMatrix {
    n_rows: usize,
    capacity: usize,
    values: Vec<f64>,
}

impl SlotMatrix {
    pub fn new(n_rows: usize) -> Self {
        Self { n_rows, capacity: 0, values: Vec::new() }
    }

    /// Whether the shape is right and every value within range, for a matrix read from a file.
    pub fn is_valid(&self, n_rows: usize, n_slots: usize) -> bool {
        self.n_rows == n_rows
            && self.capacity.is_multiple_of(LANES)
            && (n_rows == 0 || self.capacity >= n_slots)
            && Some(self.values.len()) == n_rows.checked_mul(self.capacity)
            && self.values.iter().all(|value| value.abs() <= MAX_VALUE)
    }

    /// Makes room for `n_slots` columns; new ones are 0.
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

    /// out_slot = Σ_row x_row · column_slot,row for the first slots, in whole lanes.
    pub fn products(&self, x: &[f64], out: &mut [f64]) {
        weighted_sum(&self.values, self.capacity, x, out);
    }

    /// out_slot = Σ_row (x_row − column_slot,row)² for the first slots, in whole lanes.
    #[inline(always)]
    pub(crate) fn squared_distances(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let square = |x: f64, value: f64| (x - value) * (x - value);
        add_terms(out, &self.values, self.capacity, 0, |row, _| x[row], square);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_would_overflow_are_invalid() {
        let mut table = SlotMatrix::new(1);
        table.open(1);
        assert!(table.is_valid(1, 1));
        for value in [1e101, -1e308, f64::INFINITY, f64::NAN] {
            table.set(0, 0, value);
            assert!(!table.is_valid(1, 1), "{value}");
        }
    }

    #[test]
    fn columns_keep_their_values_when_they_grow() {
        let mut table = SlotMatrix::new(2);
        for slot in 0..9 {
            table.open(slot + 1);
            table.set_column(slot, &[slot as f64, -(slot as f64)]);
        }
        assert!((0..9).all(|slot| table.get(1, slot) == -(slot as f64)));
        let mut out = [0.0; 12];
        table.products(&[2.0, 1.0], &mut out);
        assert_eq!(out[8], 8.0);
        table.squared_distances(&[1.0, 0.0], &mut out);
        assert_eq!(out[3], 4.0 + 9.0);
    }
}
