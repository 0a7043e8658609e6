//! The nodes' discriminants, given λ and every item's rival.
//!
//! Λ = ν_0⁻² I + C² Σ x_n x_nᵀ / λ_n,
//! ν = Σ_{v=z} x_n (Cλ_n + C²ε_0 + C² η_sᵀx_n)/λ_n − Σ_{s=z} x_n (Cλ_n + C²ε_0 − C² η_vᵀx_n)/λ_n,
//! η' ~ N(Λ⁻¹ν, Λ⁻¹).
//!
//! Active sums run over the items whose rival pair (v, s) contains z at z's level; as s is a function
//! of η, the Gaussian is a proposal. Path sums, as printed, run over all items in z, with the rival of
//! each at whatever level it is, and over those whose rival is z; they are always accepted.

use super::gaussian::Gaussian;
use super::violations::{gather, score};
use super::{Info, Violations, Work, branches};
use crate::model::Model;
use crate::numerics::product;
use crate::rng::{Rng, uniform};
use crate::state::{NodeId, State};

const NONE: u32 = u32::MAX;

/// The children of one node and the items below it, while their discriminants are updated.
#[derive(Debug, Clone, Default)]
pub(crate) struct Group {
    pub(super) children: Vec<NodeId>,
    items: Vec<u32>,
    /// By item: the index of its own child; ρ at the other levels.
    own: Vec<u32>,
    elsewhere: Vec<f64>,
    /// η_childᵀ x, a row an item.
    scores: Vec<f64>,
    width: usize,
    etas: Vec<f64>,
    /// By item: ρ_n, and the rival child's index where the maximum is at this level (else NONE).
    violation: Vec<f64>,
    rival: Vec<u32>,
    proposed_score: Vec<f64>,
    proposed_violation: Vec<f64>,
    proposed_rival: Vec<u32>,
    eta: Vec<f64>,
    pub(super) proposed_eta: Vec<f64>,
    forward: Gaussian,
    reverse: Gaussian,
}

/// Updates every node, parents first; what was proposed to nodes with siblings and accepted.
pub(crate) fn discriminants_by_active_sums(
    model: &Model,
    state: &mut State,
    work: &mut Work,
    rng: &mut Rng,
) -> Info {
    let Work { group, violations, .. } = work;
    let mut info = Info::default();
    group.eta.resize(model.n_dims(), 0.0);
    for level in 0..model.n_levels() {
        for position in 0..state.tree.level_nodes(level).len() {
            let parent = state.tree.level_nodes(level)[position];
            if let [only] = violations.children(state, parent) {
                branches::draw_eta(model, rng, &mut group.eta);
                state.discriminants.set_column(only.index(), &group.eta);
                continue;
            }
            group.enter(model, state, violations, parent);
            for child in 0..group.children.len() {
                info.eta.count(group.update(model, state, rng, child));
            }
            violations.refresh_group(model, state, parent);
        }
    }
    info
}

impl Group {
    /// Takes the memory that the Gaussians of `n_dims` dimensions need; whether it could be had.
    pub(crate) fn reserve(&mut self, n_dims: usize) -> bool {
        self.forward.reserve(n_dims) && self.reverse.reserve(n_dims)
    }

    /// Gathers the children of `parent` and the items below it.
    pub(super) fn enter(&mut self, model: &Model, state: &State, violations: &Violations, parent: NodeId) {
        let level = state.tree.level(parent);
        self.eta.resize(model.n_dims(), 0.0);
        self.proposed_eta.resize(model.n_dims(), 0.0);
        self.children.clear();
        self.children.extend_from_slice(violations.children(state, parent));
        self.items.clear();
        self.items.extend_from_slice(violations.items(state, parent));
        self.elsewhere.clear();
        for &n in &self.items {
            self.elsewhere.push(violations.elsewhere(model, n as usize, level));
        }
        self.width = gather(state, &self.children, &mut self.etas);
        let n_items = self.items.len();
        self.scores.resize(n_items * self.width, 0.0);
        self.own.clear();
        self.violation.clear();
        self.rival.clear();
        self.proposed_score.resize(n_items, 0.0);
        self.proposed_violation.resize(n_items, 0.0);
        self.proposed_rival.resize(n_items, NONE);
        for i in 0..n_items {
            let n = self.items[i] as usize;
            let row = &mut self.scores[i * self.width..(i + 1) * self.width];
            score(model.data.x(n), &self.etas, row);
            let node = state.path(n)[level + 1];
            let own = self.children.iter().position(|&child| child == node);
            let own = own.map_or(NONE, |own| own as u32);
            let row = &self.scores[i * self.width..][..self.children.len()];
            let (violation, rival) = largest(model, row, own, self.elsewhere[i]);
            self.own.push(own);
            self.violation.push(violation);
            self.rival.push(rival);
        }
    }

