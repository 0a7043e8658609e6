//! The component means.
//!
//! θ_k ~ N(μ̃, Σ̃), Σ̃ = (Σ_0⁻¹ + N_k Σ⁻¹)⁻¹, μ̃ = Σ̃ (Σ_0⁻¹ μ_0 + Σ⁻¹ Σ_{c_n=k} x_n). In whitened coordinates, with
//! prior variances s, each coordinate has precision 1/s + N_k and mean Σ y_n / (1/s + N_k).

use crate::chain::Chain;
use crate::model::Model;
use crate::rng::{Rng, standard_normal};

pub(crate) fn update_means(chain: &mut Chain) {
    let Chain { model, state, workspace, rng, .. } = chain;
    let n_dims = model.n_dims();
    let sums = &mut workspace.sums;
    sums.clear();
    sums.resize(state.components.n_slots() * n_dims, 0.0);
    for n in 0..model.n_items() {
        let start = state.component[n].index() * n_dims;
        for (sum, y) in sums[start..start + n_dims].iter_mut().zip(model.data.white(n)) {
            *sum += y;
        }
    }
    for (slot, sum) in sums.chunks_exact_mut(n_dims).enumerate() {
        if state.components.is_open(slot) {
            draw_mean(model, rng, f64::from(state.components.n_items[slot]), sum);
            state.components.means.set_column(slot, sum);
        }
    }
}

/// Replaces the sum of `size` whitened items by a draw of their component's mean.
pub(crate) fn draw_mean(model: &Model, rng: &mut Rng, size: f64, sum: &mut [f64]) {
    for (value, &variance) in sum.iter_mut().zip(&model.whitening.base_variance) {
        let (mean, precision) = posterior(variance, size, *value);
        *value = mean + standard_normal(rng) / precision.sqrt();
    }
}

/// Draws the mean of a component with the single item n: N(y s/(1 + s), s/(1 + s)), which is [`posterior`] with
/// N_k = 1.
pub(crate) fn draw_mean_of_one(model: &Model, rng: &mut Rng, n: usize, mean: &mut Vec<f64>) {
    mean.clear();
    for (y, s) in model.data.white(n).iter().zip(&model.whitening.base_variance) {
        let variance = s / (1.0 + s);
        mean.push(y * variance + variance.sqrt() * standard_normal(rng));
    }
}

/// Mean and precision of one coordinate of θ_k.
pub(crate) fn posterior(base_variance: f64, size: f64, sum: f64) -> (f64, f64) {
    let precision = 1.0 / base_variance + size;
    (sum / precision, precision)
}
