//! The children of one node and the items below it, while the children's discriminants are updated.
//!
//! Everything is laid out an item a lane. Of each item's rivals the two best are kept, so that ρ_n at a
//! proposed discriminant of any child is found without a look at the other children.

use super::Violations;
use super::discriminants::Pairs;
use crate::model::Model;
use crate::numerics::{TILE, larger, wide};
use crate::state::{NodeId, State};

/// No child. Children are numbers of the lanes' own type, which keeps comparisons in their lanes.
pub(super) const NONE: f64 = -1.0;

#[derive(Debug, Clone, Default)]
pub(crate) struct Group {
    pub(super) children: Vec<NodeId>,
    items: Vec<u32>,
    /// Lanes, the items' number padded to whole tiles.
    width: usize,
    /// x_n, a row a dimension.
    x: Vec<f64>,
    /// η_childᵀ x_n, a row a child.
    scores: Vec<f64>,
    lanes: Lanes,
    present: Maxima,
    proposed: Maxima,
    proposed_score: Vec<f64>,
}

/// By item.
#[derive(Debug, Clone, Default)]
struct Lanes {
    /// Its own child, and that one's score.
    own: Vec<f64>,
    own_score: Vec<f64>,
    /// The best and the second best of the other children.
    best: Vec<f64>,
    best_child: Vec<f64>,
    second: Vec<f64>,
    second_child: Vec<f64>,
    /// ρ at the other levels.
    elsewhere: Vec<f64>,
    /// C/(2λ_n)
    curvature: Vec<f64>,
}

/// By item: ρ_n, and the rival where the maximum is at this level (else NONE).
#[derive(Debug, Clone, Default)]
struct Maxima {
    violation: Vec<f64>,
    rival: Vec<f64>,
}

impl Group {
    /// Gathers the children of `parent` and the items below it.
    pub(super) fn enter(&mut self, model: &Model, state: &State, violations: &Violations, parent: NodeId) {
        let level = state.tree.level(parent);
        self.children.clear();
        self.children.extend_from_slice(violations.children(state, parent));
        self.items.clear();
        self.items.extend_from_slice(violations.items(state, parent));
        self.width = self.items.len().next_multiple_of(TILE);
        self.gather(model, state, violations, level);
        let mut eta = Vec::with_capacity(model.n_dims());
        self.scores.resize(self.children.len() * self.width, 0.0);
        for (child, row) in self.children.iter().zip(self.scores.chunks_exact_mut(self.width)) {
            eta.clear();
            eta.extend(state.discriminants.column(child.index()));
            score(&self.x, &eta, row);
        }
        self.rank();
        // Lanes without an item: the maximum is 0, at another level.
        self.lanes.own_score[self.items.len()..].fill(f64::MAX);
        for maxima in [&mut self.present, &mut self.proposed] {
            maxima.violation.resize(self.width, 0.0);
            maxima.rival.resize(self.width, NONE);
        }
        for i in 0..self.width {
            let here = model.config.margin - self.lanes.own_score[i] + self.lanes.best[i];
            let elsewhere = self.lanes.elsewhere[i];
            let here_is_larger = here > elsewhere;
            self.present.violation[i] = if here_is_larger { here } else { elsewhere };
            self.present.rival[i] = if here_is_larger { self.lanes.best_child[i] } else { NONE };
        }
    }

