//! λ, then η at once, so that no other kernel comes between a λ and the η that it is for.

use super::discriminants;
use crate::distributions::inverse_gaussian;
use crate::kernels::{Info, Work};
use crate::model::Model;
use crate::rng::{Rng, standard_normal};
use crate::state::{LAMBDA_RANGE, State};

/// Redraws λ for all items, then η of all nodes by active sums.
pub(crate) fn margins(model: &Model, state: &mut State, work: &mut Work, rng: &mut Rng) -> Info {
    work.violations.refresh(model, state);
    for n in 0..model.n_items() {
        state.lambda[n] = draw_lambda(model, rng, work.violations.of(model, n));
    }
    discriminants::discriminants_by_active_sums(model, state, work, rng)
}

/// λ⁻¹ ~ InverseGaussian(1/(C·|ρ|), 1), that is λ ~ GIG(1/2, 1, C²ρ²); at ρ = 0 the square of a
/// normal. 1 for an item without siblings (ρ = −∞), which needs none.
pub(crate) fn draw_lambda(model: &Model, rng: &mut Rng, violation: f64) -> f64 {
    if violation == f64::NEG_INFINITY {
        return 1.0;
    }
    let size = model.config.C * violation.abs();
    let lambda = if size > 1e-150 {
        1.0 / inverse_gaussian(rng, 1.0 / size)
    } else {
        let normal = standard_normal(rng);
        normal * normal
    };
    lambda.clamp(*LAMBDA_RANGE.start(), *LAMBDA_RANGE.end())
}
