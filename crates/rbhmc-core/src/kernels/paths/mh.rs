//! The path of an item by Metropolis–Hastings.
//!
//! With n removed, a path is drawn from the nCRP of the other items; its new nodes get β ~ Dir(γβ_parent) and η from
//! their priors. It is accepted with probability min(1, mix(n, leaf') / mix(n, leaf) · R):
//! - own loss: R = exp(−2C (h'_n − h_n));
//! - joint loss: R also includes exp(−2CΔ), where Δ is the change of the other items' losses by the node that the move
//!   creates and by the node that it empties, each against the tree without n;
//! - augmented: R = exp(−[(Cρ'_n + λ_n)² − (Cρ_n + λ_n)²] / (2λ_n)); the own loss if a path has no siblings.

use super::{in_random_order, ncrp, new_branch};
use crate::chain::Chain;
use crate::kernels::Workspace;
use crate::kernels::components::assign;
use crate::kernels::components::densities::UNDERFLOW;
use crate::kernels::margins::lambda;
use crate::model::Model;
use crate::numerics::dot;
use crate::rng::{Rng, uniform};
use crate::state::tree::ROOT;
use crate::state::{NodeId, State, seating};

/// A present or proposed position of an item, evaluated in the tree without the item.
pub(crate) struct Position {
    pub(crate) leaf: NodeId,
    /// The node at which its branch starts, if the item is alone in its leaf.
    pub(crate) branch: Option<NodeId>,
    /// ρ_n there; −∞ without siblings.
    pub(crate) violation: f64,
    /// The increase of the other items' losses by its branch.
    pub(crate) increase: f64,
}

/// Every item in random order: removed from its component, a step of the path, then c_n.
pub(crate) fn update_items(chain: &mut Chain) {
    in_random_order(chain, |chain, order| {
        for n in order.iter().map(|&n| n as usize) {
            if chain.is_stopped() {
                return;
            }
            assign::leave(&mut chain.state, n);
            step(chain, n);
            assign::draw_at(chain, n, chain.state.leaf(n));
        }
    });
}

/// Every item in random order: the published step of the path, then λ_n.
pub(crate) fn update_paths_paper(chain: &mut Chain) {
    in_random_order(chain, |chain, order| {
        for &n in order {
            if chain.is_stopped() {
                return;
            }
            step_augmented(chain, n as usize);
        }
    });
}

/// Updates the path of item n, which has left its component already.
pub(crate) fn step(chain: &mut Chain, n: usize) {
    propose(chain, n, |model, old, new| {
        let losses = new.violation.max(0.0) - old.violation.max(0.0);
        -2.0 * model.config.C * (losses + new.increase - old.increase)
    });
}

/// Updates the path of item n with λ_n held, then λ_n.
pub(crate) fn step_augmented(chain: &mut Chain, n: usize) {
    let lambda = chain.state.lambda.get(n).copied().unwrap_or(1.0);
    let violation = propose(chain, n, |model, old, new| {
        let c = model.config.C;
        if old.violation == f64::NEG_INFINITY || new.violation == f64::NEG_INFINITY {
            return -2.0 * c * (new.violation.max(0.0) - old.violation.max(0.0));
        }
        let square = |violation: f64| (c * violation + lambda) * (c * violation + lambda);
        -(square(new.violation) - square(old.violation)) / (2.0 * lambda)
    });
    if chain.model.is_regularised() {
        chain.state.lambda[n] = lambda::draw_lambda(&chain.model, &mut chain.rng, violation);
    }
}

