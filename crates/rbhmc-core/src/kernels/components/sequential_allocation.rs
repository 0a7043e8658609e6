//! Sequential allocation: the items of one component, or of two, divided into two halves around the items i and j
//! (Dahl 2005).
//!
//! i is in the first half, j in the second. The other items come in random order, and each joins half h with
//! probability proportional to (m_zh + γβ_p m_h/m) f(x_n | the items in h). Of the m items so far, m_h are in h, and
//! m_zh of these at the leaf z of n, whose parent p has the weight β_p of both components; f is the predictive
//! density, θ integrated out.

use crate::model::Model;
use crate::rng::{self, Rng, uniform};
use crate::state::{NodeId, State};

/// The number of a half's items and their sum S in whitened coordinates: sufficient with θ integrated out.
#[derive(Debug, Clone, Default)]
struct Half {
    size: usize,
    sum: Vec<f64>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct SequentialAllocation {
    halves: [Half; 2],
    /// All items except i and j.
    items: Vec<u32>,
    /// The items of the second half, j included.
    moved: Vec<u32>,
    /// By slot of a leaf: the number of its items in each half.
    counts: Vec<[u32; 2]>,
    /// By the size m of a half: a row of 1/((1 + m s)(1 + (m + 1) s)), and Σ_d ln (1 + (m + 1) s)/(1 + m s).
    scales: Vec<f64>,
    ln_growths: Vec<f64>,
    ln_probability: f64,
}

impl SequentialAllocation {
    /// Takes the two components of i and j as the halves, without their probability.
    pub(crate) fn take(&mut self, model: &Model, state: &State, i: usize, j: usize) {
        self.begin(model, state, i, j);
        for position in 0..self.items.len() {
            let n = self.items[position] as usize;
            self.add(model, state.leaf(n), n, usize::from(state.component[n] == state.component[j]));
        }
    }

    /// Allocates the items of one component, or computes the probability that two components were allocated so.
    pub(crate) fn allocate(&mut self, model: &Model, state: &State, rng: &mut Rng, i: usize, j: usize) {
        let (first, second) = (state.component[i], state.component[j]);
        self.begin(model, state, i, j);
        self.tabulate(model);
        rng::shuffle(rng, &mut self.items);
        self.ln_probability = 0.0;
        for position in 0..self.items.len() {
            let n = self.items[position] as usize;
            let leaf = state.leaf(n);
            let above = state.weights.row(state.tree.parent(leaf));
            let weight = above[first.index()] + if first == second { 0.0 } else { above[second.index()] };
            let odds = self.odds(model, leaf, n, model.config.gamma * weight);
            let moves = if first == second {
                uniform(rng) < 1.0 / (1.0 + odds.recip())
            } else {
                state.component[n] == second
            };
            self.ln_probability -= if moves { odds.recip() } else { odds }.ln_1p();
            self.add(model, leaf, n, usize::from(moves));
        }
    }

    /// Lists the items, and puts i and j into their halves.
    fn begin(&mut self, model: &Model, state: &State, i: usize, j: usize) {
        let (first, second) = (state.component[i], state.component[j]);
        self.items.clear();
        let others = (0..model.n_items()).filter(|&n| n != i && n != j);
        let items = others.filter(|&n| state.component[n] == first || state.component[n] == second);
        self.items.extend(items.map(|n| n as u32));
        self.moved.clear();
        self.counts.clear();
        self.counts.resize(state.tree.n_slots(), [0; 2]);
        for half in &mut self.halves {
            half.size = 0;
            half.sum.clear();
            half.sum.resize(model.n_dims(), 0.0);
        }
        self.add(model, state.leaf(i), i, 0);
        self.add(model, state.leaf(j), j, 1);
    }

