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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Scheme;
    use crate::kernels::tests::fixtures::large_chain;
    use crate::rng::{Stream, stream};

    /// Drawn by way of the score, η still is N(0, ν_0² I), intercept included: each entry of its second moments lies within
    /// 4.5 standard errors (level 10⁻⁴ over the 10 of them). The control, whose score has the spread ν_0‖x‖, must not.
    #[test]
    fn a_discriminant_given_its_score_has_the_prior() {
        const N_DRAWS: usize = 40_000;
        let model = large_chain(5, 1.0, 1.0, 9.0, Scheme::Collapsed).model;
        let short: f64 = model.data.x(2).iter().map(|x| x * x).sum();
        for factor in [1.0, (short / model.data.square[2]).sqrt()] {
            let mut rng = stream(1, Stream::Chain);
            let mut eta = vec![0.0; model.n_eta_dims()];
            let mut moments = vec![0.0; eta.len() * eta.len()];
            for _ in 0..N_DRAWS {
                let score = factor * draw_score(&model, &mut rng, 2);
                draw_given_score(&model, &mut rng, 2, score, &mut eta);
                assert!((dot(&eta, model.data.extended(2)) - score).abs() < 1e-9);
                for (i, a) in eta.iter().enumerate() {
                    for (j, b) in eta.iter().enumerate() {
                        moments[i * eta.len() + j] += a * b / N_DRAWS as f64;
                    }
                }
            }
            let z = |(index, moment): (usize, &f64)| {
                let is_square = index % (eta.len() + 1) == 0;
                let variance = if is_square { 2.0 } else { 1.0 } / N_DRAWS as f64;
                (moment - f64::from(u8::from(is_square))).abs() / variance.sqrt()
            };
            let largest = moments.iter().enumerate().map(z).fold(0.0, f64::max);
            assert_eq!(largest < 4.5, factor == 1.0, "largest z {largest}");
        }
    }
}
