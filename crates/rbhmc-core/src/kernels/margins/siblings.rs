//! A sibling group: the children of one node and the items below it, while the children's discriminants are updated.
//!
//! Each lane keeps the item's best rival. A proposed discriminant of a child is compared with it in every lane; only tiles
//! with three kinds of lanes need more work: lanes where it wins, lanes of the child's own items, and lanes whose best
//! rival it is now.

use rayon::prelude::*;

use super::lanes::{self, Chunk, Tile};
use super::violations::{CHUNK, Violations, gather_etas};
use crate::model::Model;
use crate::numerics::{TILE, in_pool};
use crate::state::{NodeId, State};

#[derive(Debug, Clone, Default)]
pub(crate) struct SiblingGroup {
    pub(crate) children: Vec<NodeId>,
    level: usize,
    /// The first lane, and the number of lanes.
    first: usize,
    n_lanes: usize,
    /// η of the children, one row per child.
    etas: Vec<f64>,
    // By lane, from the first on:
    /// The largest ρ at the other levels.
    other_levels: Vec<f64>,
    /// ρ_n, and the rival if the maximum is at this level (otherwise NONE).
    violation: Vec<f64>,
    rival: Vec<f64>,
    /// The changes that a proposal makes, by chunk of lanes.
    changes: Vec<Vec<Change>>,
    active: Vec<Active>,
}

/// A tile of lanes, of which the first `n_lanes` count, as a proposal would leave it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Change {
    pub(crate) first: usize,
    pub(crate) n_lanes: usize,
    pub(crate) own: Tile,
    pub(crate) best: Tile,
    pub(crate) best_child: Tile,
    pub(crate) violation: Tile,
    pub(crate) rival: Tile,
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
    /// Opens the group of the children of `parent`.
    pub(crate) fn open(&mut self, model: &Model, state: &State, violations: &Violations, parent: NodeId) {
        self.level = state.tree.level(parent);
        self.children.clear();
        self.children.extend_from_slice(violations.children(state, parent));
        gather_etas(state, &self.children, &mut self.etas);
        let range = violations.lanes(state, parent);
        (self.first, self.n_lanes) = (range.start, range.len());
        let width = self.n_lanes.next_multiple_of(TILE);
        for values in [&mut self.other_levels, &mut self.violation, &mut self.rival] {
            values.resize(width, 0.0);
        }
        self.changes.resize_with(width.div_ceil(CHUNK), Vec::new);
        let Self { level, first, other_levels, violation, rival, .. } = self;
        let margin = model.config.margin;
        lanes::compare_levels(&violations.levels, *level, *first, margin, other_levels, violation, rival);
    }

    /// The items whose rival pair contains a child.
    pub(crate) fn active(&mut self, violations: &Violations, child: usize) -> &[Active] {
        let Self { level, first, n_lanes, rival, active, .. } = self;
        active.clear();
        let items = &violations.items[*first..*first + *n_lanes];
        lanes::list_active(items, &violations.levels[*level], rival, *first, child, active);
        active
    }

    /// The items whose rival pair would contain the child under the proposal.
    pub(crate) fn proposed_active(&mut self, violations: &Violations, child: usize) -> &[Active] {
        self.active.clear();
        for changes in &self.changes {
            let lanes = &violations.levels[self.level];
            lanes::list_changed_active(&violations.items, lanes, changes, child, &mut self.active);
        }
        &self.active
    }

    /// All items of a child that have a rival, at any level, and the items whose rival the child is.
    pub(crate) fn active_at_any_level(
        &mut self,
        model: &Model,
        violations: &Violations,
        child: usize,
    ) -> &[Active] {
        self.active.clear();
        let (lanes, child) = (&violations.levels[self.level], child as f64);
        for (index, &rival) in self.rival[..self.n_lanes].iter().enumerate() {
            let lane = self.first + index;
            let is_own = lanes.own_child[lane] == child;
            if (is_own && self.violation[index] > f64::NEG_INFINITY) || rival == child {
                let other_score = if is_own { violations.max_at(model, lane).1 } else { lanes.own[lane] };
                self.active.push(Active { item: violations.items[lane], is_own, other_score });
            }
        }
        &self.active
    }

    /// Computes scores, ρ and rivals at a proposed discriminant of a child.
    pub(crate) fn propose(&mut self, model: &Model, violations: &Violations, eta: &[f64], child: usize) {
        let Self { level, first, n_lanes, etas, other_levels, changes, .. } = self;
        let find = |(index, changes): (usize, &mut Vec<Change>)| {
            let start = index * CHUNK;
            let chunk = Chunk {
                x: &violations.x,
                lanes: &violations.levels[*level],
                etas,
                first: *first + start,
                n_lanes: (*n_lanes - start).min(CHUNK),
                other_levels: &other_levels[start..],
                margin: model.config.margin,
            };
            changes.clear();
            lanes::find_changes(&chunk, child, eta, changes);
        };
        if changes.len() > 1 && in_pool() {
            changes.par_iter_mut().enumerate().for_each(find);
        } else {
            changes.iter_mut().enumerate().for_each(find);
        }
    }

    /// Whether all rivals stay under the proposal, and the change of −Σ (λ_n + Cρ_n)²/(2λ_n).
    pub(crate) fn compare(&self, model: &Model, state: &State, violations: &Violations) -> (bool, f64) {
        let c = model.config.C;
        let (mut same_rivals, mut sum) = (true, 0.0);
        for change in self.changes.iter().flatten() {
            let index = change.first - self.first;
            for lane in 0..change.n_lanes.min(TILE) {
                let (now, then) = (self.violation[index + lane], change.violation[lane]);
                same_rivals &= change.rival[lane] == self.rival[index + lane];
                // (λ + Cρ)²/(2λ) = λ/2 + Cρ + C²ρ²/(2λ)
                let curvature = 0.5 * c / state.lambda[violations.items[change.first + lane] as usize];
                sum -= c * (then - now) * (1.0 + curvature * (then + now));
            }
        }
        (same_rivals, sum)
    }

    /// Makes the proposal the child's discriminant.
    pub(crate) fn accept(&mut self, violations: &mut Violations, child: usize, eta: &[f64]) {
        self.etas[child * eta.len()..(child + 1) * eta.len()].copy_from_slice(eta);
        let lanes = &mut violations.levels[self.level];
        for changes in &self.changes {
            lanes::apply(changes, lanes, self.first, &mut self.violation, &mut self.rival);
        }
    }
}
