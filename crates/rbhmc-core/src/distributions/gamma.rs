//! Gamma(shape, rate) of any shape above 0, and its inverse.

use super::scaled_gamma::scaled_gamma;
use crate::rng::Rng;

/// Density ∝ x^{shape−1} e^{−rate·x}.
pub fn gamma(rng: &mut Rng, shape: f64, rate: f64) -> f64 {
    let (value, exponent) = scaled_gamma(rng, shape);
    value * exponent.exp() / rate
}

/// Density ∝ x^{−shape−1} e^{−scale/x}.
pub fn inverse_gamma(rng: &mut Rng, shape: f64, scale: f64) -> f64 {
    gamma(rng, shape, scale).recip()
}
