//! A sibling group: the children of one node and the items below it, while the children's discriminants are updated.
//!
//! Each item has a lane, and the lanes of items in the same child are neighbours. Each lane keeps the item's best
//! rival. A proposed discriminant of a child is compared with it in every lane; only three kinds of lanes need more
//! work: lanes where it wins, lanes of the child's own items, and lanes whose best rival it is now.

use rayon::prelude::*;

use super::lanes::{NONE, best_rival, mark_changes, mark_rivals, marked, raise, weighted_sum};
use super::violations::{Violations, gather_etas};
use crate::model::Model;
use crate::numerics::{TILE, fmax, in_pool, round_up};
use crate::state::{NodeId, State};

/// Lanes that one core processes at a time.
const CHUNK: usize = 8_192;

#[derive(Debug, Clone, Default)]
pub(crate) struct SiblingGroup {
    pub(crate) children: Vec<NodeId>,
    items: Vec<u32>,
    /// Where the lanes of each child start, and the end of the last.
    firsts: Vec<usize>,
    /// The number of lanes: the number of items, padded to whole tiles.
    width: usize,
    /// x_n, one row per dimension.
    x: Vec<f64>,
    /// η of the children, one row per dimension.
    etas: Vec<f64>,
    lanes: Lanes,
    /// η'ᵀx_n of the proposal.
    scores: Vec<f64>,
    chunks: Vec<Chunk>,
    active: Vec<Active>,
    marks: Vec<u64>,
    /// By node slot: its position among the children.
    positions: Vec<u32>,
}

/// By lane.
#[derive(Debug, Clone, Default)]
struct Lanes {
    own_score: Vec<f64>,
    /// The best of the other children.
    best: Vec<f64>,
    best_child: Vec<f64>,
    /// The largest ρ at the other levels.
    other_levels: Vec<f64>,
    /// ρ_n, and the rival if the maximum is at this level (otherwise NONE).
    violation: Vec<f64>,
    rival: Vec<f64>,
}

/// The changes that a proposal makes in some lanes.
#[derive(Debug, Clone, Default)]
struct Chunk {
    changes: Vec<Change>,
    marks: Vec<u64>,
    sibling_scores: Vec<f64>,
}

/// A lane as a proposal would leave it.
#[derive(Debug, Clone, Copy)]
struct Change {
    lane: u32,
    is_own: bool,
    best: f64,
    best_child: f64,
    violation: f64,
    rival: f64,
}

/// An item whose rival pair contains a child.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Active {
    pub(crate) item: u32,
    /// Whether the child is its own; otherwise the child is its rival.
    pub(crate) is_own: bool,
    /// The score of the other node of the pair.
    pub(crate) other_score: f64,
}

impl SiblingGroup {
    /// Gathers the children of `parent` and the items below it.
    pub(crate) fn gather(&mut self, model: &Model, state: &State, violations: &Violations, parent: NodeId) {
        let level = state.tree.level(parent);
        self.children.clear();
        self.children.extend_from_slice(violations.children(state, parent));
        self.items.clear();
        self.items.extend_from_slice(violations.items(state, parent));
        self.width = self.items.len().next_multiple_of(TILE);
        self.firsts.clear();
        self.firsts.push(0);
        self.positions.resize(state.tree.n_slots(), 0);
        let mut end = 0;
        for (position, &child) in self.children.iter().enumerate() {
            end += state.tree.n_items(child) as usize;
            self.firsts.push(end);
            self.positions[child.index()] = position as u32;
        }
        gather_etas(state, &self.children, &mut self.etas);
        self.fill(model, violations, level);
    }

