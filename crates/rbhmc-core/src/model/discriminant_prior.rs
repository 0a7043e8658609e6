//! The prior of the discriminants: η_z ~ N(0, ν_0² I), for every node except the root. With an
//! intercept, the last entry of η_z is the weight of κ, and η_zᵀx̃ is the score.

use super::Model;
use crate::numerics::dot;
use crate::rng::{Rng, standard_normal};

/// ν_0⁻²
pub(crate) fn precision(model: &Model) -> f64 {
    model.config.eta_scale.powi(-2)
}

/// ln p(η), up to a constant.
pub(crate) fn ln_density(model: &Model, eta: impl Iterator<Item = f64>) -> f64 {
    eta.map(|eta| -0.5 * (eta / model.config.eta_scale).powi(2)).sum()
}

/// Draws η.
pub(crate) fn draw(model: &Model, rng: &mut Rng, eta: &mut [f64]) {
    for value in eta {
        *value = model.config.eta_scale * standard_normal(rng);
    }
}

/// Draws ηᵀx̃_n ~ N(0, ν_0² ‖x̃_n‖²) without η itself.
pub(crate) fn draw_score(model: &Model, rng: &mut Rng, n: usize) -> f64 {
    model.config.eta_scale * model.data.square[n].sqrt() * standard_normal(rng)
}

/// Draws η given ηᵀx̃_n = score: an unconditional draw, moved along x̃_n.
pub(crate) fn draw_given_score(model: &Model, rng: &mut Rng, n: usize, score: f64, eta: &mut [f64]) {
    draw(model, rng, eta);
    let square = model.data.square[n];
    if square > 0.0 {
        let x = model.data.extended(n);
        let step = (score - dot(eta, x)) / square;
        for (eta, x) in eta.iter_mut().zip(x) {
            *eta += step * x;
        }
    }
}
