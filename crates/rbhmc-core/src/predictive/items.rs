//! New items, in the two forms in which they are read.

use ndarray::{Array2, ArrayView2, s};

use super::lanes::{ITEMS, Lanes, ZERO};

/// Up to [`ITEMS`] items; what there is room for besides is 0.
pub struct Items {
    rows: Array2<f64>,
    /// A dimension each.
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
        &self.rows.as_slice().expect("a new table is laid out by rows")[item * n_dims..(item + 1) * n_dims]
    }
}
