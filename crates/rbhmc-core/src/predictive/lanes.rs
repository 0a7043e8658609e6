//! Blocks of items that are placed together, one lane each: every item goes through the same operations in the same
//! order.

use ndarray::{Array2, ArrayView2, s};

use crate::numerics::{TILE, fmax};

/// Items of a block.
pub const ITEMS: usize = 64;

/// One number for each item of a block.
pub type Lanes = [f64; ITEMS];

pub const ZERO: Lanes = [0.0; ITEMS];

/// Up to [`ITEMS`] new items; the lanes that are left hold 0.
pub struct Items {
    rows: Array2<f64>,
    /// One for each dimension.
    pub lanes: Vec<Lanes>,
    pub norms: Lanes,
}

impl Items {
    pub fn new(x: ArrayView2<'_, f64>) -> Self {
        let mut rows = Array2::zeros((ITEMS, x.ncols()));
        rows.slice_mut(s![..x.nrows(), ..]).assign(&x);
        let mut lanes = vec![ZERO; x.ncols()];
        let mut norms = ZERO;
        for ((item, row), norm) in rows.outer_iter().enumerate().zip(&mut norms) {
            for (lanes, &value) in lanes.iter_mut().zip(row) {
                lanes[item] = value;
                *norm += value * value;
            }
            *norm = norm.sqrt();
        }
        Self { rows, lanes, norms }
    }

    pub fn row(&self, item: usize) -> &[f64] {
        let n_dims = self.rows.ncols();
        &self.rows.as_slice().expect("the table is in row-major order")[item * n_dims..(item + 1) * n_dims]
    }
}

/// sums = Σ_i factors_i · rows_i, a tile of lanes at a time so that their sums stay in registers.
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

/// Replaces each number by the maximum of it and another.
#[inline(always)]
pub fn max_assign(lanes: &mut Lanes, others: &Lanes) {
    for (value, &other) in lanes.iter_mut().zip(others) {
        *value = fmax(other, *value);
    }
}
