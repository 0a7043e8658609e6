//! The children of one node and the items below it, while the children's discriminants are updated.
//!
//! Everything is laid out an item a lane, and lanes of items in the same child are neighbours. Of each
//! item's rivals the best is kept. A proposed discriminant of a child is compared in every lane with what
//! it would have to beat; only the lanes where it does, those of the child's own items, and those whose
//! best rival it is are looked at further.

use rayon::prelude::*;

use super::lanes::{NONE, best_rival_but, mark_rivals, mark_touched, marked, raise, score};
use super::violations::{Violations, gather};
use crate::model::Model;
use crate::numerics::{TILE, fmax, round_up};
use crate::state::{NodeId, State};

/// Lanes that one core compares at a time.
const CHUNK: usize = 8_192;

#[derive(Debug, Clone, Default)]
pub(crate) struct Group {
    pub(crate) children: Vec<NodeId>,
    items: Vec<u32>,
    /// Where the lanes of each child's items start, and the end of all.
    firsts: Vec<usize>,
    /// Lanes, the items' number padded to whole tiles.
    width: usize,
    /// x_n, a row a dimension.
    x: Vec<f64>,
    /// η of the children, a row a dimension.
    etas: Vec<f64>,
    lanes: Lanes,
    /// η'ᵀx_n of the proposal.
    scores: Vec<f64>,
    chunks: Vec<Chunk>,
    active: Vec<Active>,
    marks: Vec<u64>,
    /// By node slot: its place among the children.
    places: Vec<u32>,
}

/// By item.
#[derive(Debug, Clone, Default)]
struct Lanes {
    own_score: Vec<f64>,
    /// The best of the other children.
    best: Vec<f64>,
    best_child: Vec<f64>,
    /// ρ at the other levels.
    elsewhere: Vec<f64>,
    /// ρ_n, and the rival where the maximum is at this level (else NONE).
    violation: Vec<f64>,
    rival: Vec<f64>,
}

/// What a proposal changes in some lanes.
#[derive(Debug, Clone, Default)]
struct Chunk {
    touched: Vec<Touched>,
    marks: Vec<u64>,
    sibling_scores: Vec<f64>,
}

#[derive(Debug, Clone, Copy)]
struct Touched {
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
    /// Whether the child is its own; else it is the rival.
    pub(crate) is_own: bool,
    /// The score of the other one of the pair.
    pub(crate) other_score: f64,
}

impl Group {
    /// Gathers the children of `parent` and the items below it.
    pub(crate) fn enter(&mut self, model: &Model, state: &State, violations: &Violations, parent: NodeId) {
        let level = state.tree.level(parent);
        self.children.clear();
        self.children.extend_from_slice(violations.children(state, parent));
        self.items.clear();
        self.items.extend_from_slice(violations.items(state, parent));
        self.width = self.items.len().next_multiple_of(TILE);
        self.firsts.clear();
        self.firsts.push(0);
        self.places.resize(state.tree.n_slots(), 0);
        let mut end = 0;
        for (place, &child) in self.children.iter().enumerate() {
            end += state.tree.n_items(child) as usize;
            self.firsts.push(end);
            self.places[child.index()] = place as u32;
        }
        gather(state, &self.children, &mut self.etas);
        self.fill(model, violations, level);
    }

    fn fill(&mut self, model: &Model, violations: &Violations, level: usize) {
        let width = self.width;
        let lanes = &mut self.lanes;
        // A lane without an item is beyond what any child could beat.
        for (lanes, padding) in [
            (&mut lanes.own_score, f64::MAX),
            (&mut lanes.best, f64::INFINITY),
            (&mut lanes.best_child, NONE),
            (&mut lanes.elsewhere, 0.0),
            (&mut lanes.violation, 0.0),
            (&mut lanes.rival, NONE),
        ] {
            lanes.clear();
            lanes.resize(width, padding);
        }
        self.x.clear();
        self.x.resize(model.n_dims() * width, 0.0);
        self.scores.resize(width, 0.0);
        self.chunks.resize_with(width.div_ceil(CHUNK), Chunk::default);
        for (lane, &n) in self.items.iter().enumerate() {
            let n = n as usize;
            let (own_score, best, sibling) = violations.get(n, level);
            let best_child = f64::from(self.places[sibling.index()]);
            let elsewhere = violations.elsewhere(model, n, level);
            let here = model.config.margin - own_score + best;
            lanes.own_score[lane] = own_score;
            lanes.best[lane] = best;
            lanes.best_child[lane] = best_child;
            lanes.elsewhere[lane] = elsewhere;
            lanes.violation[lane] = fmax(here, elsewhere);
            lanes.rival[lane] = if here > elsewhere { best_child } else { NONE };
            for (row, &x) in self.x.chunks_exact_mut(width).zip(model.data.x(n)) {
                row[lane] = x;
            }
        }
    }

    /// The items whose pair contains a child.
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

    /// The items whose pair would contain the child that was proposed to.
    pub(crate) fn proposed_active(&mut self, child: usize) -> &[Active] {
        let Self { items, lanes, chunks, active, .. } = self;
        active.clear();
        for touched in chunks.iter().flat_map(|chunk| &chunk.touched) {
            let lane = touched.lane as usize;
            if touched.rival == child as f64 || (touched.is_own && touched.rival != NONE) {
                let other_score = if touched.is_own { touched.best } else { lanes.own_score[lane] };
                active.push(Active { item: items[lane], is_own: touched.is_own, other_score });
            }
        }
        active
    }

