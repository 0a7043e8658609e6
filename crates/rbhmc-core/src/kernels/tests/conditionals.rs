//! The conditional of each kernel against the slow log of (Q): their differences are equal.

use super::fixtures::{chain, close, config, reference_score, reference_violation, without_intercept};
use crate::chain::Chain;
use crate::config::Scheme;
use crate::kernels::components::{assign, means};
use crate::kernels::margins::discriminants::{self, fit};
use crate::kernels::margins::gaussian_proposal::Gaussian;
use crate::kernels::margins::siblings::Active;
use crate::kernels::paths::{candidates, gibbs, mh, new_branch};
use crate::kernels::schedule::KERNELS;
use crate::kernels::{Kernel, Workspace, weights};
use crate::model::Model;
use crate::model::target::{self, ln_target, ln_weights_prior};
use crate::numerics::ln_sum_exp;
use crate::rng::{standard_normal, uniform_index};
use crate::state::tree::ROOT;
use crate::state::{ComponentId, NodeId, State, seating};

/// Makes the rest of every node negligible, so that sums over components are complete.
fn remove_rest(state: &mut State) {
    for node in state.tree.iter().collect::<Vec<_>>() {
        let left = 1.0 - state.weights.rest(node);
        for weight in state.weights.row_mut(node) {
            *weight /= left;
        }
        state.weights.set_rest(node, 1e-300);
    }
}

/// ln Σ_k Q(c_n = k) β_zk / β_leaf,k, where z is `node`.
fn ln_target_over_components(model: &Model, state: &mut State, n: usize, node: NodeId) -> f64 {
    let leaf = state.leaf(n);
    let components: Vec<ComponentId> = state.components.iter().collect();
    let terms: Vec<f64> = components
        .into_iter()
        .map(|k| {
            state.component[n] = k;
            ln_target(model, state) - state.weights.get(leaf, k).ln() + state.weights.get(node, k).ln()
        })
        .collect();
    ln_sum_exp(terms.into_iter())
}

#[test]
fn gibbs_candidates_weigh_as_the_target() {
    let (mut n_branches, mut n_emptied, mut n_wrong) = (0, 0, 0);
    for seed in 0..80 {
        let mut chain = chain(Scheme::Exact, seed);
        let Chain { model, state, workspace, .. } = &mut chain;
        workspace.joint_loss.refresh(model, state, &mut workspace.scores);
        // Of every second eight seeds an item that is alone in its leaf, whose branch is then a candidate again.
        let is_alone = |&n: &usize| seed % 16 >= 8 && state.tree.n_items(state.leaf(n)) == 1;
        let n = (0..model.n_items()).find(is_alone).unwrap_or(seed as usize % model.n_items());
        assign::leave(state, n);
        workspace.table.build(model, state);
        let step = gibbs::remove_item(&mut chain, n);
        let Chain { model, state, workspace, .. } = &mut chain;
        n_emptied += usize::from(step.emptied_parent.is_some() && model.config.intercept > 0.0);
        remove_rest(state);
        workspace.table.build(model, state);
        workspace.likelihoods.compute(model, state, &workspace.table, n);
        workspace.candidates.reset_scores(model, &workspace.table);
        gibbs::draw_all_branches(&mut chain, step);
        candidates::fill_weights_by_ln(&chain.model, &chain.state, &mut chain.workspace);
        let nodes: Vec<NodeId> = chain.state.tree.iter().collect();
        let columns = nodes.iter().map(|&node| chain.workspace.table.column(node));
        let ln_weights: Vec<f64> = columns.map(|c| chain.workspace.candidates.weights[c].ln()).collect();
        let mut ln_target_at = |judge: &Model, node: NodeId| {
            let mut chain = chain.clone();
            if chain.state.tree.is_leaf(node) {
                seating::enter(&mut chain.state, n, node);
                return ln_target_over_components(judge, &mut chain.state, n, node);
            }
            n_branches += 1;
            let Chain { model, state, workspace, rng, .. } = &mut chain;
            let before = ln_weights_prior(model, state);
            let top = state.tree.level(node) + 1;
            let eta = workspace.candidates.eta(model.n_eta_dims(), workspace.table.column(node)).to_vec();
            workspace.branch.resize(model);
            workspace.branch.draw(model, rng, top);
            workspace.branch.eta_mut(top).copy_from_slice(&eta);
            let leaf = new_branch::create(&mut chain, node, None);
            let Chain { model, state, workspace, .. } = &mut chain;
            copy_weights_down(state, node, leaf);
            // β of the new nodes is integrated out and their η drawn beforehand: neither is part of the weight.
            let drawn = ln_weights_prior(model, state) - before + ln_eta_prior(model, workspace, top);
            seating::enter(state, n, leaf);
            ln_target_over_components(judge, state, n, node) - drawn
        };
        let wrong = without_intercept(&chain.model);
        for i in 1..nodes.len() {
            let got = ln_weights[i] - ln_weights[0];
            let [want, control] = [&chain.model, &wrong]
                .map(|judge| ln_target_at(judge, nodes[i]) - ln_target_at(judge, nodes[0]));
            assert!(close(got, want), "seed {seed}, candidate {i}: {got} against {want}");
            n_wrong += usize::from(!close(got, control));
        }
    }
    assert!(
        n_branches > 20 && n_emptied > 2 && n_wrong > 20,
        "{n_branches} branches, {n_emptied} emptied ones, {n_wrong} wrong in the control"
    );
}

