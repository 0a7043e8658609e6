//! The candidates that an item is likely to choose, found from the root down: the path step with C > 0.
//!
//! ρ_n never falls on the way down, and no mix at or below a node z exceeds its bound, the mix with the largest weight that
//! each component has there. So all candidates at and below z together weigh at most p(z) e^{−2C max(0, ρ_n)} bound(n, z),
//! and if that is negligible none of them is visited, nor are their discriminants drawn. What is negligible is judged by
//! p(z) as it was when z was added to the table, since likelihoods may be computed ahead; the bounds of the pruned nodes are
//! then summed with p(z) as it is. At first, mixes leave out components of negligible density, and a new branch is bounded as
//! all that is below its node; both are computed in full only if the choice depends on it. Candidates are laid end to end:
//! likely leaves, likely branches, all others. If the uniform selects the same one for every weight of the others within
//! their bound, that is the choice; otherwise, which is rare, all candidates are weighed. This is the Gibbs step itself;
//! random numbers and sums are only computed when the choice depends on them.

use std::ops::Range;

use super::gibbs::{self, Step};
use super::likelihoods::{NEGLIGIBLE_DENSITY, NodeLikelihoods};
use super::node_table::NodeTable;
use crate::chain::Chain;
use crate::kernels::components::densities::{Densities, UNDERFLOW};
use crate::model::Model;
use crate::numerics::{LANES, TwoBest, dot_lanes, exp_nonpositive, fmax, max, simd, weighted_sum};
use crate::rng::uniform;
use crate::state::State;
use crate::state::tree::ROOT;

/// Nodes whose weight is bounded by less than this share of the largest bound of their level are pruned, unless all pruned
/// nodes together may exceed the other share of the leaves that are kept; then by a share of these.
const CUTOFF: f64 = 1e-4;
const MAX_PRUNED_SHARE: f64 = 1e-2;
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
    /// e^{−2C max(0, ρ_n)}
    factors: Vec<f64>,
    /// The factor times mix(n, z), or for an inner node, until `complete`, times the bound of the mixes at and below it.
    likelihoods: Vec<f64>,
    /// nCRP probability × likelihood, for a branch × α.
    weights: Vec<f64>,
    // By inner node that is kept:
    /// The largest score of its children.
    best: Vec<f64>,
    /// p(z)/(N_z + α)
    reach_factors: Vec<f64>,
    // By node that is pruned while its parent is kept:
    pruned: Vec<PrunedNode>,
    /// The sum of the bounds of their weights, with the p(z) by which they were judged.
    pruned_weight: f64,
    /// (component, density) of those that are not negligible.
    terms: Vec<(u32, f64)>,
    /// What all candidates together, and what the pruned ones alone, may weigh more because of the components that are left
    /// out.
    omitted: f64,
    omitted_pruned: f64,
    /// x_n, padded as η is.
    x: Vec<f64>,
    /// η_zᵀx_n of the first columns, most of them children of the root.
    top_scores: Vec<f64>,
}

/// A pruned node: its column, the index of its parent, and the bound of the likelihoods at and below it.
#[derive(Debug, Clone, Copy)]
struct PrunedNode {
    column: u32,
    parent: u32,
    bound: f64,
}