    /// One child: propose, accept or not.
    fn update(&mut self, model: &Model, state: &mut State, rng: &mut Rng, child: usize) -> bool {
        let ln_ratio = self.propose(model, state, rng, child);
        let accepted = ln_ratio >= 0.0 || uniform(rng) < ln_ratio.exp();
        if accepted {
            state.discriminants.set_column(self.children[child].index(), &self.proposed_eta);
            for i in 0..self.items.len() {
                self.scores[i * self.width + child] = self.proposed_score[i];
            }
            std::mem::swap(&mut self.violation, &mut self.proposed_violation);
            std::mem::swap(&mut self.rival, &mut self.proposed_rival);
        }
        accepted
    }

    /// Draws a proposal for a child; the ln of its Hastings ratio.
    pub(super) fn propose(&mut self, model: &Model, state: &State, rng: &mut Rng, child: usize) -> f64 {
        let pairs = Pairs { items: &self.items, own: &self.own, rival: &self.rival };
        fit(&mut self.forward, model, state, pairs, (&self.scores, self.width), child);
        let square = self.forward.draw(rng, &mut self.proposed_eta);
        if self.propose_scores(model, child) {
            // With the same rivals the Gaussian is the conditional itself.
            return 0.0;
        }
        self.ln_ratio(model, state, child, square)
    }

    /// Scores, ρ and rivals at the proposed discriminant; whether no rival changes.
    fn propose_scores(&mut self, model: &Model, child: usize) -> bool {
        let mut unchanged = true;
        for i in 0..self.items.len() {
            let x = model.data.x(self.items[i] as usize);
            let proposed = product(x, &self.proposed_eta);
            self.proposed_score[i] = proposed;
            let row = &mut self.scores[i * self.width..][..self.children.len()];
            let present = std::mem::replace(&mut row[child], proposed);
            let (violation, rival) = largest(model, row, self.own[i], self.elsewhere[i]);
            row[child] = present;
            self.proposed_violation[i] = violation;
            self.proposed_rival[i] = rival;
            unchanged &= rival == self.rival[i];
        }
        unchanged
    }

    /// ln of the Hastings ratio of p(η_z) Π_n exp(−(λ_n + Cρ_n)²/(2λ_n)); `square` as the draw gave it.
    fn ln_ratio(&mut self, model: &Model, state: &State, child: usize, square: f64) -> f64 {
        let c = model.config.C;
        let node = self.children[child].index();
        for (eta, value) in self.eta.iter_mut().zip(state.discriminants.column(node)) {
            *eta = value;
        }
        let mut ln_ratio = 0.0;
        for (i, &n) in self.items.iter().enumerate() {
            let lambda = state.lambda[n as usize];
            let (now, then) = (self.violation[i], self.proposed_violation[i]);
            // (λ + Cρ)²/(2λ) = λ/2 + Cρ + C²ρ²/(2λ)
            ln_ratio -= c * (then - now) * (1.0 + c * (then + now) / (2.0 * lambda));
        }
        for (eta, proposed) in self.eta.iter().zip(&self.proposed_eta) {
            ln_ratio -= 0.5 * self.forward.floor() * (proposed * proposed - eta * eta);
        }
        let pairs = Pairs { items: &self.items, own: &self.own, rival: &self.proposed_rival };
        fit(&mut self.reverse, model, state, pairs, (&self.scores, self.width), child);
        ln_ratio + self.reverse.ln_density(&self.eta) - self.forward.ln_density_at(square)
    }
}

