//! The Gibbs path step against a slow reference: same random numbers, same choices.

use super::fixtures::large_chain;
use crate::chain::Chain;
use crate::config::Scheme;
use crate::kernels::components::assign;
use crate::kernels::margins::violations::Violations;
use crate::kernels::paths::bounded_categorical::BoundedCategorical;
use crate::kernels::paths::gibbs::{self, Step};
use crate::kernels::paths::{candidates, in_random_order, pruned_candidates};
use crate::kernels::{Kernel, Workspace};
use crate::numerics::fmax;
use crate::rng::{Rng, uniform};
use crate::state::tree::ROOT;
use crate::state::{NodeId, State};

/// One sweep, with or without prefetching. Around these numbers of items, runs of every length are prefetched.
fn sweep(chain: &mut Chain, prefetches: bool) -> State {
    for kernel in Kernel::schedule(&chain.model.config) {
        if kernel == Kernel::ItemsGibbs {
            in_random_order(chain, |chain, order| {
                chain.workspace.table.build(&chain.model, &chain.state);
                gibbs::update_in_order(chain, order, prefetches);
                assert!(chain.workspace.table.matches(&chain.state));
            });
        } else {
            kernel.apply(chain);
        }
    }
    chain.state.clone()
}

#[test]
fn prefetching_changes_no_choice() {
    for n_items in [1, 2, 63, 64, 65, 127, 129, 1_023, 1_024, 1_025, 1_100] {
        for (c, intercept, scheme) in [
            (0.0, 0.0, Scheme::Collapsed),
            (0.5, 0.0, Scheme::Collapsed),
            (1.0, 5.0, Scheme::Collapsed),
            (0.5, 0.0, Scheme::Exact),
            (1.0, 5.0, Scheme::Exact),
        ] {
            if scheme == Scheme::Exact && n_items > 100 {
                continue;
            }
            for prune_from_nodes in [0, usize::MAX] {
                let mut with = large_chain(n_items, 0.3, c, intercept, scheme);
                with.workspace.table.prune_from_nodes = Some(prune_from_nodes);
                let mut without = with.clone();
                for _ in 0..4 {
                    let here = format!("{n_items} items, C = {c}, intercept {intercept}, {prune_from_nodes}");
                    assert!(sweep(&mut with, true) == sweep(&mut without, false), "{here}");
                }
            }
        }
    }
}

/// The weight of a candidate from the tree, the rows of β and the discriminants, one node at a time.
fn reference_weight(chain: &Chain, n: usize, node: NodeId) -> f64 {
    let Chain { model, state, workspace, .. } = chain;
    let (tree, config, scores) = (&state.tree, &model.config, &workspace.scores);
    let mut weight = workspace.densities.mix(state, node);
    let mut violation = f64::NEG_INFINITY;
    let mut increase = 0.0;
    if !tree.is_leaf(node) {
        weight *= config.alpha / (f64::from(tree.n_items(node)) + config.alpha);
        if config.C > 0.0 {
            let column = workspace.table.column(node);
            violation = config.margin - workspace.candidates.branch_scores[column] + scores.best_child(node);
            if model.is_joint() {
                let eta = workspace.candidates.eta(model.n_eta_dims(), column);
                increase = workspace.joint_loss.increase(model, state, node, eta, n, f64::INFINITY);
            }
        }
    }
    let mut below = node;
    while below != ROOT {
        let above = tree.parent(below);
        weight *= f64::from(tree.n_items(below)) / (f64::from(tree.n_items(above)) + config.alpha);
        if config.C > 0.0 {
            violation = violation.max(config.margin - scores.of(below) + scores.rival(above, below));
        }
        below = above;
    }
    weight * (-2.0 * config.C * (violation.max(0.0) + increase)).exp()
}

struct ReferenceChoice {
    node: NodeId,
    /// (column, weight) of all candidates, in the order in which they are laid.
    weights: Vec<(usize, f64)>,
    /// The number of these that are not pruned.
    n_kept: usize,
}

/// The choice from the reference weights of all candidates, with the random numbers of the step: its uniform and the
/// branches that it drew; all other branches are drawn here. With C > 0 leaves come first, and pruned candidates last.
fn reference_choice(chain: &mut Chain, twin: &mut Rng, step: Step) -> ReferenceChoice {
    let uniform = uniform(twin);
    let Chain { model, state, workspace, .. } = chain;
    workspace.densities.fill(model, state, step.n);
    if model.is_regularised() {
        workspace.scores.fill(model, state, step.n);
        workspace.likelihoods.fill_losses(model, &workspace.table, step.n);
        std::mem::swap(&mut chain.rng, twin);
        gibbs::draw_all_branches(chain, step);
        std::mem::swap(&mut chain.rng, twin);
    }
    let Chain { model, state, workspace, .. } = &*chain;
    let table = &workspace.table;
    let mut columns: Vec<usize> = state.tree.iter().map(|node| table.column(node)).collect();
    columns.sort_unstable();
    let kept: Vec<usize> = workspace.likelihoods.pruned.candidates().map(|(column, _)| column).collect();
    if table.prunes {
        columns.sort_by_key(|column| kept.iter().position(|other| other == column).unwrap_or(usize::MAX));
    } else if model.is_regularised() {
        columns.sort_by_key(|&column| column < table.first_leaf);
    }
    let n_kept = if table.prunes { kept.len() } else { columns.len() };
    let nodes: Vec<NodeId> = columns.iter().map(|&column| table.nodes[column]).collect();
    let weights: Vec<f64> = nodes.iter().map(|&node| reference_weight(chain, step.n, node)).collect();
    let mut left = uniform * weights.iter().sum::<f64>();
    let index = weights.iter().position(|&weight| {
        left -= weight;
        left < 0.0
    });
    ReferenceChoice {
        node: nodes[index.unwrap()],
        weights: columns.into_iter().zip(weights).collect(),
        n_kept,
    }
}

