//! The path of an item by collapsed Gibbs sampling.
//!
//! With n taken out, every node of the tree is one candidate, a column of the layout:
//! - a leaf z: p(z) · mix(n, z) · e^{−2C h_n};
//! - an inner node z, a new branch that leaves the tree there: p(z) · α/(N_z + α) · mix(n, z) · e^{−2C h_n},
//!   since the weights of nodes that do not exist yet integrate out to β_z;
//!
//! with p(z) = Π N_child/(N_parent + α) down to z. The discriminant of a new branch is one from the prior, as
//! if it were drawn beforehand; a branch that n has just emptied is the candidate at its parent. With the
//! joint loss a new branch is also charged with e^{−2CΔ}, Δ what it adds to the other items' losses.
//!
//! A branch's discriminant can only lower its weight, by e^{−charge}: `charges` draws it, and what of it is
//! needed, only where the choice hangs on it.

use super::branch::{self, Branch};
use super::candidates::{self, Candidates};
use super::likelihoods::Outlook;
use super::node_table::Layout;
use super::{prefetch, pruned};
use crate::kernels::components::assign;
use crate::kernels::{Info, Work};
use crate::model::Model;
use crate::numerics::{dot, fmax, sum};
use crate::rng::{Rng, index_at, index_at_tiles, standard_normal, uniform};
use crate::state::{NodeId, State, seating};

/// Every item in the given order: out of its component and path, a draw of the path, then c_n.
pub(crate) fn items_gibbs(
    model: &Model,
    state: &mut State,
    work: &mut Work,
    rng: &mut Rng,
    order: &[u32],
) -> Info {
    work.layout.build(model, state);
    if prefetch::pays(model, &work.layout) {
        // Within rayon's pool, so that this thread computes outlooks too.
        rayon::scope(|_| walk(model, state, work, rng, order, true));
    } else {
        walk(model, state, work, rng, order, false);
    }
    debug_assert!(work.layout.mirrors(state));
    let mut info = Info::default();
    info.path.proposed = order.len() as u64;
    info.path.accepted = order.len() as u64;
    info
}

pub(crate) fn walk(
    model: &Model,
    state: &mut State,
    work: &mut Work,
    rng: &mut Rng,
    order: &[u32],
    look_ahead: bool,
) {
    work.ahead.reset(&work.layout);
    for (position, &n) in order.iter().enumerate() {
        if look_ahead {
            work.ahead.extend(model, state, &work.layout, order, position);
        }
        work.ahead.hand_over(position, &mut work.outlook);
        path_gibbs(model, state, work, rng, n as usize);
    }
}

/// Moves item n and draws c_n; its outlook may be in `work`, but for births and deaths since.
fn path_gibbs(model: &Model, state: &mut State, work: &mut Work, rng: &mut Rng, n: usize) {
    let component = state.component[n];
    assign::leave(state, n);
    if !state.components.is_open(component.index()) {
        work.layout.component_changed(state, component);
    }
    let vacated = vacate(model, state, work, n);
    if work.outlook.version != work.layout.version {
        work.outlook.look(model, state, &work.layout, n);
    }
    let column = if work.layout.is_large {
        pruned::choose(model, state, work, rng, n, vacated)
    } else {
        choose(model, state, work, rng, n, vacated)
    };
    let chosen = work.layout.nodes[column];
    std::mem::swap(&mut work.densities, &mut work.outlook.densities);
    let n_components = state.components.n_components();
    let component = assign::draw_at(model, state, work, rng, n, chosen);
    if state.components.n_components() > n_components {
        work.layout.component_changed(state, component);
    }
    let leaf = if state.tree.is_leaf(chosen) {
        chosen
    } else {
        if model.is_regularised() {
            settle_branch(model, state, work, rng, n, column, vacated);
        }
        branch::create(model, state, work, rng, chosen, Some(component))
    };
    seating::enter(state, n, leaf);
    let (old, new) = state.path(n).split_at(state.tree.level(chosen) + 1);
    work.layout.count(old, 1.0);
    if !new.is_empty() {
        work.layout.nodes_opened(model, state, new);
    }
    if model.is_joint() {
        work.losses.refresh_item(model, state, &mut work.scores, n);
    }
}

