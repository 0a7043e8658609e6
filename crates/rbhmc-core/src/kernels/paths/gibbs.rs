//! The path of an item by collapsed Gibbs sampling.
//!
//! With n removed, every node of the tree is one candidate, a column of the node table:
//! - a leaf z: p(z) · mix(n, z) · e^{−2C h_n};
//! - an inner node z, at which a new branch starts: p(z) · α/(N_z + α) · mix(n, z) · e^{−2C h_n}, since the weights of
//!   nodes that do not exist yet integrate out to β_z;
//!
//! with p(z) = Π N_child/(N_parent + α) down to z. The discriminant of a new branch is one from the prior, as if it were
//! drawn beforehand; a branch that n has just emptied is the candidate at its parent. With the joint loss a new branch
//! also has the factor e^{−2CΔ}, where Δ is the increase of the other items' losses.
//!
//! The discriminant of a branch can only lower its weight, by e^{−penalty}. `bounded` draws it, as far as it is needed,
//! only when the choice depends on it.

use super::candidates::{self, Candidates};
use super::likelihoods::NodeLikelihoods;
use super::new_branch::{self, Branch};
use super::node_table::NodeTable;
use super::{in_random_order, prefetch, pruned_candidates};
use crate::chain::Chain;
use crate::kernels::Workspace;
use crate::kernels::components::assign;
use crate::kernels::components::densities::UNDERFLOW;
use crate::model::{Model, discriminant_prior};
use crate::numerics::{dot, fmax, sum};
use crate::rng::{Rng, index_at, index_at_tiles, uniform};
use crate::state::{NodeId, State, seating};

/// The item that is moved, and the parent of the branch that its removal emptied, if any.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    pub(crate) n: usize,
    pub(crate) emptied_parent: Option<NodeId>,
}

/// Every item in random order: removed from its component and path, a draw of the path, then c_n.
pub(crate) fn update_items(chain: &mut Chain) {
    in_random_order(chain, |chain, order| {
        let Chain { model, state, workspace, acceptance, .. } = chain;
        workspace.table.build(model, state);
        acceptance.path.add(order.len() as u64, order.len() as u64);
        let prefetches = prefetch::is_worthwhile(model, &workspace.table);
        update_in_order(chain, order, prefetches);
        debug_assert!(chain.workspace.table.matches(&chain.state));
    });
}

pub(crate) fn update_in_order(chain: &mut Chain, order: &[u32], prefetches: bool) {
    chain.workspace.prefetch.reset(&chain.workspace.table);
    for (position, &n) in order.iter().enumerate() {
        if chain.is_stopped() {
            return;
        }
        let Workspace { prefetch, table, likelihoods, .. } = &mut chain.workspace;
        if prefetches {
            prefetch.extend(&chain.model, &chain.state, table, order, position);
        }
        prefetch.take(position, likelihoods);
        update_item(chain, n as usize);
    }
}

/// Moves item n and draws c_n. Its likelihoods may be in the workspace; births and deaths since make them stale.
fn update_item(chain: &mut Chain, n: usize) {
    let Chain { state, workspace, .. } = chain;
    let component = state.component[n];
    assign::leave(state, n);
    if !state.components.is_open(component.index()) {
        workspace.table.update_component(state, component);
    }
    let step = remove_item(chain, n);
    let Chain { model, state, workspace, .. } = chain;
    let Workspace { likelihoods, table, .. } = workspace;
    if likelihoods.version != table.version {
        likelihoods.compute(model, state, table, n);
    }
    let column = if table.prunes { pruned_candidates::choose(chain, step) } else { choose(chain, step) };

    let workspace = &mut chain.workspace;
    let node = workspace.table.nodes[column];
    std::mem::swap(&mut workspace.densities, &mut workspace.likelihoods.densities);
    let n_components = chain.state.components.n_components();
    let component = assign::draw_at(chain, n, node);
    if chain.state.components.n_components() > n_components {
        chain.workspace.table.update_component(&chain.state, component);
    }
    let leaf = if chain.state.tree.is_leaf(node) {
        node
    } else {
        if chain.model.is_regularised() {
            complete_branch(chain, step, column);
        }
        new_branch::create(chain, node, Some(component))
    };

    let Chain { model, state, workspace, .. } = chain;
    seating::enter(state, n, leaf);
    let (old, new) = state.path(n).split_at(state.tree.level(node) + 1);
    workspace.table.change_counts(old, 1.0);
    if !new.is_empty() {
        workspace.table.add_branch(model, state, new);
    }
    if model.is_joint() {
        workspace.joint_loss.refresh_item(model, state, &mut workspace.scores, n);
    }
}

