//! The weights that moves of subtrees and leaves choose by, against the slow, obvious log of (Q).

use statrs::function::gamma::ln_gamma;

use super::conditionals::{Chain, chain, chain_of, close, config};
use super::{fitted, regraft, split_merge};
use crate::config::{Config, Scheme};
use crate::model::Model;
use crate::model::target::{cdll, ln_target, ln_weights_prior};
use crate::rng::standard_normal;
use crate::state::{NodeId, State};

/// ln Dir(β_z; γβ_parent + n) at the weights that z has.
fn ln_dirichlet(model: &Model, state: &State, node: NodeId, counts: &[u32]) -> f64 {
    let gamma = model.config.gamma;
    let parent = state.tree.parent(node);
    let mut shapes = vec![(gamma * state.weights.rest(parent), state.weights.rest(node))];
    for k in state.components.iter() {
        let shape = gamma * state.weights.get(parent, k) + f64::from(counts[k.index()]);
        shapes.push((shape, state.weights.get(node, k)));
    }
    let total: f64 = shapes.iter().map(|(shape, _)| shape).sum();
    let each = |&(shape, weight): &(f64, f64)| (shape - 1.0) * weight.ln() - ln_gamma(shape);
    ln_gamma(total) + shapes.iter().map(each).sum::<f64>()
}

/// How many items of each component a leaf has.
fn counts(state: &State, leaf: NodeId) -> Vec<u32> {
    let mut counts = vec![0; state.components.n_slots()];
    for n in (0..state.n_items()).filter(|&n| state.leaf(n) == leaf) {
        counts[state.component[n].index()] += 1;
    }
    counts
}

/// ln of p(V, c, β, X), β of a leaf integrated out.
fn ln_without(model: &Model, state: &State, leaf: NodeId) -> f64 {
    cdll(model, state) + ln_weights_prior(model, state)
        - ln_dirichlet(model, state, leaf, &counts(state, leaf))
}

/// ln CRT(T; n, γβ_parent) of a leaf, but for what does not depend on its parent.
fn ln_tables(model: &Model, state: &State, leaf: NodeId, tables: &[u32]) -> f64 {
    let parent = state.tree.parent(leaf);
    let counts = counts(state, leaf);
    let occupied = state.components.iter().filter(|k| counts[k.index()] > 0);
    occupied
        .map(|k| {
            let shape = model.config.gamma * state.weights.get(parent, k);
            let n = f64::from(counts[k.index()]);
            f64::from(tables[k.index()]) * shape.ln() - ln_gamma(shape + n) + ln_gamma(shape)
        })
        .sum()
}

#[test]
fn a_subtrees_places_weigh_as_the_target() {
    let (mut n_existing, mut n_new) = (0, 0);
    for seed in 0..60 {
        let Chain { model, state, mut work, mut rng } = chain(Scheme::Collapsed, seed);
        let leaves = state.tree.level_nodes(model.n_levels());
        let Some(&leaf) = leaves.iter().find(|&&leaf| state.tree.n_children(state.tree.parent(leaf)) > 1)
        else {
            continue;
        };
        work.subtree.take(&model, &state, &mut rng, leaf);
        let tables = work.subtree.tables.clone();
        let ln_present = regraft::list_destinations(&model, &state, &mut work, leaf);
        let before = ln_without(&model, &state, leaf) + ln_tables(&model, &state, leaf, &tables);
        for place in work.destinations.clone() {
            let mut state = state.clone();
            let above = state.tree.parent(state.tree.parent(leaf));
            let parent = place.node.unwrap_or_else(|| state.open_node(above));
            if place.node.is_none() {
                let row = state.weights.row(above).to_vec();
                state.weights.row_mut(parent).copy_from_slice(&row);
                state.weights.set_rest(parent, state.weights.rest(above));
            }
            regraft::hang(&mut state, &work.subtree.items, leaf, parent);
            let mut after = ln_without(&model, &state, leaf) + ln_tables(&model, &state, leaf, &tables);
            if place.node.is_none() {
                after -= ln_dirichlet(&model, &state, parent, &tables);
                n_new += 1;
            } else {
                n_existing += 1;
            }
            let (got, want) = (place.ln_weight - ln_present, after - before);
            assert!(close(got, want), "seed {seed}: {got} against {want}");
        }
    }
    assert!(n_existing > 5 && n_new > 20, "only {n_existing} and {n_new} compared");
}

#[test]
fn two_leaves_and_one_weigh_as_the_target() {
    let mut compared = 0;
    for seed in 0..60 {
        let Chain { model, mut state, mut work, .. } = chain(Scheme::Collapsed, seed);
        let same_parent = |&(i, j): &(usize, usize)| {
            let (a, b) = (state.leaf(i), state.leaf(j));
            a != b && state.tree.parent(a) == state.tree.parent(b)
        };
        let n = model.n_items();
        let Some((i, j)) = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).find(same_parent) else {
            continue;
        };
        let (stay, leave) = (state.leaf(i), state.leaf(j));
        split_merge::divide(&model, &state, &mut work.sides, i, j, |_| None);
        let got = split_merge::ln_two_over_one(&model, &state, &mut work, state.tree.parent(stay));
        let two =
            ln_without(&model, &state, stay) - ln_dirichlet(&model, &state, leave, &counts(&state, leave));
        let items: Vec<u32> = (0..n as u32).filter(|&n| state.leaf(n as usize) == leave).collect();
        split_merge::seat(&mut state, &items, leave, stay);
        state.tree.unlink(leave);
        let want = two - ln_without(&model, &state, stay);
        assert!(close(got, want), "seed {seed}: {got} against {want}");
        compared += 1;
    }
    assert!(compared > 10, "only {compared} compared");
}

#[test]
fn the_law_of_a_discriminant_is_that_of_the_target() {
    let mut compared = 0;
    for seed in 0..60 {
        // One level, so that no loss is at another.
        let config = Config { n_levels: 1, ..config(Scheme::Collapsed) };
        let Chain { model, mut state, mut rng, .. } = chain_of(config, seed);
        let Some(node) = state.tree.iter().find(|&node| state.tree.has_siblings(node)) else { continue };
        let mut fitted = fitted::Fitted::default();
        let mut at = |state: &State| {
            let eta = state.etas(&[node]);
            (fitted.ln_law_of(&model, state, node, &eta), ln_target(&model, state))
        };
        let before = at(&state);
        let eta: Vec<f64> = (0..model.n_dims()).map(|_| standard_normal(&mut rng)).collect();
        state.set_etas(&[node], &eta);
        let after = at(&state);
        assert!(close(after.0 - before.0, after.1 - before.1), "seed {seed}: {before:?}, {after:?}");
        compared += 1;
    }
    assert!(compared > 10, "only {compared} compared");
}
