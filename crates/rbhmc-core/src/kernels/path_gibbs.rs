//! The path of an item by collapsed Gibbs sampling.
//!
//! With n taken out, every node of the tree is one candidate:
//! - a leaf z: p(z) · mix(n, z) · e^{−2C h_n};
//! - an inner node z, a new branch that leaves the tree there: p(z) · α/(N_z + α) · mix(n, z) · e^{−2C h_n},
//!   since the weights of nodes that do not exist yet integrate out to β_z;
//!
//! with p(z) = Π N_child/(N_parent + α) down to z. The discriminant of a new branch is drawn from the
//! prior beforehand; a branch that n has just emptied is the candidate at its parent. With the joint
//! loss a new branch is also charged with e^{−2CΔ}, Δ what it adds to the other items' losses.

use super::densities::TINY;
use super::{Work, branches, components, seating};
use crate::model::Model;
use crate::numerics::{exp_nonpositive, product};
use crate::rng::{Rng, categorical, categorical_ln, standard_normal};
use crate::state::tree::ROOT;
use crate::state::{NodeId, State};

#[derive(Debug, Clone, Default)]
pub(crate) struct Candidates {
    pub(super) nodes: Vec<NodeId>,
    /// nCRP probability × mix, then × the loss's factor.
    pub(crate) weights: Vec<f64>,
    /// nCRP probability alone.
    priors: Vec<f64>,
    /// h_n (+ Δ)
    losses: Vec<f64>,
    factors: Vec<f64>,
    // By node slot:
    prior: Vec<f64>,
    violation: Vec<f64>,
    /// η_newᵀx_n of the branch that would leave at the node.
    branch_score: Vec<f64>,
    /// η_new itself, a row a slot, where the joint loss needs it.
    branch_etas: Vec<f64>,
}

impl Candidates {
    pub(super) fn eta(&self, n_dims: usize, node: NodeId) -> &[f64] {
        &self.branch_etas[node.index() * n_dims..(node.index() + 1) * n_dims]
    }
}

/// Moves item n, whose component it has left already, and draws c_n.
pub(crate) fn path_gibbs(model: &Model, state: &mut State, work: &mut Work, rng: &mut Rng, n: usize) {
    let vacated = vacate(model, state, work, n);
    work.densities.fill(model, state, n);
    if model.is_regularised() {
        work.scores.fill(model, state, n);
        draw_branches(model, state, work, rng, n, vacated);
    }
    list_candidates(model, state, work, n);
    let chosen = choose(model, state, work, rng);
    let component = components::draw_at(model, state, work, rng, n, chosen);
    let leaf = if state.tree.is_leaf(chosen) {
        chosen
    } else {
        if model.is_regularised() {
            settle_branch(model, state, work, rng, n, chosen, vacated);
        }
        branches::create(model, state, work, rng, chosen, Some(component))
    };
    seating::enter(state, n, leaf);
    if model.is_joint() {
        work.losses.refresh_item(model, state, &mut work.scores, n);
    }
}

/// Takes n out of the tree; the parent of the branch that this empties, whose discriminants are kept.
pub(super) fn vacate(model: &Model, state: &mut State, work: &mut Work, n: usize) -> Option<NodeId> {
    let topmost = seating::leave(state, n)?;
    let parent = state.path(n)[topmost - 1];
    if model.is_regularised() {
        work.branch.resize(model);
        work.branch.keep(state, n, topmost);
    }
    seating::release(state, n, topmost);
    if model.is_joint() {
        work.losses.child_removed(model, state, &mut work.scores, parent, n);
    }
    Some(parent)
}

/// Draws, for every inner node, the first discriminant of the branch that would leave there.
///
/// The own loss needs no more than η_newᵀx_n ~ N(0, ν_0² ‖x_n‖²); the rest of η_new is drawn only if
/// the branch is chosen. The joint loss needs all of it.
pub(super) fn draw_branches(
    model: &Model,
    state: &State,
    work: &mut Work,
    rng: &mut Rng,
    n: usize,
    vacated: Option<NodeId>,
) {
    let n_dims = model.n_dims();
    let joint = model.is_joint();
    let candidates = &mut work.candidates;
    candidates.branch_score.resize(state.tree.n_slots(), 0.0);
    if joint {
        candidates.branch_etas.resize(state.tree.n_slots() * n_dims, 0.0);
    }
    let x = model.data.x(n);
    let spread = model.config.eta_scale * model.data.square[n].sqrt();
    for level in 0..model.n_levels() {
        for &node in state.tree.level_nodes(level) {
            let row = node.index() * n_dims..(node.index() + 1) * n_dims;
            let score = if vacated == Some(node) {
                let eta = work.branch.eta(level + 1);
                if joint {
                    candidates.branch_etas[row].copy_from_slice(eta);
                }
                product(eta, x)
            } else if joint {
                let eta = &mut candidates.branch_etas[row];
                branches::draw_eta(model, rng, eta);
                product(eta, x)
            } else {
                spread * standard_normal(rng)
            };
            candidates.branch_score[node.index()] = score;
        }
    }
}