/// Gives the nodes on the path from below `top` to `leaf` the weights of `top`.
fn copy_weights_down(state: &mut State, top: NodeId, leaf: NodeId) {
    let (row, rest) = (state.weights.row(top).to_vec(), state.weights.rest(top));
    let mut node = leaf;
    while node != top {
        state.weights.row_mut(node).copy_from_slice(&row);
        state.weights.set_rest(node, rest);
        node = state.tree.parent(node);
    }
}

/// ln p(η) of the workspace's branch.
fn ln_eta_prior(model: &Model, workspace: &Workspace, top: usize) -> f64 {
    (top..=model.n_levels())
        .flat_map(|level| workspace.branch.eta(level).to_vec())
        .map(|eta| -0.5 * (eta / model.config.eta_scale).powi(2))
        .sum()
}

#[test]
fn mh_losses_change_as_the_target_does() {
    let mut n_wrong = 0;
    for seed in 0..20 {
        let mut chain = chain(Scheme::Exact, seed);
        let Chain { model, state, workspace, .. } = &mut chain;
        let n = seed as usize % model.n_items();
        let total = |model: &Model, state: &State| target::losses(model, state).iter().sum::<f64>();
        let wrong = without_intercept(model);
        let before = [&*model, &wrong].map(|judge| total(judge, state));
        let old_leaf = state.leaf(n);
        let topmost = seating::leave(state, n);
        workspace.branch.resize(model);
        if let Some(topmost) = topmost {
            workspace.branch.copy_from(state, n, topmost);
        }
        // The item is not in the tree, and its own cached losses are not read.
        workspace.joint_loss.refresh(model, state, &mut workspace.scores);
        workspace.scores.fill(model, state, n);
        let parent = topmost.map(|topmost| state.path(n)[topmost - 1]);
        let old = mh::evaluate(model, state, workspace, n, old_leaf, parent);
        for end in state.tree.iter().collect::<Vec<_>>() {
            let mut chain = chain.clone();
            let Chain { model, state, workspace, rng, .. } = &mut chain;
            let is_leaf = state.tree.is_leaf(end);
            if !is_leaf {
                workspace.branch.draw(model, rng, state.tree.level(end) + 1);
            }
            let new = mh::evaluate(model, state, workspace, n, end, (!is_leaf).then_some(end));
            let leaf = if is_leaf { end } else { new_branch::create(&mut chain, end, None) };
            seating::enter(&mut chain.state, n, leaf);
            let got = new.violation.max(0.0) - old.violation.max(0.0) + new.increase - old.increase;
            let want = total(&chain.model, &chain.state) - before[0];
            assert!(close(got, want), "seed {seed}: {got} against {want}");
            n_wrong += usize::from(!close(got, total(&wrong, &chain.state) - before[1]));
        }
    }
    assert!(n_wrong > 20, "only {n_wrong} wrong in the control");
}