    fn gather(&mut self, model: &Model, state: &State, violations: &Violations, level: usize) {
        let Lanes { own, own_score, best, best_child, second, second_child, elsewhere, curvature } =
            &mut self.lanes;
        let width = self.width;
        self.x.clear();
        self.x.resize(model.n_dims() * width, 0.0);
        for (lanes, padding) in [
            (own, NONE),
            (own_score, 0.0),
            (best, f64::NEG_INFINITY),
            (best_child, NONE),
            (second, f64::NEG_INFINITY),
            (second_child, NONE),
            (elsewhere, 0.0),
            (curvature, 0.0),
        ] {
            lanes.clear();
            lanes.resize(width, padding);
        }
        self.proposed_score.resize(width, 0.0);
        let mut slots: Vec<(u32, f64)> =
            self.children.iter().zip(0..).map(|(child, index)| (child.0, f64::from(index))).collect();
        slots.sort_unstable_by_key(|slot| slot.0);
        let mut last = (u32::MAX, NONE);
        for (i, &n) in self.items.iter().enumerate() {
            let n = n as usize;
            let node = state.path(n)[level + 1].0;
            if node != last.0 {
                // Neighbours mostly share their child.
                last = slots.binary_search_by_key(&node, |slot| slot.0).map_or((node, NONE), |at| slots[at]);
            }
            self.lanes.own[i] = last.1;
            self.lanes.elsewhere[i] = violations.elsewhere(model, n, level);
            self.lanes.curvature[i] = 0.5 * model.config.C / state.lambda[n];
            for (row, &x) in self.x.chunks_exact_mut(width).zip(model.data.x(n)) {
                row[i] = x;
            }
        }
    }

    /// Finds every item's own score and two best rivals.
    fn rank(&mut self) {
        for (child, row) in self.scores.chunks_exact(self.width).enumerate() {
            insert(&mut self.lanes, row, child as f64);
        }
    }

    /// Scores, ρ and rivals at a proposed discriminant of a child: whether no rival changes, and the
    /// change of −Σ (λ_n + Cρ_n)²/(2λ_n).
    pub(super) fn propose(&mut self, model: &Model, eta: &[f64], child: usize) -> (bool, f64) {
        let Self { x, lanes, present, proposed, proposed_score, .. } = self;
        score(x, eta, proposed_score);
        compare(lanes, proposed_score, child as f64, model.config.margin, present, proposed, model.config.C)
    }

    /// The proposal is the child's discriminant now.
    pub(super) fn accept(&mut self, child: usize) {
        std::mem::swap(&mut self.present, &mut self.proposed);
        self.scores[child * self.width..][..self.width].copy_from_slice(&self.proposed_score);
        let Lanes { own, own_score, best, best_child, second, second_child, .. } = &mut self.lanes;
        let index = child as f64;
        for i in 0..self.items.len() {
            let score = self.proposed_score[i];
            if own[i] == index {
                own_score[i] = score;
            } else if best_child[i] == index || second_child[i] == index {
                (best[i], best_child[i]) = (f64::NEG_INFINITY, NONE);
                (second[i], second_child[i]) = (f64::NEG_INFINITY, NONE);
                for (other, row) in self.scores.chunks_exact(self.width).enumerate() {
                    let (score, other) = (row[i], other as f64);
                    if other == own[i] {
                        continue;
                    }
                    if score > best[i] {
                        (second[i], second_child[i]) = (best[i], best_child[i]);
                        (best[i], best_child[i]) = (score, other);
                    } else if score > second[i] {
                        (second[i], second_child[i]) = (score, other);
                    }
                }
            } else if score > best[i] {
                (second[i], second_child[i]) = (best[i], best_child[i]);
                (best[i], best_child[i]) = (score, index);
            } else if score > second[i] {
                (second[i], second_child[i]) = (score, index);
            }
        }
    }

    /// Hands the items' scores and rivals at this level back.
    pub(super) fn leave(&self, violations: &mut Violations, level: usize) {
        for (i, &n) in self.items.iter().enumerate() {
            let rival = self.children[self.lanes.best_child[i] as usize];
            violations.set(n as usize, level, self.lanes.own_score[i], self.lanes.best[i], rival);
        }
    }

    pub(super) fn pairs(&self) -> Pairs<'_> {
        self.pairs_of(&self.present)
    }

    pub(super) fn proposed_pairs(&self) -> Pairs<'_> {
        self.pairs_of(&self.proposed)
    }

    fn pairs_of<'a>(&'a self, maxima: &'a Maxima) -> Pairs<'a> {
        Pairs {
            items: &self.items,
            own: &self.lanes.own,
            rival: &maxima.rival,
            scores: &self.scores,
            width: self.width,
        }
    }
}