    fn fill(&mut self, model: &Model, violations: &Violations, level: usize) {
        let width = self.width;
        let lanes = &mut self.lanes;
        // No child can win in a lane without an item.
        for (lanes, padding) in [
            (&mut lanes.own_score, f64::MAX),
            (&mut lanes.best, f64::INFINITY),
            (&mut lanes.best_child, NONE),
            (&mut lanes.other_levels, 0.0),
            (&mut lanes.violation, 0.0),
            (&mut lanes.rival, NONE),
        ] {
            lanes.clear();
            lanes.resize(width, padding);
        }
        self.x.clear();
        self.x.resize(model.n_eta_dims() * width, 0.0);
        self.scores.resize(width, 0.0);
        self.chunks.resize_with(width.div_ceil(CHUNK), Chunk::default);
        for (lane, &n) in self.items.iter().enumerate() {
            let n = n as usize;
            let (own_score, best, sibling) = violations.get(n, level);
            let best_child = f64::from(self.positions[sibling.index()]);
            let other_levels = violations.max_except_level(model, n, level);
            let here = model.config.margin - own_score + best;
            lanes.own_score[lane] = own_score;
            lanes.best[lane] = best;
            lanes.best_child[lane] = best_child;
            lanes.other_levels[lane] = other_levels;
            lanes.violation[lane] = fmax(here, other_levels);
            lanes.rival[lane] = if here > other_levels { best_child } else { NONE };
            for (row, &x) in self.x.chunks_exact_mut(width).zip(model.data.extended(n)) {
                row[lane] = x;
            }
        }
    }

    /// The items whose rival pair contains a child.
    pub(crate) fn active(&mut self, child: usize) -> &[Active] {
        let Self { items, firsts, lanes, active, marks, .. } = self;
        let own = firsts[child]..firsts[child + 1];
        active.clear();
        marks.resize(self.width / TILE, 0);
        mark_rivals(&lanes.rival, child as f64, marks);
        for lane in marked(marks, own.clone()).filter(|&lane| lanes.rival[lane] != NONE) {
            let is_own = own.contains(&lane);
            let other_score = if is_own { lanes.best[lane] } else { lanes.own_score[lane] };
            active.push(Active { item: items[lane], is_own, other_score });
        }
        active
    }

    /// The items whose rival pair would contain the child under the proposal.
    pub(crate) fn proposed_active(&mut self, child: usize) -> &[Active] {
        let Self { items, lanes, chunks, active, .. } = self;
        active.clear();
        for change in chunks.iter().flat_map(|chunk| &chunk.changes) {
            let lane = change.lane as usize;
            if change.rival == child as f64 || (change.is_own && change.rival != NONE) {
                let other_score = if change.is_own { change.best } else { lanes.own_score[lane] };
                active.push(Active { item: items[lane], is_own: change.is_own, other_score });
            }
        }
        active
    }

    /// Computes scores, ρ and rivals at a proposed discriminant of a child. Returns whether all rivals stay, and the
    /// change of −Σ (λ_n + Cρ_n)²/(2λ_n).
    pub(crate) fn propose(&mut self, model: &Model, state: &State, eta: &[f64], child: usize) -> (bool, f64) {
        let mut chunks = std::mem::take(&mut self.chunks);
        let mut scores = std::mem::take(&mut self.scores);
        let find = |(i, (chunk, scores)): (usize, (&mut Chunk, &mut [f64]))| {
            self.find_changes(model, eta, child, i * CHUNK, scores, chunk);
        };
        if chunks.len() > 1 && in_pool() {
            chunks.par_iter_mut().zip(scores.par_chunks_mut(CHUNK)).enumerate().for_each(find);
        } else {
            chunks.iter_mut().zip(scores.chunks_mut(CHUNK)).enumerate().for_each(find);
        }
        (self.chunks, self.scores) = (chunks, scores);
        let c = model.config.C;
        let (mut same_rivals, mut sum) = (true, 0.0);
        for change in self.chunks.iter().flat_map(|chunk| &chunk.changes) {
            let lane = change.lane as usize;
            let (now, then) = (self.lanes.violation[lane], change.violation);
            same_rivals &= change.rival == self.lanes.rival[lane];
            // (λ + Cρ)²/(2λ) = λ/2 + Cρ + C²ρ²/(2λ)
            let curvature = 0.5 * c / state.lambda[self.items[lane] as usize];
            sum -= c * (then - now) * (1.0 + curvature * (then + now));
        }
        (same_rivals, sum)
    }

