//! The violations of all items: ρ_nℓ = ε_0 − own + rival at every level ℓ, and ρ_n their maximum.
//!
//! Every item has a lane. The lanes of the items of a node are neighbours at every level, so that the children of a node
//! and the items below it, a sibling group, are a range of lanes.

use std::ops::Range;

use rayon::prelude::*;

use super::lanes::{self, Columns, Lanes};
use crate::model::Model;
use crate::numerics::{TILE, in_pool};
use crate::state::tree::ROOT;
use crate::state::{NodeId, State};

/// Lanes that one core processes at a time.
pub(super) const CHUNK: usize = 8_192;

#[derive(Debug, Clone, Default)]
pub(crate) struct Violations {
    /// By lane.
    pub(super) items: Vec<u32>,
    /// By item: its lane.
    lane_of: Vec<u32>,
    /// By node slot: where its lanes start.
    first_lane: Vec<u32>,
    /// By node slot: where its children start in `children`.
    first_child: Vec<u32>,
    children: Vec<NodeId>,
    cursor: Vec<u32>,
    pub(super) x: Columns,
    pub(super) levels: Vec<Lanes>,
    /// η of the children of one node, one row per child.
    etas: Vec<f64>,
}

/// A chunk of own scores, of best rivals' scores and of best rivals.
type Rows<'a> = (&'a mut [f64], (&'a mut [f64], &'a mut [f64]));

impl Violations {
    /// Lists the groups and computes all scores at the present tree and discriminants.
    pub(crate) fn refresh(&mut self, model: &Model, state: &State) {
        self.list_groups(model, state);
        self.fill_lanes(model, state);
        for level in 0..model.n_levels() {
            for &parent in state.tree.level_nodes(level) {
                self.refresh_group(state, parent);
            }
        }
    }

    fn list_groups(&mut self, model: &Model, state: &State) {
        let tree = &state.tree;
        self.first_lane.resize(tree.n_slots(), 0);
        self.first_child.resize(tree.n_slots(), 0);
        self.cursor.resize(tree.n_slots(), 0);
        self.items.resize(model.n_items(), 0);
        self.lane_of.resize(model.n_items(), 0);
        self.children.resize(tree.n_nodes(), ROOT);
        // Each node takes a part of its parent's range.
        self.first_lane[ROOT.index()] = 0;
        self.cursor[ROOT.index()] = 0;
        for level in 1..=model.n_levels() {
            for &node in tree.level_nodes(level) {
                let parent = tree.parent(node).index();
                let first = self.cursor[parent];
                self.first_lane[node.index()] = first;
                self.cursor[node.index()] = first;
                self.cursor[parent] += tree.n_items(node);
            }
        }
        for n in 0..model.n_items() {
            let lane = &mut self.cursor[state.leaf(n).index()];
            self.items[*lane as usize] = n as u32;
            self.lane_of[n] = *lane;
            *lane += 1;
        }
        let mut first = 0;
        for level in 0..model.n_levels() {
            for &node in tree.level_nodes(level) {
                self.first_child[node.index()] = first;
                self.cursor[node.index()] = first;
                first += tree.n_children(node);
            }
            for &node in tree.level_nodes(level + 1) {
                let parent = tree.parent(node).index();
                self.children[self.cursor[parent] as usize] = node;
                self.cursor[parent] += 1;
            }
        }
    }

    /// Fills the rows of x and the own child of every lane.
    fn fill_lanes(&mut self, model: &Model, state: &State) {
        // A tile may start at any lane.
        let width = model.n_items() + TILE;
        self.x.width = width;
        self.x.values.resize(model.n_eta_dims() * width, 0.0);
        for (lane, &n) in self.items.iter().enumerate() {
            for (d, &x) in model.data.extended(n as usize).iter().enumerate() {
                self.x.values[d * width + lane] = x;
            }
        }
        self.levels.resize_with(model.n_levels(), Lanes::default);
        for lanes in &mut self.levels {
            for values in [&mut lanes.own_child, &mut lanes.own, &mut lanes.best, &mut lanes.best_child] {
                values.resize(width, 0.0);
            }
        }
        for level in 0..model.n_levels() {
            for &parent in state.tree.level_nodes(level) {
                let first_child = self.first_child[parent.index()] as usize;
                for position in 0..state.tree.n_children(parent) as usize {
                    let lanes = self.lanes(state, self.children[first_child + position]);
                    self.levels[level].own_child[lanes].fill(position as f64);
                }
            }
        }
    }

