//! A subtree moves to another parent: a sibling of its own, or a new one.
//!
//! A node z at level 2 or below hangs from p, a child of g. With z taken out, p dropped if that empties it,
//! and the weights of z's subtree integrated out (see `subtrees`), its places weigh
//! - below a child d of g: Γ(N_d + N_z)/Γ(N_d) · Γ(α + N_d)/Γ(α + N_d + N_z) · Π_k β_dk^{T_k};
//! - below a new child of g: α Γ(N_z) · Γ(α)/Γ(α + N_z) · DM(T; γβ_g).
//!
//! Another place than the present one is proposed in proportion to its weight w, and with C > 0 new
//! discriminants of p, of d and of z from Gaussians q near their law (see `fitted`). With W the sum of
//! the weights the move is accepted with probability min(1, R),
//! R = (W − w_p)/(W − w_d) · [p(η') e^{−2C Σh'} / q'(η')] / [p(η) e^{−2C Σh} / q(η)].
//! The weights of the subtree, and of a new parent, are then drawn given T.

use statrs::function::gamma::ln_gamma;

use super::fitted::ln_eta_prior;
use super::{Info, Work};
use crate::model::Model;
use crate::numerics::ln_sum_exp;
use crate::rng::{Rng, categorical_ln, uniform};
use crate::state::{NodeId, State};

/// A place for the subtree, and the log of its weight; no node for a new one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Destination {
    pub(super) node: Option<NodeId>,
    pub(super) ln_weight: f64,
}

pub(crate) fn regraft(model: &Model, state: &mut State, work: &mut Work, rng: &mut Rng) -> Info {
    let mut info = Info::default();
    if model.n_levels() < 2 {
        return info;
    }
    let level = 2 + index(rng, model.n_levels() - 1);
    let nodes = state.tree.level_nodes(level);
    let node = nodes[index(rng, nodes.len())];
    if let Some(accepted) = step(model, state, work, rng, node) {
        info.moves.count(accepted);
    }
    info
}

pub(super) fn index(rng: &mut Rng, n: usize) -> usize {
    ((uniform(rng) * n as f64) as usize).min(n - 1)
}

/// Proposes another place for the subtree below `node`; None where there is none.
fn step(model: &Model, state: &mut State, work: &mut Work, rng: &mut Rng, node: NodeId) -> Option<bool> {
    let source = state.tree.parent(node);
    work.subtree.take(model, state, rng, node);
    let ln_present = list_destinations(model, state, work, node);
    let mut ln_weights: Vec<f64> = work.destinations.iter().map(|place| place.ln_weight).collect();
    let ln_others = ln_sum_exp(ln_weights.iter().copied());
    if ln_others == f64::NEG_INFINITY || ln_others.is_nan() {
        return None;
    }
    let chosen = categorical_ln(rng, &mut ln_weights);
    let others = work.destinations.iter().enumerate().filter(|&(i, _)| i != chosen);
    let ln_reverse = ln_sum_exp(others.map(|(_, place)| place.ln_weight).chain([ln_present]));
    let mut ln_ratio = ln_others - ln_reverse;
    let destination = work.destinations[chosen].node;

    let kept = model.is_regularised().then(|| {
        let nodes: Vec<NodeId> = destination.into_iter().chain([source, node]).collect();
        ln_ratio -= ln_discriminants(model, state, work, &nodes);
        ln_ratio += work.fitted.ln_density(model, state, rng, &nodes);
        let etas = state.etas(&nodes);
        (nodes, etas)
    });
    let parent = destination.unwrap_or_else(|| state.open_node(state.tree.parent(source)));
    hang(state, &work.subtree.items, node, parent);
    let emptied = state.tree.n_children(source) == 0;
    if emptied {
        state.tree.unlink(source);
    }
    if model.is_regularised() {
        let nodes: Vec<NodeId> = (!emptied).then_some(source).into_iter().chain([parent, node]).collect();
        ln_ratio -= work.fitted.propose(model, state, rng, &nodes);
        ln_ratio += ln_discriminants(model, state, work, &nodes);
    }
    let accepted = uniform(rng).ln() < ln_ratio;
    if accepted {
        if emptied {
            state.tree.release(source);
        }
        if destination.is_none() {
            work.subtree.draw_parent(model, state, rng, parent);
        }
        work.subtree.redraw(model, state, rng);
    } else {
        if emptied {
            state.tree.link(source);
        }
        hang(state, &work.subtree.items, node, source);
        if destination.is_none() {
            state.tree.unlink(parent);
            state.tree.release(parent);
        }
        if let Some((nodes, etas)) = kept {
            state.set_etas(&nodes, &etas);
        }
    }
    Some(accepted)
}

/// Fills `work.destinations` with all places but the present one, whose log weight is returned.
pub(super) fn list_destinations(model: &Model, state: &State, work: &mut Work, node: NodeId) -> f64 {
    let tree = &state.tree;
    let alpha = model.config.alpha;
    let source = tree.parent(node);
    let above = tree.parent(source);
    let size = f64::from(tree.n_items(node));
    let ln_new = || {
        alpha.ln() + ln_gamma(size) + ln_gamma(alpha) - ln_gamma(alpha + size)
            + work.subtree.ln_below_new(model, state, above)
    };
    let ln_at = |parent: NodeId| {
        let others = f64::from(tree.n_items(parent)) - if parent == source { size } else { 0.0 };
        ln_gamma(others + size) - ln_gamma(others) + ln_gamma(alpha + others)
            - ln_gamma(alpha + others + size)
            + work.subtree.ln_below(state, parent)
    };
    let alone = tree.n_children(source) == 1;
    let places = &mut work.destinations;
    places.clear();
    for &parent in tree.level_nodes(tree.level(source)) {
        if parent != source && tree.parent(parent) == above {
            places.push(Destination { node: Some(parent), ln_weight: ln_at(parent) });
        }
    }
    if alone {
        return ln_new();
    }
    places.push(Destination { node: None, ln_weight: ln_new() });
    ln_at(source)
}

/// ln [ p(η) of some nodes · e^{−2C Σh} ]
pub(super) fn ln_discriminants(model: &Model, state: &State, work: &mut Work, nodes: &[NodeId]) -> f64 {
    work.violations.refresh(model, state);
    let loss: f64 = work.violations.losses(model).sum();
    let etas = nodes.iter().flat_map(|node| state.discriminants.column(node.index()));
    ln_eta_prior(model, etas) - 2.0 * model.config.C * loss
}

pub(super) fn hang(state: &mut State, items: &[u32], node: NodeId, parent: NodeId) {
    let level = state.tree.level(parent);
    state.tree.rehang(node, parent);
    for &n in items {
        state.path_mut(n as usize)[level] = parent;
    }
}
