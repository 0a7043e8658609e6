//! The Metropolis–Hastings path steps against slow, obvious ones: same random numbers, same choices.
//!
//! The obvious step makes the whole state that is proposed, and takes ρ_n and all losses of both states by
//! their definition.

use super::fixtures::large_chain as chain;
use crate::chain::Chain;
use crate::kernels::components::assign;
use crate::kernels::margins::{joint_loss, lambda};
use crate::kernels::paths::*;
use crate::kernels::*;
use crate::model::target;
use crate::numerics::ln_sum_exp;
use crate::rng::uniform;
use crate::state::tree::ROOT;
use crate::state::{NodeId, seating};

/// The inner node where a path drawn from the nCRP of the others leaves the tree, or its leaf.
fn obvious_walk(model: &Model, state: &State, rng: &mut Rng) -> NodeId {
    let tree = &state.tree;
    let mut node = ROOT;
    'down: while !tree.is_leaf(node) {
        let place = uniform(rng) * (f64::from(tree.n_items(node)) + model.config.alpha);
        let mut end = 0.0;
        for &child in tree.level_nodes(tree.level(node) + 1) {
            if tree.parent(child) == node {
                end += f64::from(tree.n_items(child));
                if place < end {
                    node = child;
                    continue 'down;
                }
            }
        }
        break;
    }
    node
}

/// The state with n on a path from the nCRP of the others, its new nodes drawn from their priors.
fn obvious_proposal(model: &Model, state: &State, rng: &mut Rng, n: usize) -> State {
    let mut proposed = state.clone();
    let mut work = Work::default();
    let topmost = seating::leave(&mut proposed, n);
    let mut leaf = obvious_walk(model, &proposed, rng);
    if !proposed.tree.is_leaf(leaf) {
        if model.is_regularised() {
            work.branch.resize(model);
            work.branch.draw(model, rng, proposed.tree.level(leaf) + 1);
        }
        leaf = branch::create(model, &mut proposed, &mut work, rng, leaf, None);
    }
    if let Some(topmost) = topmost {
        seating::release(&mut proposed, n, topmost);
    }
    seating::enter(&mut proposed, n, leaf);
    proposed
}

/// ln mix(n, leaf), from the densities of the components themselves.
fn ln_mix(model: &Model, state: &State, n: usize) -> f64 {
    let (weights, leaf) = (&state.weights, state.leaf(n));
    let components: Vec<f64> = state
        .components
        .iter()
        .map(|k| weights.get(leaf, k).ln() + model.ln_density(n, state.components.mean(k)))
        .collect();
    let new = weights.rest(leaf).ln() + model.data.ln_new_density[n] + model.whitening.ln_normaliser;
    ln_sum_exp(components.into_iter().chain([new]))
}

/// ρ_n over all siblings of its nodes; −∞ where there are none.
fn violation(model: &Model, state: &State, n: usize) -> f64 {
    let score = |node: NodeId| -> f64 {
        let eta = state.discriminants.column(node.index());
        eta.zip(model.data.x(n)).map(|(eta, x)| eta * x).sum()
    };
    let mut largest = f64::NEG_INFINITY;
    for level in 1..=model.n_levels() {
        let own = state.path(n)[level];
        for &other in state.tree.level_nodes(level) {
            if other != own && state.tree.parent(other) == state.tree.parent(own) {
                largest = largest.max(model.config.margin - score(own) + score(other));
            }
        }
    }
    largest
}

/// ln R of a step from one state to another.
fn ln_loss_ratio(model: &Model, old: &State, new: &State, n: usize) -> f64 {
    let c = model.config.C;
    if c == 0.0 {
        return 0.0;
    }
    let [was, is] = [old, new].map(|state| violation(model, state, n));
    match model.config.scheme {
        Scheme::Paper if was > f64::NEG_INFINITY && is > f64::NEG_INFINITY => {
            let lambda = old.lambda[n];
            ((c * was + lambda).powi(2) - (c * is + lambda).powi(2)) / (2.0 * lambda)
        }
        Scheme::Exact => {
            let [was, is] = [old, new].map(|state| target::losses(model, state).iter().sum::<f64>());
            -2.0 * c * (is - was)
        }
        _ => -2.0 * c * (is.max(0.0) - was.max(0.0)),
    }
}

/// The state after the step, and whether it is the one proposed.
fn obvious_step(model: &Model, state: &State, rng: &mut Rng, n: usize) -> (State, bool) {
    let proposed = obvious_proposal(model, state, rng, n);
    let ln_ratio =
        ln_mix(model, &proposed, n) - ln_mix(model, state, n) + ln_loss_ratio(model, state, &proposed, n);
    let accepted = uniform(rng).ln() < ln_ratio;
    let mut after = if accepted { proposed } else { state.clone() };
    if model.config.scheme == Scheme::Paper && model.is_regularised() {
        after.lambda[n] = lambda::draw_lambda(model, rng, violation(model, &after, n));
    }
    (after, accepted)
}

#[test]
fn steps_are_those_of_the_obvious_step() {
    // How many were refused, made a branch, left one, and had a path without siblings.
    let mut seen = [0; 4];
    for (n_items, alpha) in
        [(2, 0.3), (3, 0.3), (15, 5.0), (16, 5.0), (17, 5.0), (64, 5.0), (80, 5.0), (1_025, 5.0)]
    {
        for (c, scheme) in [
            (0.0, Scheme::Paper),
            (0.5, Scheme::Paper),
            (1.0, Scheme::Paper),
            (0.0, Scheme::Collapsed),
            (1.0, Scheme::Collapsed),
            (1.0, Scheme::Exact),
        ] {
            let mut chain = chain(n_items, alpha, c, scheme);
            let Chain { model, state, work, rng } = &mut chain;
            if model.is_joint() {
                work.losses.refresh(model, state, &mut work.scores);
            }
            // The tree changes from step to step.
            for step in 0..80 {
                let n = step * n_items.div_ceil(80) % n_items;
                let is_paper = scheme == Scheme::Paper;
                if !is_paper {
                    assign::leave(state, n);
                }
                let mut twin = rng.clone();
                let (obvious, accepts) = obvious_step(model, state, &mut twin, n);
                seen[0] += usize::from(!accepts);
                seen[1] += usize::from(accepts && obvious.tree.n_items(obvious.leaf(n)) == 1);
                seen[2] += usize::from(accepts && state.tree.n_items(state.leaf(n)) == 1);
                seen[3] += usize::from(c > 0.0 && violation(model, &obvious, n) == f64::NEG_INFINITY);
                let move_path = if is_paper { mh::path_mh_augmented } else { mh::path_mh };
                let accepted = move_path(model, state, work, rng, n);
                let here = format!("item {n} of {n_items}, C = {c}, {scheme:?}");
                assert_eq!(accepted, accepts, "{here}");
                assert_eq!(state.paths, obvious.paths, "{here}");
                assert_eq!(state.lambda, obvious.lambda, "{here}");
                for node in state.path(n).iter().map(|node| node.index()) {
                    let (got, want) = (state.discriminants.column(node), obvious.discriminants.column(node));
                    assert!(got.eq(want), "{here}");
                }
                for &node in state.path(n) {
                    assert_eq!(state.weights.row(node), obvious.weights.row(node), "{here}");
                }
                assert!(*rng == twin, "{here}");
                if model.is_joint() {
                    let mut fresh = joint_loss::Losses::default();
                    fresh.refresh(model, state, &mut work.scores);
                    assert!(work.losses == fresh, "{here}");
                }
                if !is_paper {
                    assign::draw(model, state, work, rng, n);
                }
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 20), "{seen:?}");
}