/// Items with the indices of their own child and of their rival (NONE where it is at another level).
#[derive(Clone, Copy)]
pub(super) struct Pairs<'a> {
    pub(super) items: &'a [u32],
    pub(super) own: &'a [u32],
    pub(super) rival: &'a [u32],
}

/// The Gaussian of a child's active sums: the other discriminant of each pair does not change with it.
pub(super) fn fit(
    gaussian: &mut Gaussian,
    model: &Model,
    state: &State,
    pairs: Pairs<'_>,
    (scores, width): (&[f64], usize),
    child: usize,
) {
    gaussian.fit(model, |add| {
        for (i, &n) in pairs.items.iter().enumerate() {
            if pairs.rival[i] == NONE {
                continue;
            }
            let (v, s) = (pairs.own[i] as usize, pairs.rival[i] as usize);
            let n = n as usize;
            if v == child {
                let (weight, slope) = own_terms(model, state.lambda[n], scores[i * width + s]);
                add(model.data.x(n), weight, slope);
            } else if s == child {
                let (weight, slope) = rival_terms(model, state.lambda[n], scores[i * width + v]);
                add(model.data.x(n), weight, slope);
            }
        }
    });
}

/// C²/λ and (Cλ + C²ε_0 + C² η_sᵀx)/λ, of an item in the node.
fn own_terms(model: &Model, lambda: f64, rival_score: f64) -> (f64, f64) {
    let c = model.config.C;
    let weight = c * c / lambda;
    (weight, c + weight * (model.config.margin + rival_score))
}

/// C²/λ and −(Cλ + C²ε_0 − C² η_vᵀx)/λ, of an item whose rival is the node.
fn rival_terms(model: &Model, lambda: f64, own_score: f64) -> (f64, f64) {
    let c = model.config.C;
    let weight = c * c / lambda;
    (weight, -(c + weight * (model.config.margin - own_score)))
}

/// ρ_n and, where its maximum is at this level, the rival's index.
fn largest(model: &Model, scores: &[f64], own: u32, elsewhere: f64) -> (f64, u32) {
    let (mut best, mut rival) = (f64::NEG_INFINITY, NONE);
    for (child, &score) in scores.iter().enumerate() {
        if child as u32 != own && score > best {
            best = score;
            rival = child as u32;
        }
    }
    let here = model.config.margin - scores[own as usize] + best;
    if here > elsewhere { (here, rival) } else { (elsewhere, NONE) }
}

/// The published update of every node, parents first.
pub(crate) fn discriminants_by_path_sums(model: &Model, state: &mut State, work: &mut Work, rng: &mut Rng) {
    let Work { group, violations, .. } = work;
    violations.refresh(model, state);
    group.proposed_eta.resize(model.n_dims(), 0.0);
    for level in 1..=model.n_levels() {
        for position in 0..state.tree.level_nodes(level).len() {
            let node = state.tree.level_nodes(level)[position];
            let parent = state.tree.parent(node);
            let gaussian = &mut group.forward;
            gaussian.fit(model, |add| {
                for &n in violations.items(state, parent) {
                    let n = n as usize;
                    let Some((own_score, rival_score, rival)) = violations.rival(model, n) else {
                        continue;
                    };
                    if state.path(n)[level] == node {
                        let (weight, slope) = own_terms(model, state.lambda[n], rival_score);
                        add(model.data.x(n), weight, slope);
                    } else if rival == node {
                        let (weight, slope) = rival_terms(model, state.lambda[n], own_score);
                        add(model.data.x(n), weight, slope);
                    }
                }
            });
            gaussian.draw(rng, &mut group.proposed_eta);
            state.discriminants.set_column(node.index(), &group.proposed_eta);
            violations.refresh_group(model, state, parent);
        }
    }
}
