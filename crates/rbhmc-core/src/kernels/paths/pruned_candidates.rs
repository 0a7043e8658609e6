//! The candidates that an item is likely to choose, found from the root down: the path step of large tables.
//!
//! ρ_n never falls on the way down, and a scaled mix is at most 1. So all candidates at and below a node z together weigh
//! at most p(z) e^{−2C max(0, ρ_n)}, and if that is negligible none of them is visited, nor are their discriminants
//! drawn. Candidates are laid end to end: likely leaves, likely branches, all others. If the uniform selects the same one
//! for every weight of the others within their bound, that is the choice; otherwise, which is rare, all candidates are
//! weighed. This is the Gibbs step itself; random numbers and sums are only computed when the choice depends on them.

use super::gibbs::{self, Step};
use super::likelihoods::NodeLikelihoods;
use super::node_table::NodeTable;
use crate::chain::Chain;
use crate::kernels::components::densities::{Densities, UNDERFLOW};
use crate::kernels::margins::lanes::weighted_sum;
use crate::model::Model;
use crate::numerics::{LANES, TwoBest, dot_lanes, exp_nonpositive, fmax, fmin, simd};
use crate::rng::uniform;
use crate::state::State;

/// Nodes whose e^{−2Ch} is below e^{−CUTOFF} of the largest of their level are pruned, unless the likelihoods found are so
/// small that a pruned node may exceed this share of the largest.
const CUTOFF: f64 = 16.0;
const MAX_PRUNED_SHARE: f64 = 1e-4;
/// If the weights of the likely leaves sum to less (relative to the best e^{−2Ch}), all candidates are weighed.
const SMALLEST_TOTAL: f64 = 1e-18;
/// From this many children on, their best scores are found lane by lane.
const LANES_FROM_CHILDREN: usize = 16;

#[derive(Debug, Clone, Default)]
pub(crate) struct PrunedCandidates {
    // By node that is kept, level after level, so that leaves come last:
    columns: Vec<u32>,
    /// The index of a node's parent in this list.
    parents: Vec<u32>,
    /// The largest ρ_n over the levels down to the node.
    violations: Vec<f64>,
    /// mix(n, z), for a leaf times e^{−2C (h_n − least)}.
    likelihoods: Vec<f64>,
    /// nCRP probability × likelihood × the factor of a branch.
    weights: Vec<f64>,
    // By inner node that is kept:
    /// The largest score of its children.
    best: Vec<f64>,
    /// p(z)/(N_z + α)
    reach_factors: Vec<f64>,
    /// e^{−2C max(0, ρ_n)}
    factors: Vec<f64>,
    /// The least h_n of a leaf.
    least: f64,
    /// The largest e^{−2C (h_n − least)} of a pruned node.
    largest_pruned: f64,
    /// x_n, padded as η is.
    x: Vec<f64>,
    /// η_zᵀx_n of the first columns, most of them children of the root.
    top_scores: Vec<f64>,
}

/// Sums of the weights of likely candidates.
struct Totals {
    leaves: f64,
    branches: f64,
    /// An upper bound of the weight of all pruned candidates.
    pruned: f64,
    /// e^{−2C h_n} of the leaf with the least loss.
    leaf_factor: f64,
}

impl PrunedCandidates {
    pub(crate) fn find(
        &mut self,
        model: &Model,
        state: &State,
        table: &NodeTable,
        densities: &Densities,
        n: usize,
    ) {
        let slope = -2.0 * model.config.C;
        let x = model.data.extended(n);
        self.x.clear();
        self.x.extend_from_slice(x);
        self.x.resize(table.eta_length, 0.0);
        self.top_scores.resize(table.n_top, 0.0);
        weighted_sum(&table.top_etas, table.n_top, 0, x, &mut self.top_scores);
        let top = self.find_within(model, state, table, densities, 0.0, -CUTOFF / slope);
        if self.largest_pruned > MAX_PRUNED_SHARE * top {
            let cutoff = (0.1 * MAX_PRUNED_SHARE * top).ln() / slope;
            self.find_within(model, state, table, densities, self.least, cutoff);
        }
    }

