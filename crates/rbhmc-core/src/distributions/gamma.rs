//! Gamma(shape, rate) of any shape above 0, its inverse, truncated or not, and the scaled form that neither underflows
//! nor needs a logarithm.
//!
//! For shape a < 1, Gamma(a) = Gamma(a + 1)·U^{1/a} (Marsaglia and Tsang 2000), and U^{1/a} = e^{−E/a} with E a
//! standard exponential. A variable is kept as g·eᵉ with e = −E/a, so the ratio of two of them is exact however
//! small their shapes are.

use rand::RngExt;
use rand_distr::{Exp1, Open01, StandardNormal};

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

/// Density ∝ x^{−shape−1} e^{−scale/x} for x ≥ floor, with shape ≥ 3/2.
///
/// y = 1/x is gamma distributed, truncated to y ≤ t = 1/floor. If its mode (shape − 1)/scale is below t, or less than half a
/// standard deviation above it, plain draws are rejected until one fits. Otherwise ln p(y) is concave and grows up to t
/// with the slope s = (shape − 1)/t − scale there, so that its tangent bounds it: y = t − E/s, E a standard exponential,
/// is accepted with the ratio of the density to the bound (Robert 1995 has this scheme for the normal distribution).
/// For every floor, one draw in about twenty or more is accepted.
pub fn inverse_gamma_above(rng: &mut Rng, shape: f64, scale: f64, floor: f64) -> f64 {
    let most = floor.recip();
    let slope = (shape - 1.0) / most - scale;
    if slope * most <= 0.5 * (shape - 1.0).sqrt() {
        loop {
            let value = inverse_gamma(rng, shape, scale);
            if value >= floor {
                return value;
            }
        }
    }
    loop {
        let exponential: f64 = rng.sample(Exp1);
        let below = exponential / slope;
        if below >= most {
            continue;
        }
        // ln p(y) − ln p(t) = (shape − 1) ln(y/t) + scale (t − y), and the tangent is −s (t − y).
        let ln_ratio = (shape - 1.0) * (-below / most).ln_1p() + scale * below + exponential;
        let uniform: f64 = rng.sample(Open01);
        if uniform.ln() < ln_ratio {
            return (most - below).recip();
        }
    }
}

/// (g, e) with g·eᵉ ~ Gamma(shape, 1). A shape of 0 gives e = −∞.
#[inline]
pub(super) fn scaled_gamma(rng: &mut Rng, shape: f64) -> (f64, f64) {
    if shape >= 1.0 {
        (large_gamma(rng, shape), 0.0)
    } else {
        let exponent = small_exponent(rng, shape);
        (large_gamma(rng, shape + 1.0), exponent)
    }
}

/// e = −E/a
#[inline]
pub(super) fn small_exponent(rng: &mut Rng, shape: f64) -> f64 {
    let exponential: f64 = rng.sample(Exp1);
    -exponential / shape
}

/// Gamma(shape, 1) for shape ≥ 1, by Marsaglia and Tsang's squeeze. `rand_distr::Gamma` uses the same
/// method; here the set-up is inlined, since nearly every draw has its own shape.
#[inline]
pub(super) fn large_gamma(rng: &mut Rng, shape: f64) -> f64 {
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x: f64 = rng.sample(StandardNormal);
        let root = 1.0 + c * x;
        if root <= 0.0 {
            continue;
        }
        let v = root * root * root;
        let u: f64 = rng.sample(Open01);
        let x2 = x * x;
        if u < 1.0 - 0.0331 * x2 * x2 || u.ln() < 0.5 * x2 + d * (1.0 - v + v.ln()) {
            return d * v;
        }
    }
}