#[test]
fn cached_losses_are_up_to_date_after_a_sweep() {
    for kernel in [Kernel::ItemsGibbs, Kernel::ItemsMh] {
        for seed in 0..10 {
            let mut chain = chain(Scheme::Exact, seed);
            kernel.apply(&mut chain);
            let Chain { model, state, workspace, .. } = &mut chain;
            let cached = workspace.joint_loss.clone();
            workspace.joint_loss.refresh(model, state, &mut workspace.scores);
            assert_eq!(cached, workspace.joint_loss, "{kernel:?}");
        }
    }
}

#[test]
fn fast_losses_are_the_slow_ones() {
    let mut n_wrong = 0;
    for scheme in [Scheme::Collapsed, Scheme::Exact, Scheme::Paper] {
        for seed in 0..10 {
            let Chain { model, state, mut workspace, .. } = chain(scheme, seed);
            workspace.violations.refresh(&model, &state);
            let wrong = target::losses(&without_intercept(&model), &state);
            let slow = target::losses(&model, &state);
            for (fast, (slow, wrong)) in workspace.violations.losses(&model).zip(slow.into_iter().zip(wrong))
            {
                assert!(close(fast, slow));
                n_wrong += usize::from(!close(fast, wrong));
            }
        }
    }
    assert!(n_wrong > 10, "only {n_wrong} wrong in the control");
}

#[test]
fn components_weigh_as_the_target() {
    for seed in 0..20 {
        let Chain { model, mut state, mut workspace, mut rng, .. } = chain(Scheme::Collapsed, seed);
        let n = seed as usize % model.n_items();
        workspace.densities.fill(&model, &state, n);
        let leaf = state.leaf(n);
        assign::choose(&state, &workspace.densities, &mut workspace.terms, &mut rng, leaf);
        let terms = workspace.terms;
        let own = state.component[n];
        let components: Vec<ComponentId> = state.components.iter().collect();
        let here = ln_target(&model, &state);
        for k in components {
            state.component[n] = k;
            let want = ln_target(&model, &state) - here;
            let got = (terms[k.index()] / terms[own.index()]).ln();
            assert!(close(got, want), "{got} against {want}");
        }
    }
}

#[test]
fn leaf_weights_have_the_target_s_dirichlet() {
    for seed in 0..10 {
        let Chain { model, mut state, mut workspace, mut rng, .. } = chain(Scheme::Collapsed, seed);
        weights::count_tables(&state, &mut workspace.counts, |n, _| n);
        let leaf = state.leaf(0);
        let counts = &workspace.counts[leaf.index() * state.weights.stride()..];
        let mut shapes = Vec::new();
        weights::fill_prior_shapes(&model, &state, leaf, &mut shapes);
        weights::add_counts(&mut shapes, counts);
        let n_slots = state.components.n_slots();
        let ln_dirichlet = |state: &State| -> f64 {
            let rest = (shapes[n_slots] - 1.0) * state.weights.rest(leaf).ln();
            let components = state.components.iter();
            rest + components
                .map(|k| (shapes[k.index()] - 1.0) * state.weights.get(leaf, k).ln())
                .sum::<f64>()
        };
        let before = (ln_target(&model, &state), ln_dirichlet(&state));
        workspace.dirichlet.draw(&model, &mut state, &mut rng, leaf, |shapes| {
            weights::add_counts(shapes, counts);
        });
        let after = (ln_target(&model, &state), ln_dirichlet(&state));
        assert!(close(after.0 - before.0, after.1 - before.1));
    }
}

#[test]
fn means_have_the_target_s_gaussian() {
    for seed in 0..10 {
        let mut chain = chain(Scheme::Collapsed, seed);
        let (model, state) = (&chain.model, &chain.state);
        let slot = state.component[0].index();
        let n_dims = model.n_dims();
        let size = f64::from(state.components.n_items[slot]);
        let items = (0..model.n_items()).filter(|&n| state.component[n].index() == slot);
        let items: Vec<usize> = items.collect();
        let sum = |d: usize| items.iter().map(|&n| model.data.white(n)[d]).sum();
        let sums: Vec<f64> = (0..n_dims).map(sum).collect();
        let ln_both = |chain: &Chain| -> (f64, f64) {
            let Chain { model, state, .. } = chain;
            let ln_gaussian = |d: usize| {
                let (mean, precision) = means::posterior(model.whitening.base_variance[d], size, sums[d]);
                -0.5 * precision * (state.components.means.get(d, slot) - mean).powi(2)
            };
            (ln_target(model, state), (0..n_dims).map(ln_gaussian).sum())
        };
        let before = ln_both(&chain);
        let all = state.components.iter().map(ComponentId::index);
        let others: Vec<usize> = all.filter(|&k| k != slot).collect();
        let old_means = state.components.means.clone();
        means::update_means(&mut chain);
        for k in others {
            chain.state.components.means.set_column(k, &old_means.column(k).collect::<Vec<_>>());
        }
        let after = ln_both(&chain);
        assert!(close(after.0 - before.0, after.1 - before.1));
    }
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
        if let Some((violation, ..)) = reference_violation(model, state, n) {
            let lambda = state.lambda[n];
            sum -= (lambda + model.config.C * violation).powi(2) / (2.0 * lambda);
        }
    }
    sum
}

