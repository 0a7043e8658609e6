//! Dirichlet(a_1, …, a_K) for any a_k ≥ 0, as normalised gamma variables.
//!
//! Entries whose a_k is 0 are 0. Where every variable underflows the limit is taken: one entry is 1,
//! with probability in proportion to a_k.

use super::scaled_gamma::{large_gamma, small_exponent};
use crate::numerics::{exp_nonpositive, larger};
use crate::rng::{Rng, categorical};

/// Replaces the shapes in `values` by a draw; `exponents` is room for as many numbers.
pub fn dirichlet(rng: &mut Rng, values: &mut [f64], exponents: &mut [f64]) {
    let mut top = f64::NEG_INFINITY;
    let mut shape_sum = 0.0;
    // A variable of shape 1 or more has exponent 0: beside it, e^{−708} and less are rounded to 0.
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
            // One that vanishes altogether keeps its shape, for the limit below.
            if e > vanishing {
                *value = large_gamma(rng, shape + 1.0);
                *exponent = e;
            }
        }
        top = larger(top, *exponent);
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
