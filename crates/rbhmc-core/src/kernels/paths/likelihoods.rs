//! What one item sees of every node, given the tree without births and deaths since: ρ_n on the way down to
//! z, and the likelihood mix(n, z) · e^{−2C max(0, ρ_n)}, which of an inner node is that of a branch there but
//! for what its own first node adds to the loss.
//!
//! It depends on no other item's place, so that those of many items are computed at once and ahead.

use std::hint::select_unpredictable;

use super::node_table::Layout;
use super::pruned::Prospects;
use crate::kernels::components::densities::{Densities, TINY};
use crate::model::Model;
use crate::numerics::{TILE, exp_nonpositive, fmax, fmin, round_up, simd};
use crate::state::State;

/// Components with a density below this share of the largest are left out of the mixes, or below a smaller
/// one where all leaves have a loss. All that they add to the candidates' weights is at most this, and
/// lost to rounding as long as these sum to more than [`FAINT`].
const NEGLIGIBLE: f64 = 1e-23;
const FAINT: f64 = 1e-6;

#[derive(Debug, Clone, Default)]
pub(crate) struct Outlook {
    /// The layout's version that this was computed from.
    pub(crate) version: u64,
    pub(crate) densities: Densities,
    /// Of a large table, where the rest is only looked at where these do not settle the choice.
    pub(crate) prospects: Prospects,
    /// Below this the candidates' weights may have lost digits.
    pub(crate) faint: f64,
    /// Rows of β and what each is multiplied with: the rest and the components worth it.
    terms: Vec<(usize, f64)>,
    // By column:
    /// η_zᵀ x_n
    scores: Vec<f64>,
    /// Of an inner node's children, the largest score and the second.
    pub(crate) best: Vec<f64>,
    second: Vec<f64>,
    /// ρ_n over the levels down to the node.
    pub(crate) violations: Vec<f64>,
    /// max(0, ρ_n); ∞ where there is no node.
    pub(crate) losses: Vec<f64>,
    /// e^{−2C max(0, ρ_n)}, and mix(n, z) times that.
    factors: Vec<f64>,
    pub(crate) likelihoods: Vec<f64>,
}

impl Outlook {
    pub(crate) fn look(&mut self, model: &Model, state: &State, layout: &Layout, n: usize) {
        self.version = layout.version;
        self.densities.fill(model, state, n);
        if layout.is_large {
            self.prospects.find(model, state, layout, &self.densities, n);
        } else {
            self.look_everywhere(model, layout, n);
        }
    }

    /// At every node, given the densities.
    pub(crate) fn look_everywhere(&mut self, model: &Model, layout: &Layout, n: usize) {
        let mut factor = 1.0;
        if model.is_regularised() {
            factor = (-2.0 * model.config.C * self.score(model, layout, n)).exp();
        }
        self.faint = fmax(FAINT * factor, TINY);
        self.weigh(model, layout, NEGLIGIBLE * factor);
    }

    /// As [`Self::look_everywhere`] once more, with every component in the mixes.
    pub(crate) fn look_closer(&mut self, model: &Model, layout: &Layout) {
        self.faint = TINY;
        self.weigh(model, layout, 0.0);
    }

    /// The likelihoods, with the components above a share in the mixes.
    fn weigh(&mut self, model: &Model, layout: &Layout, share: f64) {
        self.mix_above(layout, share);
        if model.is_regularised() {
            let slope = -2.0 * model.config.C;
            self.factors.resize(layout.width, 0.0);
            for range in [0..round_up(layout.n_inner), layout.first_leaf..round_up(layout.end)] {
                let (losses, factors) = (&self.losses[range.clone()], &mut self.factors[range.clone()]);
                attenuate(losses, slope, factors, &mut self.likelihoods[range]);
            }
        }
    }

    /// mix(n, z) = Σ_k β_zk f(x_n; θ_k) + β*_z f*(x_n) over the components above a share.
    fn mix_above(&mut self, layout: &Layout, share: f64) {
        let Densities { scaled, scaled_new, .. } = &self.densities;
        self.terms.clear();
        self.terms.push((0, *scaled_new));
        let rows = 1..layout.n_rows();
        self.terms.extend(rows.zip(scaled.iter().copied()).filter(|&(_, f)| f > share));
        self.likelihoods.resize(layout.width, 0.0);
        combine(&layout.weights, &self.terms, &mut self.likelihoods);
    }

    /// ρ_n and the losses; the least of a leaf.
    pub(crate) fn score(&mut self, model: &Model, layout: &Layout, n: usize) -> f64 {
        self.terms.clear();
        self.terms.extend(model.data.x(n).iter().copied().enumerate());
        self.scores.resize(layout.width, 0.0);
        combine(&layout.etas, &self.terms, &mut self.scores);
        self.best.clear();
        self.best.resize(layout.n_inner, f64::NEG_INFINITY);
        self.second.clear();
        self.second.resize(layout.n_inner, f64::NEG_INFINITY);
        self.violations.resize(layout.width, f64::NEG_INFINITY);
        self.losses.clear();
        self.losses.resize(layout.width, f64::INFINITY);
        let Self { scores, best, second, violations, losses, .. } = self;
        violate(layout, model.config.margin, scores, best, second, violations, losses)
    }
}

simd! {
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

simd! {
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
                second[parent] = fmax(second[parent], fmin(first, score));
                best[parent] = fmax(first, score);
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
            above[column] = fmax(above[parent], violation(inner_scores[column], parent));
        }
        for ((loss, violation), closed) in losses.iter_mut().zip(above.iter()).zip(&layout.closed) {
            *loss = fmax(*violation, 0.0) + closed;
        }
        let mut least = f64::INFINITY;
        let range = layout.first_leaf..layout.end;
        let leaves = scores[range.clone()].iter().zip(&layout.parents[range.clone()]);
        let out = losses[range.clone()].iter_mut().zip(&layout.closed[range]);
        for ((&score, &parent), (out, closed)) in leaves.zip(out) {
            let parent = parent as usize;
            let here = fmax(above[parent], violation(score, parent));
            let loss = fmax(here, 0.0) + closed;
            *out = loss;
            least = fmin(least, loss);
        }
        least
    }
}

simd! {
    /// likelihood · e^{slope · loss}
    fn attenuate(losses: &[f64], slope: f64, factors: &mut [f64], likelihoods: &mut [f64]) {
        for (factor, loss) in factors.iter_mut().zip(losses) {
            *factor = slope * loss;
        }
        exp_nonpositive(factors);
        for (likelihood, factor) in likelihoods.iter_mut().zip(factors.iter()) {
            *likelihood *= factor;
        }
    }
}
