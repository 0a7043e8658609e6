//! A Gaussian posterior from weighted rows: Λ = ν_0⁻² I + Σ w x xᵀ, ν = Σ b x, mean Λ⁻¹ν.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::model::{Model, discriminant_prior};
use crate::numerics::{LANES, add_rows, cholesky, dot, round_up, simd, solve_upper, solve_upper_transposed};
use crate::rng::{Rng, standard_normal};

/// If the trace of Λ is this many times its floor, its sums have lost too many digits, and the factor is built by
/// rotations instead.
const MAX_CONDITION: f64 = 1e8;
/// Rows that are added at once.
const BATCH: usize = 64;

#[derive(Debug, Clone, Default)]
pub(crate) struct Gaussian {
    n_dims: usize,
    /// The length of a row of the factor and of the batch.
    width: usize,
    /// Λ (upper half), then its Cholesky factor U, Λ = UᵀU.
    factor: Vec<f64>,
    /// ν, then U⁻ᵀν; padded.
    rotated: Vec<f64>,
    /// A buffer for Λ⁻¹ν.
    mean: Vec<f64>,
    /// Rows x to be added, and w and b of each.
    batch: Vec<f64>,
    scales: Vec<(f64, f64)>,
    /// ν_0⁻²: Λ ⪰ ν_0⁻² I.
    floor: f64,
    /// Set by another thread to end a fit, whose result then means nothing.
    pub(crate) stop: Arc<AtomicBool>,
}