pub(super) fn list_candidates(model: &Model, state: &State, work: &mut Work, n: usize) {
    let Work { candidates, densities, scores, losses, .. } = work;
    let tree = &state.tree;
    let config = &model.config;
    let regularised = model.is_regularised();
    candidates.nodes.clear();
    candidates.weights.clear();
    candidates.priors.clear();
    candidates.losses.clear();
    candidates.prior.resize(tree.n_slots(), 0.0);
    candidates.violation.resize(tree.n_slots(), 0.0);
    for level in 0..=model.n_levels() {
        for &node in tree.level_nodes(level) {
            let slot = node.index();
            let size = f64::from(tree.n_items(node));
            let (mut prior, mut violation) = (1.0, f64::NEG_INFINITY);
            if node != ROOT {
                let parent = tree.parent(node);
                prior = candidates.prior[parent.index()] * size;
                if regularised {
                    let rival = scores.rival(parent, node);
                    violation =
                        candidates.violation[parent.index()].max(config.margin - scores.of(node) + rival);
                }
            }
            if level < model.n_levels() {
                // Kept divided by N_z + α, ready for the children.
                prior /= size + config.alpha;
                candidates.prior[slot] = prior;
                prior *= config.alpha;
                if regularised {
                    candidates.violation[slot] = violation;
                    let score = candidates.branch_score[slot];
                    violation = violation.max(config.margin - score + scores.best(node));
                }
            }
            candidates.nodes.push(node);
            candidates.priors.push(prior);
            candidates.weights.push(prior * densities.mix(state, node));
            if regularised {
                let mut loss = violation.max(0.0);
                if level < model.n_levels() && model.is_joint() {
                    let eta = candidates.eta(model.n_dims(), node);
                    loss += losses.charge(model, state, node, eta, n);
                }
                candidates.losses.push(loss);
            }
        }
    }
    if regularised {
        let least = candidates.losses.iter().copied().fold(f64::INFINITY, f64::min);
        candidates.factors.clear();
        candidates.factors.extend(candidates.losses.iter().map(|loss| -2.0 * config.C * (loss - least)));
        exp_nonpositive(&mut candidates.factors);
        for (weight, factor) in candidates.weights.iter_mut().zip(&candidates.factors) {
            *weight *= factor;
        }
    }
}

fn choose(model: &Model, state: &State, work: &mut Work, rng: &mut Rng) -> NodeId {
    let candidates = &mut work.candidates;
    let total: f64 = candidates.weights.iter().sum();
    let index = if total > TINY {
        categorical(rng, &candidates.weights, total)
    } else {
        for (index, weight) in candidates.weights.iter_mut().enumerate() {
            let loss = candidates.losses.get(index).copied().unwrap_or(0.0);
            *weight = candidates.priors[index].ln() + work.densities.ln_mix(state, candidates.nodes[index])
                - 2.0 * model.config.C * loss;
        }
        categorical_ln(rng, &mut candidates.weights)
    };
    candidates.nodes[index]
}

/// Completes the discriminants of the branch that was chosen to leave at `node`, in `work.branch`.
fn settle_branch(
    model: &Model,
    state: &State,
    work: &mut Work,
    rng: &mut Rng,
    n: usize,
    node: NodeId,
    vacated: Option<NodeId>,
) {
    let topmost = state.tree.level(node) + 1;
    if vacated != Some(node) {
        work.branch.resize(model);
        let eta = work.branch.eta_mut(topmost);
        if model.is_joint() {
            eta.copy_from_slice(work.candidates.eta(model.n_dims(), node));
        } else {
            let score = work.candidates.branch_score[node.index()];
            branches::draw_eta_given_score(model, rng, n, score, eta);
        }
        work.branch.draw(model, rng, topmost + 1);
    }
    if model.is_joint() {
        work.losses.child_added(model, state, node, work.branch.eta(topmost), n);
    }
}
