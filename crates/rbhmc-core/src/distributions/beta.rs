//! Beta(a, b) for any a, b ≥ 0, with its complement, neither lost to rounding.

use super::scaled_gamma::scaled_gamma;
use crate::rng::{Rng, uniform};

/// (x, 1 − x) with x ~ Beta(a, b). One vanished parameter gives the limit, 0 or 1; with both
/// vanished x ~ Bernoulli(`limit`).
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
