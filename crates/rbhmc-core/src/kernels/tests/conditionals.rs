//! Each kernel's conditional against the slow, obvious log of (Q): their differences are equal.

use super::fixtures::{chain, close};
use crate::chain::Chain;
use crate::config::Scheme;
use crate::kernels::components::{assign, means};
use crate::kernels::margins::discriminants::{self, fit};
use crate::kernels::margins::gaussian::Gaussian;
use crate::kernels::margins::siblings::Active;
use crate::kernels::paths::*;
use crate::kernels::*;
use crate::model::target::{self, ln_target, ln_weights_prior};
use crate::numerics::ln_sum_exp;
use crate::rng::standard_normal;
use crate::state::tree::ROOT;
use crate::state::{ComponentId, NodeId, seating};

/// Makes the rest as good as nothing everywhere, so that sums over components are all there is.
fn forget_rest(state: &mut State) {
    for node in state.tree.iter().collect::<Vec<_>>() {
        let left = 1.0 - state.weights.rest(node);
        for weight in state.weights.row_mut(node) {
            *weight /= left;
        }
        state.weights.set_rest(node, 1e-300);
    }
}

/// ln Σ_k Q(c_n = k) / β_z,k · `weight of k`.
fn ln_target_over_components(model: &Model, state: &mut State, n: usize, weighed_at: NodeId) -> f64 {
    let leaf = state.leaf(n);
    let components: Vec<ComponentId> = state.components.iter().collect();
    let terms: Vec<f64> = components
        .into_iter()
        .map(|k| {
            state.component[n] = k;
            ln_target(model, state) - state.weights.get(leaf, k).ln() + state.weights.get(weighed_at, k).ln()
        })
        .collect();
    ln_sum_exp(terms.into_iter())
}

#[test]
fn gibbs_candidates_weigh_as_the_target() {
    let mut n_branches = 0;
    for seed in 0..20 {
        let Chain { model, mut state, mut work, mut rng } = chain(Scheme::Exact, seed);
        work.losses.refresh(&model, &state, &mut work.scores);
        let n = seed as usize % model.n_items();
        assign::leave(&mut state, n);
        work.layout.build(&model, &state);
        let vacated = gibbs::vacate(&model, &mut state, &mut work, n);
        forget_rest(&mut state);
        work.layout.build(&model, &state);
        work.outlook.look(&model, &state, &work.layout, n);
        gibbs::forget_scores(&model, &mut work);
        gibbs::draw_all(&model, &state, &mut work, &mut rng, n, vacated);
        candidates::weigh_by_logarithms(&model, &state, &mut work);
        let nodes: Vec<NodeId> = state.tree.iter().collect();
        let columns: Vec<usize> = nodes.iter().map(|&node| work.layout.column(node)).collect();
        let ln_weights: Vec<f64> = columns.iter().map(|&c| work.candidates.weights[c].ln()).collect();
        let ln_targets: Vec<f64> = nodes
            .iter()
            .map(|&node| {
                let mut state = state.clone();
                if state.tree.is_leaf(node) {
                    seating::enter(&mut state, n, node);
                    return ln_target_over_components(&model, &mut state, n, node);
                }
                n_branches += 1;
                let before = ln_weights_prior(&model, &state);
                let top = state.tree.level(node) + 1;
                let eta = work.candidates.eta(model.n_dims(), work.layout.column(node)).to_vec();
                work.branch.resize(&model);
                work.branch.draw(&model, &mut rng, top);
                work.branch.eta_mut(top).copy_from_slice(&eta);
                let leaf = branch::create(&model, &mut state, &mut work, &mut rng, node, None);
                copy_weights_down(&mut state, node, leaf);
                // The new nodes' β and η are integrated out, or drawn beforehand: not weighed.
                let drawn = ln_weights_prior(&model, &state) - before + ln_eta_prior(&model, &work, top);
                seating::enter(&mut state, n, leaf);
                ln_target_over_components(&model, &mut state, n, node) - drawn
            })
            .collect();
        for i in 1..nodes.len() {
            let (got, want) = (ln_weights[i] - ln_weights[0], ln_targets[i] - ln_targets[0]);
            assert!(close(got, want), "seed {seed}, candidate {i}: {got} against {want}");
        }
    }
    assert!(n_branches > 20);
}

