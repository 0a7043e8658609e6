//! The weights of all candidates of an item's path, one per column of the node table.

use super::likelihoods::NodeLikelihoods;
use super::node_table::NodeTable;
use crate::kernels::Workspace;
use crate::model::Model;
use crate::numerics::{TILE, simd, sum};
use crate::state::State;

/// By column of the node table.
#[derive(Debug, Clone, Default)]
pub(crate) struct Candidates {
    /// nCRP probability × likelihood, for a branch an upper bound; 0 for a column without candidate.
    pub(crate) weights: Vec<f64>,
    /// p(z)/(N_z + α) of an inner node: the product of the table's nCRP factors.
    reach_factors: Vec<f64>,
    /// η_newᵀx_n of the branch that would start at the node; NaN if it is not drawn yet.
    pub(crate) branch_scores: Vec<f64>,
    /// η_new itself, one row per column, if the joint loss needs it.
    branch_etas: Vec<f64>,
    /// h_n of the branch, plus Δ with the joint loss.
    pub(crate) branch_losses: Vec<f64>,
    /// Sums of the weights of each [`TILE`] from the first known candidate on.
    pub(crate) tiles: Vec<f64>,
}

impl Candidates {
    pub(crate) fn eta(&self, n_dims: usize, column: usize) -> &[f64] {
        &self.branch_etas[column * n_dims..(column + 1) * n_dims]
    }

    pub(crate) fn eta_mut(&mut self, n_dims: usize, column: usize) -> &mut [f64] {
        &mut self.branch_etas[column * n_dims..(column + 1) * n_dims]
    }

    /// Marks the scores of all branches as not drawn.
    pub(crate) fn reset_scores(&mut self, model: &Model, table: &NodeTable) {
        self.branch_scores.clear();
        self.branch_scores.resize(table.n_inner, f64::NAN);
        if model.is_joint() {
            self.branch_etas.resize(table.n_inner * model.n_eta_dims(), 0.0);
        }
    }

    fn resize(&mut self, table: &NodeTable) {
        self.weights.resize(table.width, 0.0);
        self.reach_factors.resize(table.n_inner, 0.0);
    }

    /// Sums the weights of each tile, of which the first begins at a column; returns the sum of all tiles.
    pub(crate) fn sum_tiles(&mut self, first: usize) -> f64 {
        self.tiles.clear();
        self.tiles.extend(self.weights[first..].chunks(TILE).map(sum));
        self.tiles.iter().sum()
    }
}

/// Computes the weights of all candidates, branches without penalty.
pub(crate) fn fill_weights(model: &Model, workspace: &mut Workspace) {
    let Workspace { candidates, table, likelihoods, .. } = workspace;
    candidates.resize(table);
    multiply(table, likelihoods, candidates, model.config.alpha);
}

simd! {
    /// Multiplies nCRP probabilities and likelihoods.
    fn multiply(table: &NodeTable, likelihoods: &NodeLikelihoods, candidates: &mut Candidates, alpha: f64) {
        let Candidates { weights, reach_factors, .. } = candidates;
        fill_reach_factors(table, reach_factors);
        let (branches, leaves) = weights.split_at_mut(table.first_leaf);
        for ((weight, reach), likelihood) in
            branches.iter_mut().zip(reach_factors.iter()).zip(&likelihoods.likelihoods)
        {
            *weight = reach * alpha * likelihood;
        }
        branches[reach_factors.len()..].fill(0.0);
        let range = table.first_leaf..table.end;
        let (leaves, unused) = leaves.split_at_mut(range.len());
        for (weight, &parent) in leaves.iter_mut().zip(&table.parents[range.clone()]) {
            *weight = reach_factors[parent as usize];
        }
        let sizes = &table.sizes[range.clone()];
        for ((weight, size), likelihood) in leaves.iter_mut().zip(sizes).zip(&likelihoods.likelihoods[range]) {
            *weight *= size * likelihood;
        }
        unused.fill(0.0);
    }
}

/// Lowers the weights of all branches by their losses; returns the sum of all weights.
pub(crate) fn apply_branch_losses(model: &Model, workspace: &mut Workspace) -> f64 {
    let Workspace { candidates, likelihoods, .. } = workspace;
    let Candidates { weights, branch_losses, .. } = candidates;
    for ((weight, loss), above) in weights.iter_mut().zip(branch_losses.iter()).zip(&likelihoods.losses) {
        if *weight > 0.0 {
            *weight *= (-2.0 * model.config.C * (loss - above)).exp();
        }
    }
    sum(weights)
}

/// p(z)/(N_z + α) of every inner column, parents first.
#[inline(always)]
fn fill_reach_factors(table: &NodeTable, reach_factors: &mut [f64]) {
    let n_inner = reach_factors.len();
    let (parents, factors) = (&table.parents[..n_inner], &table.ncrp_factors[..n_inner]);
    reach_factors[0] = factors[0];
    for column in 1..n_inner {
        reach_factors[column] = reach_factors[parents[column] as usize] * factors[column];
    }
}

/// Computes the weights of all candidates by logarithms, losses of branches included, and divides them by the largest,
/// so that it does not underflow; returns their sum.
pub(crate) fn fill_weights_by_ln(model: &Model, state: &State, workspace: &mut Workspace) -> f64 {
    let Workspace { candidates, table, likelihoods, .. } = workspace;
    candidates.resize(table);
    fill_reach_factors(table, &mut candidates.reach_factors);
    for column in 0..table.width {
        candidates.weights[column] = f64::NEG_INFINITY;
        let is_inner = column < table.n_inner;
        let is_used = is_inner || (table.first_leaf..table.end).contains(&column);
        if is_used && table.mask[column] == 0.0 {
            let (prior, loss) = if is_inner {
                let reach = candidates.reach_factors[column];
                (reach * model.config.alpha, candidates.branch_losses.get(column))
            } else {
                let reach = candidates.reach_factors[table.parents[column] as usize];
                (reach * table.sizes[column], likelihoods.losses.get(column))
            };
            let ln_mix = likelihoods.densities.ln_mix(state, table.nodes[column]);
            let loss = loss.copied().unwrap_or(0.0);
            candidates.weights[column] = prior.ln() + ln_mix - 2.0 * model.config.C * loss;
        }
    }
    let top = candidates.weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    candidates.weights.iter_mut().for_each(|weight| *weight = (*weight - top).exp());
    candidates.sum_tiles(0)
}
