//! The Metropolis–Hastings path steps against slow references: same random numbers, same choices.
//!
//! The reference step builds the whole proposed state, and computes ρ_n and all losses of both states by their
//! definition.

use super::fixtures::{large_chain, reference_violation};
use crate::chain::Chain;
use crate::config::Scheme;
use crate::kernels::components::assign;
use crate::kernels::margins::joint_loss::JointLoss;
use crate::kernels::margins::lambda;
use crate::kernels::paths::{mh, new_branch};
use crate::model::{Model, target};
use crate::numerics::ln_sum_exp;
use crate::rng::{Rng, uniform};
use crate::state::tree::ROOT;
use crate::state::{NodeId, State, seating};

/// Draws a path from the nCRP of the other items: its leaf, or the inner node at which a new branch starts.
fn reference_path(model: &Model, state: &State, rng: &mut Rng) -> NodeId {
    let tree = &state.tree;
    let mut node = ROOT;
    'down: while !tree.is_leaf(node) {
        let target = uniform(rng) * (f64::from(tree.n_items(node)) + model.config.alpha);
        let mut end = 0.0;
        for &child in tree.level_nodes(tree.level(node) + 1) {
            if tree.parent(child) == node {
                end += f64::from(tree.n_items(child));
                if target < end {
                    node = child;
                    continue 'down;
                }
            }
        }
        break;
    }
    node
}

/// The chain with n on a path from the nCRP of the other items, its new nodes drawn from their priors.
fn reference_proposal(chain: &Chain, n: usize) -> Chain {
    let mut proposed = chain.clone();
    let topmost = seating::leave(&mut proposed.state, n);
    let mut leaf = reference_path(&proposed.model, &proposed.state, &mut proposed.rng);
    if !proposed.state.tree.is_leaf(leaf) {
        leaf = new_branch::create_from_prior(&mut proposed, leaf);
    }
    if let Some(topmost) = topmost {
        seating::release(&mut proposed.state, n, topmost);
    }
    seating::enter(&mut proposed.state, n, leaf);
    proposed
}

/// ln mix(n, leaf) from the densities of the components.
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

/// ρ_n; −∞ without siblings.
fn violation(model: &Model, state: &State, n: usize) -> f64 {
    reference_violation(model, state, n).map_or(f64::NEG_INFINITY, |(violation, ..)| violation)
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

/// The state and the random stream after the step, and whether the proposal was accepted.
fn reference_step(chain: &Chain, n: usize) -> (State, Rng, bool) {
    let Chain { model, state, .. } = chain;
    let Chain { state: proposed, mut rng, .. } = reference_proposal(chain, n);
    let ln_ratio =
        ln_mix(model, &proposed, n) - ln_mix(model, state, n) + ln_loss_ratio(model, state, &proposed, n);
    let accepted = uniform(&mut rng).ln() < ln_ratio;
    let mut after = if accepted { proposed } else { state.clone() };
    if model.config.scheme == Scheme::Paper && model.is_regularised() {
        after.lambda[n] = lambda::draw_lambda(model, &mut rng, violation(model, &after, n));
    }
    (after, rng, accepted)
}

#[test]
fn steps_are_those_of_the_reference_step() {
    // The numbers of refusals, of branches created and left, and of paths without siblings.
    let mut seen = [0; 4];
    for (n_items, alpha) in
        [(2, 0.3), (3, 0.3), (15, 5.0), (16, 5.0), (17, 5.0), (64, 5.0), (80, 5.0), (1_025, 5.0)]
    {
        for (c, intercept, scheme) in [
            (0.0, 0.0, Scheme::Paper),
            (0.5, 0.0, Scheme::Paper),
            (1.0, 0.0, Scheme::Paper),
            (0.0, 0.0, Scheme::Collapsed),
            (1.0, 0.0, Scheme::Collapsed),
            (1.0, 5.0, Scheme::Collapsed),
            (1.0, 0.0, Scheme::Exact),
            (1.0, 5.0, Scheme::Exact),
        ] {
            let mut chain = large_chain(n_items, alpha, c, intercept, scheme);
            let Chain { model, state, workspace, .. } = &mut chain;
            if model.is_joint() {
                workspace.joint_loss.refresh(model, state, &mut workspace.scores);
            }
            // The tree changes from step to step.
            for i in 0..80 {
                let n = i * n_items.div_ceil(80) % n_items;
                let is_paper = scheme == Scheme::Paper;
                if !is_paper {
                    assign::leave(&mut chain.state, n);
                }
                let (want, want_rng, accepts) = reference_step(&chain, n);
                let was_alone = chain.state.tree.n_items(chain.state.leaf(n)) == 1;
                seen[0] += usize::from(!accepts);
                seen[1] += usize::from(accepts && want.tree.n_items(want.leaf(n)) == 1);
                seen[2] += usize::from(accepts && was_alone);
                seen[3] += usize::from(c > 0.0 && violation(&chain.model, &want, n) == f64::NEG_INFINITY);
                let n_accepted = chain.acceptance.path.accepted;
                if is_paper {
                    mh::step_augmented(&mut chain, n)
                } else {
                    mh::step(&mut chain, n)
                }
                let here = format!("item {n} of {n_items}, C = {c}, {intercept}, {scheme:?}");
                let Chain { model, state, workspace, rng, acceptance, .. } = &mut chain;
                assert_eq!(acceptance.path.accepted - n_accepted, u64::from(accepts), "{here}");
                assert_eq!(state.paths, want.paths, "{here}");
                assert_eq!(state.lambda, want.lambda, "{here}");
                for &node in state.path(n) {
                    let eta = state.discriminants.column(node.index());
                    assert!(eta.eq(want.discriminants.column(node.index())), "{here}");
                    assert_eq!(state.weights.row(node), want.weights.row(node), "{here}");
                }
                assert!(*rng == want_rng, "{here}");
                if model.is_joint() {
                    let mut fresh = JointLoss::default();
                    fresh.refresh(model, state, &mut workspace.scores);
                    assert!(workspace.joint_loss == fresh, "{here}");
                }
                if !is_paper {
                    let leaf = chain.state.leaf(n);
                    assign::draw_at(&mut chain, n, leaf);
                }
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 20), "{seen:?}");
}
