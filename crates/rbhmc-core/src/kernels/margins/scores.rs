//! The scores η_zᵀx of one item at all nodes, and the two largest among the children of each node.

use crate::model::Model;
use crate::numerics::{TwoBest, round_up};
use crate::state::{NodeId, State};

#[derive(Debug, Clone, Default)]
pub(crate) struct Scores {
    /// By node slot: η_zᵀx.
    score: Vec<f64>,
    /// By node slot: the best scores of its children.
    children: Vec<TwoBest>,
}

impl Scores {
    pub(crate) fn fill(&mut self, model: &Model, state: &State, n: usize) {
        let n_slots = state.tree.n_slots();
        self.score.resize(round_up(n_slots), 0.0);
        self.children.clear();
        self.children.resize(n_slots, TwoBest::NONE);
        state.discriminants.products(model.data.extended(n), &mut self.score);
        for level in 1..=state.tree.n_levels() {
            for &node in state.tree.level_nodes(level) {
                self.children[state.tree.parent(node).index()].add(self.score[node.index()]);
            }
        }
    }

    #[inline]
    pub(crate) fn of(&self, node: NodeId) -> f64 {
        self.score[node.index()]
    }

    /// The largest score among the children of a node; −∞ if it has none.
    #[inline]
    pub(crate) fn best_child(&self, parent: NodeId) -> f64 {
        self.children[parent.index()].first
    }

    /// The largest score among the siblings of a node; −∞ if it has none.
    #[inline]
    pub(crate) fn rival(&self, parent: NodeId, node: NodeId) -> f64 {
        self.children[parent.index()].rival(self.of(node))
    }
}