    /// The lanes of the items of a node.
    pub(super) fn lanes(&self, state: &State, node: NodeId) -> Range<usize> {
        let first = self.first_lane[node.index()] as usize;
        first..first + state.tree.n_items(node) as usize
    }

    pub(crate) fn children(&self, state: &State, node: NodeId) -> &[NodeId] {
        let first = self.first_child[node.index()] as usize;
        &self.children[first..first + state.tree.n_children(node) as usize]
    }

    /// Recomputes the items below `parent` at the level of its children.
    fn refresh_group(&mut self, state: &State, parent: NodeId) {
        let range = self.lanes(state, parent);
        let mut etas = std::mem::take(&mut self.etas);
        gather_etas(state, self.children(state, parent), &mut etas);
        let Lanes { own_child, own, best, best_child } = &mut self.levels[state.tree.level(parent)];
        if state.tree.n_children(parent) == 1 {
            best[range].fill(f64::NEG_INFINITY);
        } else {
            let padded = range.start..range.start + range.len().next_multiple_of(TILE);
            let (x, own_child) = (&self.x, &own_child[padded.clone()]);
            let rows = (&mut own[padded.clone()], &mut best[padded.clone()], &mut best_child[padded]);
            let refresh = |(index, (own, (best, best_child))): (usize, Rows<'_>)| {
                let start = index * CHUNK;
                let n_lanes = (range.len() - start).min(CHUNK);
                let first = range.start + start;
                lanes::refresh(x, &etas, first, n_lanes, &own_child[start..], [own, best, best_child]);
            };
            if range.len() > CHUNK && in_pool() {
                let rivals = rows.1.par_chunks_mut(CHUNK).zip(rows.2.par_chunks_mut(CHUNK));
                rows.0.par_chunks_mut(CHUNK).zip(rivals).enumerate().for_each(refresh);
            } else {
                let rivals = rows.1.chunks_mut(CHUNK).zip(rows.2.chunks_mut(CHUNK));
                rows.0.chunks_mut(CHUNK).zip(rivals).enumerate().for_each(refresh);
            }
        }
        self.etas = etas;
    }

    /// The score of item n's own node at the level below `level`, the largest score of its siblings, and that sibling's
    /// position.
    #[cfg(test)]
    pub(crate) fn get(&self, n: usize, level: usize) -> (f64, f64, f64) {
        let (lane, lanes) = (self.lane_of[n] as usize, &self.levels[level]);
        (lanes.own[lane], lanes.best[lane], lanes.best_child[lane])
    }

    /// ρ_n; −∞ without siblings at any level.
    pub(crate) fn max(&self, model: &Model, n: usize) -> f64 {
        self.max_at(model, self.lane_of[n] as usize).0
    }

    /// ρ_n of the item of a lane, and the score of its rival.
    #[inline]
    pub(super) fn max_at(&self, model: &Model, lane: usize) -> (f64, f64) {
        let mut most = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for lanes in &self.levels {
            let violation = model.config.margin - lanes.own[lane] + lanes.best[lane];
            most = if violation > most.0 { (violation, lanes.best[lane]) } else { most };
        }
        most
    }

    /// h_n of every item.
    pub(crate) fn losses(&self, model: &Model) -> impl Iterator<Item = f64> + '_ {
        let violations: Vec<f64> = (0..model.n_items()).map(|n| self.max(model, n)).collect();
        violations.into_iter().map(|violation| violation.max(0.0))
    }
}

/// Gathers the discriminants of children, one row per child.
pub(super) fn gather_etas(state: &State, children: &[NodeId], etas: &mut Vec<f64>) {
    etas.clear();
    for child in children {
        etas.extend(state.discriminants.column(child.index()));
    }
}
