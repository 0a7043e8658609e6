//! The losses of all items while one item moves, for the joint form of the path step.
//!
//! h_m = max(0, max_ℓ ε_0 − own_mℓ + rival_mℓ), with own = η_vᵀx_m of the item's node v at level ℓ, and rival the largest
//! η_sᵀx_m over the siblings s of v.

use super::scores::Scores;
use crate::model::Model;
use crate::numerics::dot;
use crate::state::{NodeId, State};

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct JointLoss {
    n_levels: usize,
    own: Vec<f64>,
    rival: Vec<f64>,
    items: ItemsByLeaf,
}

impl JointLoss {
    pub(crate) fn refresh(&mut self, model: &Model, state: &State, scores: &mut Scores) {
        self.n_levels = model.n_levels();
        self.own.resize(model.n_items() * self.n_levels, 0.0);
        self.rival.resize(model.n_items() * self.n_levels, 0.0);
        self.items.list(state);
        for m in 0..model.n_items() {
            self.refresh_scores(model, state, scores, m);
        }
    }

    /// Records the path that item n has now.
    pub(crate) fn refresh_item(&mut self, model: &Model, state: &State, scores: &mut Scores, n: usize) {
        self.items.relist(state, n);
        self.refresh_scores(model, state, scores, n);
    }

    fn refresh_scores(&mut self, model: &Model, state: &State, scores: &mut Scores, m: usize) {
        scores.fill(model, state, m);
        for (level, pair) in state.path(m).windows(2).enumerate() {
            self.own[m * self.n_levels + level] = scores.of(pair[1]);
            self.rival[m * self.n_levels + level] = scores.rival(pair[0], pair[1]);
        }
    }

    /// ρ_m
    fn violation(&self, model: &Model, m: usize) -> f64 {
        let range = m * self.n_levels..(m + 1) * self.n_levels;
        self.own[range.clone()]
            .iter()
            .zip(&self.rival[range])
            .map(|(own, rival)| model.config.margin - own + rival)
            .fold(f64::NEG_INFINITY, f64::max)
    }

    /// Δ: the increase of Σ_{m≠n} h_m by a further child of `parent` with discriminant `eta`. A sum that exceeds
    /// `limit` may be cut short there.
    pub(crate) fn increase(
        &self,
        model: &Model,
        state: &State,
        parent: NodeId,
        eta: &[f64],
        n: usize,
        limit: f64,
    ) -> f64 {
        let level = state.tree.level(parent);
        let mut sum = 0.0;
        for m in self.items.below(state, parent, n) {
            sum += self.loss_increase(model, m, level, eta, self.violation(model, m));
            if sum > limit {
                break;
            }
        }
        sum
    }

    /// Adds [`Self::increase`] of every inner node to `sums`, visiting each item once per level. `branch` gives the
    /// index of a node in `sums` and the discriminant of its further child.
    pub(crate) fn add_increases<'a>(
        &self,
        model: &Model,
        state: &State,
        n: usize,
        branch: impl Fn(NodeId) -> (usize, &'a [f64]),
        sums: &mut [f64],
    ) {
        for m in (0..state.n_items()).filter(|&m| m != n) {
            let violation = self.violation(model, m);
            for level in 0..self.n_levels {
                let (index, eta) = branch(state.path(m)[level]);
                sums[index] += self.loss_increase(model, m, level, eta, violation);
            }
        }
    }

    /// The increase of h_m by a rival with discriminant `eta` at a level, where ρ_m is `violation` without it.
    fn loss_increase(&self, model: &Model, m: usize, level: usize, eta: &[f64], violation: f64) -> f64 {
        let added =
            model.config.margin - self.own[m * self.n_levels + level] + dot(eta, model.data.extended(m));
        added.max(violation).max(0.0) - violation.max(0.0)
    }

    /// Records a new child of `parent` with discriminant `eta`.
    pub(crate) fn child_added(
        &mut self,
        model: &Model,
        state: &State,
        parent: NodeId,
        eta: &[f64],
        n: usize,
    ) {
        let level = state.tree.level(parent);
        for m in self.items.below(state, parent, n) {
            let rival = &mut self.rival[m * self.n_levels + level];
            *rival = rival.max(dot(eta, model.data.extended(m)));
        }
    }

    /// Records that `parent` has lost a child with discriminant `eta`: items whose rival it was get another.
    pub(crate) fn child_removed(
        &mut self,
        model: &Model,
        state: &State,
        scores: &mut Scores,
        parent: NodeId,
        eta: &[f64],
        n: usize,
    ) {
        let level = state.tree.level(parent);
        let items = std::mem::take(&mut self.items);
        for m in items.below(state, parent, n) {
            if dot(eta, model.data.extended(m)) >= self.rival[m * self.n_levels + level] {
                self.refresh_scores(model, state, scores, m);
            }
        }
        self.items = items;
    }
}

/// One list of items per leaf, so that the items below a node are found without visiting the others.
#[derive(Debug, Clone, Default)]
struct ItemsByLeaf {
    /// By leaf slot.
    lists: Vec<Vec<u32>>,
    /// By item: the leaf on whose list it is, and its position there.
    leaves: Vec<NodeId>,
    positions: Vec<u32>,
}

impl ItemsByLeaf {
    fn list(&mut self, state: &State) {
        self.lists.iter_mut().for_each(Vec::clear);
        self.leaves.clear();
        self.positions.clear();
        for n in 0..state.n_items() {
            let leaf = state.leaf(n);
            self.leaves.push(leaf);
            self.positions.push(0);
            self.append(n, leaf);
        }
    }

    fn append(&mut self, n: usize, leaf: NodeId) {
        if self.lists.len() <= leaf.index() {
            self.lists.resize(leaf.index() + 1, Vec::new());
        }
        let list = &mut self.lists[leaf.index()];
        self.leaves[n] = leaf;
        self.positions[n] = list.len() as u32;
        list.push(n as u32);
    }

    /// Puts item n on the list of its present leaf.
    fn relist(&mut self, state: &State, n: usize) {
        if self.leaves[n] == state.leaf(n) {
            return;
        }
        let (list, position) = (&mut self.lists[self.leaves[n].index()], self.positions[n]);
        list.swap_remove(position as usize);
        if let Some(&other) = list.get(position as usize) {
            self.positions[other as usize] = position;
        }
        self.append(n, state.leaf(n));
    }

    /// The items below a node, except one.
    fn below<'a>(
        &'a self,
        state: &'a State,
        node: NodeId,
        except: usize,
    ) -> impl Iterator<Item = usize> + 'a {
        let (tree, level) = (&state.tree, state.tree.level(node));
        let leaves = tree.level_nodes(tree.n_levels()).iter().filter(move |&&leaf| {
            let mut above = leaf;
            while tree.level(above) > level {
                above = tree.parent(above);
            }
            above == node
        });
        // A leaf created after the lists has none yet.
        let lists = leaves.filter_map(|leaf| self.lists.get(leaf.index()));
        lists.flatten().map(|&m| m as usize).filter(move |&m| m != except)
    }
}

/// Equal lists in any order of their items.
impl PartialEq for ItemsByLeaf {
    fn eq(&self, other: &Self) -> bool {
        self.leaves == other.leaves
    }
}
