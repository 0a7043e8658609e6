//! The violations of all items: ρ_nℓ = ε_0 − own + rival at every level ℓ, and ρ_n their maximum.
//!
//! Items are listed so that the items of any node are neighbours, and so are the children of a node. The children of
//! one node and the items below it form a group.

use rayon::prelude::*;

use super::lanes::best_rival;
use crate::model::Model;
use crate::numerics::{in_pool, round_up};
use crate::state::tree::ROOT;
use crate::state::{NodeId, State};

/// Groups of this many items are computed on all cores of the chain's pool.
const PARALLEL_FROM_ITEMS: usize = 8_192;

#[derive(Debug, Clone, Default)]
pub(crate) struct Violations {
    n_levels: usize,
    /// By node slot: where its items start in `items`.
    first_item: Vec<u32>,
    items: Vec<u32>,
    /// By node slot: where its children start in `children`.
    first_child: Vec<u32>,
    children: Vec<NodeId>,
    cursor: Vec<u32>,
    // By item and level:
    /// η_vᵀx_n of the item's node v.
    own: Vec<f64>,
    /// The largest η_sᵀx_n over the siblings s of v (−∞ without siblings), and its s.
    rival_score: Vec<f64>,
    rival: Vec<NodeId>,
    // Buffers of one group:
    etas: Vec<f64>,
    scores: Vec<f64>,
    rivals: Vec<(f64, f64, f64)>,
}

impl Violations {
    /// Lists the groups and computes all scores at the present tree and discriminants.
    pub(crate) fn refresh(&mut self, model: &Model, state: &State) {
        self.list_groups(model, state);
        let cells = model.n_items() * model.n_levels();
        self.own.resize(cells, 0.0);
        self.rival_score.resize(cells, 0.0);
        self.rival.resize(cells, ROOT);
        for level in 0..model.n_levels() {
            for &parent in state.tree.level_nodes(level) {
                self.refresh_group(model, state, parent);
            }
        }
    }

