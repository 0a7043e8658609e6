//! The likelihoods of one item at every node of the table: ρ_n on the path down to z, and mix(n, z) · e^{−2C max(0, ρ_n)}.
//! At an inner node this is the likelihood of a new branch, except the loss that the branch's own first node adds.
//!
//! They do not depend on the positions of other items, so that many items can be computed together and ahead.

use super::node_table::NodeTable;
use super::pruned_candidates::PrunedCandidates;
use crate::kernels::components::densities::Densities;
use crate::model::Model;
use crate::numerics::{TILE, TwoBest, exp_nonpositive, fmax, fmin, round_up, simd};
use crate::state::State;

/// Components whose density is below this share of the largest are left out of the mixes at first: what they may add to the
/// weights seldom matters to the choice.
pub(crate) const NEGLIGIBLE_DENSITY: f64 = 1e-6;

#[derive(Debug, Clone, Default)]
pub(crate) struct NodeLikelihoods {
    /// The version of the node table from which this was computed.
    pub(crate) version: u64,
    pub(crate) densities: Densities,
    /// If the table prunes; the columns below are then computed only if these do not settle the choice.
    pub(crate) pruned: PrunedCandidates,
    /// What all candidates together may weigh more, because of the components that are left out of the mixes.
    pub(crate) omitted: f64,
    /// (row, factor): rows of β with densities, or of η with coordinates.
    terms: Vec<(usize, f64)>,
    // By column:
    /// η_zᵀ x_n
    scores: Vec<f64>,
    /// The two largest scores of an inner node's children.
    pub(crate) best: Vec<f64>,
    second: Vec<f64>,
    /// The largest ρ_n over the levels down to the node.
    pub(crate) violations: Vec<f64>,
    /// max(0, ρ_n); ∞ for a masked column.
    pub(crate) losses: Vec<f64>,
    /// e^{−2C max(0, ρ_n)}
    factors: Vec<f64>,
    /// mix(n, z) e^{−2C max(0, ρ_n)}
    pub(crate) likelihoods: Vec<f64>,
}

impl NodeLikelihoods {
    pub(crate) fn compute(&mut self, model: &Model, state: &State, table: &NodeTable, n: usize) {
        self.version = table.version;
        self.densities.fill(model, state, n);
        if table.prunes {
            self.pruned.find(model, state, table, &self.densities, n);
        } else {
            self.compute_all(model, table, n, NEGLIGIBLE_DENSITY);
        }
    }

    /// Computes every column, given the densities, of which those that are `negligible` are left out.
    pub(crate) fn compute_all(&mut self, model: &Model, table: &NodeTable, n: usize, negligible: f64) {
        let mut factor = 1.0;
        if model.is_regularised() {
            factor = (-2.0 * model.config.C * self.fill_losses(model, table, n)).exp();
        }
        self.fill_likelihoods(model, table, negligible * factor);
    }

    /// Computes the likelihoods again, with every component in the mixes.
    pub(crate) fn include_all_components(&mut self, model: &Model, table: &NodeTable) {
        self.fill_likelihoods(model, table, 0.0);
    }

    /// Fills the likelihoods, with mixes over the components whose scaled density exceeds `smallest`.
    fn fill_likelihoods(&mut self, model: &Model, table: &NodeTable, smallest: f64) {
        // The weights of a node, and the nCRP probabilities of all candidates, sum to at most 1.
        self.omitted = smallest;
        self.fill_mixes(table, smallest);
        if model.is_regularised() {
            let slope = -2.0 * model.config.C;
            self.factors.resize(table.width, 0.0);
            for range in [0..round_up(table.n_inner), table.first_leaf..round_up(table.end)] {
                let (losses, factors) = (&self.losses[range.clone()], &mut self.factors[range.clone()]);
                multiply_by_exp(losses, slope, factors, &mut self.likelihoods[range]);
            }
        }
    }

    /// mix(n, z) = Σ_k β_zk f(x_n; θ_k) + β*_z f*(x_n)
    fn fill_mixes(&mut self, table: &NodeTable, smallest: f64) {
        let Densities { scaled, scaled_new, .. } = &self.densities;
        self.terms.clear();
        self.terms.push((0, *scaled_new));
        let rows = 1..table.n_rows();
        self.terms.extend(rows.zip(scaled.iter().copied()).filter(|&(_, f)| f > smallest));
        self.likelihoods.resize(table.width, 0.0);
        combine(&table.weights, &self.terms, &mut self.likelihoods);
    }

