//! InverseGaussian(μ, 1): density √(1/2πx³) exp(−(x − μ)² / (2μ²x)), x > 0.
//!
//! Michael, Schucany and Haas (1976): with y the square of a normal and w = μy/2, the smaller root
//! is x = μ / (1 + w + √(w² + 2w)), a form free of cancellation for large μ; x is returned with
//! probability μ/(μ + x), else μ²/x.

use crate::rng::{Rng, standard_normal, uniform};

pub fn inverse_gaussian(rng: &mut Rng, mean: f64) -> f64 {
    let normal = standard_normal(rng);
    let w = 0.5 * mean * normal * normal;
    let x = mean / (1.0 + w + (w * (w + 2.0)).sqrt());
    if uniform(rng) * (mean + x) <= mean { x } else { mean * (mean / x) }
}
