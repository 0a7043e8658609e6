//! The path step against the slow, obvious one: same random numbers, same choices.

use super::fixtures::large_chain as chain;
use crate::chain::Chain;
use crate::kernels::components::assign;
use crate::kernels::paths::*;
use crate::kernels::*;
use crate::rng::uniform;
use crate::state::NodeId;
use crate::state::tree::ROOT;

/// Sweeps; the rounds of items that were looked ahead of are of every length around these sizes.
fn sweep(chain: &mut Chain, look_ahead: bool) -> State {
    let Chain { model, state, work, rng } = chain;
    for kernel in Kernel::of(&model.config) {
        if kernel == Kernel::ItemsGibbs {
            in_random_order(model, state, work, rng, |model, state, work, rng, order| {
                work.layout.build(model, state);
                gibbs::walk(model, state, work, rng, order, look_ahead);
                assert!(work.layout.mirrors(state));
                Info::default()
            });
        } else {
            kernel.apply(model, state, work, rng);
        }
    }
    state.clone()
}

#[test]
fn looking_ahead_changes_no_choice() {
    for n_items in [1, 2, 63, 64, 65, 127, 129, 1_023, 1_024, 1_025, 1_100] {
        for (c, scheme) in [(0.0, Scheme::Collapsed), (0.5, Scheme::Collapsed), (0.5, Scheme::Exact)] {
            if scheme == Scheme::Exact && n_items > 100 {
                continue;
            }
            let mut ahead = chain(n_items, 0.3, c, scheme);
            let mut alone = chain(n_items, 0.3, c, scheme);
            for _ in 0..4 {
                assert!(sweep(&mut ahead, true) == sweep(&mut alone, false), "{n_items} items, C = {c}");
            }
        }
    }
}

/// A candidate's weight, from the tree, the rows of β and the discriminants, a node at a time.
fn obvious_weight(chain: &mut Chain, n: usize, node: NodeId) -> f64 {
    let Chain { model, state, work, .. } = chain;
    let (tree, config) = (&state.tree, &model.config);
    let mut weight = work.densities.mix(state, node);
    let mut violation = f64::NEG_INFINITY;
    let mut charge = 0.0;
    if !tree.is_leaf(node) {
        weight *= config.alpha / (f64::from(tree.n_items(node)) + config.alpha);
        if config.C > 0.0 {
            let column = work.layout.column(node);
            violation = config.margin - work.candidates.branch_scores[column] + work.scores.best(node);
            if model.is_joint() {
                let eta = work.candidates.eta(model.n_dims(), column);
                charge = work.losses.charge(model, state, node, eta, n, f64::INFINITY);
            }
        }
    }
    let mut below = node;
    while below != ROOT {
        let above = tree.parent(below);
        weight *= f64::from(tree.n_items(below)) / (f64::from(tree.n_items(above)) + config.alpha);
        if config.C > 0.0 {
            violation =
                violation.max(config.margin - work.scores.of(below) + work.scores.rival(above, below));
        }
        below = above;
    }
    weight * (-2.0 * config.C * (violation.max(0.0) + charge)).exp()
}

/// Item n's choice from every candidate's obvious weight, with the random numbers of the step: the uniform, and
/// the branches that it drew; those of all others are drawn here. With losses leaves stand first, of a large
/// table those within reach before all others. All columns and their weights, and how many are within reach.
fn obvious_choice(
    chain: &mut Chain,
    twin: &mut Rng,
    n: usize,
    vacated: Option<NodeId>,
) -> (NodeId, Vec<(usize, f64)>, usize) {
    let Chain { model, state, work, .. } = chain;
    work.densities.fill(model, state, n);
    let is_large = work.layout.is_large;
    let uniform = uniform(twin);
    if model.is_regularised() {
        work.scores.fill(model, state, n);
        work.outlook.score(model, &work.layout, n);
        gibbs::draw_all(model, state, work, twin, n, vacated);
    }
    let mut columns: Vec<usize> = state.tree.iter().map(|node| work.layout.column(node)).collect();
    columns.sort_unstable();
    let first: Vec<usize> = work.outlook.prospects.candidates().map(|(column, _)| column).collect();
    if is_large {
        columns.sort_by_key(|column| first.iter().position(|other| other == column).unwrap_or(usize::MAX));
    } else if model.is_regularised() {
        columns.sort_by_key(|&column| column < work.layout.first_leaf);
    }
    let n_within = if is_large { first.len() } else { columns.len() };
    let nodes: Vec<NodeId> = columns.iter().map(|&column| work.layout.nodes[column]).collect();
    let weights: Vec<f64> = nodes.iter().map(|&node| obvious_weight(chain, n, node)).collect();
    let mut left = uniform * weights.iter().sum::<f64>();
    let index = weights.iter().position(|&weight| {
        left -= weight;
        left < 0.0
    });
    (nodes[index.unwrap()], columns.into_iter().zip(weights).collect(), n_within)
}

