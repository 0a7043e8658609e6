//! The path of an item by Metropolis–Hastings.
//!
//! With n taken out, a path is drawn from the nCRP of the others; its new nodes get β ~ Dir(γβ_parent)
//! and η from their priors. It is accepted with probability min(1, mix(n, leaf') / mix(n, leaf) · R):
//! - own loss: R = exp(−2C (h'_n − h_n));
//! - joint loss: R also holds exp(−2CΔ), Δ the change of the other items' losses by the node that the
//!   move creates and by the one that it empties, each against the tree without n;
//! - augmented: R = exp(−[(Cρ'_n + λ_n)² − (Cρ_n + λ_n)²] / (2λ_n)); the own loss where a path has no
//!   siblings.

use super::{branch, ncrp};
use crate::kernels::Work;
use crate::kernels::components::densities::TINY;
use crate::kernels::margins::lambda;
use crate::model::Model;
use crate::numerics::dot;
use crate::rng::{Rng, uniform};
use crate::state::tree::ROOT;
use crate::state::{NodeId, State, seating};

/// Where an item sits, or would sit, seen from the tree without it.
pub(crate) struct Place {
    pub(crate) leaf: NodeId,
    /// The node of the tree where its branch leaves, if it is a branch of its own.
    pub(crate) branch: Option<NodeId>,
    /// ρ_n there; −∞ without siblings.
    pub(crate) violation: f64,
    /// What its branch adds to the other items' losses.
    pub(crate) charge: f64,
}

/// Moves item n, whose component it has left already; whether the proposal was accepted.
pub(crate) fn path_mh(model: &Model, state: &mut State, work: &mut Work, rng: &mut Rng, n: usize) -> bool {
    let (accepted, _) = step(model, state, work, rng, n, |model, old, new| {
        -2.0 * model.config.C * (new.violation.max(0.0) - old.violation.max(0.0) + new.charge - old.charge)
    });
    accepted
}

/// The published step: λ_n is held, then redrawn.
pub(crate) fn path_mh_augmented(
    model: &Model,
    state: &mut State,
    work: &mut Work,
    rng: &mut Rng,
    n: usize,
) -> bool {
    let lambda = state.lambda.get(n).copied().unwrap_or(1.0);
    let (accepted, violation) = step(model, state, work, rng, n, |model, old, new| {
        let c = model.config.C;
        if old.violation == f64::NEG_INFINITY || new.violation == f64::NEG_INFINITY {
            return -2.0 * c * (new.violation.max(0.0) - old.violation.max(0.0));
        }
        let square = |violation: f64| (c * violation + lambda) * (c * violation + lambda);
        -(square(new.violation) - square(old.violation)) / (2.0 * lambda)
    });
    if model.is_regularised() {
        state.lambda[n] = lambda::draw_lambda(model, rng, violation);
    }
    accepted
}

/// Proposes, accepts or not, and seats the item; ρ_n where it then sits.
fn step(
    model: &Model,
    state: &mut State,
    work: &mut Work,
    rng: &mut Rng,
    n: usize,
    ln_loss_ratio: impl Fn(&Model, &Place, &Place) -> f64,
) -> (bool, f64) {
    let old_leaf = state.leaf(n);
    let topmost = seating::leave(state, n);
    if model.is_regularised() {
        work.branch.resize(model);
        if let Some(topmost) = topmost {
            work.branch.keep(state, n, topmost);
            if model.is_joint() {
                let (parent, eta) = (state.path(n)[topmost - 1], work.branch.eta(topmost));
                work.losses.child_removed(model, state, &mut work.scores, parent, eta, n);
            }
        }
        work.scores.fill(model, state, n);
    }
    work.densities.fill(model, state, n);

    let old_branch = topmost.map(|topmost| state.path(n)[topmost - 1]);
    let old = place(model, state, work, n, old_leaf, old_branch);

    let end = ncrp::walk(model, state, rng);
    let new = if state.tree.is_leaf(end) {
        place(model, state, work, n, end, None)
    } else {
        if model.is_regularised() {
            work.branch.draw(model, rng, state.tree.level(end) + 1);
        }
        // The losses are measured before the branch is in the tree.
        let mut new = place(model, state, work, n, end, Some(end));
        new.leaf = branch::create(model, state, work, rng, end, None);
        new
    };

    let ln_factor = if model.is_regularised() { ln_loss_ratio(model, &old, &new) } else { 0.0 };
    let accepted = accept(state, work, rng, old.leaf, new.leaf, ln_factor);
    if accepted {
        if let Some(topmost) = topmost {
            seating::release(state, n, topmost);
        }
        seating::enter(state, n, new.leaf);
        if model.is_joint()
            && let Some(parent) = new.branch
        {
            let level = state.tree.level(parent) + 1;
            work.losses.child_added(model, state, parent, work.branch.eta(level), n);
        }
    } else {
        if let Some(parent) = new.branch {
            branch::discard(state, new.leaf, parent);
        }
        if let Some(topmost) = topmost {
            seating::relink(state, n, topmost);
            if model.is_joint() {
                work.branch.keep(state, n, topmost);
                let parent = state.path(n)[topmost - 1];
                work.losses.child_added(model, state, parent, work.branch.eta(topmost), n);
            }
        }
        seating::enter(state, n, old.leaf);
    }
    if model.is_joint() {
        work.losses.refresh_item(model, state, &mut work.scores, n);
    }
    (accepted, if accepted { new.violation } else { old.violation })
}

/// The losses at a leaf of the tree, or at a branch whose discriminants are in `work.branch`.
pub(crate) fn place(
    model: &Model,
    state: &State,
    work: &Work,
    n: usize,
    leaf: NodeId,
    branch: Option<NodeId>,
) -> Place {
    let mut place = Place { leaf, branch, violation: f64::NEG_INFINITY, charge: 0.0 };
    if !model.is_regularised() {
        return place;
    }
    let margin = model.config.margin;
    if let Some(parent) = branch {
        let eta = work.branch.eta(state.tree.level(parent) + 1);
        place.violation = margin - dot(eta, model.data.x(n)) + work.scores.best(parent);
        if model.is_joint() {
            place.charge = work.losses.charge(model, state, parent, eta, n, f64::INFINITY);
        }
    }
    let mut node = branch.unwrap_or(leaf);
    while node != ROOT {
        let parent = state.tree.parent(node);
        let violation = margin - work.scores.of(node) + work.scores.rival(parent, node);
        place.violation = place.violation.max(violation);
        node = parent;
    }
    place
}

/// Whether a uniform is below mix(n, new) / mix(n, old) · e^`ln_factor`.
fn accept(state: &State, work: &Work, rng: &mut Rng, old: NodeId, new: NodeId, ln_factor: f64) -> bool {
    let (mix_old, mix_new) = (work.densities.mix(state, old), work.densities.mix(state, new));
    let u = uniform(rng);
    if mix_old > TINY && mix_new > TINY {
        return u * mix_old < mix_new * ln_factor.exp();
    }
    let ln_ratio = work.densities.ln_mix(state, new) - work.densities.ln_mix(state, old) + ln_factor;
    u < ln_ratio.exp()
}
