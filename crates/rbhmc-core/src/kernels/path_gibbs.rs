//! The path of an item by collapsed Gibbs sampling.
//!
//! With n taken out, every node of the tree is one candidate, a column of the layout:
//! - a leaf z: p(z) · mix(n, z) · e^{−2C h_n};
//! - an inner node z, a new branch that leaves the tree there: p(z) · α/(N_z + α) · mix(n, z) · e^{−2C h_n},
//!   since the weights of nodes that do not exist yet integrate out to β_z;
//!
//! with p(z) = Π N_child/(N_parent + α) down to z. The discriminant of a new branch is drawn from the
//! prior beforehand; a branch that n has just emptied is the candidate at its parent. With the joint
//! loss a new branch is also charged with e^{−2CΔ}, Δ what it adds to the other items' losses.

use super::candidates::{self, Candidates};
use super::layout::Layout;
use super::outlook::{FAINT, Outlook};
use super::prospects::Prospects;
use super::{Info, Work, ahead, branches, components, prospects, seating};
use crate::model::Model;
use crate::numerics::{larger, product, wide};
use crate::rng::{Rng, standard_normal, uniform, within_tiles};
use crate::state::{NodeId, State};

/// Every item in the given order: out of its component and path, a draw of the path, then c_n.
pub(crate) fn items_gibbs(
    model: &Model,
    state: &mut State,
    work: &mut Work,
    rng: &mut Rng,
    order: &[u32],
) -> Info {
    work.layout.build(model, state);
    if ahead::pays(model, &work.layout) {
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

pub(super) fn walk(
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
    components::leave(state, n);
    if !state.components.is_open(component.index()) {
        work.layout.component_changed(state, component);
    }
    let vacated = vacate(model, state, work, n);
    if work.outlook.version != work.layout.version {
        work.outlook.look(model, state, &work.layout, n);
    }
    let column = if work.layout.is_large {
        prospects::choose(model, state, work, rng, n, vacated)
    } else {
        choose(model, state, work, rng, n, vacated)
    };
    let chosen = work.layout.nodes[column];
    std::mem::swap(&mut work.densities, &mut work.outlook.densities);
    let n_components = state.components.n_components();
    let component = components::draw_at(model, state, work, rng, n, chosen);
    if state.components.n_components() > n_components {
        work.layout.component_changed(state, component);
    }
    let leaf = if state.tree.is_leaf(chosen) {
        chosen
    } else {
        if model.is_regularised() {
            settle_branch(model, state, work, rng, n, column, vacated);
        }
        branches::create(model, state, work, rng, chosen, Some(component))
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
pub(super) fn vacate(model: &Model, state: &mut State, work: &mut Work, n: usize) -> Option<NodeId> {
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

/// Draws, for every inner node, the first discriminant of the branch that would leave there, unless it is
/// drawn already, and so h_n of the branch.
pub(super) fn draw_branches(
    model: &Model,
    state: &State,
    work: &mut Work,
    rng: &mut Rng,
    n: usize,
    vacated: Option<NodeId>,
) {
    draw_scores(model, state, work, rng, n, vacated, false);
    let Work { candidates, layout, outlook, .. } = work;
    let Candidates { branch_scores, branch_losses, .. } = candidates;
    branch_losses.resize(layout.n_inner, 0.0);
    lose(layout, outlook, model.config.margin, branch_scores, branch_losses);
}

/// Adds Δ to every branch's loss.
pub(super) fn charge_branches(model: &Model, state: &State, work: &mut Work, n: usize) {
    let Work { candidates, layout, losses, .. } = work;
    let Candidates { branch_etas, branch_losses, .. } = candidates;
    let n_dims = model.n_dims();
    let eta = |column: usize| &branch_etas[column * n_dims..(column + 1) * n_dims];
    let branch = |node| (layout.column(node), eta(layout.column(node)));
    losses.charge_all(model, state, n, branch, branch_losses);
}

pub(super) fn forget_scores(work: &mut Work) {
    work.candidates.branch_scores.clear();
    work.candidates.branch_scores.resize(work.layout.n_inner, f64::NAN);
}

/// Draws the scores of branches that are not drawn yet, at all inner nodes or at those within reach.
///
/// The own loss needs no more than η_newᵀx_n ~ N(0, ν_0² ‖x_n‖²); the rest of η_new is drawn only if
/// the branch is chosen. The joint loss needs all of it.
pub(super) fn draw_scores(
    model: &Model,
    state: &State,
    work: &mut Work,
    rng: &mut Rng,
    n: usize,
    vacated: Option<NodeId>,
    within_reach: bool,
) {
    let Work { candidates, layout, outlook, branch, .. } = work;
    let Candidates { branch_scores, branch_etas, .. } = candidates;
    let n_dims = model.n_dims();
    let x = model.data.x(n);
    let likely = within_reach.then_some(&outlook.prospects);
    if model.is_joint() {
        branch_etas.resize(layout.n_inner * n_dims, 0.0);
        draw_missing(branch_scores, layout, likely, |column| {
            let eta = &mut branch_etas[column * n_dims..(column + 1) * n_dims];
            branches::draw_eta(model, rng, eta);
            product(eta, x)
        });
    } else {
        let spread = model.config.eta_scale * model.data.square[n].sqrt();
        draw_missing(branch_scores, layout, likely, |_| spread * standard_normal(rng));
    }
    if let Some(node) = vacated {
        // What was drawn there gives way to the branch that was there.
        let column = layout.column(node);
        let eta = branch.eta(state.tree.level(node) + 1);
        branch_scores[column] = product(eta, x);
        if model.is_joint() {
            branch_etas[column * n_dims..(column + 1) * n_dims].copy_from_slice(eta);
        }
    }
}

#[inline(always)]
fn draw_missing(
    scores: &mut [f64],
    layout: &Layout,
    likely: Option<&Prospects>,
    mut draw: impl FnMut(usize) -> f64,
) {
    if let Some(prospects) = likely {
        for column in prospects.inner() {
            if scores[column].is_nan() {
                scores[column] = draw(column);
            }
        }
    } else {
        for (column, (score, &closed)) in scores.iter_mut().zip(&layout.closed).enumerate() {
            if closed == 0.0 && score.is_nan() {
                *score = draw(column);
            }
        }
    }
}

wide! {
    /// h_n of every branch.
    fn lose(layout: &Layout, outlook: &Outlook, margin: f64, scores: &[f64], losses: &mut [f64]) {
        let nodes = outlook.violations.iter().zip(&outlook.best).zip(&layout.closed);
        for ((loss, score), ((violation, best), closed)) in losses.iter_mut().zip(scores).zip(nodes) {
            *loss = larger(larger(*violation, margin - score + best), 0.0) + closed;
        }
    }
}

/// Draws the column of a candidate.
pub(super) fn choose(
    model: &Model,
    state: &State,
    work: &mut Work,
    rng: &mut Rng,
    n: usize,
    vacated: Option<NodeId>,
) -> usize {
    if model.is_regularised() {
        forget_scores(work);
        draw_branches(model, state, work, rng, n, vacated);
    }
    let mut total = candidates::weigh(model, state, work);
    let uniform = uniform(rng);
    if model.is_joint() {
        let Work { bounds, candidates, layout, .. } = work;
        let weights = candidates.weights.iter().copied().enumerate();
        bounds.list(weights.filter(|&(_, weight)| weight > 0.0), layout.first_leaf);
        if let Some(column) = choose_by_bounds(model, state, work, n, uniform, 0.0, FAINT) {
            return column;
        }
        charge_branches(model, state, work, n);
        total = candidates::weigh(model, state, work);
    }
    within_tiles(&work.candidates.weights, &work.candidates.tiles, uniform * total)
}

/// The choice among the candidates that `work.bounds` lists, as far as these tell.
pub(super) fn choose_by_bounds(
    model: &Model,
    state: &State,
    work: &mut Work,
    n: usize,
    uniform: f64,
    others: f64,
    faint: f64,
) -> Option<usize> {
    let Work { bounds, candidates, layout, losses, .. } = work;
    let slope = 2.0 * model.config.C;
    bounds.choose(uniform, others, faint, |column, limit| {
        let eta = candidates.eta(model.n_dims(), column);
        slope * losses.charge(model, state, layout.nodes[column], eta, n, limit / slope)
    })
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
            branches::draw_eta_given_score(model, rng, n, score, eta);
        }
        work.branch.draw(model, rng, topmost + 1);
    }
    if model.is_joint() {
        work.losses.child_added(model, state, node, work.branch.eta(topmost), n);
    }
}