/// Gives the nodes below `top` on the way to `leaf` the weights of `top`.
fn copy_weights_down(state: &mut State, top: NodeId, leaf: NodeId) {
    let (row, rest) = (state.weights.row(top).to_vec(), state.weights.rest(top));
    let mut node = leaf;
    while node != top {
        state.weights.row_mut(node).copy_from_slice(&row);
        state.weights.set_rest(node, rest);
        node = state.tree.parent(node);
    }
}

fn ln_eta_prior(model: &Model, work: &Work, top: usize) -> f64 {
    (top..=model.n_levels())
        .flat_map(|level| work.branch.eta(level).to_vec())
        .map(|eta| -0.5 * (eta / model.config.eta_scale).powi(2))
        .sum()
}

#[test]
fn mh_losses_change_as_the_target_does() {
    for seed in 0..20 {
        let Chain { model, mut state, mut work, mut rng } = chain(Scheme::Exact, seed);
        let n = seed as usize % model.n_items();
        let before: f64 = target::losses(&model, &state).iter().sum();
        let old_leaf = state.leaf(n);
        let topmost = seating::leave(&mut state, n);
        work.branch.resize(&model);
        if let Some(topmost) = topmost {
            work.branch.keep(&state, n, topmost);
        }
        // The item itself is not in the tree: its cached losses are not read.
        work.losses.refresh(&model, &state, &mut work.scores);
        work.scores.fill(&model, &state, n);
        let parent = topmost.map(|topmost| state.path(n)[topmost - 1]);
        let old = mh::place(&model, &state, &work, n, old_leaf, parent);
        for end in state.tree.iter().collect::<Vec<_>>() {
            let mut state = state.clone();
            let is_leaf = state.tree.is_leaf(end);
            if !is_leaf {
                work.branch.draw(&model, &mut rng, state.tree.level(end) + 1);
            }
            let new = mh::place(&model, &state, &work, n, end, (!is_leaf).then_some(end));
            let leaf = if is_leaf {
                end
            } else {
                branch::create(&model, &mut state, &mut work, &mut rng, end, None)
            };
            seating::enter(&mut state, n, leaf);
            let after: f64 = target::losses(&model, &state).iter().sum();
            let got = new.violation.max(0.0) - old.violation.max(0.0) + new.charge - old.charge;
            assert!(close(got, after - before), "seed {seed}: {got} against {}", after - before);
        }
    }
}

#[test]
fn cached_losses_stay_those_of_the_tree() {
    for kernel in [Kernel::ItemsGibbs, Kernel::ItemsMh] {
        for seed in 0..10 {
            let Chain { mut model, mut state, mut work, mut rng } = chain(Scheme::Exact, seed);
            kernel.apply(&mut model, &mut state, &mut work, &mut rng);
            let cached = work.losses.clone();
            work.losses.refresh(&model, &state, &mut work.scores);
            assert_eq!(cached, work.losses, "{kernel:?}");
        }
    }
}

#[test]
fn fast_losses_are_the_slow_ones() {
    for scheme in [Scheme::Collapsed, Scheme::Exact, Scheme::Paper] {
        for seed in 0..10 {
            let Chain { model, state, mut work, .. } = chain(scheme, seed);
            work.violations.refresh(&model, &state);
            for (fast, slow) in work.violations.losses(&model).zip(target::losses(&model, &state)) {
                assert!(close(fast, slow));
            }
        }
    }
}

#[test]
fn components_weigh_as_the_target() {
    for seed in 0..20 {
        let Chain { model, mut state, mut work, mut rng } = chain(Scheme::Collapsed, seed);
        let n = seed as usize % model.n_items();
        work.densities.fill(&model, &state, n);
        assign::choose(&state, &mut work, &mut rng, state.leaf(n));
        let ln_weights = work.shapes.clone();
        let own = state.component[n];
        let components: Vec<ComponentId> = state.components.iter().collect();
        let here = ln_target(&model, &state);
        for k in components {
            state.component[n] = k;
            let want = ln_target(&model, &state) - here;
            let got = (ln_weights[k.index()] / ln_weights[own.index()]).ln();
            assert!(close(got, want), "{got} against {want}");
        }
    }
}