    /// Finds the nodes whose loss is at most `cutoff` above the least of their level, or above `floor`; returns the
    /// largest likelihood of a leaf.
    fn find_within(
        &mut self,
        model: &Model,
        state: &State,
        table: &NodeTable,
        densities: &Densities,
        floor: f64,
        cutoff: f64,
    ) -> f64 {
        let slope = -2.0 * model.config.C;
        let least_pruned = self.descend(model, table, floor, cutoff);
        self.largest_pruned = (slope * (least_pruned - self.least)).exp();
        let first = self.n_inner();
        self.likelihoods.clear();
        self.likelihoods.resize(first, 1.0);
        self.likelihoods.extend(self.violations[first..].iter().map(|&violation| fmax(violation, 0.0)));
        scale(&mut self.likelihoods[first..], self.least, slope);
        multiply_by_mix(state, table, densities, &self.columns, &mut self.likelihoods);
        self.likelihoods[first..].iter().copied().fold(0.0, fmax)
    }

    /// Lists these nodes; returns the least ρ_n of a pruned node.
    fn descend(&mut self, model: &Model, table: &NodeTable, floor: f64, cutoff: f64) -> f64 {
        self.best.clear();
        self.columns.clear();
        self.parents.clear();
        self.violations.clear();
        self.columns.push(0);
        self.parents.push(0);
        self.violations.push(f64::NEG_INFINITY);
        let (mut first, mut least_pruned) = (0, f64::INFINITY);
        for level in 1..=model.n_levels() {
            let end = self.columns.len();
            for index in first..end {
                let children = &table.children[self.columns[index] as usize];
                self.columns.extend_from_slice(children);
                self.parents.resize(self.columns.len(), index as u32);
                let known: &[f64] = if level == 1 { &self.top_scores } else { &[] };
                append_scores(table, children, known, &self.x, &mut self.violations);
                let above = self.violations[index];
                let scores = &mut self.violations[self.columns.len() - children.len()..];
                self.best.push(scores_to_violations(model.config.margin, above, scores));
            }
            let losses = self.violations[end..].iter().map(|&violation| fmax(violation, 0.0));
            self.least = losses.fold(f64::INFINITY, fmin);
            least_pruned = fmin(least_pruned, self.prune(fmax(self.least, floor) + cutoff, end));
            first = end;
        }
        least_pruned
    }

    /// Drops the nodes from an index on whose ρ_n exceeds `largest`; returns the least ρ_n of these.
    fn prune(&mut self, largest: f64, first: usize) -> f64 {
        let (mut n_kept, mut least_pruned) = (first, f64::INFINITY);
        for index in first..self.columns.len() {
            let violation = self.violations[index];
            let is_kept = violation <= largest;
            self.columns[n_kept] = self.columns[index];
            self.parents[n_kept] = self.parents[index];
            self.violations[n_kept] = violation;
            n_kept += usize::from(is_kept);
            least_pruned = fmin(least_pruned, if is_kept { f64::INFINITY } else { violation });
        }
        self.columns.truncate(n_kept);
        self.parents.truncate(n_kept);
        self.violations.truncate(n_kept);
        least_pruned
    }

    fn n_inner(&self) -> usize {
        self.best.len()
    }

    /// All candidates that are kept, leaves first: (column, weight).
    pub(crate) fn candidates(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let indices = (self.n_inner()..self.columns.len()).chain(0..self.n_inner());
        indices.map(|index| (self.columns[index] as usize, self.weights[index]))
    }

    /// Computes the weights of the candidates that are kept, for branches an upper bound.
    fn fill_weights(&mut self, model: &Model, table: &NodeTable) -> Totals {
        let (alpha, slope) = (model.config.alpha, -2.0 * model.config.C);
        let n_inner = self.n_inner();
        self.factors.clear();
        self.factors.extend(self.violations[..n_inner].iter().map(|&violation| fmax(violation, 0.0)));
        scale(&mut self.factors, 0.0, slope);
        let leaf_factor = (slope * self.least).exp();
        self.reach_factors.clear();
        self.weights.clear();
        let (mut leaves, mut branches) = (0.0, 0.0);
        for (index, &column) in self.columns.iter().enumerate() {
            let column = column as usize;
            let above = if index == 0 { 1.0 } else { self.reach_factors[self.parents[index] as usize] };
            if index < n_inner {
                let reach = above * table.ncrp_factors[column];
                self.reach_factors.push(reach);
                let weight = reach * alpha * self.factors[index] * self.likelihoods[index];
                self.weights.push(weight);
                branches += weight;
            } else {
                let weight = above * table.sizes[column] * leaf_factor * self.likelihoods[index];
                self.weights.push(weight);
                leaves += weight;
            }
        }
        Totals { leaves, branches, pruned: leaf_factor * self.largest_pruned, leaf_factor }
    }

