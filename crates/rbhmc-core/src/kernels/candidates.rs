//! All candidates of an item's path, a column each, and their weights.

use super::Work;
use super::layout::Layout;
use super::outlook::Outlook;
use crate::model::Model;
use crate::numerics::{LANES, TILE, wide};
use crate::state::State;

/// By column of the layout.
#[derive(Debug, Clone, Default)]
pub(crate) struct Candidates {
    /// nCRP probability × likelihood, of a branch the most that it may be; 0 where there is no candidate.
    pub(super) weights: Vec<f64>,
    /// p(z)/(N_z + α) of an inner node: times N_child, or α, it is the nCRP probability of a candidate.
    pub(super) passes: Vec<f64>,
    /// η_newᵀx_n of the branch that would leave at the node; NaN where it is not drawn yet.
    pub(super) branch_scores: Vec<f64>,
    /// η_new itself, a row a column, where the joint loss needs it.
    pub(super) branch_etas: Vec<f64>,
    /// h_n of the branch (+ Δ, where it is charged).
    pub(super) branch_losses: Vec<f64>,
    /// Sums of the weights of each [`TILE`].
    pub(super) tiles: Vec<f64>,
}

impl Candidates {
    pub(super) fn eta(&self, n_dims: usize, column: usize) -> &[f64] {
        &self.branch_etas[column * n_dims..(column + 1) * n_dims]
    }

    fn make_room(&mut self, layout: &Layout) {
        self.weights.resize(layout.width, 0.0);
        self.passes.resize(layout.n_inner, 0.0);
        self.tiles.resize(layout.width / TILE, 0.0);
    }
}

/// Weighs all candidates as the outlook sees them; the sums of the branches and of the leaves.
pub(super) fn weigh(model: &Model, work: &mut Work) -> (f64, f64) {
    let Work { candidates, layout, outlook, .. } = work;
    candidates.make_room(layout);
    fill(layout, outlook, candidates, model.config.alpha);
    let (branches, leaves) = candidates.tiles.split_at(layout.first_leaf / TILE);
    (branches.iter().sum(), leaves.iter().sum())
}

wide! {
    fn fill(layout: &Layout, outlook: &Outlook, candidates: &mut Candidates, alpha: f64) {
        let Candidates { weights, passes, tiles, .. } = candidates;
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
        sum_tiles(weights, tiles);
    }
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

#[inline(always)]
fn sum_tiles(weights: &[f64], tiles: &mut [f64]) {
    for (sum, weights) in tiles.iter_mut().zip(weights.chunks_exact(TILE)) {
        let mut sums = [0.0; LANES];
        for weights in weights.chunks_exact(LANES) {
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum += weight;
            }
        }
        *sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
}

/// Weighs all candidates with all that is in their weights, each divided by the largest, which none of them
/// underflows; their sum.
pub(super) fn weigh_by_logarithms(model: &Model, state: &State, work: &mut Work) -> f64 {
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
    sum_tiles(&candidates.weights, &mut candidates.tiles);
    candidates.tiles.iter().sum()
}
