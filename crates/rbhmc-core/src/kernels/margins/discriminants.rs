//! The discriminants of the nodes, given λ and every item's rival.
//!
//! Λ = ν_0⁻² I + C² Σ x_n x_nᵀ / λ_n,
//! ν = Σ_{v=z} x_n (Cλ_n + C²ε_0 + C² η_sᵀx_n)/λ_n − Σ_{s=z} x_n (Cλ_n + C²ε_0 − C² η_vᵀx_n)/λ_n,
//! η' ~ N(Λ⁻¹ν, Λ⁻¹).
//!
//! Active sums run over the items whose rival pair (v, s) contains z at z's level. Since s is a function of η, the
//! Gaussian is a proposal with an accept step, which the published algorithm leaves out.
//!
//! Path sums are another reading of the paper, in which ℓ of v_nℓ = z is not bound by s_n: they run over all items in
//! z, with the rival of each at any level, and over the items whose rival is z. No scheme has them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::gaussian_proposal::Gaussian;
use super::siblings::{Active, SiblingGroup};
use super::violations::Violations;
use crate::chain::Chain;
use crate::kernels::Workspace;
use crate::model::{Model, discriminant_prior};
use crate::rng::{Rng, uniform};
use crate::state::State;

/// Updates every node, parents first, with an accept step.
pub(crate) fn update_by_active_sums(chain: &mut Chain) {
    update_nodes(chain, propose);
}

/// The published update: every proposal is accepted. λ is what the path steps left.
pub(crate) fn update_always_accepted(chain: &mut Chain) {
    chain.workspace.violations.refresh(&chain.model, &chain.state);
    update_nodes(chain, |model, state, violations, siblings, proposal, rng, child| {
        let active = siblings.active(violations, child);
        if !proposal.draw(model, state, active, rng) {
            return f64::NEG_INFINITY;
        }
        siblings.propose(model, violations, &proposal.eta, child);
        0.0
    });
}

/// Draws a proposal for a child of a sibling group, and returns the logarithm of its acceptance ratio.
type Propose = fn(&Model, &State, &Violations, &mut SiblingGroup, &mut Proposal, &mut Rng, usize) -> f64;

/// Updates every node, parents first. A node without siblings draws from its prior, which counts as no proposal.
fn update_nodes(chain: &mut Chain, propose: Propose) {
    let Chain { model, state, workspace, rng, acceptance, stop } = chain;
    let Workspace { siblings, proposal, violations, .. } = workspace;
    proposal.resize(model);
    proposal.watch(stop);
    for level in 0..model.n_levels() {
        for position in 0..state.tree.level_nodes(level).len() {
            let parent = state.tree.level_nodes(level)[position];
            if let [only] = violations.children(state, parent) {
                discriminant_prior::draw(model, rng, &mut proposal.eta);
                state.discriminants.set_column(only.index(), &proposal.eta);
                continue;
            }
            siblings.open(model, state, violations, parent);
            for child in 0..siblings.children.len() {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let ln_ratio = propose(model, state, violations, siblings, proposal, rng, child);
                let accepted = ln_ratio >= 0.0 || uniform(rng) < ln_ratio.exp();
                acceptance.eta.count(accepted);
                if accepted {
                    state.discriminants.set_column(siblings.children[child].index(), &proposal.eta);
                    siblings.accept(violations, child, &proposal.eta);
                }
            }
        }
    }
}

/// A proposed η of one node, and the Gaussians of the proposal and of its reverse.
#[derive(Debug, Clone, Default)]
pub(crate) struct Proposal {
    pub(crate) eta: Vec<f64>,
    present: Vec<f64>,
    forward: Gaussian,
    reverse: Gaussian,
    /// What `Gaussian::draw` returns for the forward proposal.
    square: f64,
}

impl Proposal {
    /// Reserves memory for the Gaussians of `n_dims` dimensions; false if there is not enough.
    pub(crate) fn reserve(&mut self, n_dims: usize) -> bool {
        self.forward.reserve(n_dims) && self.reverse.reserve(n_dims)
    }

    fn watch(&mut self, stop: &Arc<AtomicBool>) {
        self.forward.stop = stop.clone();
        self.reverse.stop = stop.clone();
    }

