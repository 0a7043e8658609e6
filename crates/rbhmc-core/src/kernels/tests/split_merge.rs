//! The acceptance ratio of splits and merges of components against the slow log of (Q).

use statrs::function::gamma::ln_gamma;

use super::fixtures::{chain_of, close, config};
use crate::chain::Chain;
use crate::config::Scheme;
use crate::kernels::components::means;
use crate::kernels::components::sequential_allocation::SequentialAllocation;
use crate::kernels::components::split_merge::{self, WeightSplit};
use crate::model::Model;
use crate::model::target::ln_target;
use crate::state::tree::ROOT;
use crate::state::{ComponentId, NodeId, State};

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

/// Σ_z ln of the density with which the weights are split, and of the Jacobian β_z.
fn ln_shares(model: &Model, state: &State, split: &WeightSplit) -> f64 {
    let ln_density = |node: NodeId| -> f64 {
        let above = if node == ROOT { [0.0; 2] } else { split.shapes(model, &state.tree, node) };
        let [m, n] = split.counts[node.index()];
        let ([a, b], [u, v]) = ([above[0] + m, above[1] + n], split.shares[node.index()]);
        let ln_beta = ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
        (a - 1.0) * u.ln() + (b - 1.0) * v.ln() - ln_beta - split.weights[node.index()].ln()
    };
    state.tree.iter().map(ln_density).sum()
}

#[test]
fn two_components_and_one_weigh_as_the_target_and_a_merge_undoes_a_split() {
    let mut compared = [0, 0];
    // The last three seeds have an expected number of tables that is a tie: split and merge must round it alike.
    for seed in (0..600).chain([2763, 5044, 8786]) {
        let Chain { model, mut state, mut rng, .. } = chain_of(config(Scheme::Collapsed), seed);
        let (i, j) = split_merge::draw_pair(&model, &mut rng);
        let (stay, mut leave) = (state.component[i], state.component[j]);
        let (mut allocation, mut split) = (SequentialAllocation::default(), WeightSplit::default());
        let mut there = rng.clone();
        allocation.allocate(&model, &state, &mut rng, i, j);
        split.fill(&model, &state, &allocation, stay, leave);
        let splits = stay == leave;
        if splits {
            split.draw(&model, &state.tree, &mut rng, |_, _| true);
        }
        // Weights that underflow or lose digits cannot be compared.
        let vanishing = |node: NodeId| split.shares[node.index()].iter().any(|&share| share < 1e-200);
        if state.tree.iter().any(vanishing) {
            continue;
        }
        let got = split.ln_split_ratio(&model, &state.tree, &allocation) - allocation.ln_probability();
        let ln_proposal = ln_shares(&model, &state, &split) + allocation.ln_probability();
        let want = if splits {
            let one = ln_without_means(&model, &state, &[stay]);
            leave = state.open_component(model.data.white(j));
            split_merge::split(&mut state, &allocation, &split, stay, leave);
            let (mut again, mut back) = (SequentialAllocation::default(), WeightSplit::default());
            again.allocate(&model, &state, &mut there, i, j);
            back.fill(&model, &state, &again, stay, leave);
            let reverse = back.ln_split_ratio(&model, &state.tree, &again) - again.ln_probability();
            assert!(close(got, reverse), "seed {seed}: {got}, and back {reverse}");
            ln_without_means(&model, &state, &[stay, leave]) - one
        } else {
            let two = ln_without_means(&model, &state, &[stay, leave]);
            split_merge::merge(&mut state, &allocation, &split, stay, leave);
            two - ln_without_means(&model, &state, &[stay])
        } - ln_proposal;
        assert_eq!(state.check(&model), Ok(()));
        assert!(close(got, want), "seed {seed}: {got} against {want}");
        compared[usize::from(splits)] += 1;
    }
    assert!(compared.iter().all(|&n| n > 10), "only {compared:?} compared");
}