/// Takes n out of the tree; the parent of the branch that this empties, whose discriminants are kept.
pub(crate) fn vacate(model: &Model, state: &mut State, work: &mut Work, n: usize) -> Option<NodeId> {
    work.layout.count(state.path(n), -1.0);
    let topmost = seating::leave(state, n)?;
    let parent = state.path(n)[topmost - 1];
    work.layout.nodes_closed(&state.path(n)[topmost..]);
    if model.is_regularised() {
        work.branch.resize(model);
        work.branch.keep(state, n, topmost);
    }
    seating::release(state, n, topmost);
    if model.is_joint() {
        let eta = work.branch.eta(topmost);
        work.losses.child_removed(model, state, &mut work.scores, parent, eta, n);
    }
    Some(parent)
}

/// Draws the first discriminant of the branch that would leave at a column; η_newᵀx_n.
///
/// The own loss needs no more than η_newᵀx_n ~ N(0, ν_0² ‖x_n‖²); the rest of η_new is drawn only if the
/// branch is chosen. The joint loss needs all of it. Where n has just left a branch it is that one's.
fn draw_score(
    model: &Model,
    candidates: &mut Candidates,
    rng: &mut Rng,
    n: usize,
    column: usize,
    kept: Option<&[f64]>,
) -> f64 {
    let n_dims = model.n_dims();
    let x = model.data.x(n);
    let score = match kept {
        Some(eta) => dot(eta, x),
        None => model.config.eta_scale * model.data.square[n].sqrt() * standard_normal(rng),
    };
    if model.is_joint() {
        let eta = &mut candidates.branch_etas[column * n_dims..(column + 1) * n_dims];
        match kept {
            Some(kept) => eta.copy_from_slice(kept),
            None => branch::draw_eta_given_score(model, rng, n, score, eta),
        }
    }
    candidates.branch_scores[column] = score;
    score
}

/// Marks the scores of all branches as not drawn yet.
pub(crate) fn forget_scores(model: &Model, work: &mut Work) {
    let Work { candidates, layout, .. } = work;
    candidates.branch_scores.clear();
    candidates.branch_scores.resize(layout.n_inner, f64::NAN);
    if model.is_joint() {
        candidates.branch_etas.resize(layout.n_inner * model.n_dims(), 0.0);
    }
}

/// Draws the scores of all branches that are not drawn yet, and so their losses h_n (+ Δ).
pub(crate) fn draw_all(
    model: &Model,
    state: &State,
    work: &mut Work,
    rng: &mut Rng,
    n: usize,
    vacated: Option<NodeId>,
) {
    let Work { candidates, layout, outlook, branch, losses, .. } = work;
    candidates.branch_losses.clear();
    candidates.branch_losses.resize(layout.n_inner, f64::INFINITY);
    for column in (0..layout.n_inner).filter(|&column| layout.closed[column] == 0.0) {
        if candidates.branch_scores[column].is_nan() {
            let kept = kept(state, layout, branch, column, vacated);
            draw_score(model, candidates, rng, n, column, kept);
        }
        let here = model.config.margin - candidates.branch_scores[column] + outlook.best[column];
        candidates.branch_losses[column] = fmax(outlook.losses[column], here);
    }
    if model.is_joint() {
        let Candidates { branch_etas, branch_losses, .. } = candidates;
        let n_dims = model.n_dims();
        let eta = |column: usize| &branch_etas[column * n_dims..(column + 1) * n_dims];
        let branch = |node| (layout.column(node), eta(layout.column(node)));
        losses.charge_all(model, state, n, branch, branch_losses);
    }
}

/// The discriminant that the branch at a column is known to have.
fn kept<'a>(
    state: &State,
    layout: &Layout,
    branch: &'a Branch,
    column: usize,
    vacated: Option<NodeId>,
) -> Option<&'a [f64]> {
    let node = layout.nodes[column];
    (vacated == Some(node)).then(|| branch.eta(state.tree.level(node) + 1))
}

