//! A Gaussian posterior from weighted rows: Λ = ν_0⁻² I + Σ w x xᵀ, ν = Σ b x, mean Λ⁻¹ν.

use crate::model::Model;
use crate::numerics::{cholesky, solve_lower, solve_lower_transposed};
use crate::rng::{Rng, standard_normal};

/// Where Λ's largest entries are this many times its floor, its sums have lost too many digits, and the
/// factor is built by rotations instead.
const ILL_CONDITIONED: f64 = 1e8;

#[derive(Debug, Clone, Default)]
pub(super) struct Gaussian {
    n_dims: usize,
    /// Λ (lower half), then its Cholesky factor L.
    factor: Vec<f64>,
    /// ν, then the mean.
    mean: Vec<f64>,
    row: Vec<f64>,
    /// ν_0⁻²: Λ is at least this times I.
    floor: f64,
}

impl Gaussian {
    pub(super) fn reserve(&mut self, n_dims: usize) -> bool {
        n_dims.checked_mul(n_dims).is_some_and(|size| self.factor.try_reserve_exact(size).is_ok())
    }

    pub(super) fn floor(&self) -> f64 {
        self.floor
    }

    /// Fits to the rows that `each` hands on as (x, w, b).
    pub(super) fn fit(&mut self, model: &Model, each: impl Fn(&mut dyn FnMut(&[f64], f64, f64))) {
        self.reset(model, model.config.eta_scale.powi(-2));
        let mut size = 0.0;
        each(&mut |x, weight, slope| {
            size += weight * x.iter().map(|x| x * x).sum::<f64>();
            self.add(x, weight, slope);
        });
        if size < ILL_CONDITIONED * self.floor {
            cholesky(&mut self.factor, self.n_dims, self.floor);
            solve_lower(&self.factor, self.n_dims, &mut self.mean);
        } else {
            self.reset(model, model.config.eta_scale.recip());
            each(&mut |x, weight, slope| self.rotate(x, weight, slope));
        }
        solve_lower_transposed(&self.factor, self.n_dims, &mut self.mean);
    }

    fn reset(&mut self, model: &Model, diagonal: f64) {
        self.n_dims = model.n_dims();
        self.floor = model.config.eta_scale.powi(-2);
        self.factor.clear();
        self.factor.resize(self.n_dims * self.n_dims, 0.0);
        self.mean.clear();
        self.mean.resize(self.n_dims, 0.0);
        for d in 0..self.n_dims {
            self.factor[d * self.n_dims + d] = diagonal;
        }
    }

    /// Λ += w x xᵀ, ν += b x
    fn add(&mut self, x: &[f64], weight: f64, slope: f64) {
        for (i, row) in self.factor.chunks_exact_mut(self.n_dims).enumerate() {
            let scaled = weight * x[i];
            for (entry, x) in row[..=i].iter_mut().zip(x) {
                *entry += scaled * x;
            }
            self.mean[i] += slope * x[i];
        }
    }

    /// The same on the factor itself: the row √w xᵀ with right-hand side b/√w is rotated into Lᵀ and
    /// L⁻¹ν, which keeps all digits of both.
    fn rotate(&mut self, x: &[f64], weight: f64, slope: f64) {
        let n = self.n_dims;
        let root = weight.sqrt();
        self.row.clear();
        self.row.extend(x.iter().map(|x| root * x));
        let mut right = slope / root;
        for k in 0..n {
            let length = self.factor[k * n + k].hypot(self.row[k]);
            let (cosine, sine) = (self.factor[k * n + k] / length, self.row[k] / length);
            self.factor[k * n + k] = length;
            for i in k + 1..n {
                let (entry, rest) = (self.factor[i * n + k], self.row[i]);
                self.factor[i * n + k] = cosine * entry + sine * rest;
                self.row[i] = cosine * rest - sine * entry;
            }
            let entry = self.mean[k];
            self.mean[k] = cosine * entry + sine * right;
            right = cosine * right - sine * entry;
        }
    }

    /// mean + L⁻ᵀ z; the square of z.
    pub(super) fn draw(&self, rng: &mut Rng, out: &mut [f64]) -> f64 {
        let mut square = 0.0;
        for value in out.iter_mut() {
            *value = standard_normal(rng);
            square += *value * *value;
        }
        solve_lower_transposed(&self.factor, self.n_dims, out);
        for (value, mean) in out.iter_mut().zip(&self.mean) {
            *value += mean;
        }
        square
    }

    /// The log density at `eta` but for the constant: ln |L| − ‖Lᵀ(η − mean)‖²/2.
    pub(super) fn ln_density(&self, eta: &[f64]) -> f64 {
        let n = self.n_dims;
        let square: f64 = (0..n)
            .map(|j| {
                let entry: f64 = (j..n).map(|i| self.factor[i * n + j] * (eta[i] - self.mean[i])).sum();
                entry * entry
            })
            .sum();
        self.ln_density_at(square)
    }

    /// The log density of a draw by the square of its z.
    pub(super) fn ln_density_at(&self, square: f64) -> f64 {
        self.half_ln_determinant() - 0.5 * square
    }

    fn half_ln_determinant(&self) -> f64 {
        (0..self.n_dims).map(|d| self.factor[d * self.n_dims + d].ln()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn rotations_and_sums_give_the_same_gaussian() {
        let rows = [([1.0, -2.0, 0.5], 0.7, 1.1), ([0.3, 0.4, -1.0], 2.0, -0.6), ([2.0, 1.0, 1.0], 0.1, 3.0)];
        let x = ndarray::arr2(&[[0.0; 3]]);
        let model = Model::new(x.view(), Config { eta_scale: 1.7, ..Config::default() }).unwrap();
        let mut sums = Gaussian::default();
        sums.fit(&model, |add| rows.iter().for_each(|(x, w, b)| add(x, *w, *b)));
        let mut rotations = Gaussian::default();
        rotations.reset(&model, 1.0 / 1.7);
        rows.iter().for_each(|(x, w, b)| rotations.rotate(x, *w, *b));
        solve_lower_transposed(&rotations.factor, 3, &mut rotations.mean);
        for (a, b) in sums.mean.iter().zip(&rotations.mean) {
            assert!((a - b).abs() < 1e-12);
        }
        for i in 0..3 {
            for j in 0..=i {
                assert!((sums.factor[i * 3 + j] - rotations.factor[i * 3 + j]).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_vague_prior_and_few_rows_keep_their_digits() {
        let x = ndarray::arr2(&[[0.0; 3]]);
        let model = Model::new(x.view(), Config { eta_scale: 1e9, ..Config::default() }).unwrap();
        let mut gaussian = Gaussian::default();
        gaussian.fit(&model, |add| add(&[1.0, 2.0, -2.0], 1.0, 9.0));
        // One row: the mean is x b/(w‖x‖²), and nothing across it.
        for (mean, want) in gaussian.mean.iter().zip([1.0, 2.0, -2.0]) {
            assert!((mean - want).abs() < 1e-6, "{mean} against {want}");
        }
    }
}