/// Asserts that the weights, scaled by the sum of the leaves, lie within the bounds of the last choice; returns the number
/// of branches whose penalty was not needed.
fn assert_within_bounds(bounds: &BoundedCategorical, first_leaf: usize, weights: &[(usize, f64)]) -> usize {
    let index = |column: &usize| bounds.columns.iter().position(|other| other == column);
    let listed: Vec<(usize, f64)> =
        weights.iter().filter_map(|(column, weight)| Some((index(column)?, *weight))).collect();
    let leaves = || listed.iter().filter(|&&(index, _)| bounds.columns[index] >= first_leaf);
    let scale = leaves().map(|&(index, _)| bounds.lower[index]).sum::<f64>()
        / leaves().map(|&(_, weight)| weight).sum::<f64>();
    let total = scale * listed.iter().map(|&(_, weight)| weight).sum::<f64>();
    for &(index, weight) in &listed {
        let (lower, upper) = (bounds.lower[index] / total, bounds.upper[index] / total);
        let weight = scale * weight / total;
        assert!(lower - 1e-12 < weight && weight < upper + 1e-12, "{weight} out of {lower} to {upper}");
    }
    (0..bounds.columns.len()).filter(|&index| bounds.lower[index] < bounds.upper[index]).count()
}

/// Asserts that two lists are proportional, to 1e-12 of their sums.
fn assert_proportional(got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len());
    let (got_sum, want_sum): (f64, f64) = (got.iter().sum(), want.iter().sum());
    for (got, want) in got.iter().zip(want) {
        let (got, want) = (got / got_sum, want / want_sum);
        assert!((got - want).abs() < 1e-12, "{got} against {want}");
    }
}

/// Computes the weights with every component, if the choice did not need them, after asserting that those which it used
/// are bounds; returns whether it did not.
fn complete_weights(chain: &mut Chain) -> bool {
    let Chain { model, state, workspace, .. } = chain;
    let likelihoods = &mut workspace.likelihoods;
    let (omitted, before) = if workspace.table.prunes {
        let before: Vec<(usize, f64)> = likelihoods.pruned.candidates().collect();
        let omitted = likelihoods.pruned.complete(state, &workspace.table, &likelihoods.densities);
        likelihoods.pruned.fill_weights(model, &workspace.table);
        (omitted, before)
    } else if likelihoods.omitted > 0.0 {
        let before = workspace.candidates.weights.iter().copied().enumerate().collect();
        let omitted = likelihoods.omitted;
        likelihoods.include_all_components(model, &workspace.table);
        candidates::fill_weights(model, workspace);
        (omitted, before)
    } else {
        return false;
    };
    let Workspace { table, likelihoods, candidates, .. } = &chain.workspace;
    let after: Vec<(usize, f64)> = if table.prunes {
        likelihoods.pruned.candidates().collect()
    } else {
        candidates.weights.iter().copied().enumerate().collect()
    };
    let mut lacking = 0.0;
    for (&(column, before), &(_, after)) in before.iter().zip(&after) {
        let is_bound = table.prunes && column < table.first_leaf;
        assert!(is_bound || before <= after * (1.0 + 1e-12), "column {column}: {before} above {after}");
        assert!(after <= (before + omitted) * (1.0 + 1e-12), "column {column}: {after} above {before}");
        lacking += fmax(after - before, 0.0);
    }
    assert!(lacking <= omitted * (1.0 + 1e-9), "{lacking} is lacking, and {omitted} may be");
    lacking > 0.0
}