    /// Fills scores, violations and losses; returns the least loss of a leaf.
    pub(crate) fn fill_losses(&mut self, model: &Model, table: &NodeTable, n: usize) -> f64 {
        self.terms.clear();
        self.terms.extend(model.data.extended(n).iter().copied().enumerate());
        self.scores.resize(table.width, 0.0);
        combine(&table.etas, &self.terms, &mut self.scores);
        self.best.clear();
        self.best.resize(table.n_inner, f64::NEG_INFINITY);
        self.second.clear();
        self.second.resize(table.n_inner, f64::NEG_INFINITY);
        self.violations.resize(table.width, f64::NEG_INFINITY);
        self.losses.clear();
        self.losses.resize(table.width, f64::INFINITY);
        let Self { scores, best, second, violations, losses, .. } = self;
        compute_losses(table, model.config.margin, scores, best, second, violations, losses)
    }
}

simd! {
    /// out = Σ (factor × row) over the terms, in their order; rows have the length of `out`.
    fn combine(rows: &[f64], terms: &[(usize, f64)], out: &mut [f64]) {
        // Two tiles fill the registers.
        let paired = out.len() - out.len() % (2 * TILE);
        for start in (0..paired).step_by(2 * TILE) {
            combine_columns::<{ 2 * TILE }>(rows, terms, out, start);
        }
        for start in (paired..out.len()).step_by(TILE) {
            combine_columns::<TILE>(rows, terms, out, start);
        }
    }
}

/// [`combine`] for N columns.
#[inline(always)]
fn combine_columns<const N: usize>(rows: &[f64], terms: &[(usize, f64)], out: &mut [f64], start: usize) {
    let width = out.len();
    let mut sums = [0.0; N];
    for &(row, factor) in terms {
        let row = &rows[row * width + start..][..N];
        for (sum, value) in sums.iter_mut().zip(row) {
            *sum += factor * value;
        }
    }
    out[start..start + N].copy_from_slice(&sums);
}

simd! {
    /// Computes the two best scores of all parents, then ρ and h from the top down; returns the least h of a leaf.
    fn compute_losses(
        table: &NodeTable,
        margin: f64,
        scores: &mut [f64],
        best: &mut [f64],
        second: &mut [f64],
        violations: &mut [f64],
        losses: &mut [f64],
    ) -> f64 {
        for (score, mask) in scores.iter_mut().zip(&table.mask) {
            *score -= mask;
        }
        // Two arrays, since a load of a pair would wait for the stores of its halves.
        let second = &mut second[..best.len()];
        for range in [1..table.n_inner, table.first_leaf..table.end] {
            for (&score, &parent) in scores[range.clone()].iter().zip(&table.parents[range]) {
                let parent = parent as usize;
                let mut two = TwoBest { first: best[parent], second: second[parent] };
                two.add(score);
                (best[parent], second[parent]) = (two.first, two.second);
            }
        }
        let violation = |score: f64, parent: usize| {
            TwoBest { first: best[parent], second: second[parent] }.violation(margin, score)
        };
        let n_inner = best.len();
        let (inner_scores, parents) = (&scores[..n_inner], &table.parents[..n_inner]);
        let above = &mut violations[..n_inner];
        above[0] = f64::NEG_INFINITY;
        for column in 1..n_inner {
            let parent = parents[column] as usize;
            above[column] = fmax(above[parent], violation(inner_scores[column], parent));
        }
        for ((loss, violation), mask) in losses.iter_mut().zip(above.iter()).zip(&table.mask) {
            *loss = fmax(*violation, 0.0) + mask;
        }
        let mut least = f64::INFINITY;
        let range = table.first_leaf..table.end;
        let leaves = scores[range.clone()].iter().zip(&table.parents[range.clone()]);
        let out = losses[range.clone()].iter_mut().zip(&table.mask[range]);
        for ((&score, &parent), (out, mask)) in leaves.zip(out) {
            let parent = parent as usize;
            let here = fmax(above[parent], violation(score, parent));
            let loss = fmax(here, 0.0) + mask;
            *out = loss;
            least = fmin(least, loss);
        }
        least
    }
}

simd! {
    /// likelihood ← likelihood · e^{slope · loss}
    fn multiply_by_exp(losses: &[f64], slope: f64, factors: &mut [f64], likelihoods: &mut [f64]) {
        for (factor, loss) in factors.iter_mut().zip(losses) {
            *factor = slope * loss;
        }
        exp_nonpositive(factors);
        for (likelihood, factor) in likelihoods.iter_mut().zip(factors.iter()) {
            *likelihood *= factor;
        }
    }
}
