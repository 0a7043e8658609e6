//! The path step against the slow, obvious one: same random numbers, same choices.

use super::*;
use crate::config::Covariance;
use crate::rng::{Stream, stream, uniform};
use crate::simulate::draw_state;
use crate::state::NodeId;
use crate::state::tree::ROOT;

struct Chain {
    model: Model,
    state: State,
    work: Work,
    rng: Rng,
}

/// Many nodes and components, with births and deaths every few items.
#[allow(non_snake_case)]
fn chain(n_items: usize, alpha: f64, C: f64, scheme: Scheme) -> Chain {
    let config = Config {
        n_levels: 3,
        alpha,
        gamma: 2.0,
        gamma0: 2.0,
        C,
        margin: 2.0,
        noise_cov: Covariance::Scalar(0.5),
        base_cov: Covariance::Scalar(40.0),
        scheme,
        ..Config::default()
    };
    let x = crate::simulate(config.clone(), n_items, 3, 1).unwrap().x;
    let model = Model::new(x.view(), config).unwrap();
    let mut rng = stream(1, Stream::Chain);
    let mut work = Work::default();
    let state = draw_state(&model, &mut work, &mut rng).unwrap();
    Chain { model, state, work, rng }
}

/// Sweeps; the rounds of items that were looked ahead of are of every length around these sizes.
fn sweep(chain: &mut Chain, look_ahead: bool) -> State {
    let Chain { model, state, work, rng } = chain;
    for kernel in Kernel::of(&model.config) {
        if kernel == Kernel::ItemsGibbs {
            in_random_order(model, state, work, rng, |model, state, work, rng, order| {
                work.layout.build(model, state);
                path_gibbs::walk(model, state, work, rng, order, look_ahead);
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
    work.densities.fill(model, state, n);
    work.scores.fill(model, state, n);
    let mut weight = work.densities.mix(state, node);
    let mut violation = f64::NEG_INFINITY;
    if !tree.is_leaf(node) {
        weight *= config.alpha / (f64::from(tree.n_items(node)) + config.alpha);
        violation =
            config.margin - work.candidates.branch_score(work.layout.column(node)) + work.scores.best(node);
    }
    let mut below = node;
    while below != ROOT {
        let above = tree.parent(below);
        weight *= f64::from(tree.n_items(below)) / (f64::from(tree.n_items(above)) + config.alpha);
        violation = violation.max(config.margin - work.scores.of(below) + work.scores.rival(above, below));
        below = above;
    }
    weight * (-2.0 * config.C * violation.max(0.0)).exp()
}

#[test]
fn weights_and_choices_are_those_of_the_obvious_step() {
    let mut n_branches = 0;
    for seed in 0..3 {
        let mut chain = chain(80, 5.0, 0.5, Scheme::Collapsed);
        for _ in 0..2 + seed {
            sweep(&mut chain, false);
        }
        for n in 0..80 {
            let before = chain.state.clone();
            let Chain { model, state, work, rng } = &mut chain;
            work.layout.build(model, state);
            components::leave(state, n);
            work.layout.build(model, state);
            let vacated = path_gibbs::vacate(model, state, work, n);
            work.outlook.look(model, state, &work.layout, n);
            path_gibbs::draw_branches(model, state, work, rng, n, vacated);
            let total = path_gibbs::weigh(model, work);
            let weights = work.candidates.weights.clone();
            let mut twin = rng.clone();
            let column = path_gibbs::choose(model, state, work, rng);
            let chosen = work.layout.nodes[column];

            let mut nodes: Vec<NodeId> = chain.state.tree.iter().collect();
            nodes.sort_by_key(|&node| chain.work.layout.column(node));
            let obvious: Vec<f64> = nodes.iter().map(|&node| obvious_weight(&mut chain, n, node)).collect();
            let sum: f64 = obvious.iter().sum();
            for (&node, weight) in nodes.iter().zip(&obvious) {
                let got = weights[chain.work.layout.column(node)] / total;
                assert!((got - weight / sum).abs() < 1e-12, "item {n}: {got} against {}", weight / sum);
            }
            let mut left = uniform(&mut twin) * sum;
            let index = obvious.iter().position(|&weight| {
                left -= weight;
                left < 0.0
            });
            assert_eq!(index.map(|index| nodes[index]), Some(chosen), "item {n}");
            n_branches += usize::from(!chain.state.tree.is_leaf(chosen));
            chain.state = before;
        }
    }
    assert!(n_branches > 10, "{n_branches}");
}