/// The active sums of a node by definition.
fn reference_gaussian(model: &Model, state: &State, node: NodeId) -> Gaussian {
    let mut active = vec![];
    for n in 0..model.n_items() {
        let Some((_, v, s)) = reference_violation(model, state, n) else { continue };
        if v == node || s == node {
            let other = if v == node { s } else { v };
            active.push(Active {
                item: n as u32,
                is_own: v == node,
                other_score: reference_score(model, state, other, n),
            });
        }
    }
    let mut gaussian = Gaussian::default();
    fit(&mut gaussian, model, state, &active);
    gaussian
}

#[test]
fn discriminants_have_the_augmented_target_s_gaussian_while_rivals_stay() {
    let (mut compared, mut n_wrong) = (0, 0);
    for seed in 0..40 {
        let Chain { model, mut state, mut rng, .. } = chain(Scheme::Collapsed, seed);
        let wrong = without_intercept(&model);
        let Some(node) = state.tree.iter().find(|&node| state.tree.has_siblings(node)) else { continue };
        let rivals = |state: &State| -> Vec<_> {
            (0..model.n_items())
                .map(|n| reference_violation(&model, state, n).map(|(_, v, s)| (v, s)))
                .collect()
        };
        let gaussian = reference_gaussian(&model, &state, node);
        let eta: Vec<f64> = state.discriminants.column(node.index()).collect();
        let before = (rivals(&state), ln_augmented(&model, &state), gaussian.ln_density(&eta));
        let control = ln_augmented(&wrong, &state);
        let moved: Vec<f64> = eta.iter().map(|eta| eta + 0.02 * standard_normal(&mut rng)).collect();
        state.discriminants.set_column(node.index(), &moved);
        if rivals(&state) == before.0 {
            let want = ln_augmented(&model, &state) - before.1;
            let got = gaussian.ln_density(&moved) - before.2;
            assert!(close(got, want), "seed {seed}: {got} against {want}");
            compared += 1;
            n_wrong += usize::from(!close(got, ln_augmented(&wrong, &state) - control));
        }
    }
    assert!(compared > 20 && n_wrong > 5, "{compared} compared, {n_wrong} wrong in the control");
}

#[test]
fn the_accept_step_has_the_hastings_ratio_of_its_definition() {
    let (mut compared, mut n_wrong) = (0, 0);
    for seed in 0..40 {
        let Chain { model, mut state, mut workspace, mut rng, .. } = chain(Scheme::Collapsed, seed);
        let wrong = without_intercept(&model);
        let Some(node) = state.tree.iter().find(|&node| state.tree.has_siblings(node)) else { continue };
        let parent = state.tree.parent(node);
        workspace.violations.refresh(&model, &state);
        let Workspace { siblings, proposal, violations, .. } = &mut workspace;
        proposal.resize(&model);
        siblings.open(&model, &state, violations, parent);
        let child = siblings.children.iter().position(|&child| child == node).unwrap();
        let ln_ratio =
            discriminants::propose(&model, &state, violations, siblings, proposal, &mut rng, child);
        let moved = proposal.eta.clone();
        let forward = reference_gaussian(&model, &state, node);
        let eta: Vec<f64> = state.discriminants.column(node.index()).collect();
        let before = [&model, &wrong].map(|judge| ln_augmented(judge, &state));
        state.discriminants.set_column(node.index(), &moved);
        let reverse = reference_gaussian(&model, &state, node);
        let proposals = reverse.ln_density(&eta) - forward.ln_density(&moved);
        let want = ln_augmented(&model, &state) - before[0] + proposals;
        assert!(close(ln_ratio, want), "seed {seed}: {ln_ratio} against {want}");
        compared += 1;
        n_wrong += usize::from(!close(ln_ratio, ln_augmented(&wrong, &state) - before[1] + proposals));
    }
    assert!(compared > 5 && n_wrong > 5, "{compared} compared, {n_wrong} wrong in the control");
}