/// Sums of the weights of likely candidates.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Totals {
    leaves: f64,
    branches: f64,
    /// An upper bound of what all pruned candidates weigh, and of what the weights of the others lack.
    others: f64,
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
        self.terms.clear();
        let densities_of = densities.scaled.iter().copied().enumerate();
        self.terms.extend(densities_of.filter(|&(_, f)| f > NEGLIGIBLE_DENSITY).map(|(k, f)| (k as u32, f)));
        // The largest weights below a node need not sum to 1.
        self.omitted = NEGLIGIBLE_DENSITY * (densities.scaled.len() - self.terms.len()) as f64;
        self.omitted_pruned = self.omitted;
        let x = model.data.extended(n);
        self.x.clear();
        self.x.extend_from_slice(x);
        self.x.resize(table.eta_length, 0.0);
        self.top_scores.resize(table.n_top, 0.0);
        weighted_sum(&table.top_etas, table.n_top, x, &mut self.top_scores);
        let leaves = self.find_within(model, state, table, densities, CUTOFF, 0.0);
        if self.pruned_weight > MAX_PRUNED_SHARE * leaves {
            self.find_within(model, state, table, densities, 0.0, CUTOFF * leaves);
        }
    }

    /// Lists the nodes whose weight may reach `least`, and a share of the largest bound of their level; returns the weight
    /// of the leaves.
    fn find_within(
        &mut self,
        model: &Model,
        state: &State,
        table: &NodeTable,
        densities: &Densities,
        share: f64,
        least: f64,
    ) -> f64 {
        let slope = -2.0 * model.config.C;
        self.best.clear();
        self.columns.clear();
        self.parents.clear();
        self.violations.clear();
        self.factors.clear();
        self.likelihoods.clear();
        self.columns.push(0);
        self.parents.push(0);
        self.violations.push(f64::NEG_INFINITY);
        self.factors.push(1.0);
        self.likelihoods.push(self.mix(densities, state.weights.row(ROOT), state.weights.rest(ROOT)));
        self.pruned.clear();
        self.pruned_weight = 0.0;
        let mut first = 0;
        for level in 1..=model.n_levels() {
            let end = self.columns.len();
            let known: &[f64] = if level == 1 { &self.top_scores } else { &[] };
            let list = (&mut self.columns, &mut self.parents, &mut self.violations);
            append_children(table, model.config.margin, first..end, known, &self.x, list, &mut self.best);
            self.factors.resize(self.columns.len(), 0.0);
            fill_factors(&self.violations[end..], slope, &mut self.factors[end..]);
            self.likelihoods.extend_from_slice(&self.factors[end..]);
            // Margins first: where they prune, no mixes are computed.
            self.prune(table, end, share, least);
            for index in end..self.columns.len() {
                let column = self.columns[index] as usize;
                let (row, rest) = if level == model.n_levels() {
                    let node = table.nodes[column];
                    (state.weights.row(node), state.weights.rest(node))
                } else {
                    table.largest_weights(column)
                };
                self.likelihoods[index] *= self.mix(densities, row, rest);
            }
            self.prune(table, end, share, least);
            first = end;
        }
        let leaves = self.columns[first..].iter().zip(&self.likelihoods[first..]);
        leaves.map(|(&column, likelihood)| table.priors[column as usize] * likelihood).sum()
    }

    /// Σ_k β_k f(x_n; θ_k) + β* f*(x_n) over the components that are not negligible.
    #[inline]
    fn mix(&self, densities: &Densities, weights: &[f64], rest: f64) -> f64 {
        let sum: f64 = self.terms.iter().map(|&(k, f)| weights[k as usize] * f).sum();
        sum + rest * densities.scaled_new
    }

    /// Computes the mixes of all nodes that are kept, with every component; returns what they may have lacked.
    pub(crate) fn complete(&mut self, state: &State, table: &NodeTable, densities: &Densities) -> f64 {
        self.likelihoods.copy_from_slice(&self.factors);
        multiply_by_mix(state, table, densities, &self.columns, &mut self.likelihoods);
        std::mem::take(&mut self.omitted)
    }

    /// Drops the nodes from an index on whose weight is bounded by too little.
    fn prune(&mut self, table: &NodeTable, first: usize, share: f64, least: f64) {
        self.weights.clear();
        let nodes = self.columns[first..].iter().zip(&self.likelihoods[first..]);
        self.weights.extend(nodes.map(|(&column, bound)| table.priors[column as usize] * bound));
        let least = fmax(share * max(&self.weights, 0.0), least);
        let Some(n_before) = self.weights.iter().position(|&weight| weight < least) else {
            return;
        };
        let mut n_kept = first + n_before;
        for index in first + n_before..self.columns.len() {
            let (column, parent, bound) = (self.columns[index], self.parents[index], self.likelihoods[index]);
            let weight = self.weights[index - first];
            if weight < least {
                self.pruned.push(PrunedNode { column, parent, bound });
                self.pruned_weight += weight;
                continue;
            }
            self.columns[n_kept] = column;
            self.parents[n_kept] = parent;
            self.violations[n_kept] = self.violations[index];
            self.factors[n_kept] = self.factors[index];
            self.likelihoods[n_kept] = bound;
            n_kept += 1;
        }
        self.columns.truncate(n_kept);
        self.parents.truncate(n_kept);
        self.violations.truncate(n_kept);
        self.factors.truncate(n_kept);
        self.likelihoods.truncate(n_kept);
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
    pub(crate) fn fill_weights(&mut self, model: &Model, table: &NodeTable) -> Totals {
        let alpha = model.config.alpha;
        let n_inner = self.n_inner();
        self.reach_factors.clear();
        self.weights.clear();
        let (mut leaves, mut branches) = (0.0, 0.0);
        for (index, &column) in self.columns.iter().enumerate() {
            let column = column as usize;
            let above = if index == 0 { 1.0 } else { self.reach_factors[self.parents[index] as usize] };
            if index < n_inner {
                let reach = above * table.ncrp_factors[column];
                self.reach_factors.push(reach);
                let weight = reach * alpha * self.likelihoods[index];
                self.weights.push(weight);
                branches += weight;
            } else {
                let weight = above * table.sizes[column] * self.likelihoods[index];
                self.weights.push(weight);
                leaves += weight;
            }
        }
        let bound = |node: &PrunedNode| {
            self.reach_factors[node.parent as usize] * table.sizes[node.column as usize] * node.bound
        };
        let pruned: f64 = self.pruned.iter().map(bound).sum();
        Totals { leaves, branches, others: pruned + fmax(self.omitted, self.omitted_pruned) }
    }

    /// The leaf that `uniform` selects for all weights within their bounds, if there is one.
    fn choose_within_bounds(&self, uniform: f64, totals: Totals) -> Option<usize> {
        let Totals { leaves, branches, others } = totals;
        let (lower, upper) = (uniform * leaves, uniform * (leaves + branches + others));
        let mut before = 0.0;
        for (column, weight) in self.candidates() {
            let sum = before + weight;
            if lower < sum {
                let is_sure = upper < sum && (before == 0.0 || before + self.omitted <= lower);
                return (leaves > UNDERFLOW && is_sure).then_some(column);
            }
            before = sum;
        }
        None
    }
}