    /// Scores, ρ and rivals at a proposed discriminant of a child: whether no rival changes, and the
    /// change of −Σ (λ_n + Cρ_n)²/(2λ_n).
    pub(crate) fn propose(&mut self, model: &Model, state: &State, eta: &[f64], child: usize) -> (bool, f64) {
        let mut chunks = std::mem::take(&mut self.chunks);
        let mut scores = std::mem::take(&mut self.scores);
        match chunks.as_mut_slice() {
            [chunk] => self.touch(model, eta, child, 0, &mut scores, chunk),
            chunks => {
                let work = chunks.par_iter_mut().zip(scores.par_chunks_mut(CHUNK)).enumerate();
                work.for_each(|(i, (chunk, scores))| {
                    self.touch(model, eta, child, i * CHUNK, scores, chunk);
                });
            }
        }
        (self.chunks, self.scores) = (chunks, scores);
        let c = model.config.C;
        let (mut same_rivals, mut sum) = (true, 0.0);
        for touched in self.chunks.iter().flat_map(|chunk| &chunk.touched) {
            let lane = touched.lane as usize;
            let (now, then) = (self.lanes.violation[lane], touched.violation);
            same_rivals &= touched.rival == self.lanes.rival[lane];
            // (λ + Cρ)²/(2λ) = λ/2 + Cρ + C²ρ²/(2λ)
            let curvature = 0.5 * c / state.lambda[self.items[lane] as usize];
            sum -= c * (then - now) * (1.0 + curvature * (then + now));
        }
        (same_rivals, sum)
    }

    /// Scores the lanes from `first` on, and lists those that a proposal touches.
    fn touch(
        &self,
        model: &Model,
        eta: &[f64],
        child: usize,
        first: usize,
        scores: &mut [f64],
        chunk: &mut Chunk,
    ) {
        let Lanes { own_score, best, best_child, elsewhere, violation, .. } = &self.lanes;
        let Chunk { touched, marks, sibling_scores } = chunk;
        let margin = model.config.margin;
        let index = child as f64;
        let (here, own) = (first..first + scores.len(), self.firsts[child]..self.firsts[child + 1]);
        score(&self.x, self.width, first, eta, scores);
        let lanes = (&own_score[here.clone()], &violation[here.clone()], &best_child[here.clone()]);
        marks.resize(scores.len() / TILE, 0);
        mark_touched(lanes, scores, margin, index, marks);
        let own_here =
            own.start.clamp(here.start, here.end) - first..own.end.clamp(here.start, here.end) - first;
        touched.clear();
        for offset in marked(marks, own_here) {
            let (lane, score) = (first + offset, scores[offset]);
            let is_own = own.contains(&lane);
            let (mut top, mut top_child) = (best[lane], best_child[lane]);
            if !is_own {
                if top_child == index {
                    (top, top_child) = self.best_but(model, lane, child, sibling_scores);
                }
                if score > top {
                    (top, top_child) = (score, index);
                }
            }
            let base = if is_own { score } else { own_score[lane] };
            let here = margin - base + top;
            touched.push(Touched {
                lane: lane as u32,
                is_own,
                best: top,
                best_child: top_child,
                violation: fmax(here, elsewhere[lane]),
                rival: if here > elsewhere[lane] { top_child } else { NONE },
            });
        }
    }

    /// The best of an item's rivals but one.
    fn best_but(&self, model: &Model, lane: usize, child: usize, scores: &mut Vec<f64>) -> (f64, f64) {
        let n_children = self.children.len();
        if n_children == 2 {
            return (f64::NEG_INFINITY, NONE);
        }
        let own = self.firsts.partition_point(|&first| first <= lane) - 1;
        scores.resize(round_up(n_children), 0.0);
        let x = model.data.x(self.items[lane] as usize);
        best_rival_but(x, &self.etas, scores, n_children, own, child)
    }

    /// The proposal is the child's discriminant now.
    pub(crate) fn accept(&mut self, child: usize, eta: &[f64]) {
        let width = round_up(self.children.len());
        for (row, &value) in self.etas.chunks_exact_mut(width).zip(eta) {
            row[child] = value;
        }
        let lanes = &mut self.lanes;
        for touched in self.chunks.iter().flat_map(|chunk| &chunk.touched) {
            let lane = touched.lane as usize;
            lanes.best[lane] = touched.best;
            lanes.best_child[lane] = touched.best_child;
            lanes.violation[lane] = touched.violation;
            lanes.rival[lane] = touched.rival;
            if touched.is_own {
                lanes.own_score[lane] = self.scores[lane];
            }
        }
        // It may be the best rival where ρ_n is at another level.
        for range in [0..self.firsts[child], self.firsts[child + 1]..self.width] {
            let (best, best_child) = (&mut lanes.best[range.clone()], &mut lanes.best_child[range.clone()]);
            raise(best, best_child, &self.scores[range], child as f64);
        }
    }

    /// Hands the items' scores and rivals at this level back.
    pub(crate) fn leave(&self, violations: &mut Violations, level: usize) {
        for (lane, &n) in self.items.iter().enumerate() {
            let rival = self.children[self.lanes.best_child[lane] as usize];
            violations.set(n as usize, level, self.lanes.own_score[lane], self.lanes.best[lane], rival);
        }
    }
}