#[test]
fn leaf_weights_have_the_target_s_dirichlet() {
    for seed in 0..10 {
        let Chain { model, mut state, mut work, mut rng } = chain(Scheme::Collapsed, seed);
        weights::count(&state, &mut work, |n, _| n);
        let leaf = state.leaf(0);
        let mut shapes = Vec::new();
        weights::fill_shapes(&model, &state, &work.counts, leaf, &mut shapes);
        let n_slots = state.components.n_slots();
        let ln_dirichlet = |state: &State| -> f64 {
            let rest = (shapes[n_slots] - 1.0) * state.weights.rest(leaf).ln();
            let components = state.components.iter();
            rest + components
                .map(|k| (shapes[k.index()] - 1.0) * state.weights.get(leaf, k).ln())
                .sum::<f64>()
        };
        let before = (ln_target(&model, &state), ln_dirichlet(&state));
        let mut draw = shapes.clone();
        crate::distributions::dirichlet(&mut rng, &mut draw, &mut vec![0.0; n_slots + 1]);
        state.weights.row_mut(leaf)[..n_slots].copy_from_slice(&draw[..n_slots]);
        state.weights.set_rest(leaf, draw[n_slots]);
        let after = (ln_target(&model, &state), ln_dirichlet(&state));
        assert!(close(after.0 - before.0, after.1 - before.1));
    }
}

#[test]
fn means_have_the_target_s_gaussian() {
    for seed in 0..10 {
        let Chain { model, mut state, mut work, mut rng } = chain(Scheme::Collapsed, seed);
        let slot = state.component[0].index();
        let n_dims = model.n_dims();
        let size = f64::from(state.components.n_items[slot]);
        let sums: Vec<f64> = (0..n_dims)
            .map(|d| {
                (0..model.n_items())
                    .filter(|&n| state.component[n].index() == slot)
                    .map(|n| model.data.white(n)[d])
                    .sum()
            })
            .collect();
        let ln_gaussian = |state: &State| -> f64 {
            (0..n_dims)
                .map(|d| {
                    let (mean, precision) = means::posterior(model.whitening.base_variance[d], size, sums[d]);
                    -0.5 * precision * (state.components.means.get(d, slot) - mean).powi(2)
                })
                .sum()
        };
        let before = (ln_target(&model, &state), ln_gaussian(&state));
        let others: Vec<usize> =
            state.components.iter().map(ComponentId::index).filter(|&k| k != slot).collect();
        let kept = state.components.means.clone();
        means::means(&model, &mut state, &mut work, &mut rng);
        for k in others {
            state.components.means.set_column(k, &kept.column(k).collect::<Vec<_>>());
        }
        let after = (ln_target(&model, &state), ln_gaussian(&state));
        assert!(close(after.0 - before.0, after.1 - before.1));
    }
}

/// ρ_n and its rival pair (v, s) by definition.
fn slow_violation(model: &Model, state: &State, n: usize) -> Option<(f64, NodeId, NodeId)> {
    let score = |node: NodeId| -> f64 {
        state.discriminants.column(node.index()).zip(model.data.x(n)).map(|(eta, x)| eta * x).sum()
    };
    let mut largest: Option<(f64, NodeId, NodeId)> = None;
    for level in 1..=model.n_levels() {
        let own = state.path(n)[level];
        for &other in state.tree.level_nodes(level) {
            if other != own && state.tree.parent(other) == state.tree.parent(own) {
                let violation = model.config.margin - score(own) + score(other);
                if largest.is_none_or(|(most, ..)| violation > most) {
                    largest = Some((violation, own, other));
                }
            }
        }
    }
    largest
}

/// ln of p(η) Π_n exp(−(λ_n + Cρ_n)²/(2λ_n)).
fn ln_augmented(model: &Model, state: &State) -> f64 {
    let mut sum = 0.0;
    for node in state.tree.iter().filter(|&node| node != ROOT) {
        for eta in state.discriminants.column(node.index()) {
            sum -= 0.5 * (eta / model.config.eta_scale).powi(2);
        }
    }
    for n in 0..model.n_items() {
        if let Some((violation, ..)) = slow_violation(model, state, n) {
            let lambda = state.lambda[n];
            sum -= (lambda + model.config.C * violation).powi(2) / (2.0 * lambda);
        }
    }
    sum
}