/// Draws the column of a candidate.
pub(crate) fn choose(chain: &mut Chain, step: Step) -> usize {
    let Chain { model, state, workspace, rng, .. } = chain;
    let NodeLikelihoods { pruned, densities, .. } = &mut workspace.likelihoods;
    let table = &workspace.table;
    let uniform = uniform(rng);
    let totals = pruned.fill_weights(model, table);
    if let Some(column) = pruned.choose_within_bounds(uniform, totals) {
        return column;
    }
    pruned.complete(state, table, densities);
    let totals = pruned.fill_weights(model, table);
    if let Some(column) = pruned.choose_within_bounds(uniform, totals) {
        return column;
    }
    workspace.bounded.fill((uniform, totals.others, UNDERFLOW), pruned.candidates(), table.first_leaf);
    let n_leaves = pruned.columns.len() - pruned.n_inner();
    gibbs::choose_by_bounds(chain, step, |likelihoods: &NodeLikelihoods, index: usize, _| {
        let PrunedCandidates { violations, best, .. } = &likelihoods.pruned;
        (violations[index - n_leaves], best[index - n_leaves])
    })
}

simd! {
    /// Appends the children of some nodes of the list (column, index of the parent, largest ρ_n), and the largest score of
    /// each node's children. The scores of the first columns may be known.
    fn append_children(
        table: &NodeTable,
        margin: f64,
        nodes: Range<usize>,
        known: &[f64],
        x: &[f64],
        list: (&mut Vec<u32>, &mut Vec<u32>, &mut Vec<f64>),
        best: &mut Vec<f64>,
    ) {
        let (columns, parents, violations) = list;
        for index in nodes {
            let first = columns.len();
            for &child in &table.children[columns[index] as usize] {
                let column = child as usize;
                columns.push(child);
                parents.push(index as u32);
                violations.push(if column < known.len() {
                    known[column]
                } else {
                    dot_lanes(table.eta(column), x)
                });
            }
            let above = violations[index];
            best.push(scores_to_violations(margin, above, &mut violations[first..]));
        }
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
    /// factor ← e^{slope max(0, ρ)}
    fn fill_factors(violations: &[f64], slope: f64, factors: &mut [f64]) {
        for (factor, &violation) in factors.iter_mut().zip(violations) {
            *factor = slope * fmax(violation, 0.0);
        }
        exp_nonpositive(factors);
    }
}
