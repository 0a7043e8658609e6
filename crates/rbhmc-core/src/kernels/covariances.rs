//! The covariances Σ and Σ_0, where they are learned.
//!
//! With variances v_d ~ InverseGamma(a, b_d) of their own,
//! - noise: v_d ~ InverseGamma(a + N/2, b_d + Σ_n (x_nd − θ_{c_n,d})²/2);
//! - base: v_d ~ InverseGamma(a + K/2, b_d + Σ_k (θ_kd − μ_0d)²/2), over the K occupied components: those
//!   without items are integrated out.
//!
//! A variance that all D dimensions share has a + ND/2 or a + KD/2, and the sums go over d too. All of this
//! is in the user's coordinates, where neither θ nor the margins depend on Σ and Σ_0. A draw that the model
//! could not be made with is refused, and the present value stays: the prior ends there.

use super::Work;
use crate::learn::InverseGamma;
use crate::model::Model;
use crate::rng::Rng;
use crate::state::State;

pub(super) fn noise_cov(model: &mut Model, state: &mut State, work: &mut Work, rng: &mut Rng) {
    if let Some(posterior) = noise_posterior(model, state, &mut work.sums) {
        let drawn = posterior.draw(rng, &model.config.noise_cov);
        let _refused = model.set_noise_cov(state, drawn);
    }
}

pub(super) fn base_cov(model: &mut Model, state: &mut State, work: &mut Work, rng: &mut Rng) {
    if let Some(posterior) = base_posterior(model, state, &mut work.sums) {
        let drawn = posterior.draw(rng, &model.config.base_cov);
        let _refused = model.set_base_cov(state, drawn);
    }
}

/// Of Σ given c, θ and the items; none where it is fixed.
pub(super) fn noise_posterior(model: &Model, state: &State, means: &mut Vec<f64>) -> Option<InverseGamma> {
    let prior = model.config.learn.noise_cov.as_ref()?;
    let n_dims = model.n_dims();
    fill_means(model, state, means);
    let mut squares = vec![0.0; n_dims];
    for n in 0..model.n_items() {
        let mean = &means[state.component[n].index() * n_dims..][..n_dims];
        for ((square, x), mean) in squares.iter_mut().zip(model.data.x(n)).zip(mean) {
            *square += (x - mean).powi(2);
        }
    }
    Some(prior.given(model.n_items() as f64, &squares))
}

/// Of Σ_0 given θ; none where it is fixed.
pub(super) fn base_posterior(model: &Model, state: &State, means: &mut Vec<f64>) -> Option<InverseGamma> {
    let prior = model.config.learn.base_cov.as_ref()?;
    let n_dims = model.n_dims();
    fill_means(model, state, means);
    let mut squares = vec![0.0; n_dims];
    for component in state.components.iter() {
        let mean = &means[component.index() * n_dims..][..n_dims];
        for ((square, mean), base) in squares.iter_mut().zip(mean).zip(model.whitening.base_mean()) {
            *square += (mean - base).powi(2);
        }
    }
    Some(prior.given(state.components.n_components() as f64, &squares))
}

/// θ in the user's coordinates, a row a slot.
fn fill_means(model: &Model, state: &State, means: &mut Vec<f64>) {
    means.clear();
    means.resize(state.components.n_slots() * model.n_dims(), 0.0);
    for component in state.components.iter() {
        let white: Vec<f64> = state.components.mean(component).collect();
        let row = &mut means[component.index() * model.n_dims()..][..model.n_dims()];
        row.iter_mut().zip(model.mean_of(&white)).for_each(|(to, from)| *to = from);
    }
}