/// The Gaussian of a node by path sums: all items in it and all items whose rival it is, by definition.
fn reference_path_sums(model: &Model, state: &State, node: NodeId) -> Gaussian {
    let mut active = Vec::new();
    for n in 0..model.n_items() {
        let Some((_, v, s)) = reference_violation(model, state, n) else { continue };
        let is_own = state.path(n).contains(&node);
        if is_own || s == node {
            let other_score = reference_score(model, state, if is_own { s } else { v }, n);
            active.push(Active { item: n as u32, is_own, other_score });
        }
    }
    let mut gaussian = Gaussian::default();
    fit(&mut gaussian, model, state, &active);
    gaussian
}

#[test]
fn discriminants_that_are_always_accepted_are_drawn_from_their_gaussians() {
    type Reference = fn(&Model, &State, NodeId) -> Gaussian;
    let readings: [(Kernel, Reference); 2] =
        [(Kernel::MarginsPaper, reference_gaussian), (Kernel::MarginsPathSums, reference_path_sums)];
    let (mut compared, mut n_wrong) = (0, 0);
    for seed in 0..40 {
        for (kernel, reference) in readings {
            let mut fast = chain(Scheme::Paper, seed);
            let [mut slow, mut wrong] = [fast.clone(), fast.clone()];
            kernel.apply(&mut fast);
            let nodes = parents_first(&slow.state, kernel == Kernel::MarginsPaper);
            for &node in &nodes {
                // The control has the sums of the other reading.
                let other =
                    if kernel == Kernel::MarginsPaper { reference_path_sums } else { reference_gaussian };
                for (chain, reference) in [(&mut slow, reference), (&mut wrong, other as Reference)] {
                    let Chain { model, state, rng, .. } = chain;
                    let mut eta = vec![0.0; model.n_eta_dims()];
                    reference(model, state, node).draw(rng, &mut eta);
                    state.discriminants.set_column(node.index(), &eta);
                }
            }
            for node in nodes {
                let same = |other: &Chain| {
                    let eta = fast.state.discriminants.column(node.index());
                    eta.zip(other.state.discriminants.column(node.index())).all(|(a, b)| close(a, b))
                };
                assert!(same(&slow), "{kernel:?}, seed {seed}, {node:?}");
                compared += 1;
                n_wrong += usize::from(!same(&wrong));
            }
        }
    }
    assert!(compared > 100 && n_wrong > 40, "{compared} compared, {n_wrong} wrong in the control");
}

/// All nodes below the root, level by level; siblings together, or in the order of the level.
fn parents_first(state: &State, by_siblings: bool) -> Vec<NodeId> {
    let tree = &state.tree;
    let mut nodes = Vec::new();
    for level in 1..=tree.n_levels() {
        let at = nodes.len();
        nodes.extend_from_slice(tree.level_nodes(level));
        if by_siblings {
            let order = |node: &NodeId| {
                let parent = tree.parent(*node);
                tree.level_nodes(level - 1).iter().position(|&above| above == parent)
            };
            nodes[at..].sort_by_key(order);
        }
    }
    nodes
}

#[test]
fn kernels_in_any_order_keep_the_invariants() {
    let all = KERNELS.iter().map(|&(kernel, ..)| kernel);
    let all: Vec<Kernel> =
        all.filter(|kernel| kernel.fixed_parameter(&config(Scheme::Exact)).is_none()).collect();
    for scheme in [Scheme::Collapsed, Scheme::Exact, Scheme::Paper] {
        for seed in 0..10 {
            let mut chain = chain(scheme, seed);
            for _ in 0..200 {
                let kernel = all[uniform_index(&mut chain.rng, all.len())];
                kernel.apply(&mut chain);
                assert_eq!(chain.state.check(&chain.model), Ok(()), "after {kernel:?}");
            }
        }
    }
}