/// The active sums of a node by definition.
fn slow_gaussian(model: &Model, state: &State, node: NodeId) -> Gaussian {
    let score = |other: NodeId, n: usize| -> f64 {
        state.discriminants.column(other.index()).zip(model.data.x(n)).map(|(eta, x)| eta * x).sum()
    };
    let mut active = vec![];
    for n in 0..model.n_items() {
        let Some((_, v, s)) = slow_violation(model, state, n) else { continue };
        if v == node || s == node {
            let other = if v == node { s } else { v };
            active.push(Active { item: n as u32, is_own: v == node, other_score: score(other, n) });
        }
    }
    let mut gaussian = Gaussian::default();
    fit(&mut gaussian, model, state, &active);
    gaussian
}

#[test]
fn discriminants_have_the_augmented_target_s_gaussian_while_rivals_stay() {
    let mut compared = 0;
    for seed in 0..40 {
        let Chain { model, mut state, mut rng, .. } = chain(Scheme::Collapsed, seed);
        let Some(node) = state.tree.iter().find(|&node| state.tree.has_siblings(node)) else { continue };
        let rivals = |state: &State| -> Vec<_> {
            (0..model.n_items()).map(|n| slow_violation(&model, state, n).map(|(_, v, s)| (v, s))).collect()
        };
        let gaussian = slow_gaussian(&model, &state, node);
        let eta: Vec<f64> = state.discriminants.column(node.index()).collect();
        let before = (rivals(&state), ln_augmented(&model, &state), gaussian.ln_density(&eta));
        let moved: Vec<f64> = eta.iter().map(|eta| eta + 0.02 * standard_normal(&mut rng)).collect();
        state.discriminants.set_column(node.index(), &moved);
        if rivals(&state) == before.0 {
            let want = ln_augmented(&model, &state) - before.1;
            let got = gaussian.ln_density(&moved) - before.2;
            assert!(close(got, want), "seed {seed}: {got} against {want}");
            compared += 1;
        }
    }
    assert!(compared > 20, "only {compared} compared");
}

#[test]
fn the_accept_step_has_the_hastings_ratio_of_its_definition() {
    let mut compared = 0;
    for seed in 0..40 {
        let Chain { model, mut state, mut work, mut rng } = chain(Scheme::Collapsed, seed);
        let Some(node) = state.tree.iter().find(|&node| state.tree.has_siblings(node)) else { continue };
        let parent = state.tree.parent(node);
        work.violations.refresh(&model, &state);
        let Work { group, proposal, violations, .. } = &mut work;
        proposal.resize(&model);
        group.enter(&model, &state, violations, parent);
        let child = group.children.iter().position(|&child| child == node).unwrap();
        let ln_ratio = discriminants::propose(&model, &state, group, proposal, &mut rng, child);
        let moved = proposal.eta.clone();
        let forward = slow_gaussian(&model, &state, node);
        let eta: Vec<f64> = state.discriminants.column(node.index()).collect();
        let before = ln_augmented(&model, &state);
        state.discriminants.set_column(node.index(), &moved);
        let reverse = slow_gaussian(&model, &state, node);
        let want =
            ln_augmented(&model, &state) - before + reverse.ln_density(&eta) - forward.ln_density(&moved);
        assert!(close(ln_ratio, want), "seed {seed}: {ln_ratio} against {want}");
        compared += 1;
    }
    assert!(compared > 5, "only {compared} compared");
}

#[test]
fn kernels_in_any_order_keep_the_invariants() {
    use Kernel::*;
    let all = [
        ItemsGibbs,
        ItemsMh,
        PathsPaper,
        Components,
        ComponentsPaper,
        WeightsTables,
        WeightsCounts,
        Margins,
        MarginsPaper,
        Means,
        SplitMergeComponents,
    ];
    for scheme in [Scheme::Collapsed, Scheme::Exact, Scheme::Paper] {
        for seed in 0..10 {
            let Chain { mut model, mut state, mut work, mut rng } = chain(scheme, seed);
            for _ in 0..200 {
                let kernel = all[(crate::rng::uniform(&mut rng) * all.len() as f64) as usize];
                kernel.apply(&mut model, &mut state, &mut work, &mut rng);
                assert_eq!(state.check(&model), Ok(()), "after {kernel:?}");
            }
        }
    }
}
