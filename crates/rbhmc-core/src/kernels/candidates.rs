//! All candidates of an item's path, a column each, and their weights.

use super::Work;
use super::densities::TINY;
use super::layout::Layout;
use super::outlook::{FAINT, Outlook};
use crate::model::Model;
use crate::numerics::{TILE, exp_nonpositive, smaller, wide};
use crate::state::State;

/// By column of the layout.
#[derive(Debug, Clone, Default)]
pub(crate) struct Candidates {
    /// nCRP probability × mix × the loss's factor; 0 where there is no candidate.
    pub(super) weights: Vec<f64>,
    /// nCRP probability alone.
    pub(super) priors: Vec<f64>,
    /// p(z)/(N_z + α) of an inner node, ready for its children.
    pub(super) passes: Vec<f64>,
    /// η_newᵀx_n of the branch that would leave at the node; NaN where it is not drawn yet.
    pub(super) branch_scores: Vec<f64>,
    /// η_new itself, a row a column, where the joint loss needs it.
    pub(super) branch_etas: Vec<f64>,
    /// h_n (+ Δ) of the branch.
    pub(super) branch_losses: Vec<f64>,
    /// e^{−2C (loss − least)} of the branch.
    pub(super) factors: Vec<f64>,
    /// Sums of the weights of each [`TILE`].
    pub(super) tiles: Vec<f64>,
}

impl Candidates {
    pub(super) fn eta(&self, n_dims: usize, column: usize) -> &[f64] {
        &self.branch_etas[column * n_dims..(column + 1) * n_dims]
    }
}

/// Fills the candidates' weights; their sum.
pub(super) fn weigh(model: &Model, state: &State, work: &mut Work) -> f64 {
    let mut total = weigh_as_seen(model, work);
    if total < FAINT {
        work.outlook.look_closer(model, &work.layout);
        total = weigh_as_seen(model, work);
    }
    if total > TINY { total } else { weigh_by_logarithms(model, state, work) }
}

fn weigh_as_seen(model: &Model, work: &mut Work) -> f64 {
    let Work { candidates, layout, outlook, .. } = work;
    candidates.weights.resize(layout.width, 0.0);
    candidates.priors.resize(layout.width, 0.0);
    candidates.passes.resize(layout.n_inner, 0.0);
    candidates.factors.resize(layout.n_inner, 0.0);
    candidates.tiles.resize(layout.width / TILE, 0.0);
    let slope = -2.0 * model.config.C;
    fill(layout, outlook, candidates, model.config.alpha, slope)
}

wide! {
    fn fill(layout: &Layout, outlook: &Outlook, candidates: &mut Candidates, alpha: f64, slope: f64) -> f64 {
        let Candidates { weights, priors, passes, branch_losses, factors, tiles, .. } = candidates;
        let n_inner = layout.n_inner;
        let mut arrive = 1.0;
        for column in 0..n_inner {
            let size = layout.sizes[column];
            if column > 0 {
                arrive = passes[layout.parents[column] as usize] * size;
            }
            passes[column] = arrive / (size + alpha);
            priors[column] = passes[column] * alpha;
            weights[column] = priors[column] * outlook.mix[column];
        }
        let mut scale = 1.0;
        if slope < 0.0 {
            let least = branch_losses.iter().copied().fold(outlook.least, smaller);
            for (factor, loss) in factors.iter_mut().zip(branch_losses.iter()) {
                *factor = slope * (loss - least);
            }
            exp_nonpositive(factors);
            for (weight, factor) in weights.iter_mut().zip(factors.iter()) {
                *weight *= factor;
            }
            if least < outlook.least {
                scale = (slope * (outlook.least - least)).exp();
            }
        }
        weights[n_inner..layout.first_leaf].fill(0.0);
        let range = layout.first_leaf..layout.end;
        let leaves = layout.parents[range.clone()].iter().zip(&layout.sizes[range.clone()]);
        let out = priors[range.clone()].iter_mut().zip(&mut weights[range.clone()]);
        let all = out.zip(leaves).zip(&outlook.likelihoods[range]);
        for (((prior, weight), (&parent, size)), likelihood) in all {
            *prior = passes[parent as usize] * size;
            *weight = scale * *prior * likelihood;
        }
        weights[layout.end..].fill(0.0);
        sum_tiles(weights, tiles)
    }
}

#[inline(always)]
fn sum_tiles(weights: &[f64], tiles: &mut [f64]) -> f64 {
    let mut total = 0.0;
    for (sum, weights) in tiles.iter_mut().zip(weights.chunks_exact(TILE)) {
        *sum = weights.iter().sum();
        total += *sum;
    }
    total
}

/// Weights whose products would underflow, divided by the largest.
fn weigh_by_logarithms(model: &Model, state: &State, work: &mut Work) -> f64 {
    let Work { candidates, layout, outlook, .. } = work;
    for column in 0..layout.width {
        candidates.weights[column] = f64::NEG_INFINITY;
        let loss = if column < layout.n_inner {
            candidates.branch_losses.get(column)
        } else {
            outlook.losses.get(column)
        };
        let used = column < layout.n_inner || (layout.first_leaf..layout.end).contains(&column);
        if used && layout.closed[column] == 0.0 {
            candidates.weights[column] = candidates.priors[column].ln()
                + outlook.densities.ln_mix(state, layout.nodes[column])
                - 2.0 * model.config.C * loss.copied().unwrap_or(0.0);
        }
    }
    let top = candidates.weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    candidates.weights.iter_mut().for_each(|weight| *weight = (*weight - top).exp());
    sum_tiles(&candidates.weights, &mut candidates.tiles)
}