    /// The column that `uniform` selects both if the total is `lower` and if it is `upper`; none if they differ, or if
    /// `uniform` lies beyond the first candidates, which sum to `lower`.
    fn choose_within_bounds(&self, uniform: f64, lower: f64, upper: f64) -> Option<usize> {
        let (lower, upper) = (uniform * lower, uniform * upper);
        let mut sum = 0.0;
        for (column, weight) in self.candidates() {
            sum += weight;
            if lower < sum {
                return (upper < sum).then_some(column);
            }
        }
        None
    }
}

/// Draws the column of a candidate.
pub(crate) fn choose(chain: &mut Chain, step: Step) -> usize {
    let workspace = &mut chain.workspace;
    let (table, pruned) = (&workspace.table, &mut workspace.likelihoods.pruned);
    let Totals { leaves, branches, pruned: others, leaf_factor } = pruned.fill_weights(&chain.model, table);
    let uniform = uniform(&mut chain.rng);
    let underflow_threshold = fmax(SMALLEST_TOTAL * leaf_factor, UNDERFLOW);
    // Leaves come first.
    if leaves > underflow_threshold
        && let Some(column) = pruned.choose_within_bounds(uniform, leaves, leaves + branches + others)
    {
        return column;
    }
    let bounds = (uniform, others, underflow_threshold);
    workspace.bounded.fill(bounds, pruned.candidates(), table.first_leaf);
    let n_leaves = pruned.columns.len() - pruned.n_inner();
    gibbs::choose_by_bounds(chain, step, |likelihoods: &NodeLikelihoods, index: usize, _| {
        let PrunedCandidates { violations, best, .. } = &likelihoods.pruned;
        (violations[index - n_leaves], best[index - n_leaves])
    })
}

simd! {
    /// Appends the scores of some columns, of which the first may be known.
    fn append_scores(table: &NodeTable, columns: &[u32], known: &[f64], x: &[f64], out: &mut Vec<f64>) {
        out.extend(columns.iter().map(|&column| {
            let column = column as usize;
            if column < known.len() { known[column] } else { dot_lanes(table.eta(column), x) }
        }));
    }
}

/// Replaces the scores of a node's children by the largest ρ_n down to each of them, where `above` is the largest down to
/// the node; returns the largest score.
#[inline]
fn scores_to_violations(margin: f64, above: f64, scores: &mut [f64]) -> f64 {
    let best =
        if scores.len() < LANES_FROM_CHILDREN { TwoBest::of(scores) } else { two_best_by_lanes(scores) };
    for score in scores {
        *score = fmax(above, best.violation(margin, *score));
    }
    best.first
}

simd! {
    /// [`TwoBest::of`], lane by lane.
    fn two_best_by_lanes(scores: &[f64]) -> TwoBest {
        let mut best = [f64::NEG_INFINITY; 3 * LANES];
        let (first, rest) = best.split_at_mut(LANES);
        let (second, last) = rest.split_at_mut(LANES);
        let chunks = scores.chunks_exact(LANES);
        let remainder = chunks.remainder();
        last[..remainder.len()].copy_from_slice(remainder);
        for scores in chunks {
            for lane in 0..LANES {
                let mut two = TwoBest { first: first[lane], second: second[lane] };
                two.add(scores[lane]);
                (first[lane], second[lane]) = (two.first, two.second);
            }
        }
        TwoBest::of(&best)
    }
}

simd! {
    /// likelihood ← likelihood × mix(n, z) of some columns.
    fn multiply_by_mix(
        state: &State,
        table: &NodeTable,
        densities: &Densities,
        columns: &[u32],
        likelihoods: &mut [f64],
    ) {
        for (likelihood, &column) in likelihoods.iter_mut().zip(columns) {
            *likelihood *= densities.mix(state, table.nodes[column as usize]);
        }
    }
}

simd! {
    /// loss ← e^{slope (loss − least)}
    fn scale(losses: &mut [f64], least: f64, slope: f64) {
        for loss in losses.iter_mut() {
            *loss = slope * (*loss - least);
        }
        exp_nonpositive(losses);
    }
}