/// The weights, in proportion to those of the leaves, are within the bounds of the last choice; how many of the
/// branches had not to be charged.
fn assert_within_bounds(bounds: &bounded::Bounds, first_leaf: usize, weights: &[(usize, f64)]) -> usize {
    let places = |column: &usize| bounds.columns.iter().position(|other| other == column);
    let listed: Vec<(usize, f64)> =
        weights.iter().filter_map(|(column, weight)| Some((places(column)?, *weight))).collect();
    let is_leaf = |place: usize| bounds.columns[place] >= first_leaf;
    let leaves = || listed.iter().filter(|&&(place, _)| is_leaf(place));
    let scale = leaves().map(|&(place, _)| bounds.least[place]).sum::<f64>()
        / leaves().map(|&(_, weight)| weight).sum::<f64>();
    let total = scale * listed.iter().map(|&(_, weight)| weight).sum::<f64>();
    for &(place, weight) in &listed {
        let (least, most) = (bounds.least[place] / total, bounds.most[place] / total);
        let weight = scale * weight / total;
        assert!(least - 1e-12 < weight && weight < most + 1e-12, "{weight} out of {least} to {most}");
    }
    (0..bounds.columns.len()).filter(|&place| bounds.least[place] < bounds.most[place]).count()
}

/// Two lists are in proportion, to 1e-12 of their sums.
fn assert_in_proportion(got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len());
    let (got_sum, want_sum): (f64, f64) = (got.iter().sum(), want.iter().sum());
    for (got, want) in got.iter().zip(want) {
        let (got, want) = (got / got_sum, want / want_sum);
        assert!((got - want).abs() < 1e-12, "{got} against {want}");
    }
}

#[test]
fn choices_are_those_of_the_obvious_step() {
    // How often a branch was chosen, candidates were out of reach, branches had to be charged, and were not.
    let (mut n_branches, mut n_beyond, mut n_open, mut n_free) = (0, 0, 0, 0);
    for n_items in [15, 16, 17, 64, 80, 1_023, 1_024, 1_025, 1_100] {
        for (c, scheme) in [
            (0.0, Scheme::Collapsed),
            (0.5, Scheme::Collapsed),
            (1.0, Scheme::Collapsed),
            (1.0, Scheme::Exact),
        ] {
            let mut chain = chain(n_items, 5.0, c, scheme);
            if !(scheme == Scheme::Exact && n_items > 100) {
                sweep(&mut chain, false);
            }
            for n in (0..n_items).step_by(n_items.div_ceil(30)) {
                let before = (chain.state.clone(), chain.work.losses.clone());
                let Chain { model, state, work, rng } = &mut chain;
                if model.is_joint() {
                    work.losses.refresh(model, state, &mut work.scores);
                }
                assign::leave(state, n);
                work.layout.build(model, state);
                let vacated = gibbs::vacate(model, state, work, n);
                work.outlook.look(model, state, &work.layout, n);
                let mut twin = rng.clone();
                gibbs::forget_scores(model, work);
                work.bounds = bounded::Bounds::default();
                let column = if work.layout.is_large {
                    pruned::choose(model, state, work, rng, n, vacated)
                } else {
                    gibbs::choose(model, state, work, rng, n, vacated)
                };
                assert_eq!(work.layout.is_large, c > 0.0 && n_items >= 1_024);
                let chosen = work.layout.nodes[column];
                let seen = work.candidates.weights.clone();
                let likely: Vec<(usize, f64)> = work.outlook.prospects.candidates().collect();
                let (obvious, weights, n_within) = obvious_choice(&mut chain, &mut twin, n, vacated);
                assert_eq!(obvious, chosen, "item {n} of {n_items}, C = {c}, {scheme:?}");
                let Chain { work, .. } = &chain;
                let is_known = |column: usize| c == 0.0 || column >= work.layout.first_leaf;
                let known = |weights: &[(usize, f64)]| -> Vec<f64> {
                    weights
                        .iter()
                        .filter(|&&(column, _)| is_known(column))
                        .map(|&(_, weight)| weight)
                        .collect()
                };
                if work.layout.is_large {
                    assert_in_proportion(&known(&likely), &known(&weights[..n_within]));
                } else {
                    let got: Vec<(usize, f64)> =
                        weights.iter().map(|&(column, _)| (column, seen[column])).collect();
                    assert_in_proportion(&known(&got), &known(&weights));
                }
                if !work.bounds.columns.is_empty() {
                    n_open += 1;
                    n_free += assert_within_bounds(&work.bounds, work.layout.first_leaf, &weights);
                }
                n_branches += usize::from(!chain.state.tree.is_leaf(chosen));
                n_beyond += usize::from(n_within < weights.len());
                (chain.state, chain.work.losses) = before;
            }
        }
    }
    assert!(
        n_branches > 50 && n_beyond > 100 && n_open > 100 && n_free > 1_000,
        "{n_branches} branches, {n_beyond} beyond, {n_open} open, {n_free} not charged"
    );
}

#[test]
fn discriminants_leave_what_a_fresh_look_finds_on_any_number_of_cores() {
    for n_items in [15, 16, 17, 1_025, 8_191, 8_192, 8_193, 16_400] {
        let states = [1, 3].map(|n_threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
            pool.install(|| {
                let Chain { mut model, mut state, mut work, mut rng } =
                    chain(n_items, 0.3, 1.0, Scheme::Collapsed);
                let info = Kernel::Margins.apply(&mut model, &mut state, &mut work, &mut rng);
                assert!(info.eta.accepted > 0);
                let mut fresh = Violations::default();
                fresh.refresh(&model, &state);
                let has_siblings = |node: NodeId| state.tree.has_siblings(node);
                for n in 0..n_items {
                    for level in 0..3 {
                        if has_siblings(state.path(n)[level + 1]) {
                            let found = work.violations.get(n, level);
                            assert_eq!(found, fresh.get(n, level), "item {n} of {n_items}, level {level}");
                        }
                    }
                }
                state
            })
        });
        assert!(states[0] == states[1], "{n_items} items");
    }
}