/// Removes n from the tree. The discriminants of a branch that this empties are kept in the workspace.
pub(crate) fn remove_item(chain: &mut Chain, n: usize) -> Step {
    let Chain { model, state, workspace, .. } = chain;
    let Workspace { table, branch, joint_loss, scores, .. } = workspace;
    table.change_counts(state.path(n), -1.0);
    let Some(topmost) = seating::leave(state, n) else {
        return Step { n, emptied_parent: None };
    };
    let parent = state.path(n)[topmost - 1];
    table.remove_branch(&state.path(n)[topmost..]);
    if model.is_regularised() {
        branch.resize(model);
        branch.copy_from(state, n, topmost);
    }
    seating::release(state, n, topmost);
    if model.is_joint() {
        joint_loss.child_removed(model, state, scores, parent, branch.eta(topmost), n);
    }
    Step { n, emptied_parent: Some(parent) }
}

/// Draws the first discriminant of the branch that would start at a column, as far as it is needed; returns η_newᵀx̃_n.
///
/// The own loss only needs η_newᵀx̃_n ~ N(0, ν_0² ‖x̃_n‖²); the rest of η_new is drawn if the branch is chosen. The joint
/// loss needs all of η_new. If n has just emptied the branch, its discriminant is `known`.
fn draw_score(
    model: &Model,
    candidates: &mut Candidates,
    rng: &mut Rng,
    n: usize,
    column: usize,
    known: Option<&[f64]>,
) -> f64 {
    let score = match known {
        Some(eta) => dot(eta, model.data.extended(n)),
        None => discriminant_prior::draw_score(model, rng, n),
    };
    if model.is_joint() {
        let eta = candidates.eta_mut(model.n_eta_dims(), column);
        match known {
            Some(known) => eta.copy_from_slice(known),
            None => discriminant_prior::draw_given_score(model, rng, n, score, eta),
        }
    }
    candidates.branch_scores[column] = score;
    score
}

/// Draws the scores of all branches that are not drawn yet, and computes the losses h_n (+ Δ) of all branches.
pub(crate) fn draw_all_branches(chain: &mut Chain, step: Step) {
    let Chain { model, state, workspace, rng, .. } = chain;
    let Workspace { candidates, table, likelihoods, branch, joint_loss, .. } = workspace;
    candidates.branch_losses.clear();
    candidates.branch_losses.resize(table.n_inner, f64::INFINITY);
    for column in (0..table.n_inner).filter(|&column| table.mask[column] == 0.0) {
        if candidates.branch_scores[column].is_nan() {
            let known = known_eta(state, table, branch, step, column);
            draw_score(model, candidates, rng, step.n, column, known);
        }
        let here = model.config.margin - candidates.branch_scores[column] + likelihoods.best[column];
        candidates.branch_losses[column] = fmax(likelihoods.losses[column], here);
    }
    if model.is_joint() {
        let mut losses = std::mem::take(&mut candidates.branch_losses);
        let branch = |node| (table.column(node), candidates.eta(model.n_eta_dims(), table.column(node)));
        joint_loss.add_increases(model, state, step.n, branch, &mut losses);
        candidates.branch_losses = losses;
    }
}

/// The discriminant of the branch at a column, if the item has just emptied it.
fn known_eta<'a>(
    state: &State,
    table: &NodeTable,
    branch: &'a Branch,
    step: Step,
    column: usize,
) -> Option<&'a [f64]> {
    let node = table.nodes[column];
    (step.emptied_parent == Some(node)).then(|| branch.eta(state.tree.level(node) + 1))
}

/// Draws the column of a candidate.
pub(crate) fn choose(chain: &mut Chain, step: Step) -> usize {
    let Chain { model, workspace, rng, .. } = chain;
    let uniform = uniform(rng);
    candidates::fill_weights(model, workspace);
    if let Some(column) = choose_within_bounds(model, workspace, uniform) {
        return column;
    }
    if workspace.likelihoods.omitted > 0.0 {
        workspace.likelihoods.include_all_components(model, &workspace.table);
        candidates::fill_weights(model, workspace);
        if let Some(column) = choose_within_bounds(model, workspace, uniform) {
            return column;
        }
    }
    if !model.is_regularised() {
        let total = candidates::fill_weights_by_ln(model, &chain.state, workspace);
        let Candidates { weights, tiles, .. } = &workspace.candidates;
        return index_at_tiles(weights, tiles, uniform * total);
    }
    let Workspace { candidates, table, bounded, .. } = workspace;
    let columns = (table.first_leaf..table.end).chain(0..table.n_inner);
    let candidates = columns.map(|column| (column, candidates.weights[column]));
    bounded.fill((uniform, 0.0, UNDERFLOW), candidates, table.first_leaf);
    choose_by_bounds(chain, step, |likelihoods, _, column| {
        (likelihoods.violations[column], likelihoods.best[column])
    })
}

