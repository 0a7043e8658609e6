//! The concentrations α, γ and γ_0, where they are learned.
//!
//! Restaurants that share a concentration a ~ Gamma(s, r), the i-th with n_i customers, and T tables in
//! all of them together, give it the density
//!
//! p(a | …) ∝ p(a) a^T Π_i Γ(a)/Γ(a + n_i),  and  Γ(a)/Γ(a + n) ∝ (1 + n/a) ∫ w^a (1 − w)^{n−1} dw:
//!
//! with w_i ~ Beta(a + 1, n_i) and b_i ~ Bernoulli(n_i/(n_i + a)), a ~ Gamma(s + T − Σ b_i, r − Σ ln w_i)
//! (Escobar and West 1995; for many restaurants Teh et al. 2006). The restaurants are
//! - of α: the inner nodes, with N_z items at as many tables as z has children;
//! - of γ: the nodes below the root, with n_z counts (section 4.4) at Σ_k T_zk tables;
//! - of γ_0: the root, with n_root counts at K tables.
//!
//! Given the tables, the weights integrate out of those of γ and γ_0, level by level:
//! ∫ Dir(β_z; γβ_parent) Π_k β_zk^{n_zk} dβ_z · p(T_z | n_z, γβ_parent) ∝ Γ(γ)/Γ(γ + n_z) Π_k (γβ_parent,k)^{T_zk}.
//! So tables given β, then γ and γ_0 given the tables, then β given all of these, is one exact update.

use super::Work;
use crate::config::check_positive;
use crate::distributions::{beta, gamma};
use crate::learn::Gamma;
use crate::model::Model;
use crate::rng::{Rng, uniform};
use crate::state::State;
use crate::state::tree::ROOT;

/// What restaurants of one concentration know of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Restaurants {
    pub(super) n_customers: Vec<u32>,
    pub(super) n_tables: u32,
}

impl Restaurants {
    /// The nested Chinese restaurants of the tree.
    pub(super) fn of_tree(state: &State) -> Self {
        let tree = &state.tree;
        let inner = tree.iter().filter(|&node| !tree.is_leaf(node));
        Self {
            n_customers: inner.map(|node| tree.n_items(node)).collect(),
            n_tables: tree.n_nodes() as u32 - 1,
        }
    }

    /// The restaurants of γ, and that of γ_0, by the counts that the weights are drawn with.
    pub(super) fn of_weights(state: &State, counts: &[u32]) -> (Self, Self) {
        let stride = state.weights.stride();
        let (mut below, mut root) = (Self::default(), Self::default());
        for node in state.tree.iter() {
            let n = counts[node.index() * stride..(node.index() + 1) * stride].iter().sum();
            if node == ROOT {
                root = Self { n_customers: vec![n], n_tables: state.components.n_components() as u32 };
            } else {
                below.n_customers.push(n);
            }
            // The children's tables are the counts of their parent.
            below.n_tables += if state.tree.is_leaf(node) { 0 } else { n };
        }
        (below, root)
    }

    /// A draw given the present value. One beyond the range of parameters is refused, and the present value
    /// stays: the prior ends there.
    pub(super) fn redraw(&self, rng: &mut Rng, prior: Gamma, value: f64) -> f64 {
        let (mut shape, mut rate) = (prior.shape + f64::from(self.n_tables), prior.rate);
        for n in self.n_customers.iter().map(|&n| f64::from(n)) {
            rate -= beta(rng, value + 1.0, n, 1.0).0.ln();
            shape -= if uniform(rng) * (n + value) < n { 1.0 } else { 0.0 };
        }
        let drawn = gamma(rng, shape, rate);
        if check_positive("concentration", drawn).is_ok() { drawn } else { value }
    }
}

pub(super) fn alpha(model: &mut Model, state: &State, rng: &mut Rng) {
    if let Some(prior) = model.config.learn.alpha {
        model.config.alpha = Restaurants::of_tree(state).redraw(rng, prior, model.config.alpha);
    }
}

/// γ and γ_0 given `work.counts`, which the weights are to be drawn with next.
pub(super) fn of_weights(model: &mut Model, state: &State, work: &Work, rng: &mut Rng) {
    let config = &mut model.config;
    if config.learn.gamma.is_none() && config.learn.gamma0.is_none() {
        return;
    }
    let (below, root) = Restaurants::of_weights(state, &work.counts);
    if let Some(prior) = config.learn.gamma {
        config.gamma = below.redraw(rng, prior, config.gamma);
    }
    if let Some(prior) = config.learn.gamma0 {
        config.gamma0 = root.redraw(rng, prior, config.gamma0);
    }
}