    /// Scores the lanes from `first` on, and lists the changes of a proposal there.
    fn find_changes(
        &self,
        model: &Model,
        eta: &[f64],
        child: usize,
        first: usize,
        scores: &mut [f64],
        chunk: &mut Chunk,
    ) {
        let Lanes { own_score, best, best_child, other_levels, violation, .. } = &self.lanes;
        let Chunk { changes, marks, sibling_scores } = chunk;
        let margin = model.config.margin;
        let index = child as f64;
        let (here, own) = (first..first + scores.len(), self.firsts[child]..self.firsts[child + 1]);
        weighted_sum(&self.x, self.width, first, eta, scores);
        let lanes = (&own_score[here.clone()], &violation[here.clone()], &best_child[here.clone()]);
        marks.resize(scores.len() / TILE, 0);
        mark_changes(lanes, scores, margin, index, marks);
        let own_here =
            own.start.clamp(here.start, here.end) - first..own.end.clamp(here.start, here.end) - first;
        changes.clear();
        for offset in marked(marks, own_here) {
            let (lane, score) = (first + offset, scores[offset]);
            let is_own = own.contains(&lane);
            let (mut top, mut top_child) = (best[lane], best_child[lane]);
            if !is_own {
                if top_child == index {
                    (top, top_child) = self.best_rival_except(model, lane, child, sibling_scores);
                }
                if score > top {
                    (top, top_child) = (score, index);
                }
            }
            let base = if is_own { score } else { own_score[lane] };
            let here = margin - base + top;
            changes.push(Change {
                lane: lane as u32,
                is_own,
                best: top,
                best_child: top_child,
                violation: fmax(here, other_levels[lane]),
                rival: if here > other_levels[lane] { top_child } else { NONE },
            });
        }
    }

    /// An item's best rival except one child.
    fn best_rival_except(
        &self,
        model: &Model,
        lane: usize,
        child: usize,
        scores: &mut Vec<f64>,
    ) -> (f64, f64) {
        let n_children = self.children.len();
        if n_children == 2 {
            return (f64::NEG_INFINITY, NONE);
        }
        let own = self.firsts.partition_point(|&first| first <= lane) - 1;
        scores.resize(round_up(n_children), 0.0);
        let x = model.data.extended(self.items[lane] as usize);
        let (_, best, best_child) = best_rival(x, &self.etas, scores, n_children, own, child);
        (best, best_child)
    }

    /// Makes the proposal the child's discriminant.
    pub(crate) fn accept(&mut self, child: usize, eta: &[f64]) {
        let width = round_up(self.children.len());
        for (row, &value) in self.etas.chunks_exact_mut(width).zip(eta) {
            row[child] = value;
        }
        let lanes = &mut self.lanes;
        for change in self.chunks.iter().flat_map(|chunk| &chunk.changes) {
            let lane = change.lane as usize;
            lanes.best[lane] = change.best;
            lanes.best_child[lane] = change.best_child;
            lanes.violation[lane] = change.violation;
            lanes.rival[lane] = change.rival;
            if change.is_own {
                lanes.own_score[lane] = self.scores[lane];
            }
        }
        // It may also be the best rival of items whose ρ_n is at another level.
        for range in [0..self.firsts[child], self.firsts[child + 1]..self.width] {
            let (best, best_child) = (&mut lanes.best[range.clone()], &mut lanes.best_child[range.clone()]);
            raise(best, best_child, &self.scores[range], child as f64);
        }
    }

    /// Writes the items' scores and rivals at this level back.
    pub(crate) fn scatter(&self, violations: &mut Violations, level: usize) {
        for (lane, &n) in self.items.iter().enumerate() {
            let rival = self.children[self.lanes.best_child[lane] as usize];
            violations.set(n as usize, level, self.lanes.own_score[lane], self.lanes.best[lane], rival);
        }
    }
}
