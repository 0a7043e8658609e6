//! The items of one component, or two, divided in two halves around the items i and j.
//!
//! i is in the first half, j in the second. Each other item n, in random order, goes to a half h with probability
//! in proportion to (m_zh + γβ_p m_h/m) f(x_n | the items in h): m_zh of the items in h are at n's leaf z, whose
//! parent p has the weight β_p of both components, and f is the predictive density, θ integrated out. First they
//! come one after the other; then each is taken out and put back a few times, and the last time counts, or would
//! have led to the halves that there are (Jain and Neal 2004).

use crate::model::Model;
use crate::rng::{self, Rng, uniform};
use crate::state::{NodeId, State};

/// Times that each item is put back; the probability of the last is known.
const N_SCANS: usize = 2;

/// Items of one component: in whitened coordinates, θ integrated out, each coordinate of their sum S says all.
#[derive(Debug, Clone, Default)]
struct Half {
    size: usize,
    sum: Vec<f64>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Halves {
    halves: [Half; 2],
    /// All items but i and j, and the half that each is in.
    items: Vec<u32>,
    sides: Vec<u8>,
    /// m_z by slot of a leaf.
    counts: Vec<[u32; 2]>,
    /// Σ_d ln(1 + n s_d) for n = 0, 1, …
    ln_volumes: Vec<f64>,
    ln_division: f64,
}

impl Halves {
    /// Divides the items of one component, or finds the halves that two components are.
    pub(super) fn divide(&mut self, model: &Model, state: &State, rng: &mut Rng, i: usize, j: usize) {
        let (first, second) = (state.component[i], state.component[j]);
        self.items.clear();
        let items = (0..model.n_items() as u32).filter(|&n| {
            let component = state.component[n as usize];
            (component == first || component == second) && n as usize != i && n as usize != j
        });
        self.items.extend(items);
        rng::shuffle(rng, &mut self.items);
        self.sides.clear();
        self.sides.resize(self.items.len(), 0);
        self.counts.clear();
        self.counts.resize(state.tree.n_slots(), [0; 2]);
        self.ln_volumes.clear();
        for half in &mut self.halves {
            half.size = 0;
            half.sum.clear();
            half.sum.resize(model.n_dims(), 0.0);
        }
        self.put(model, state.leaf(i), i, 0);
        self.put(model, state.leaf(j), j, 1);
        for scan in 0..=N_SCANS {
            self.ln_division = 0.0;
            for position in 0..self.items.len() {
                let n = self.items[position] as usize;
                let leaf = state.leaf(n);
                if scan > 0 {
                    self.take(model, leaf, n, usize::from(self.sides[position]));
                }
                let above = state.weights.row(state.tree.parent(leaf));
                let weight = above[first.index()] + if first == second { 0.0 } else { above[second.index()] };
                let towards = self.ln_odds(model, leaf, n, model.config.gamma * weight);
                let side = if scan == N_SCANS && first != second {
                    usize::from(state.component[n] == second)
                } else {
                    usize::from(uniform(rng) * (1.0 + (-towards).exp()) < 1.0)
                };
                // ln 1/(1 + e^{∓t}), without overflow.
                let t = if side == 1 { towards } else { -towards };
                self.ln_division -= (-t.abs()).exp().ln_1p() + (-t).max(0.0);
                self.sides[position] = side as u8;
                self.put(model, leaf, n, side);
            }
        }
    }
    /// The log of how much rather than in the first half an item would be in the second.
    fn ln_odds(&self, model: &Model, leaf: NodeId, n: usize, concentration: f64) -> f64 {
        let all = (self.halves[0].size + self.halves[1].size) as f64;
        let [first, second] = [0, 1].map(|side| {
            let half = &self.halves[side];
            let here = f64::from(self.counts[leaf.index()][side]);
            let seats = here + concentration.max(f64::MIN_POSITIVE) * half.size as f64 / all;
            seats.ln() + self.ln_predictive(model, half, n)
        });
        second - first
    }

    /// ln f(x_n | the items of a half): a coordinate ~ N(s S/(1 + m s), (1 + (m + 1) s)/(1 + m s)).
    fn ln_predictive(&self, model: &Model, half: &Half, n: usize) -> f64 {
        let size = half.size as f64;
        let mut squares = 0.0;
        for ((y, sum), s) in model.data.white(n).iter().zip(&half.sum).zip(&model.whitening.base_variance) {
            let before = 1.0 + size * s;
            let apart = before * y - s * sum;
            squares += apart * apart / (before * (before + s));
        }
        -0.5 * (squares + self.ln_volumes[half.size + 1] - self.ln_volumes[half.size])
    }

    fn put(&mut self, model: &Model, leaf: NodeId, n: usize, side: usize) {
        self.counts[leaf.index()][side] += 1;
        let half = &mut self.halves[side];
        half.size += 1;
        for (sum, y) in half.sum.iter_mut().zip(model.data.white(n)) {
            *sum += y;
        }
        for size in self.ln_volumes.len()..half.size + 2 {
            let variances = model.whitening.base_variance.iter();
            self.ln_volumes.push(variances.map(|s| (size as f64 * s).ln_1p()).sum());
        }
    }

    fn take(&mut self, model: &Model, leaf: NodeId, n: usize, side: usize) {
        self.counts[leaf.index()][side] -= 1;
        let half = &mut self.halves[side];
        half.size -= 1;
        for (sum, y) in half.sum.iter_mut().zip(model.data.white(n)) {
            *sum -= y;
        }
    }

    /// ln f(half) f(half')/f(both), where f = Π_d (1 + m s)^{−1/2} exp(s S²/(2 (1 + m s))) but for what cancels.
    pub(super) fn ln_apart_over_together(&self, model: &Model) -> f64 {
        let [first, second] = &self.halves;
        let of = |s: f64, size: usize, sum: f64| {
            let volume = 1.0 + size as f64 * s;
            0.5 * (s * sum * sum / volume - volume.ln())
        };
        let sums = first.sum.iter().zip(&second.sum).zip(&model.whitening.base_variance);
        sums.map(|((&a, &b), &s)| {
            of(s, first.size, a) + of(s, second.size, b) - of(s, first.size + second.size, a + b)
        })
        .sum()
    }

    /// The log of the probability with which the last scan divides the items so.
    pub(super) fn ln_division(&self) -> f64 {
        self.ln_division
    }

    /// The items of each half at a leaf.
    pub(super) fn at(&self, leaf: NodeId) -> [f64; 2] {
        self.counts[leaf.index()].map(f64::from)
    }

    pub(super) fn size(&self, side: usize) -> usize {
        self.halves[side].size
    }

    /// The sum of a half's items, whitened.
    pub(super) fn sum(&self, side: usize) -> &[f64] {
        &self.halves[side].sum
    }

    /// The items of the second half but for j.
    pub(super) fn leaving(&self) -> impl Iterator<Item = usize> + '_ {
        let seated = self.items.iter().zip(&self.sides);
        seated.filter(|&(_, &side)| side == 1).map(|(&n, _)| n as usize)
    }
}