impl Gaussian {
    pub(crate) fn reserve(&mut self, n_dims: usize) -> bool {
        let size = n_dims.checked_mul(round_up(n_dims));
        size.is_some_and(|size| self.factor.try_reserve_exact(size).is_ok())
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(crate) fn floor(&self) -> f64 {
        self.floor
    }

    /// Fits to rows (x, w, b).
    pub(crate) fn fit<'a>(
        &mut self,
        model: &Model,
        rows: impl Iterator<Item = (&'a [f64], f64, f64)> + Clone,
    ) {
        self.reset(model, discriminant_prior::precision(model));
        for (x, weight, slope) in rows.clone() {
            let start = self.scales.len() * self.width;
            self.batch[start..start + self.n_dims].copy_from_slice(x);
            self.scales.push((weight, slope));
            if self.scales.len() == BATCH {
                self.add_batch();
            }
        }
        self.add_batch();
        let trace: f64 = (0..self.n_dims).map(|d| self.factor[d * self.width + d]).sum();
        if trace < MAX_CONDITION * self.floor {
            cholesky(&mut self.factor, self.n_dims, self.floor, &self.stop);
            solve_upper_transposed(&self.factor, &mut self.rotated[..self.n_dims]);
        } else {
            self.reset(model, model.config.eta_scale.recip());
            rows.for_each(|(x, weight, slope)| self.rotate(x, weight, slope));
        }
    }

    fn reset(&mut self, model: &Model, diagonal: f64) {
        self.n_dims = model.n_eta_dims();
        self.width = round_up(self.n_dims);
        self.floor = discriminant_prior::precision(model);
        self.factor.clear();
        self.factor.resize(self.n_dims * self.width, 0.0);
        self.rotated.clear();
        self.rotated.resize(self.width, 0.0);
        self.scales.clear();
        if self.batch.len() != BATCH * self.width {
            self.batch = vec![0.0; BATCH * self.width];
        }
        for d in 0..self.n_dims {
            self.factor[d * self.width + d] = diagonal;
        }
    }

    fn add_batch(&mut self) {
        add(&self.batch, &self.scales, self.width, &mut self.factor, &mut self.rotated);
        self.scales.clear();
    }

    /// Adds a row to the factor itself: √w xᵀ with right-hand side b/√w is rotated into U and U⁻ᵀν, which keeps all
    /// digits of both.
    fn rotate(&mut self, x: &[f64], weight: f64, slope: f64) {
        let root = weight.sqrt();
        for (entry, x) in self.batch.iter_mut().zip(x) {
            *entry = root * x;
        }
        let mut right = slope / root;
        for (k, row) in self.factor.chunks_exact_mut(self.width).enumerate() {
            let length = row[k].hypot(self.batch[k]);
            let (cosine, sine) = (row[k] / length, self.batch[k] / length);
            row[k] = length;
            for (entry, rest) in row[k + 1..].iter_mut().zip(&mut self.batch[k + 1..]) {
                (*entry, *rest) = (cosine * *entry + sine * *rest, cosine * *rest - sine * *entry);
            }
            let entry = self.rotated[k];
            self.rotated[k] = cosine * entry + sine * right;
            right = cosine * right - sine * entry;
        }
    }

    /// Draws Λ⁻¹ν + U⁻¹ z; returns ‖z‖².
    pub(crate) fn draw(&mut self, rng: &mut Rng, out: &mut [f64]) -> f64 {
        let mut square = 0.0;
        for value in out.iter_mut() {
            *value = standard_normal(rng);
            square += *value * *value;
        }
        self.mean.clear();
        self.mean.extend_from_slice(&self.rotated[..self.n_dims]);
        solve_upper(&self.factor, [&mut self.mean, out]);
        for (value, mean) in out.iter_mut().zip(&self.mean) {
            *value += mean;
        }
        square
    }

    /// The log density at `eta` up to a constant: ln |U| − ‖Uη − U⁻ᵀν‖²/2.
    pub(crate) fn ln_density(&self, eta: &[f64]) -> f64 {
        let mut square = 0.0;
        for (i, row) in self.factor.chunks_exact(self.width).enumerate() {
            let deviation = dot(&row[i..self.n_dims], &eta[i..]) - self.rotated[i];
            square += deviation * deviation;
        }
        self.ln_density_at(square)
    }

    /// The log density of a draw, given its ‖z‖².
    pub(crate) fn ln_density_at(&self, square: f64) -> f64 {
        self.half_ln_determinant() - 0.5 * square
    }

    fn half_ln_determinant(&self) -> f64 {
        (0..self.n_dims).map(|d| self.factor[d * self.width + d].ln()).sum()
    }
}

simd! {
    /// Λ += Σ w x xᵀ in its upper half, and ν += Σ b x, over rows padded to whole lanes.
    fn add(rows: &[f64], scales: &[(f64, f64)], width: usize, factor: &mut [f64], sum: &mut [f64]) {
        let rows = &rows[..scales.len() * width];
        for (i, row) in factor.chunks_exact_mut(width).enumerate() {
            let start = i - i % LANES;
            add_rows(&mut row[start..], rows, width, start, |j, x| scales[j].0 * x[i]);
        }
        add_rows(sum, rows, width, 0, |j, _| scales[j].1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn mean(gaussian: &Gaussian) -> Vec<f64> {
        let mut mean = gaussian.rotated[..gaussian.n_dims].to_vec();
        solve_upper(&gaussian.factor, [&mut mean]);
        mean
    }

    #[test]
    fn rotations_and_sums_give_the_same_gaussian() {
        let rows: [(&[f64], f64, f64); 3] =
            [(&[1.0, -2.0, 0.5], 0.7, 1.1), (&[0.3, 0.4, -1.0], 2.0, -0.6), (&[2.0, 1.0, 1.0], 0.1, 3.0)];
        let x = ndarray::arr2(&[[0.0; 3]]);
        let model = Model::new(x.view(), Config { eta_scale: 1.7, ..Config::default() }).unwrap();
        let mut sums = Gaussian::default();
        sums.fit(&model, rows.into_iter());
        let mut rotations = Gaussian::default();
        rotations.reset(&model, 1.0 / 1.7);
        rows.iter().for_each(|(x, w, b)| rotations.rotate(x, *w, *b));
        for (a, b) in mean(&sums).iter().zip(mean(&rotations)) {
            assert!((a - b).abs() < 1e-12);
        }
        for i in 0..3 {
            for j in i..3 {
                assert!((sums.factor[i * 4 + j] - rotations.factor[i * 4 + j]).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_vague_prior_and_few_rows_keep_their_digits() {
        let x = ndarray::arr2(&[[0.0; 3]]);
        let model = Model::new(x.view(), Config { eta_scale: 1e9, ..Config::default() }).unwrap();
        let mut gaussian = Gaussian::default();
        gaussian.fit(&model, std::iter::once((&[1.0, 2.0, -2.0][..], 1.0, 9.0)));
        // With one row the mean is x b/(w‖x‖²).
        for (mean, want) in mean(&gaussian).iter().zip([1.0, 2.0, -2.0]) {
            assert!((mean - want).abs() < 1e-6, "{mean} against {want}");
        }
    }
}
