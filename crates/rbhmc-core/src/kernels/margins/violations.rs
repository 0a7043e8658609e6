//! Every item's own and rival scores at every level: ρ_nℓ = ε_0 − own + rival, ρ_n its maximum.
//!
//! Items are listed so that those of any node are neighbours, and so are the children of a node; a
//! node's children and the items below it are one group.

use rayon::prelude::*;

use crate::model::Model;
use crate::numerics::{round_up, simd};
use crate::state::tree::ROOT;
use crate::state::{NodeId, State};

/// Items of a group from which they are worth more than one core.
const MANY: usize = 8_192;

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
    /// η_vᵀx_n for the item's node v at a level, and the largest η_sᵀx_n over v's siblings (−∞: none).
    own: Vec<f64>,
    rival_score: Vec<f64>,
    rival: Vec<NodeId>,
    // Of one group:
    etas: Vec<f64>,
    scores: Vec<f64>,
    found: Vec<(f64, f64, usize)>,
}

impl Violations {
    /// Lists groups and computes all scores at the present tree and discriminants.
    pub(crate) fn refresh(&mut self, model: &Model, state: &State) {
        self.list(model, state);
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

    fn list(&mut self, model: &Model, state: &State) {
        let tree = &state.tree;
        self.n_levels = model.n_levels();
        self.first_item.resize(tree.n_slots(), 0);
        self.first_child.resize(tree.n_slots(), 0);
        self.cursor.resize(tree.n_slots(), 0);
        self.items.resize(model.n_items(), 0);
        self.children.resize(tree.n_nodes(), ROOT);
        // Each node takes its share of its parent's range.
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
        let width = gather(state, children, &mut self.etas);
        let (first_items, items, etas) = (&self.first_item, &self.items[first_item..last_item], &self.etas);
        // Items of the same child are neighbours.
        let find = |scores: &mut Vec<f64>, position: usize| {
            let is_before = |child: &NodeId| first_items[child.index()] as usize <= first_item + position;
            let own = children.partition_point(is_before) - 1;
            scores.resize(width, 0.0);
            best_rival(model.data.x(items[position] as usize), etas, scores, n_children, own)
        };
        let found = &mut self.found;
        found.clear();
        if items.len() < MANY {
            let scores = &mut self.scores;
            found.extend((0..items.len()).map(|position| find(scores, position)));
        } else {
            let positions = (0..items.len()).into_par_iter().with_min_len(MANY / 8);
            positions.map_init(Vec::new, find).collect_into_vec(found);
        }
        for (&n, &(own, rival_score, rival)) in items.iter().zip(found.iter()) {
            let cell = n as usize * self.n_levels + level;
            self.own[cell] = own;
            self.rival_score[cell] = rival_score;
            self.rival[cell] = children[rival];
        }
    }

    /// An item's own score at the level below `level`, the largest of the siblings' and which that is.
    pub(crate) fn get(&self, n: usize, level: usize) -> (f64, f64, NodeId) {
        let cell = n * self.n_levels + level;
        (self.own[cell], self.rival_score[cell], self.rival[cell])
    }

    /// Sets what [`Self::refresh_group`] would find for one item.
    pub(crate) fn set(&mut self, n: usize, level: usize, own: f64, rival_score: f64, rival: NodeId) {
        let cell = n * self.n_levels + level;
        self.own[cell] = own;
        self.rival_score[cell] = rival_score;
        self.rival[cell] = rival;
    }

    /// ρ_nℓ at the level below `level`; −∞ without siblings.
    #[inline]
    pub(crate) fn at(&self, model: &Model, n: usize, level: usize) -> f64 {
        let cell = n * self.n_levels + level;
        model.config.margin - self.own[cell] + self.rival_score[cell]
    }

    /// ρ_n over all levels but one; −∞ without siblings there.
    pub(crate) fn elsewhere(&self, model: &Model, n: usize, except: usize) -> f64 {
        let mut violation = f64::NEG_INFINITY;
        for level in (0..self.n_levels).filter(|&level| level != except) {
            violation = violation.max(self.at(model, n, level));
        }
        violation
    }

    /// ρ_n; −∞ without siblings at any level.
    pub(crate) fn of(&self, model: &Model, n: usize) -> f64 {
        self.elsewhere(model, n, usize::MAX)
    }

    /// Where item n's maximum is: (η_vᵀx_n, η_sᵀx_n, s), if it has a sibling at all.
    pub(crate) fn rival(&self, model: &Model, n: usize) -> Option<(f64, f64, NodeId)> {
        let mut largest = f64::NEG_INFINITY;
        let mut found = None;
        for level in 0..self.n_levels {
            let violation = self.at(model, n, level);
            if violation > largest {
                largest = violation;
                let cell = n * self.n_levels + level;
                found = Some((self.own[cell], self.rival_score[cell], self.rival[cell]));
            }
        }
        found
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

/// The children's discriminants side by side: a row a dimension, padded to the returned width.
pub(crate) fn gather(state: &State, children: &[NodeId], etas: &mut Vec<f64>) -> usize {
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

simd! {
    /// The score of an item's own child, and the largest of the others' with its index.
    fn best_rival(
        x: &[f64],
        etas: &[f64],
        scores: &mut [f64],
        n_children: usize,
        own: usize,
    ) -> (f64, f64, usize) {
        scores.fill(0.0);
        for (&x, row) in x.iter().zip(etas.chunks_exact(scores.len())) {
            for (score, &eta) in scores.iter_mut().zip(row) {
                *score += x * eta;
            }
        }
        let (mut best, mut rival) = (f64::NEG_INFINITY, 0);
        for (child, &score) in scores[..n_children].iter().enumerate() {
            let wins = (child != own) & (score > best);
            best = if wins { score } else { best };
            rival = if wins { child } else { rival };
        }
        (scores[own], best, rival)
    }
}
