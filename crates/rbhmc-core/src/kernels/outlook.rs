//! What one item sees of every node, given the tree without births and deaths since: mix(n, z), ρ_n on
//! the way down to z, and for a leaf the likelihood mix(n, z) · e^{−2C h_n}.
//!
//! It depends on no other item's place, so that those of many items are computed at once and ahead.

use std::hint::select_unpredictable;

use super::densities::Densities;
use super::layout::Layout;
use super::prospects::Prospects;
use crate::model::Model;
use crate::numerics::{TILE, exp_nonpositive, larger, smaller, wide};
use crate::state::State;

/// Components with a density below this share of the largest are left out of the mixes. All that they add
/// to the candidates' weights is at most this, and lost to rounding as long as these sum to more than [`FAINT`].
pub(super) const NEGLIGIBLE: f64 = 1e-23;
pub(super) const FAINT: f64 = 1e-6;

#[derive(Debug, Clone, Default)]
pub(crate) struct Outlook {
    /// The layout's version that this was computed from.
    pub(super) version: u64,
    pub(super) densities: Densities,
    /// Of a large table, where the rest is only looked at where these do not settle the choice.
    pub(super) prospects: Prospects,
    /// Rows of β and what each is multiplied with: the rest and the components worth it.
    terms: Vec<(usize, f64)>,
    // By column:
    pub(super) mix: Vec<f64>,
    /// η_zᵀ x_n
    scores: Vec<f64>,
    /// Of an inner node's children, the largest score and the second.
    pub(super) best: Vec<f64>,
    second: Vec<f64>,
    /// ρ_n over the levels down to the node.
    pub(super) violations: Vec<f64>,
    /// h_n at a leaf; ∞ where there is none.
    pub(super) losses: Vec<f64>,
    /// The least of these.
    pub(super) least: f64,
    /// Of a leaf: mix(n, z) · e^{−2C (h_n − least)}.
    pub(super) likelihoods: Vec<f64>,
}

impl Outlook {
    pub(super) fn look(&mut self, model: &Model, state: &State, layout: &Layout, n: usize) {
        self.version = layout.version;
        self.densities.fill(model, state, n);
        if layout.is_large {
            self.prospects.find(model, state, layout, &self.densities, n);
        } else {
            self.look_everywhere(model, layout, n);
        }
    }

    /// At every node, given the densities.
    pub(super) fn look_everywhere(&mut self, model: &Model, layout: &Layout, n: usize) {
        self.mix_above(layout, NEGLIGIBLE);
        if model.is_regularised() {
            self.score(model, layout, n);
        }
        self.weigh(model, layout);
    }

    /// As [`Self::look_everywhere`] once more, with every component in the mixes.
    pub(super) fn look_closer(&mut self, model: &Model, layout: &Layout) {
        self.mix_above(layout, 0.0);
        self.weigh(model, layout);
    }

    /// mix(n, z) = Σ_k β_zk f(x_n; θ_k) + β*_z f*(x_n) over the components above a share.
    fn mix_above(&mut self, layout: &Layout, share: f64) {
        let Densities { scaled, scaled_new, .. } = &self.densities;
        self.terms.clear();
        self.terms.push((0, *scaled_new));
        let rows = 1..layout.n_rows();
        self.terms.extend(rows.zip(scaled.iter().copied()).filter(|&(_, f)| f > share));
        self.mix.resize(layout.width, 0.0);
        combine(&layout.weights, &self.terms, &mut self.mix);
    }

    fn score(&mut self, model: &Model, layout: &Layout, n: usize) {
        self.terms.clear();
        self.terms.extend(model.data.x(n).iter().copied().enumerate());
        self.scores.resize(layout.width, 0.0);
        combine(&layout.etas, &self.terms, &mut self.scores);
        self.best.clear();
        self.best.resize(layout.n_inner, f64::NEG_INFINITY);
        self.second.clear();
        self.second.resize(layout.n_inner, f64::NEG_INFINITY);
        self.violations.resize(layout.width, f64::NEG_INFINITY);
        self.losses.resize(layout.width, f64::INFINITY);
        let Self { scores, best, second, violations, losses, .. } = self;
        self.least = violate(layout, model.config.margin, scores, best, second, violations, losses);
    }

    fn weigh(&mut self, model: &Model, layout: &Layout) {
        self.likelihoods.resize(layout.width, 0.0);
        if model.is_regularised() {
            let slope = -2.0 * model.config.C;
            attenuate(&self.mix, &self.losses, self.least, slope, &mut self.likelihoods, layout.first_leaf);
        } else {
            self.likelihoods.copy_from_slice(&self.mix);
        }
    }
}

wide! {
    /// out = Σ (factor × row) over the terms, in their order; rows are as long as `out`.
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

wide! {
    /// Best and second scores of all parents, then ρ and h from the top down; the least h of a leaf.
    fn violate(
        layout: &Layout,
        margin: f64,
        scores: &mut [f64],
        best: &mut [f64],
        second: &mut [f64],
        violations: &mut [f64],
        losses: &mut [f64],
    ) -> f64 {
        for (score, closed) in scores.iter_mut().zip(&layout.closed) {
            *score -= closed;
        }
        // Two tables, since a load of a pair would wait for the stores of its halves.
        let second = &mut second[..best.len()];
        for range in [1..layout.n_inner, layout.first_leaf..layout.end] {
            for (&score, &parent) in scores[range.clone()].iter().zip(&layout.parents[range]) {
                let parent = parent as usize;
                let first = best[parent];
                second[parent] = larger(second[parent], smaller(first, score));
                best[parent] = larger(first, score);
            }
        }
        // A best child's rival is the second; of two equal ones each is the other's.
        let violation = |score: f64, parent: usize| {
            let (first, second) = (best[parent], second[parent]);
            margin - score + select_unpredictable(score == first, second, first)
        };
        let n_inner = best.len();
        let (inner_scores, parents) = (&scores[..n_inner], &layout.parents[..n_inner]);
        let above = &mut violations[..n_inner];
        above[0] = f64::NEG_INFINITY;
        for column in 1..n_inner {
            let parent = parents[column] as usize;
            above[column] = larger(above[parent], violation(inner_scores[column], parent));
        }
        let mut least = f64::INFINITY;
        let range = layout.first_leaf..layout.end;
        let leaves = scores[range.clone()].iter().zip(&layout.parents[range.clone()]);
        let out = losses[range.clone()].iter_mut().zip(&layout.closed[range]);
        for ((&score, &parent), (out, closed)) in leaves.zip(out) {
            let parent = parent as usize;
            let here = larger(above[parent], violation(score, parent));
            let loss = larger(here, 0.0) + closed;
            *out = loss;
            least = smaller(least, loss);
        }
        least
    }
}

wide! {
    /// likelihood = mix · e^{slope (loss − least)} from column `first` on.
    fn attenuate(
        mix: &[f64],
        losses: &[f64],
        least: f64,
        slope: f64,
        likelihoods: &mut [f64],
        first: usize,
    ) {
        let (mix, losses, likelihoods) = (&mix[first..], &losses[first..], &mut likelihoods[first..]);
        for (likelihood, loss) in likelihoods.iter_mut().zip(losses) {
            *likelihood = slope * (loss - least);
        }
        exp_nonpositive(likelihoods);
        for (likelihood, mix) in likelihoods.iter_mut().zip(mix) {
            *likelihood *= mix;
        }
    }
}
