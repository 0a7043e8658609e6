//! η_zᵀ x for one item and all nodes, and for each parent the two largest among its children.

use crate::model::Model;
use crate::state::{NodeId, State};

#[derive(Debug, Clone, Default)]
pub(crate) struct Scores {
    /// η_zᵀ x
    score: Vec<f64>,
    best: Vec<f64>,
    second: Vec<f64>,
    best_child: Vec<NodeId>,
}

impl Scores {
    pub(crate) fn fill(&mut self, model: &Model, state: &State, n: usize) {
        let n_slots = state.tree.n_slots();
        self.score.resize(n_slots, 0.0);
        self.best.clear();
        self.best.resize(n_slots, f64::NEG_INFINITY);
        self.second.clear();
        self.second.resize(n_slots, f64::NEG_INFINITY);
        self.best_child.resize(n_slots, crate::state::tree::ROOT);
        state.discriminants.products(model.data.x(n), &mut self.score);
        for level in 1..=state.tree.n_levels() {
            for &node in state.tree.level_nodes(level) {
                let parent = state.tree.parent(node).index();
                let score = self.score[node.index()];
                if score > self.best[parent] {
                    self.second[parent] = self.best[parent];
                    self.best[parent] = score;
                    self.best_child[parent] = node;
                } else if score > self.second[parent] {
                    self.second[parent] = score;
                }
            }
        }
    }

    #[inline]
    pub(crate) fn of(&self, node: NodeId) -> f64 {
        self.score[node.index()]
    }

    /// The largest score among a node's children; −∞ where it has none.
    #[inline]
    pub(crate) fn best(&self, parent: NodeId) -> f64 {
        self.best[parent.index()]
    }

    /// The largest score among a node's siblings; −∞ where it has none.
    #[inline]
    pub(crate) fn rival(&self, parent: NodeId, node: NodeId) -> f64 {
        if self.best_child[parent.index()] == node {
            self.second[parent.index()]
        } else {
            self.best[parent.index()]
        }
    }
}