/// Draws the column of a candidate.
pub(crate) fn choose(
    model: &Model,
    state: &State,
    work: &mut Work,
    rng: &mut Rng,
    n: usize,
    vacated: Option<NodeId>,
) -> usize {
    let known = candidates::weigh(model, work);
    let uniform = uniform(rng);
    let Work { candidates, layout, outlook, bounds, .. } = work;
    if !model.is_regularised() {
        let total = candidates.sum_tiles();
        if total > outlook.faint {
            return index_at_tiles(&candidates.weights, &candidates.tiles, uniform * total);
        }
    } else {
        let weights = &candidates.weights;
        let leaves = &weights[layout.first_leaf..];
        // Leaves stand first: whatever the branches weigh, the uniform may fall into the same one.
        let (low, high) = (uniform * known, uniform * sum(weights));
        if known > outlook.faint && high < known {
            let leaf = index_at(leaves, low);
            if index_at(leaves, high) == leaf {
                return layout.first_leaf + leaf;
            }
        }
        let columns = (layout.first_leaf..layout.end).chain(0..layout.n_inner);
        let candidates = columns.map(|column| (column, weights[column]));
        bounds.list((uniform, 0.0, outlook.faint), candidates, layout.first_leaf);
        let above = |outlook: &Outlook, _, column: usize| (outlook.violations[column], outlook.best[column]);
        return choose_by_bounds(model, state, work, rng, n, vacated, above);
    }
    let total = candidates::weigh_by_logarithms(model, state, work);
    index_at_tiles(&work.candidates.weights, &work.candidates.tiles, uniform * total)
}

/// The choice where the candidates that `work.bounds` lists do not tell: everything is drawn and weighed, and
/// these stand first.
fn choose_among_all(
    model: &Model,
    state: &State,
    work: &mut Work,
    rng: &mut Rng,
    n: usize,
    vacated: Option<NodeId>,
) -> usize {
    work.outlook.look_everywhere(model, &work.layout, n);
    draw_all(model, state, work, rng, n, vacated);
    candidates::weigh(model, work);
    let mut total = candidates::charge_all(model, work);
    if total <= work.outlook.faint {
        total = candidates::weigh_by_logarithms(model, state, work);
    }
    let Work { candidates, bounds, .. } = work;
    let mut left = bounds.uniform * total;
    for &column in &bounds.columns {
        let weight = candidates.weights[column];
        if left < weight {
            return column;
        }
        left -= weight;
    }
    bounds.columns.iter().for_each(|&column| candidates.weights[column] = 0.0);
    index_at(&candidates.weights, left)
}

/// The choice among the candidates that `work.bounds` lists, or where these do not tell among all; `above` is ρ_n
/// down to the node where a branch leaves, and the largest score of its children, by its place and column.
pub(crate) fn choose_by_bounds(
    model: &Model,
    state: &State,
    work: &mut Work,
    rng: &mut Rng,
    n: usize,
    vacated: Option<NodeId>,
    above: impl Fn(&Outlook, usize, usize) -> (f64, f64),
) -> usize {
    forget_scores(model, work);
    let Work { bounds, candidates, layout, losses, outlook, branch, .. } = work;
    let slope = 2.0 * model.config.C;
    let chosen = bounds.choose(|place, column, limit| {
        let kept = kept(state, layout, branch, column, vacated);
        let score = draw_score(model, candidates, rng, n, column, kept);
        let (violation, best) = above(outlook, place, column);
        let loss = fmax(fmax(violation, model.config.margin - score + best), 0.0);
        let mut charge = loss - fmax(violation, 0.0);
        if model.is_joint() {
            let eta = candidates.eta(model.n_dims(), column);
            charge += losses.charge(model, state, layout.nodes[column], eta, n, limit / slope - charge);
        }
        slope * charge
    });
    chosen.unwrap_or_else(|| choose_among_all(model, state, work, rng, n, vacated))
}

/// Completes the discriminants of the branch that was chosen to leave at a column, in `work.branch`.
fn settle_branch(
    model: &Model,
    state: &State,
    work: &mut Work,
    rng: &mut Rng,
    n: usize,
    column: usize,
    vacated: Option<NodeId>,
) {
    let node = work.layout.nodes[column];
    let topmost = state.tree.level(node) + 1;
    if vacated != Some(node) {
        work.branch.resize(model);
        let eta = work.branch.eta_mut(topmost);
        if model.is_joint() {
            eta.copy_from_slice(work.candidates.eta(model.n_dims(), column));
        } else {
            let score = work.candidates.branch_scores[column];
            branch::draw_eta_given_score(model, rng, n, score, eta);
        }
        work.branch.draw(model, rng, topmost + 1);
    }
    if model.is_joint() {
        work.losses.child_added(model, state, node, work.branch.eta(topmost), n);
    }
}
