//! The items, as given and whitened, with the quantities that are computed once for each.

use ndarray::ArrayView2;

use super::whitening::Whitening;
use crate::config::{MAX_MAGNITUDE, is_usable};
use crate::error::{Error, Result};

#[derive(Debug, Clone)]
pub struct Data {
    pub n_items: usize,
    pub n_dims: usize,
    /// The length of a row x̃_n: `n_dims`, and 1 more with an intercept.
    pub n_eta_dims: usize,
    /// x̃_n = (x_n, κ), row by row.
    rows: Vec<f64>,
    white: Vec<f64>,
    /// ln f*(x_n), relative to the normaliser of the noise.
    pub ln_new_density: Vec<f64>,
    /// ‖x̃_n‖²
    pub square: Vec<f64>,
}

impl Data {
    /// Checks the shape, and that every value is finite and within range.
    pub fn check(x: ArrayView2<'_, f64>) -> Result<()> {
        let (n_items, n_dims) = x.dim();
        if n_items == 0 || n_dims == 0 {
            return Err(Error::EmptyData { n_items, n_dims });
        }
        if n_items > i32::MAX as usize || n_dims > i32::MAX as usize {
            return Err(Error::parameter(
                "the shape of X",
                format!("({n_items}, {n_dims})"),
                format!("at most {} rows and as many columns", i32::MAX),
            ));
        }
        match x.indexed_iter().find(|&(_, &value)| !is_usable(value)) {
            Some(((row, column), &value)) => {
                Err(Error::BadValue { row, column, value, limit: MAX_MAGNITUDE })
            }
            None => Ok(()),
        }
    }

    /// The items, with `intercept` as the last entry of every x̃_n; 0 for no intercept.
    pub fn new(x: ArrayView2<'_, f64>, intercept: f64, whitening: &Whitening) -> Self {
        let (n_items, n_dims) = x.dim();
        let intercept = (intercept > 0.0).then_some(intercept);
        let n_eta_dims = n_dims + usize::from(intercept.is_some());
        let mut rows = Vec::with_capacity(n_items * n_eta_dims);
        for row in x.rows() {
            rows.extend(row.iter().copied().chain(intercept));
        }
        let mut data = Self {
            n_items,
            n_dims,
            n_eta_dims,
            white: vec![0.0; n_items * n_dims],
            ln_new_density: vec![0.0; n_items],
            square: rows.chunks_exact(n_eta_dims).map(|x| x.iter().map(|x| x * x).sum()).collect(),
            rows,
        };
        data.whiten(whitening);
        data
    }

    pub(super) fn whiten(&mut self, whitening: &Whitening) {
        let items = self.rows.chunks_exact(self.n_eta_dims).zip(self.white.chunks_exact_mut(self.n_dims));
        for ((x, white), ln_new) in items.zip(&mut self.ln_new_density) {
            whitening.whiten(&x[..self.n_dims], white);
            *ln_new = whitening.ln_new_density(white);
        }
    }

    #[inline]
    pub fn x(&self, n: usize) -> &[f64] {
        &self.rows[n * self.n_eta_dims..][..self.n_dims]
    }

    /// x̃_n = (x_n, κ), the item in all margins: a score is η_zᵀx̃_n. Without an intercept it is x_n.
    #[inline]
    pub fn extended(&self, n: usize) -> &[f64] {
        &self.rows[n * self.n_eta_dims..(n + 1) * self.n_eta_dims]
    }

    #[inline]
    pub fn white(&self, n: usize) -> &[f64] {
        &self.white[n * self.n_dims..(n + 1) * self.n_dims]
    }

    /// All items as given, row by row.
    pub fn values(&self) -> Vec<f64> {
        (0..self.n_items).flat_map(|n| self.x(n)).copied().collect()
    }
}
