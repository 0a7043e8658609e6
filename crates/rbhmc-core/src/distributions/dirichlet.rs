//! Dirichlet(a_1, …, a_K) for any a_k ≥ 0, and Beta(a, b), as normalised gamma variables.
//!
//! Entries with a_k = 0 are 0. If every variable underflows, the limit is taken: one entry is 1, with
//! probability in proportion to a_k.

use super::gamma::{large_gamma, scaled_gamma, small_exponent};
use crate::numerics::{exp_nonpositive, fmax};
use crate::rng::{Rng, categorical, uniform};

/// Replaces the shapes in `values` by a draw; `exponents` is a buffer of the same length.
pub fn dirichlet(rng: &mut Rng, values: &mut [f64], exponents: &mut [f64]) {
    let mut top = f64::NEG_INFINITY;
    let mut shape_sum = 0.0;
    // A variable of shape 1 or more has exponent 0; relative to it, e^{−708} and less round to 0.
    let vanishing = if values.iter().any(|&shape| shape >= 1.0) { -708.0 } else { f64::NEG_INFINITY };
    for (value, exponent) in values.iter_mut().zip(exponents.iter_mut()) {
        *exponent = f64::NEG_INFINITY;
        let shape = *value;
        if shape >= 1.0 {
            *value = large_gamma(rng, shape);
            *exponent = 0.0;
        } else if shape > 0.0 {
            shape_sum += shape;
            let e = small_exponent(rng, shape);
            // A variable that underflows keeps its shape, for the limit below.
            if e > vanishing {
                *value = large_gamma(rng, shape + 1.0);
                *exponent = e;
            }
        }
        top = fmax(top, *exponent);
    }
    if top == f64::NEG_INFINITY {
        let chosen = categorical(rng, values, shape_sum);
        values.fill(0.0);
        values[chosen] = 1.0;
        return;
    }
    for exponent in exponents.iter_mut() {
        *exponent -= top;
    }
    exp_nonpositive(exponents);
    let mut sum = 0.0;
    for (value, exponent) in values.iter_mut().zip(exponents.iter()) {
        *value *= exponent;
        sum += *value;
    }
    let scale = 1.0 / sum;
    for value in values.iter_mut() {
        *value *= scale;
    }
}

/// (x, 1 − x) with x ~ Beta(a, b), neither of them lost to rounding. If one parameter is 0, x is the limit, 0 or 1;
/// if both are, x ~ Bernoulli(`limit`).
pub fn beta(rng: &mut Rng, a: f64, b: f64, limit: f64) -> (f64, f64) {
    if a <= 0.0 && b <= 0.0 {
        return bernoulli(rng, limit);
    }
    if a <= 0.0 {
        return (0.0, 1.0);
    }
    if b <= 0.0 {
        return (1.0, 0.0);
    }
    let (g_a, e_a) = scaled_gamma(rng, a);
    let (g_b, e_b) = scaled_gamma(rng, b);
    let top = e_a.max(e_b);
    if top == f64::NEG_INFINITY {
        return bernoulli(rng, a / (a + b));
    }
    let x = g_a * (e_a - top).exp();
    let y = g_b * (e_b - top).exp();
    let sum = x + y;
    (x / sum, y / sum)
}

fn bernoulli(rng: &mut Rng, probability: f64) -> (f64, f64) {
    if uniform(rng) < probability { (1.0, 0.0) } else { (0.0, 1.0) }
}