/// Proposes a path, accepts it or not, and puts the item back; returns ρ_n at its new position.
fn propose(chain: &mut Chain, n: usize, ln_loss_ratio: impl Fn(&Model, &Position, &Position) -> f64) -> f64 {
    let Chain { model, state, workspace, rng, .. } = chain;
    let old_leaf = state.leaf(n);
    let topmost = seating::leave(state, n);
    if model.is_regularised() {
        workspace.branch.resize(model);
        if let Some(topmost) = topmost {
            workspace.branch.copy_from(state, n, topmost);
            if model.is_joint() {
                let (parent, eta) = (state.path(n)[topmost - 1], workspace.branch.eta(topmost));
                workspace.joint_loss.child_removed(model, state, &mut workspace.scores, parent, eta, n);
            }
        }
        workspace.scores.fill(model, state, n);
    }
    workspace.densities.fill(model, state, n);

    let old_branch = topmost.map(|topmost| state.path(n)[topmost - 1]);
    let old = evaluate(model, state, workspace, n, old_leaf, old_branch);

    let end = ncrp::draw_path(model, state, rng);
    let new = if state.tree.is_leaf(end) {
        evaluate(model, state, workspace, n, end, None)
    } else {
        if model.is_regularised() {
            workspace.branch.draw(model, rng, state.tree.level(end) + 1);
        }
        // The losses are computed before the branch is in the tree.
        let new = evaluate(model, state, workspace, n, end, Some(end));
        Position { leaf: new_branch::create(chain, end, None), ..new }
    };

    let Chain { model, state, workspace, rng, acceptance, .. } = chain;
    let ln_factor = if model.is_regularised() { ln_loss_ratio(model, &old, &new) } else { 0.0 };
    let accepted = accept(state, workspace, rng, old.leaf, new.leaf, ln_factor);
    acceptance.path.count(accepted);
    if accepted {
        if let Some(topmost) = topmost {
            seating::release(state, n, topmost);
        }
        seating::enter(state, n, new.leaf);
        if model.is_joint()
            && let Some(parent) = new.branch
        {
            let level = state.tree.level(parent) + 1;
            workspace.joint_loss.child_added(model, state, parent, workspace.branch.eta(level), n);
        }
    } else {
        if let Some(parent) = new.branch {
            new_branch::discard(state, new.leaf, parent);
        }
        if let Some(topmost) = topmost {
            seating::relink(state, n, topmost);
            if model.is_joint() {
                workspace.branch.copy_from(state, n, topmost);
                let parent = state.path(n)[topmost - 1];
                workspace.joint_loss.child_added(model, state, parent, workspace.branch.eta(topmost), n);
            }
        }
        seating::enter(state, n, old.leaf);
    }
    if model.is_joint() {
        workspace.joint_loss.refresh_item(model, state, &mut workspace.scores, n);
    }
    if accepted { new.violation } else { old.violation }
}

/// Computes the losses at a leaf of the tree, or at a branch whose discriminants are in the workspace.
pub(crate) fn evaluate(
    model: &Model,
    state: &State,
    workspace: &Workspace,
    n: usize,
    leaf: NodeId,
    branch: Option<NodeId>,
) -> Position {
    let mut position = Position { leaf, branch, violation: f64::NEG_INFINITY, increase: 0.0 };
    if !model.is_regularised() {
        return position;
    }
    let margin = model.config.margin;
    if let Some(parent) = branch {
        let eta = workspace.branch.eta(state.tree.level(parent) + 1);
        position.violation = margin - dot(eta, model.data.extended(n)) + workspace.scores.best_child(parent);
        if model.is_joint() {
            position.increase = workspace.joint_loss.increase(model, state, parent, eta, n, f64::INFINITY);
        }
    }
    let mut node = branch.unwrap_or(leaf);
    while node != ROOT {
        let parent = state.tree.parent(node);
        let violation = margin - workspace.scores.of(node) + workspace.scores.rival(parent, node);
        position.violation = position.violation.max(violation);
        node = parent;
    }
    position
}

/// Accepts with probability mix(n, new) / mix(n, old) · e^`ln_factor`.
fn accept(
    state: &State,
    workspace: &Workspace,
    rng: &mut Rng,
    old: NodeId,
    new: NodeId,
    ln_factor: f64,
) -> bool {
    let densities = &workspace.densities;
    let (mix_old, mix_new) = (densities.mix(state, old), densities.mix(state, new));
    let u = uniform(rng);
    if mix_old > UNDERFLOW && mix_new > UNDERFLOW {
        return u * mix_old < mix_new * ln_factor.exp();
    }
    let ln_ratio = densities.ln_mix(state, new) - densities.ln_mix(state, old) + ln_factor;
    u < ln_ratio.exp()
}
