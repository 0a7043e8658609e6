//! The candidates that an item is likely to choose, found from the top down: the path step of large tables.
//!
//! ρ_n never falls on the way down, and a scaled mix is at most 1. So all candidates at and below a node z
//! weigh at most p(z) e^{−2C max(0, ρ_n)} together, and where that is next to nothing none of them is looked
//! at, nor are their discriminants drawn. Candidates are laid end to end: likely leaves, likely branches,
//! all others. Where the uniform falls into the same one whatever the others weigh within their bound,
//! that is the choice; else, and seldom, everything is weighed. With the joint loss only the branches are
//! charged that the choice hangs on (`charges`). This is the Gibbs step itself, with its random numbers and
//! sums taken only where they matter.

use super::gibbs;
use super::likelihoods::Outlook;
use super::node_table::Layout;
use crate::kernels::Work;
use crate::kernels::components::densities::{Densities, TINY};
use crate::model::Model;
use crate::numerics::{LANES, TILE, dot_lanes, exp_nonpositive, fmax, fmin, simd};
use crate::rng::{Rng, uniform};
use crate::state::{NodeId, State};

/// Nodes whose e^{−2C h} is below e^{−REACH} of the largest of their level are not looked at, unless the
/// likelihoods found are so small that those out of reach may be more than this share of the largest.
const REACH: f64 = 16.0;
const SHARE: f64 = 1e-4;
/// Where the likely ones sum to less, everything is weighed.
const FAINT: f64 = 1e-18;
/// Children from which their best are found lane by lane.
const MANY: usize = 16;

#[derive(Debug, Clone, Default)]
pub(crate) struct Prospects {
    // By node within reach, level after level, so that leaves come last:
    columns: Vec<u32>,
    /// Where in this list a node's parent is.
    parents: Vec<u32>,
    /// ρ_n over the levels down to the node.
    violations: Vec<f64>,
    /// mix(n, z), of a leaf times e^{−2C (h_n − least)}.
    likelihoods: Vec<f64>,
    /// nCRP probability × likelihood × a branch's factor.
    weights: Vec<f64>,
    // By inner node within reach:
    /// The largest score of its children.
    best: Vec<f64>,
    /// p(z)/(N_z + α)
    passes: Vec<f64>,
    /// e^{−2C max(0, ρ_n)}
    factors: Vec<f64>,
    /// The least h_n of a leaf.
    least: f64,
    /// e^{−2C (h_n − least)} of the nearest node out of reach.
    beyond: f64,
    /// x_n, padded as η is.
    x: Vec<f64>,
    /// η_zᵀx_n of the first columns, most of them the root's children.
    top_scores: Vec<f64>,
}

impl Prospects {
    pub(crate) fn find(
        &mut self,
        model: &Model,
        state: &State,
        layout: &Layout,
        densities: &Densities,
        n: usize,
    ) {
        let slope = -2.0 * model.config.C;
        let x = model.data.x(n);
        self.x.clear();
        self.x.extend_from_slice(x);
        self.x.resize(layout.eta_length, 0.0);
        self.top_scores.resize(layout.n_top, 0.0);
        combine(&layout.top_etas, x, &mut self.top_scores);
        let top = self.look_within(model, state, layout, densities, 0.0, -REACH / slope);
        if self.beyond > SHARE * top {
            let reach = (0.1 * SHARE * top).ln() / slope;
            self.look_within(model, state, layout, densities, self.least, reach);
        }
    }

    /// Finds the nodes at most `reach` above the least of their level or `floor`; the largest likelihood of a
    /// leaf.
    fn look_within(
        &mut self,
        model: &Model,
        state: &State,
        layout: &Layout,
        densities: &Densities,
        floor: f64,
        reach: f64,
    ) -> f64 {
        let slope = -2.0 * model.config.C;
        let nearest = self.descend_all(model, layout, floor, reach);
        self.beyond = (slope * (nearest - self.least)).exp();
        let first = self.n_inner();
        self.likelihoods.clear();
        self.likelihoods.resize(first, 1.0);
        self.likelihoods.extend(self.violations[first..].iter().map(|&violation| fmax(violation, 0.0)));
        scale(&mut self.likelihoods[first..], self.least, slope);
        mix(state, layout, densities, &self.columns, &mut self.likelihoods);
        self.likelihoods[first..].iter().copied().fold(0.0, fmax)
    }

