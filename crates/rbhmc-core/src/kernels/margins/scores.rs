//! The scores η_zᵀx of one item at all nodes, and the two largest among the children of each node.

use crate::model::Model;
use crate::numerics::{fmax, fmin};
use crate::state::{NodeId, State};

/// The two largest scores of siblings; −∞ for those that do not exist.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TwoBest {
    pub(crate) first: f64,
    pub(crate) second: f64,
}

impl TwoBest {
    pub(crate) const NONE: Self = Self { first: f64::NEG_INFINITY, second: f64::NEG_INFINITY };

    #[inline]
    pub(crate) fn of(scores: &[f64]) -> Self {
        let mut best = Self::NONE;
        scores.iter().for_each(|&score| best.add(score));
        best
    }

    #[inline(always)]
    pub(crate) fn add(&mut self, score: f64) {
        self.second = fmax(self.second, fmin(self.first, score));
        self.first = fmax(self.first, score);
    }

    /// The largest score among the siblings of a node with this score. Of two equal best scores each is the other's
    /// rival.
    #[inline(always)]
    pub(crate) fn rival(self, score: f64) -> f64 {
        std::hint::select_unpredictable(score == self.first, self.second, self.first)
    }

    /// ρ = ε_0 − score + rival
    #[inline(always)]
    pub(crate) fn violation(self, margin: f64, score: f64) -> f64 {
        margin - score + self.rival(score)
    }
}

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
        self.score.resize(n_slots, 0.0);
        self.children.clear();
        self.children.resize(n_slots, TwoBest::NONE);
        state.discriminants.products(model.data.x(n), &mut self.score);
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