    fn tabulate(&mut self, model: &Model) {
        let variances = &model.whitening.base_variance;
        self.scales.clear();
        self.ln_growths.clear();
        for size in 0..self.items.len() + 2 {
            let volume = |size: usize, s: f64| 1.0 + size as f64 * s;
            let scale = |&s: &f64| 1.0 / (volume(size, s) * volume(size + 1, s));
            self.scales.extend(variances.iter().map(scale));
            let scales = self.scales[size * variances.len()..].chunks(1000);
            // Each factor is at most 2 if the half has items, so that 1,000 of them cannot overflow.
            let growth = |(scales, variances): (&[f64], &[f64])| -> f64 {
                let factors =
                    scales.iter().zip(variances).map(|(scale, &s)| volume(size + 1, s).powi(2) * scale);
                factors.product()
            };
            self.ln_growths.push(scales.zip(variances.chunks(1000)).map(growth).map(f64::ln).sum());
        }
    }

    /// The odds of the second half against the first.
    fn odds(&self, model: &Model, leaf: NodeId, n: usize, concentration: f64) -> f64 {
        let all = (self.halves[0].size + self.halves[1].size) as f64;
        let [first, second] = [0, 1].map(|side| {
            let here = f64::from(self.counts[leaf.index()][side]);
            here * all + concentration.max(f64::MIN_POSITIVE) * self.halves[side].size as f64
        });
        let [ln_first, ln_second] = [0, 1].map(|side| self.ln_predictive(model, &self.halves[side], n));
        second / first * (ln_second - ln_first).exp()
    }

    /// ln f(x_n | the items of a half): each coordinate ~ N(s S/(1 + m s), (1 + (m + 1) s)/(1 + m s)).
    fn ln_predictive(&self, model: &Model, half: &Half, n: usize) -> f64 {
        let n_dims = model.n_dims();
        let scales = &self.scales[half.size * n_dims..][..n_dims];
        let size = half.size as f64;
        let items = model.data.white(n).iter().zip(&half.sum);
        let mut squares = 0.0;
        for ((y, sum), (s, scale)) in items.zip(model.whitening.base_variance.iter().zip(scales)) {
            let deviation = (1.0 + size * s) * y - s * sum;
            squares += deviation * deviation * scale;
        }
        -0.5 * (squares + self.ln_growths[half.size])
    }

    fn add(&mut self, model: &Model, leaf: NodeId, n: usize, side: usize) {
        self.counts[leaf.index()][side] += 1;
        if side == 1 {
            self.moved.push(n as u32);
        }
        let half = &mut self.halves[side];
        half.size += 1;
        for (sum, y) in half.sum.iter_mut().zip(model.data.white(n)) {
            *sum += y;
        }
    }

    /// ln f(half) f(half')/f(both), where f ∝ Π_d (1 + m s)^{−1/2} exp(s S²/(2 (1 + m s))) up to factors that cancel.
    pub(crate) fn ln_marginal_ratio(&self, model: &Model) -> f64 {
        let [first, second] = &self.halves;
        let ln_marginal = |s: f64, size: usize, sum: f64| {
            let volume = 1.0 + size as f64 * s;
            0.5 * (s * sum * sum / volume - volume.ln())
        };
        let sums = first.sum.iter().zip(&second.sum).zip(&model.whitening.base_variance);
        sums.map(|((&a, &b), &s)| {
            ln_marginal(s, first.size, a) + ln_marginal(s, second.size, b)
                - ln_marginal(s, first.size + second.size, a + b)
        })
        .sum()
    }

    /// ln q: the log probability of this allocation.
    pub(crate) fn ln_probability(&self) -> f64 {
        self.ln_probability
    }

    /// The number of items of each half at a leaf.
    pub(crate) fn counts_at(&self, leaf: NodeId) -> [f64; 2] {
        self.counts[leaf.index()].map(f64::from)
    }

    pub(crate) fn size(&self, side: usize) -> usize {
        self.halves[side].size
    }

    /// The sum of the items of a half, whitened.
    pub(crate) fn sum(&self, side: usize) -> &[f64] {
        &self.halves[side].sum
    }

    /// The items of the second half.
    pub(crate) fn moved(&self) -> impl Iterator<Item = usize> + '_ {
        self.moved.iter().map(|&n| n as usize)
    }
}
