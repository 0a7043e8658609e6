//! The weights that moves of subtrees, leaves and components choose by, against the slow, obvious log of (Q).

use statrs::function::gamma::ln_gamma;

use super::conditionals::{Chain, chain, chain_of, close, config};
use super::halves::Halves;
use super::split_merge_components::{self, Division};
use super::{fitted, means, regraft, split_merge};
use crate::config::{Config, Scheme};
use crate::model::Model;
use crate::model::target::{cdll, ln_target, ln_weights_prior};
use crate::rng::standard_normal;
use crate::state::tree::ROOT;
use crate::state::{ComponentId, NodeId, State};

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

/// ln of (Q) with the means of some components integrated out.
fn ln_without_means(model: &Model, state: &State, components: &[ComponentId]) -> f64 {
    let ln_mean = |&k: &ComponentId| -> f64 {
        let items = (0..model.n_items()).filter(|&n| state.component[n] == k);
        let white: Vec<&[f64]> = items.map(|n| model.data.white(n)).collect();
        let coordinates = state.components.mean(k).zip(&model.whitening.base_variance).enumerate();
        let ln_density = |(d, (value, &variance)): (usize, (f64, &f64))| {
            let sum = white.iter().map(|y| y[d]).sum();
            let (mean, precision) = means::posterior(variance, white.len() as f64, sum);
            0.5 * (precision.ln() - precision * (value - mean).powi(2))
        };
        model.whitening.ln_normaliser + coordinates.map(ln_density).sum::<f64>()
    };
    ln_target(model, state) - components.iter().map(ln_mean).sum::<f64>()
}

/// Σ_z ln of the density with which weights are divided so, and of the Jacobian β_z.
fn ln_shares(model: &Model, state: &State, division: &Division) -> f64 {
    let ln_density = |node: NodeId| -> f64 {
        let above = if node == ROOT { [0.0; 2] } else { division.shapes(model, &state.tree, node) };
        let [m, n] = division.counts[node.index()];
        let ([a, b], [u, v]) = ([above[0] + m, above[1] + n], division.shares[node.index()]);
        let ln_beta = ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
        (a - 1.0) * u.ln() + (b - 1.0) * v.ln() - ln_beta - division.weights[node.index()].ln()
    };
    state.tree.iter().map(ln_density).sum()
}

#[test]
fn two_components_and_one_weigh_as_the_target_and_a_merge_undoes_a_split() {
    let mut compared = [0, 0];
    for seed in 0..600 {
        let Chain { model, mut state, mut rng, .. } = chain(Scheme::Collapsed, seed);
        let (i, j) = split_merge_components::pair(&model, &mut rng);
        let (stay, mut leave) = (state.component[i], state.component[j]);
        let (mut halves, mut division) = (Halves::default(), Division::default());
        let mut there = rng.clone();
        halves.divide(&model, &state, &mut rng, i, j);
        division.weigh(&model, &state, &halves, stay, leave);
        let splits = stay == leave;
        if splits {
            division.draw(&model, &state.tree, &mut rng, |_, _| true);
        }
        // Weights that underflow, to 0 or to fewer digits, cannot be compared.
        let vanishing = |node: NodeId| division.shares[node.index()].iter().any(|&share| share < 1e-200);
        if state.tree.iter().any(vanishing) {
            continue;
        }
        let got = division.ln_two_over_one(&model, &state.tree, &halves) - halves.ln_division();
        let ln_proposal = ln_shares(&model, &state, &division) + halves.ln_division();
        let want = if splits {
            let one = ln_without_means(&model, &state, &[stay]);
            leave = state.open_component(model.data.white(j));
            split_merge_components::split(&mut state, &halves, &division, stay, leave);
            let (mut again, mut back) = (Halves::default(), Division::default());
            again.divide(&model, &state, &mut there, i, j);
            back.weigh(&model, &state, &again, stay, leave);
            let reverse = back.ln_two_over_one(&model, &state.tree, &again) - again.ln_division();
            assert!(close(got, reverse), "seed {seed}: {got}, and back {reverse}");
            ln_without_means(&model, &state, &[stay, leave]) - one
        } else {
            let two = ln_without_means(&model, &state, &[stay, leave]);
            split_merge_components::merge(&mut state, &halves, &division, stay, leave);
            two - ln_without_means(&model, &state, &[stay])
        } - ln_proposal;
        assert_eq!(state.check(&model), Ok(()));
        assert!(close(got, want), "seed {seed}: {got} against {want}");
        compared[usize::from(splits)] += 1;
    }
    assert!(compared.iter().all(|&n| n > 10), "only {compared:?} compared");
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