wide! {
    /// ηᵀx of all items, dimensions in order.
    fn score(x: &[f64], eta: &[f64], scores: &mut [f64]) {
        let width = scores.len();
        for (tile, scores) in scores.chunks_exact_mut(TILE).enumerate() {
            let mut sums = [0.0; TILE];
            for (d, eta) in eta.iter().enumerate() {
                let x = &x[d * width + tile * TILE..][..TILE];
                for (sum, x) in sums.iter_mut().zip(x) {
                    *sum += eta * x;
                }
            }
            scores.copy_from_slice(&sums);
        }
    }
}

wide! {
    /// Takes one child's scores in: an item's own, or one of its rivals.
    fn insert(lanes: &mut Lanes, scores: &[f64], child: f64) {
        let n = scores.len();
        let Lanes { own, own_score, best, best_child, second, second_child, .. } = lanes;
        let (own, own_score) = (&own[..n], &mut own_score[..n]);
        let (best, best_child) = (&mut best[..n], &mut best_child[..n]);
        let (second, second_child) = (&mut second[..n], &mut second_child[..n]);
        for i in 0..n {
            let mine = own[i] == child;
            own_score[i] = if mine { scores[i] } else { own_score[i] };
            let score = if mine { f64::NEG_INFINITY } else { scores[i] };
            let (first, runner_up) = (score > best[i], score > second[i]);
            let (old, old_child) = (best[i], best_child[i]);
            second[i] = if first { old } else if runner_up { score } else { second[i] };
            second_child[i] = if first { old_child } else if runner_up { child } else { second_child[i] };
            best[i] = if first { score } else { old };
            best_child[i] = if first { child } else { old_child };
        }
    }
}

wide! {
    /// ρ and rivals if a child had these scores; see [`Group::propose`].
    fn compare(
        lanes: &Lanes,
        scores: &[f64],
        child: f64,
        margin: f64,
        present: &Maxima,
        proposed: &mut Maxima,
        c: f64,
    ) -> (bool, f64) {
        let n = scores.len();
        let (own, own_score) = (&lanes.own[..n], &lanes.own_score[..n]);
        let (best, best_child) = (&lanes.best[..n], &lanes.best_child[..n]);
        let (second, second_child) = (&lanes.second[..n], &lanes.second_child[..n]);
        let (elsewhere, curvature) = (&lanes.elsewhere[..n], &lanes.curvature[..n]);
        let (now_violation, now_rival) = (&present.violation[..n], &present.rival[..n]);
        let (violation, rival) = (&mut proposed.violation[..n], &mut proposed.rival[..n]);
        let (mut moved, mut sums) = ([0.0; TILE], [0.0; TILE]);
        for tile in (0..n).step_by(TILE) {
            for lane in 0..TILE {
                let i = tile + lane;
                let (mine, was_best) = (own[i] == child, best_child[i] == child);
                let other = if was_best { second[i] } else { best[i] };
                let other_child = if was_best { second_child[i] } else { best_child[i] };
                let beaten = !mine & (scores[i] > other);
                let top = if beaten { scores[i] } else { other };
                let top_child = if beaten { child } else { other_child };
                let base = if mine { scores[i] } else { own_score[i] };
                let here = margin - base + top;
                let larger_here = here > elsewhere[i];
                let then = larger(here, elsewhere[i]);
                let now = now_violation[i];
                violation[i] = then;
                rival[i] = if larger_here { top_child } else { NONE };
                moved[lane] = if rival[i] == now_rival[i] { moved[lane] } else { 1.0 };
                // (λ + Cρ)²/(2λ) = λ/2 + Cρ + C²ρ²/(2λ)
                sums[lane] -= c * (then - now) * (1.0 + curvature[i] * (then + now));
            }
        }
        let unmoved = moved.iter().all(|&moved| moved == 0.0);
        (unmoved, sums.iter().sum())
    }
}
