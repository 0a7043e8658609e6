//! The augmentation variables λ, drawn right before the discriminants that they serve.

use super::discriminants;
use crate::chain::Chain;
use crate::distributions::inverse_gaussian;
use crate::model::Model;
use crate::rng::{Rng, standard_normal};
use crate::state::LAMBDA_RANGE;

/// Below this C·|ρ| the inverse Gaussian's mean would overflow, and λ has its limit.
const SMALLEST_MARGIN: f64 = 1e-150;

/// Draws λ of all items, then η of all nodes by active sums.
pub(crate) fn update_margins(chain: &mut Chain) {
    update_lambda(chain);
    discriminants::update_by_active_sums(chain);
}

/// Computes all violations and draws λ of all items.
pub(crate) fn update_lambda(chain: &mut Chain) {
    let Chain { model, state, workspace, rng, .. } = chain;
    workspace.violations.refresh(model, state);
    for n in 0..model.n_items() {
        state.lambda[n] = draw_lambda(model, rng, workspace.violations.max(model, n));
    }
}

/// λ⁻¹ ~ InverseGaussian(1/(C·|ρ|), 1), that is λ ~ GIG(1/2, 1, C²ρ²); at ρ = 0 the square of a normal. An item
/// without siblings (ρ = −∞) needs no λ and gets 1.
pub(crate) fn draw_lambda(model: &Model, rng: &mut Rng, violation: f64) -> f64 {
    if violation == f64::NEG_INFINITY {
        return 1.0;
    }
    let size = model.config.C * violation.abs();
    let lambda = if size > SMALLEST_MARGIN {
        1.0 / inverse_gaussian(rng, 1.0 / size)
    } else {
        let normal = standard_normal(rng);
        normal * normal
    };
    lambda.clamp(*LAMBDA_RANGE.start(), *LAMBDA_RANGE.end())
}
