//! All candidates of an item's path, a column each, and their weights.

use super::likelihoods::Outlook;
use super::node_table::Layout;
use crate::kernels::Work;
use crate::model::Model;
use crate::numerics::{TILE, simd, sum};
use crate::state::State;

/// By column of the layout.
#[derive(Debug, Clone, Default)]
pub(crate) struct Candidates {
    /// nCRP probability × likelihood, of a branch the most that it may be; 0 where there is no candidate.
    pub(crate) weights: Vec<f64>,
    /// p(z)/(N_z + α) of an inner node: times N_child, or α, it is the nCRP probability of a candidate.
    pub(crate) passes: Vec<f64>,
    /// η_newᵀx_n of the branch that would leave at the node; NaN where it is not drawn yet.
    pub(crate) branch_scores: Vec<f64>,
    /// η_new itself, a row a column, where the joint loss needs it.
    pub(crate) branch_etas: Vec<f64>,
    /// h_n of the branch (+ Δ, where it is charged).
    pub(crate) branch_losses: Vec<f64>,
    /// Sums of the weights of each [`TILE`].
    pub(crate) tiles: Vec<f64>,
}

impl Candidates {
    pub(crate) fn eta(&self, n_dims: usize, column: usize) -> &[f64] {
        &self.branch_etas[column * n_dims..(column + 1) * n_dims]
    }

    fn make_room(&mut self, layout: &Layout) {
        self.weights.resize(layout.width, 0.0);
        self.passes.resize(layout.n_inner, 0.0);
        self.tiles.resize(layout.width / TILE, 0.0);
    }

    /// Sums the weights of each tile, and of all.
    pub(crate) fn sum_tiles(&mut self) -> f64 {
        for (tile, weights) in self.tiles.iter_mut().zip(self.weights.chunks_exact(TILE)) {
            *tile = sum(weights);
        }
        self.tiles.iter().sum()
    }
}

/// Weighs all candidates as the outlook sees them; the sum of the leaves.
pub(crate) fn weigh(model: &Model, work: &mut Work) -> f64 {
    let Work { candidates, layout, outlook, .. } = work;
    candidates.make_room(layout);
    fill(layout, outlook, candidates, model.config.alpha);
    let leaves = sum(&candidates.weights[layout.first_leaf..]);
    if leaves > outlook.faint {
        return leaves;
    }
    outlook.look_closer(model, layout);
    fill(layout, outlook, candidates, model.config.alpha);
    sum(&candidates.weights[layout.first_leaf..])
}

simd! {
    fn fill(layout: &Layout, outlook: &Outlook, candidates: &mut Candidates, alpha: f64) {
        let Candidates { weights, passes, .. } = candidates;
        pass_down(&layout.parents, &layout.shares, passes);
        let (branches, leaves) = weights.split_at_mut(layout.first_leaf);
        for ((weight, pass), likelihood) in branches.iter_mut().zip(passes.iter()).zip(&outlook.likelihoods) {
            *weight = pass * alpha * likelihood;
        }
        branches[passes.len()..].fill(0.0);
        let range = layout.first_leaf..layout.end;
        let (leaves, none) = leaves.split_at_mut(range.len());
        for (weight, &parent) in leaves.iter_mut().zip(&layout.parents[range.clone()]) {
            *weight = passes[parent as usize];
        }
        let sizes = &layout.sizes[range.clone()];
        for ((weight, size), likelihood) in leaves.iter_mut().zip(sizes).zip(&outlook.likelihoods[range]) {
            *weight *= size * likelihood;
        }
        none.fill(0.0);
    }
}

/// Lowers the weights of all branches by what their losses add; the sum of all weights.
pub(crate) fn charge_all(model: &Model, work: &mut Work) -> f64 {
    let Work { candidates, outlook, .. } = work;
    let Candidates { weights, branch_losses, .. } = candidates;
    for ((weight, loss), above) in weights.iter_mut().zip(branch_losses.iter()).zip(&outlook.losses) {
        if *weight > 0.0 {
            *weight *= (-2.0 * model.config.C * (loss - above)).exp();
        }
    }
    sum(weights)
}

/// p(z)/(N_z + α) of every inner column, parents first.
#[inline(always)]
fn pass_down(parents: &[u32], shares: &[f64], passes: &mut [f64]) {
    let n_inner = passes.len();
    let (parents, shares) = (&parents[..n_inner], &shares[..n_inner]);
    passes[0] = shares[0];
    for column in 1..n_inner {
        passes[column] = passes[parents[column] as usize] * shares[column];
    }
}

/// Weighs all candidates with all that is in their weights, each divided by the largest, which none of them
/// underflows; their sum.
pub(crate) fn weigh_by_logarithms(model: &Model, state: &State, work: &mut Work) -> f64 {
    let Work { candidates, layout, outlook, .. } = work;
    candidates.make_room(layout);
    pass_down(&layout.parents, &layout.shares, &mut candidates.passes);
    for column in 0..layout.width {
        candidates.weights[column] = f64::NEG_INFINITY;
        let is_inner = column < layout.n_inner;
        let used = is_inner || (layout.first_leaf..layout.end).contains(&column);
        if used && layout.closed[column] == 0.0 {
            let (prior, loss) = if is_inner {
                (candidates.passes[column] * model.config.alpha, candidates.branch_losses.get(column))
            } else {
                let pass = candidates.passes[layout.parents[column] as usize];
                (pass * layout.sizes[column], outlook.losses.get(column))
            };
            candidates.weights[column] = prior.ln() + outlook.densities.ln_mix(state, layout.nodes[column])
                - 2.0 * model.config.C * loss.copied().unwrap_or(0.0);
        }
    }
    let top = candidates.weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    candidates.weights.iter_mut().for_each(|weight| *weight = (*weight - top).exp());
    candidates.sum_tiles()
}
