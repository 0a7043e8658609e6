//! The component means.
//!
//! θ_k ~ N(μ̃, Σ̃), Σ̃ = (Σ_0⁻¹ + N_k Σ⁻¹)⁻¹, μ̃ = Σ̃ (Σ_0⁻¹ μ_0 + Σ⁻¹ Σ_{c_n=k} x_n); in whitened
//! coordinates, one at a time: precision 1/s + N_k, mean Σ y_n / (1/s + N_k).

use crate::kernels::Work;
use crate::model::Model;
use crate::rng::{Rng, standard_normal};
use crate::state::State;

pub(crate) fn means(model: &Model, state: &mut State, work: &mut Work, rng: &mut Rng) {
    let n_dims = model.n_dims();
    let sums = &mut work.sums;
    sums.clear();
    sums.resize(state.components.n_slots() * n_dims, 0.0);
    for n in 0..model.n_items() {
        let start = state.component[n].index() * n_dims;
        for (sum, y) in sums[start..start + n_dims].iter_mut().zip(model.data.white(n)) {
            *sum += y;
        }
    }
    for slot in 0..state.components.n_slots() {
        if !state.components.is_open(slot) {
            continue;
        }
        let size = f64::from(state.components.n_items[slot]);
        for d in 0..n_dims {
            let (mean, precision) =
                posterior(model.whitening.base_variance[d], size, sums[slot * n_dims + d]);
            let value = mean + standard_normal(rng) / precision.sqrt();
            state.components.means.set(d, slot, value);
        }
    }
}

/// Mean and precision of one coordinate of θ_k.
pub(crate) fn posterior(base_variance: f64, size: f64, sum: f64) -> (f64, f64) {
    let precision = 1.0 / base_variance + size;
    (sum / precision, precision)
}