    /// Lists these nodes; the least ρ_n of one that is out of reach.
    fn descend_all(&mut self, model: &Model, layout: &Layout, floor: f64, reach: f64) -> f64 {
        self.best.clear();
        self.columns.clear();
        self.parents.clear();
        self.violations.clear();
        self.columns.push(0);
        self.parents.push(0);
        self.violations.push(f64::NEG_INFINITY);
        let (mut first, mut nearest) = (0, f64::INFINITY);
        for level in 1..=model.n_levels() {
            let end = self.columns.len();
            for place in first..end {
                let children = &layout.children[self.columns[place] as usize];
                self.columns.extend_from_slice(children);
                self.parents.resize(self.columns.len(), place as u32);
                let known: &[f64] = if level == 1 { &self.top_scores } else { &[] };
                score(layout, children, known, &self.x, &mut self.violations);
                let above = self.violations[place];
                let scores = &mut self.violations[self.columns.len() - children.len()..];
                self.best.push(violate(model.config.margin, above, scores));
            }
            let losses = self.violations[end..].iter().map(|&violation| fmax(violation, 0.0));
            self.least = losses.fold(f64::INFINITY, fmin);
            nearest = fmin(nearest, self.keep_within(fmax(self.least, floor) + reach, end));
            first = end;
        }
        nearest
    }

    /// Drops the nodes from a place on whose ρ_n is above `reach`; the least ρ_n of these.
    fn keep_within(&mut self, reach: f64, first: usize) -> f64 {
        let (mut kept, mut nearest) = (first, f64::INFINITY);
        for place in first..self.columns.len() {
            let violation = self.violations[place];
            let is_kept = violation <= reach;
            self.columns[kept] = self.columns[place];
            self.parents[kept] = self.parents[place];
            self.violations[kept] = violation;
            kept += usize::from(is_kept);
            nearest = fmin(nearest, if is_kept { f64::INFINITY } else { violation });
        }
        self.columns.truncate(kept);
        self.parents.truncate(kept);
        self.violations.truncate(kept);
        nearest
    }

    fn n_inner(&self) -> usize {
        self.best.len()
    }

    /// All within reach, leaves first: (column, weight).
    pub(crate) fn candidates(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let places = (self.n_inner()..self.columns.len()).chain(0..self.n_inner());
        places.map(|place| (self.columns[place] as usize, self.weights[place]))
    }

    /// Weighs all within reach, branches at the most that they may weigh; the sums of the leaves and of the
    /// branches, the most that all others weigh, and e^{−2C h_n} of the leaf with the least loss.
    fn weigh(&mut self, model: &Model, layout: &Layout) -> (f64, f64, f64, f64) {
        let (alpha, slope) = (model.config.alpha, -2.0 * model.config.C);
        let n_inner = self.n_inner();
        self.factors.clear();
        self.factors.extend(self.violations[..n_inner].iter().map(|&violation| fmax(violation, 0.0)));
        scale(&mut self.factors, 0.0, slope);
        let leaf_factor = (slope * self.least).exp();
        self.passes.clear();
        self.weights.clear();
        let mut sums = [0.0; 2];
        for (place, &column) in self.columns.iter().enumerate() {
            let column = column as usize;
            let above = if place == 0 { 1.0 } else { self.passes[self.parents[place] as usize] };
            let is_inner = place < n_inner;
            let prior = if is_inner {
                let pass = above * layout.shares[column];
                self.passes.push(pass);
                pass * alpha * self.factors[place]
            } else {
                above * layout.sizes[column] * leaf_factor
            };
            let weight = prior * self.likelihoods[place];
            self.weights.push(weight);
            sums[usize::from(is_inner)] += weight;
        }
        (sums[0], sums[1], leaf_factor * self.beyond, leaf_factor)
    }

    /// The column into which `uniform` falls both where the total is `low` and where it is `high`; none where
    /// that differs, or where it is beyond the first candidates that sum to `low`.
    fn pick(&self, uniform: f64, low: f64, high: f64) -> Option<usize> {
        let (low, high) = (uniform * low, uniform * high);
        let mut sum = 0.0;
        for (column, weight) in self.candidates() {
            sum += weight;
            if low < sum {
                return (high < sum).then_some(column);
            }
        }
        None
    }
}