#[test]
fn choices_are_those_of_the_reference_step() {
    // The numbers of chosen branches, of items with pruned candidates or with open bounds, and of unneeded penalties.
    let (mut n_branches, mut n_pruned, mut n_open, mut n_free) = (0, 0, 0, 0);
    let (mut n_pruned_by_mix, mut n_quick) = (0, 0);
    for (n_items, prune_from_nodes) in [15, 16, 17, 64, 80, 1_023, 1_024, 1_025, 1_100]
        .into_iter()
        .flat_map(|n_items| [0, usize::MAX].map(|nodes| (n_items, nodes)))
    {
        for (c, intercept, scheme, eta_factor) in [
            (0.0, 0.0, Scheme::Collapsed, 1.0),
            (0.5, 0.0, Scheme::Collapsed, 1.0),
            (1.0, 0.0, Scheme::Collapsed, 1.0),
            (1.0, 5.0, Scheme::Collapsed, 1.0),
            // Margins that prune nothing: only mixes do.
            (1.0, 5.0, Scheme::Collapsed, 1e-3),
            (1.0, 0.0, Scheme::Exact, 1.0),
            (1.0, 5.0, Scheme::Exact, 1.0),
        ] {
            let mut chain = large_chain(n_items, 5.0, c, intercept, scheme);
            chain.workspace.table.prune_from_nodes = Some(prune_from_nodes);
            if !(scheme == Scheme::Exact && n_items > 100) {
                sweep(&mut chain, false);
            }
            for node in chain.state.tree.iter().collect::<Vec<_>>() {
                let eta = chain.state.discriminants.column(node.index()).map(|eta| eta_factor * eta);
                let eta: Vec<f64> = eta.collect();
                chain.state.discriminants.set_column(node.index(), &eta);
            }
            for n in (0..n_items).step_by(n_items.div_ceil(30)) {
                let before = (chain.state.clone(), chain.workspace.joint_loss.clone());
                let Chain { model, state, workspace, .. } = &mut chain;
                if model.is_joint() {
                    workspace.joint_loss.refresh(model, state, &mut workspace.scores);
                }
                assign::leave(state, n);
                workspace.table.build(model, state);
                let step = gibbs::remove_item(&mut chain, n);
                let Chain { model, state, workspace, rng, .. } = &mut chain;
                workspace.likelihoods.compute(model, state, &workspace.table, n);
                let mut twin = rng.clone();
                workspace.candidates.reset_scores(model, &workspace.table);
                workspace.bounded = BoundedCategorical::default();
                let prunes = workspace.table.prunes;
                let column = if prunes {
                    pruned_candidates::choose(&mut chain, step)
                } else {
                    gibbs::choose(&mut chain, step)
                };
                assert_eq!(prunes, c > 0.0 && prune_from_nodes == 0);
                let chosen = chain.workspace.table.nodes[column];
                n_quick += usize::from(complete_weights(&mut chain));
                let fast = chain.workspace.candidates.weights.clone();
                let kept: Vec<(usize, f64)> = chain.workspace.likelihoods.pruned.candidates().collect();
                let reference = reference_choice(&mut chain, &mut twin, step);
                let ReferenceChoice { node, weights, n_kept } = reference;
                assert_eq!(node, chosen, "item {n} of {n_items}, C = {c}, {intercept}, {scheme:?}");
                let workspace = &chain.workspace;
                let first_leaf = workspace.table.first_leaf;
                // The weights of branches are upper bounds with C > 0.
                let known = |weights: &[(usize, f64)]| -> Vec<f64> {
                    let known = weights.iter().filter(|&&(column, _)| c == 0.0 || column >= first_leaf);
                    known.map(|&(_, weight)| weight).collect()
                };
                if prunes {
                    assert_proportional(&known(&kept), &known(&weights[..n_kept]));
                } else {
                    let got: Vec<(usize, f64)> =
                        weights.iter().map(|&(column, _)| (column, fast[column])).collect();
                    assert_proportional(&known(&got), &known(&weights));
                }
                if !workspace.bounded.columns.is_empty() {
                    n_open += 1;
                    n_free += assert_within_bounds(&workspace.bounded, first_leaf, &weights);
                }
                n_branches += usize::from(!chain.state.tree.is_leaf(chosen));
                n_pruned += usize::from(n_kept < weights.len());
                n_pruned_by_mix += usize::from(n_kept < weights.len() && eta_factor < 1.0);
                (chain.state, chain.workspace.joint_loss) = before;
            }
        }
    }
    assert!(
        n_branches > 50
            && n_pruned > 100
            && n_pruned_by_mix > 50
            && n_open > 100
            && n_free > 1_000
            && n_quick > 100,
        "{n_branches} branches, {n_pruned} pruned, {n_pruned_by_mix} by mixes, {n_open} open, {n_free} penalties not \
         needed, {n_quick} choices without all components"
    );
}

#[test]
fn discriminants_leave_violations_up_to_date_on_any_number_of_cores() {
    for n_items in [15, 16, 17, 1_025, 8_191, 8_192, 8_193, 16_400] {
        let states = [1, 3].map(|n_threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
            pool.install(|| {
                let mut chain = large_chain(n_items, 0.3, 1.0, 5.0, Scheme::Collapsed);
                Kernel::Margins.apply(&mut chain);
                assert!(chain.acceptance.eta.accepted > 0);
                let Chain { model, state, workspace, .. } = chain;
                let mut fresh = Violations::default();
                fresh.refresh(&model, &state);
                for n in 0..n_items {
                    for level in 0..3 {
                        if state.tree.has_siblings(state.path(n)[level + 1]) {
                            let updated = workspace.violations.get(n, level);
                            assert_eq!(updated, fresh.get(n, level), "item {n} of {n_items}, level {level}");
                        }
                    }
                }
                state
            })
        });
        assert!(states[0] == states[1], "{n_items} items");
    }
}