    fn list_groups(&mut self, model: &Model, state: &State) {
        let tree = &state.tree;
        self.n_levels = model.n_levels();
        self.first_item.resize(tree.n_slots(), 0);
        self.first_child.resize(tree.n_slots(), 0);
        self.cursor.resize(tree.n_slots(), 0);
        self.items.resize(model.n_items(), 0);
        self.children.resize(tree.n_nodes(), ROOT);
        // Each node takes a part of its parent's range.
        self.first_item[ROOT.index()] = 0;
        self.cursor[ROOT.index()] = 0;
        for level in 1..=self.n_levels {
            for &node in tree.level_nodes(level) {
                let parent = tree.parent(node).index();
                let first = self.cursor[parent];
                self.first_item[node.index()] = first;
                self.cursor[node.index()] = first;
                self.cursor[parent] += tree.n_items(node);
            }
        }
        for n in 0..model.n_items() {
            let leaf = state.leaf(n).index();
            self.items[self.cursor[leaf] as usize] = n as u32;
            self.cursor[leaf] += 1;
        }
        let mut first = 0;
        for level in 0..self.n_levels {
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

    pub(crate) fn items(&self, state: &State, node: NodeId) -> &[u32] {
        let first = self.first_item[node.index()] as usize;
        &self.items[first..first + state.tree.n_items(node) as usize]
    }

    pub(crate) fn children(&self, state: &State, node: NodeId) -> &[NodeId] {
        let first = self.first_child[node.index()] as usize;
        &self.children[first..first + state.tree.n_children(node) as usize]
    }

    /// Recomputes the items below `parent` at the level of its children.
    pub(crate) fn refresh_group(&mut self, model: &Model, state: &State, parent: NodeId) {
        let level = state.tree.level(parent);
        let first_child = self.first_child[parent.index()] as usize;
        let n_children = state.tree.n_children(parent) as usize;
        let first_item = self.first_item[parent.index()] as usize;
        let last_item = first_item + state.tree.n_items(parent) as usize;
        if n_children == 1 {
            for &n in &self.items[first_item..last_item] {
                self.rival_score[n as usize * self.n_levels + level] = f64::NEG_INFINITY;
            }
            return;
        }
        let children = &self.children[first_child..first_child + n_children];
        let width = gather_etas(state, children, &mut self.etas);
        let (first_items, items, etas) = (&self.first_item, &self.items[first_item..last_item], &self.etas);
        // Items of the same child are neighbours.
        let find = |scores: &mut Vec<f64>, position: usize| {
            let is_before = |child: &NodeId| first_items[child.index()] as usize <= first_item + position;
            let own = children.partition_point(is_before) - 1;
            scores.resize(width, 0.0);
            best_rival(model.data.extended(items[position] as usize), etas, scores, n_children, own, own)
        };
        let rivals = &mut self.rivals;
        rivals.clear();
        if items.len() < PARALLEL_FROM_ITEMS || !in_pool() {
            let scores = &mut self.scores;
            rivals.extend((0..items.len()).map(|position| find(scores, position)));
        } else {
            let positions = (0..items.len()).into_par_iter().with_min_len(PARALLEL_FROM_ITEMS / 8);
            positions.map_init(Vec::new, find).collect_into_vec(rivals);
        }
        for (&n, &(own, rival_score, rival)) in items.iter().zip(rivals.iter()) {
            let cell = n as usize * self.n_levels + level;
            self.own[cell] = own;
            self.rival_score[cell] = rival_score;
            self.rival[cell] = children[rival as usize];
        }
    }

    /// The score of item n's own node at the level below `level`, the largest score of its siblings, and that sibling.
    pub(crate) fn get(&self, n: usize, level: usize) -> (f64, f64, NodeId) {
        let cell = n * self.n_levels + level;
        (self.own[cell], self.rival_score[cell], self.rival[cell])
    }

    /// Sets what [`Self::refresh_group`] would compute for one item.
    pub(crate) fn set(&mut self, n: usize, level: usize, own: f64, rival_score: f64, rival: NodeId) {
        let cell = n * self.n_levels + level;
        self.own[cell] = own;
        self.rival_score[cell] = rival_score;
        self.rival[cell] = rival;
    }

    /// ρ_nℓ at the level below `level`; −∞ without siblings.
    #[inline]
    fn at(&self, model: &Model, n: usize, level: usize) -> f64 {
        let cell = n * self.n_levels + level;
        model.config.margin - self.own[cell] + self.rival_score[cell]
    }

    /// The largest ρ_nℓ over all levels except one; −∞ without siblings there.
    pub(crate) fn max_except_level(&self, model: &Model, n: usize, except: usize) -> f64 {
        let mut violation = f64::NEG_INFINITY;
        for level in (0..self.n_levels).filter(|&level| level != except) {
            violation = violation.max(self.at(model, n, level));
        }
        violation
    }

    /// ρ_n; −∞ without siblings at any level.
    pub(crate) fn max(&self, model: &Model, n: usize) -> f64 {
        self.max_except_level(model, n, usize::MAX)
    }

    /// (η_vᵀx_n, η_sᵀx_n, s) at the level of item n's largest violation, if it has a sibling at any level.
    pub(crate) fn rival(&self, model: &Model, n: usize) -> Option<(f64, f64, NodeId)> {
        let mut largest = f64::NEG_INFINITY;
        let mut rival = None;
        for level in 0..self.n_levels {
            let violation = self.at(model, n, level);
            if violation > largest {
                largest = violation;
                rival = Some(self.get(n, level));
            }
        }
        rival
    }

    /// h_n of every item.
    pub(crate) fn losses(&self, model: &Model) -> impl Iterator<Item = f64> + '_ {
        let margin = model.config.margin;
        let n_levels = self.n_levels;
        self.own.chunks_exact(n_levels).zip(self.rival_score.chunks_exact(n_levels)).map(
            move |(own, rival)| {
                own.iter().zip(rival).map(|(own, rival)| margin - own + rival).fold(0.0, f64::max)
            },
        )
    }
}

/// Gathers the discriminants of children side by side, one row per dimension, padded to the returned width.
pub(crate) fn gather_etas(state: &State, children: &[NodeId], etas: &mut Vec<f64>) -> usize {
    let width = round_up(children.len());
    etas.clear();
    etas.resize(state.discriminants.n_rows() * width, 0.0);
    for (d, row) in etas.chunks_exact_mut(width).enumerate() {
        let values = state.discriminants.row(d);
        for (eta, child) in row.iter_mut().zip(children) {
            *eta = values[child.index()];
        }
    }
    width
}