    pub(crate) fn resize(&mut self, model: &Model) {
        self.eta.resize(model.n_eta_dims(), 0.0);
        self.present.resize(model.n_eta_dims(), 0.0);
    }

    /// Draws η from the Gaussian of active items; returns false if it was stopped.
    fn draw(&mut self, model: &Model, state: &State, active: &[Active], rng: &mut Rng) -> bool {
        fit(&mut self.forward, model, state, active);
        if self.forward.is_stopped() {
            return false;
        }
        self.square = self.forward.draw(rng, &mut self.eta);
        true
    }
}

/// Draws a proposal for a child; returns the log Hastings ratio for p(η_z) Π_n exp(−(λ_n + Cρ_n)²/(2λ_n)).
pub(crate) fn propose(
    model: &Model,
    state: &State,
    violations: &Violations,
    siblings: &mut SiblingGroup,
    proposal: &mut Proposal,
    rng: &mut Rng,
    child: usize,
) -> f64 {
    let active = siblings.active(violations, child);
    if !proposal.draw(model, state, active, rng) {
        return f64::NEG_INFINITY;
    }
    let Proposal { eta, present, forward, reverse, square } = proposal;
    siblings.propose(model, violations, eta, child);
    let (same_rivals, ln_losses) = siblings.compare(model, state, violations);
    if same_rivals {
        // The Gaussian is the conditional.
        return 0.0;
    }
    let node = siblings.children[child].index();
    let mut ln_ratio = ln_losses;
    for ((present, now), then) in present.iter_mut().zip(state.discriminants.column(node)).zip(eta.iter()) {
        *present = now;
        ln_ratio -= 0.5 * forward.floor() * (then * then - now * now);
    }
    fit(reverse, model, state, siblings.proposed_active(violations, child));
    if reverse.is_stopped() {
        return f64::NEG_INFINITY;
    }
    ln_ratio + reverse.ln_density(present) - forward.ln_density_at(*square)
}

/// Fits the Gaussian of a child's active sums, in which the other discriminant of each pair is fixed.
pub(crate) fn fit(gaussian: &mut Gaussian, model: &Model, state: &State, active: &[Active]) {
    let row = |&Active { item, is_own, other_score }: &Active| {
        let n = item as usize;
        let terms = if is_own { own_terms } else { rival_terms };
        let (weight, slope) = terms(model, state.lambda[n], other_score);
        (model.data.extended(n), weight, slope)
    };
    gaussian.fit(model, active.iter().map(row));
}

/// C²/λ and (Cλ + C²ε_0 + C² η_sᵀx)/λ of an item in the node.
fn own_terms(model: &Model, lambda: f64, rival_score: f64) -> (f64, f64) {
    let c = model.config.C;
    let weight = c * c / lambda;
    (weight, c + weight * (model.config.margin + rival_score))
}

/// C²/λ and −(Cλ + C²ε_0 − C² η_vᵀx)/λ of an item whose rival is the node.
fn rival_terms(model: &Model, lambda: f64, own_score: f64) -> (f64, f64) {
    let c = model.config.C;
    let weight = c * c / lambda;
    (weight, -(c + weight * (model.config.margin - own_score)))
}

/// Updates every node, parents first, by path sums, always accepted.
pub(crate) fn update_by_path_sums(chain: &mut Chain) {
    let Chain { model, state, workspace, rng, stop, .. } = chain;
    let Workspace { siblings, proposal, violations, .. } = workspace;
    violations.refresh(model, state);
    proposal.resize(model);
    proposal.watch(stop);
    for level in 1..=model.n_levels() {
        for position in 0..state.tree.level_nodes(level).len() {
            let node = state.tree.level_nodes(level)[position];
            siblings.open(model, state, violations, state.tree.parent(node));
            let child = siblings.children.iter().position(|&child| child == node).expect("a child");
            let active = siblings.active_at_any_level(model, violations, child);
            if !proposal.draw(model, state, active, rng) {
                return;
            }
            state.discriminants.set_column(node.index(), &proposal.eta);
            siblings.propose(model, violations, &proposal.eta, child);
            siblings.accept(violations, child, &proposal.eta);
        }
    }
}