/// Draws the column of a candidate for item n.
pub(crate) fn choose(
    model: &Model,
    state: &State,
    work: &mut Work,
    rng: &mut Rng,
    n: usize,
    vacated: Option<NodeId>,
) -> usize {
    let Work { layout, outlook, .. } = work;
    let (leaves, branches, others, leaf_factor) = outlook.prospects.weigh(model, layout);
    let uniform = uniform(rng);
    let faint = fmax(FAINT * leaf_factor, TINY);
    // Leaves stand first.
    if leaves > faint
        && let Some(column) = outlook.prospects.pick(uniform, leaves, leaves + branches + others)
    {
        return column;
    }
    work.bounds.list((uniform, others, faint), outlook.prospects.candidates(), layout.first_leaf);
    let n_leaves = outlook.prospects.columns.len() - outlook.prospects.n_inner();
    let above = |outlook: &Outlook, place: usize, _| {
        let Prospects { violations, best, .. } = &outlook.prospects;
        (violations[place - n_leaves], best[place - n_leaves])
    };
    gibbs::choose_by_bounds(model, state, work, rng, n, vacated, above)
}

simd! {
    /// out = Σ (x × row): the scores of the first columns.
    fn combine(rows: &[f64], x: &[f64], out: &mut [f64]) {
        let width = out.len();
        for (tile, out) in out.chunks_exact_mut(TILE).enumerate() {
            let mut sums = [0.0; TILE];
            for (d, x) in x.iter().enumerate() {
                let row = &rows[d * width + tile * TILE..][..TILE];
                for (sum, eta) in sums.iter_mut().zip(row) {
                    *sum += x * eta;
                }
            }
            out.copy_from_slice(&sums);
        }
    }
}

simd! {
    /// Appends the scores of some columns; those of the first ones are known.
    fn score(layout: &Layout, columns: &[u32], known: &[f64], x: &[f64], out: &mut Vec<f64>) {
        out.extend(columns.iter().map(|&column| {
            let column = column as usize;
            if column < known.len() { known[column] } else { dot_lanes(layout.eta(column), x) }
        }));
    }
}

/// From the scores of a node's children, in place, ρ_n down to each of them, `above` being that down to the
/// node; the largest score.
#[inline]
fn violate(margin: f64, above: f64, scores: &mut [f64]) -> f64 {
    let (first, second) = if scores.len() < MANY { two_best(scores) } else { two_best_of_many(scores) };
    for score in scores {
        let rival = if *score == first { second } else { first };
        *score = fmax(above, margin - *score + rival);
    }
    first
}

#[inline]
fn two_best(scores: &[f64]) -> (f64, f64) {
    let (mut first, mut second) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for &score in scores {
        second = fmax(second, fmin(first, score));
        first = fmax(first, score);
    }
    (first, second)
}

simd! {
    fn two_best_of_many(scores: &[f64]) -> (f64, f64) {
        let mut best = [f64::NEG_INFINITY; 3 * LANES];
        let (first, rest) = best.split_at_mut(LANES);
        let (second, last) = rest.split_at_mut(LANES);
        let chunks = scores.chunks_exact(LANES);
        let remainder = chunks.remainder();
        last[..remainder.len()].copy_from_slice(remainder);
        for scores in chunks {
            for lane in 0..LANES {
                second[lane] = fmax(second[lane], fmin(first[lane], scores[lane]));
                first[lane] = fmax(first[lane], scores[lane]);
            }
        }
        two_best(&best)
    }
}

simd! {
    /// likelihood × mix(n, z) of some columns.
    fn mix(state: &State, layout: &Layout, densities: &Densities, columns: &[u32], likelihoods: &mut [f64]) {
        for (likelihood, &column) in likelihoods.iter_mut().zip(columns) {
            *likelihood *= densities.mix(state, layout.nodes[column as usize]);
        }
    }
}

simd! {
    /// e^{slope (loss − least)}, in place.
    fn scale(losses: &mut [f64], least: f64, slope: f64) {
        for loss in losses.iter_mut() {
            *loss = slope * (*loss - least);
        }
        exp_nonpositive(losses);
    }
}
