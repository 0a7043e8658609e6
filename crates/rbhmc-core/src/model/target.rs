//! The log of the target (Q) by its definition, and the two log likelihoods that a run reports.
//!
//! q*(V, c, β, θ, η) ∝ p(V, c, β, θ | X) · p(η) · exp(−2C Σ_n h_n), times the priors of learned parameters.
//! The losses h_n depend on η and x in the user's coordinates, and so not on any learned parameter.

use statrs::function::gamma::ln_gamma;

use super::{Model, discriminant_prior};
use crate::config::{Config, Gamma};
use crate::state::State;
use crate::state::tree::ROOT;

/// ln p(V) = Σ over inner nodes [ ln Γ(α) − ln Γ(α + N_z) + Σ over children (ln α + ln Γ(N_child)) ]
pub fn ln_tree_prior(model: &Model, state: &State) -> f64 {
    let alpha = model.config.alpha;
    let tree = &state.tree;
    tree.iter()
        .map(|node| {
            let size = f64::from(tree.n_items(node));
            let as_parent = if tree.is_leaf(node) { 0.0 } else { ln_gamma(alpha) - ln_gamma(alpha + size) };
            let as_child = if node == ROOT { 0.0 } else { alpha.ln() + ln_gamma(size) };
            as_parent + as_child
        })
        .sum()
}

/// CDLL = Σ_n [ ln N(x_n; θ_{c_n}, Σ) + ln β_{leaf(n), c_n} ] + ln p(V)
pub fn cdll(model: &Model, state: &State) -> f64 {
    let items: f64 = (0..model.n_items())
        .map(|n| {
            let component = state.component[n];
            model.ln_density(n, state.components.mean(component))
                + state.weights.get(state.leaf(n), component).ln()
        })
        .sum();
    items + ln_tree_prior(model, state)
}

/// RCDLL = CDLL − 2C Σ_n h_n
pub(crate) fn rcdll(config: &Config, cdll: f64, loss: f64) -> f64 {
    cdll - 2.0 * config.C * loss
}

/// h_n of every item, by its definition.
pub fn losses(model: &Model, state: &State) -> Vec<f64> {
    let score = |node: usize, n: usize| -> f64 {
        state.discriminants.column(node).zip(model.data.extended(n)).map(|(eta, x)| eta * x).sum()
    };
    (0..model.n_items())
        .map(|n| {
            let mut loss = 0.0_f64;
            for level in 1..=model.n_levels() {
                let own = state.path(n)[level];
                for &other in state.tree.level_nodes(level) {
                    if other != own && state.tree.parent(other) == state.tree.parent(own) {
                        let violation =
                            model.config.margin - (score(own.index(), n) - score(other.index(), n));
                        loss = loss.max(violation);
                    }
                }
            }
            loss
        })
        .collect()
}

/// ln of (Q), up to a constant of the data.
pub fn ln_target(model: &Model, state: &State) -> f64 {
    let config = &model.config;
    let mut sum = cdll(model, state) + ln_weights_prior(model, state) + ln_hyperprior(config);
    for component in state.components.iter() {
        // ln N(θ; μ_0, Σ_0) in the user's coordinates: ln |Σ_0| = ln |Σ| + Σ ln s.
        sum += model.whitening.ln_normaliser;
        for (mean, variance) in state.components.mean(component).zip(&model.whitening.base_variance) {
            sum -= 0.5 * (mean * mean / variance + variance.ln());
        }
    }
    if model.is_regularised() {
        for node in state.tree.iter().filter(|&node| node != ROOT) {
            sum += discriminant_prior::ln_density(model, state.discriminants.column(node.index()));
        }
        sum -= 2.0 * config.C * losses(model, state).iter().sum::<f64>();
    }
    sum
}

/// The log prior of the learned parameters, up to constants.
pub(crate) fn ln_hyperprior(config: &Config) -> f64 {
    let priors = &config.priors;
    let concentrations =
        [(priors.alpha, config.alpha), (priors.gamma, config.gamma), (priors.gamma0, config.gamma0)];
    let covariances = [(&priors.noise_cov, &config.noise_cov), (&priors.base_cov, &config.base_cov)];
    let ln_density =
        |(prior, value): (Option<Gamma>, f64)| prior.map_or(0.0, |prior| prior.ln_density(value));
    concentrations.into_iter().map(ln_density).sum::<f64>()
        + covariances
            .into_iter()
            .filter_map(|(prior, value)| prior.as_ref().map(|prior| prior.ln_density(value)))
            .sum::<f64>()
}

/// ln p(β): at the root γ_0^K Π_k β_k⁻¹ · β*^{γ_0−1} (components labelled by occupancy), below it
/// Dir(γβ_parent).
pub(crate) fn ln_weights_prior(model: &Model, state: &State) -> f64 {
    let config = &model.config;
    let weights = &state.weights;
    state
        .tree
        .iter()
        .map(|node| {
            if node == ROOT {
                let occupied: f64 =
                    state.components.iter().map(|k| config.gamma0.ln() - weights.get(ROOT, k).ln()).sum();
                return occupied + (config.gamma0 - 1.0) * weights.rest(ROOT).ln();
            }
            let parent = state.tree.parent(node);
            let term = |above: f64, weight: f64| {
                let shape = config.gamma * above;
                (shape - 1.0) * weight.ln() - ln_gamma(shape)
            };
            let components: f64 =
                state.components.iter().map(|k| term(weights.get(parent, k), weights.get(node, k))).sum();
            ln_gamma(config.gamma) + components + term(weights.rest(parent), weights.rest(node))
        })
        .sum()
}