/// The column that the uniform selects whatever the omitted components weigh and, with C > 0, the branches; none if it
/// depends on them, or if the weights underflow. With C > 0 the known candidates are the leaves, and they come first.
fn choose_within_bounds(model: &Model, workspace: &mut Workspace, uniform: f64) -> Option<usize> {
    let Workspace { candidates, table, likelihoods, .. } = workspace;
    let omitted = likelihoods.omitted;
    let first = if model.is_regularised() { table.first_leaf } else { 0 };
    let known = candidates.sum_tiles(first);
    let upper = uniform * (known + sum(&candidates.weights[..first]) + omitted);
    if known <= UNDERFLOW || upper >= known {
        return None;
    }
    let at = |left: f64| index_at_tiles(&candidates.weights[first..], &candidates.tiles, left);
    let chosen = at(upper);
    let is_sure = at(fmax(uniform * known - omitted, 0.0)) == chosen;
    is_sure.then_some(first + chosen)
}

/// Draws among the candidates that `bounded` lists, or among all if these do not settle the choice. By index and column of
/// a branch, `above` gives the largest ρ_n down to the node at which it starts, and the largest score of the node's
/// children.
pub(crate) fn choose_by_bounds(
    chain: &mut Chain,
    step: Step,
    above: impl Fn(&NodeLikelihoods, usize, usize) -> (f64, f64),
) -> usize {
    let Chain { model, state, workspace, rng, .. } = chain;
    let Workspace { bounded, candidates, table, joint_loss, likelihoods, branch, .. } = workspace;
    candidates.reset_scores(model, table);
    let slope = 2.0 * model.config.C;
    let chosen = bounded.choose(|index, column, limit| {
        let known = known_eta(state, table, branch, step, column);
        let score = draw_score(model, candidates, rng, step.n, column, known);
        let (violation, best) = above(likelihoods, index, column);
        let loss = fmax(fmax(violation, model.config.margin - score + best), 0.0);
        let mut increase = loss - fmax(violation, 0.0);
        if model.is_joint() {
            let eta = candidates.eta(model.n_eta_dims(), column);
            let limit = limit / slope - increase;
            increase += joint_loss.increase(model, state, table.nodes[column], eta, step.n, limit);
        }
        slope * increase
    });
    chosen.unwrap_or_else(|| choose_among_all(chain, step))
}

/// Draws and weighs everything, the candidates that `bounded` lists first, when these do not settle the choice.
fn choose_among_all(chain: &mut Chain, step: Step) -> usize {
    let Workspace { likelihoods, table, .. } = &mut chain.workspace;
    likelihoods.compute_all(&chain.model, table, step.n, 0.0);
    draw_all_branches(chain, step);
    let Chain { model, state, workspace, .. } = chain;
    candidates::fill_weights(model, workspace);
    let mut total = candidates::apply_branch_losses(model, workspace);
    if total <= UNDERFLOW {
        total = candidates::fill_weights_by_ln(model, state, workspace);
    }
    let Workspace { candidates, bounded, .. } = workspace;
    let mut left = bounded.uniform * total;
    for &column in &bounded.columns {
        let weight = candidates.weights[column];
        if left < weight {
            return column;
        }
        left -= weight;
    }
    bounded.columns.iter().for_each(|&column| candidates.weights[column] = 0.0);
    index_at(&candidates.weights, left)
}

/// Draws what is missing of the discriminants of the branch that was chosen to start at a column.
fn complete_branch(chain: &mut Chain, step: Step, column: usize) {
    let Chain { model, state, workspace, rng, .. } = chain;
    let Workspace { table, branch, candidates, joint_loss, .. } = workspace;
    let node = table.nodes[column];
    let topmost = state.tree.level(node) + 1;
    if step.emptied_parent != Some(node) {
        branch.resize(model);
        let eta = branch.eta_mut(topmost);
        if model.is_joint() {
            eta.copy_from_slice(candidates.eta(model.n_eta_dims(), column));
        } else {
            discriminant_prior::draw_given_score(model, rng, step.n, candidates.branch_scores[column], eta);
        }
        branch.draw(model, rng, topmost + 1);
    }
    if model.is_joint() {
        joint_loss.child_added(model, state, node, branch.eta(topmost), step.n);
    }
}
