//! The losses of all items while one item moves, for the joint form of the path step.
//!
//! h_m = max(0, max_ℓ ε_0 − own_mℓ + rival_mℓ), with own = η_vᵀx_m for the item's node v at level ℓ
//! and rival the largest η_sᵀx_m over v's siblings.

use super::items_by_leaf::Members;
use super::scores::Scores;
use crate::model::Model;
use crate::numerics::dot;
use crate::state::{NodeId, State};

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Losses {
    n_levels: usize,
    own: Vec<f64>,
    rival: Vec<f64>,
    members: Members,
}

impl Losses {
    pub(crate) fn refresh(&mut self, model: &Model, state: &State, scores: &mut Scores) {
        self.n_levels = model.n_levels();
        self.own.resize(model.n_items() * self.n_levels, 0.0);
        self.rival.resize(model.n_items() * self.n_levels, 0.0);
        self.members.list(state);
        for m in 0..model.n_items() {
            self.refresh_scores(model, state, scores, m);
        }
    }

    /// Item n sits where its path says.
    pub(crate) fn refresh_item(&mut self, model: &Model, state: &State, scores: &mut Scores, n: usize) {
        self.members.moved(state, n);
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

    /// Δ: what a further child of `parent` with discriminant `eta` adds to Σ_{m≠n} h_m; some part of it above
    /// `limit` where it is above that.
    pub(crate) fn charge(
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
        for m in self.members.below(state, parent, n) {
            sum += self.rise(model, m, level, eta, self.violation(model, m));
            if sum > limit {
                break;
            }
        }
        sum
    }

    /// [`Self::charge`] for every inner node at once, one visit an item and level: `branch` names a node's
    /// place in `sums` and the discriminant of the child that it would get.
    pub(crate) fn charge_all<'a>(
        &self,
        model: &Model,
        state: &State,
        n: usize,
        branch: impl Fn(NodeId) -> (usize, &'a [f64]),
        sums: &mut [f64],
    ) {
        for m in (0..state.n_items()).filter(|&m| m != n) {
            let now = self.violation(model, m);
            for level in 0..self.n_levels {
                let (place, eta) = branch(state.path(m)[level]);
                sums[place] += self.rise(model, m, level, eta, now);
            }
        }
    }

    /// What a rival with discriminant `eta` at a level adds to h_m, ρ_m being `now`.
    fn rise(&self, model: &Model, m: usize, level: usize, eta: &[f64], now: f64) -> f64 {
        let added = model.config.margin - self.own[m * self.n_levels + level] + dot(eta, model.data.x(m));
        added.max(now).max(0.0) - now.max(0.0)
    }

    /// A child with discriminant `eta` has been added below `parent`.
    pub(crate) fn child_added(
        &mut self,
        model: &Model,
        state: &State,
        parent: NodeId,
        eta: &[f64],
        n: usize,
    ) {
        let level = state.tree.level(parent);
        for m in self.members.below(state, parent, n) {
            let rival = &mut self.rival[m * self.n_levels + level];
            *rival = rival.max(dot(eta, model.data.x(m)));
        }
    }

    /// A child with discriminant `eta` has been removed from below `parent`: those whose rival it was have
    /// another.
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
        let members = std::mem::take(&mut self.members);
        for m in members.below(state, parent, n) {
            if dot(eta, model.data.x(m)) >= self.rival[m * self.n_levels + level] {
                self.refresh_scores(model, state, scores, m);
            }
        }
        self.members = members;
    }
}
