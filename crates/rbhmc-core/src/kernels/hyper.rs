//! Learned hyperparameters: the concentrations α, γ and γ_0, and the covariances Σ and Σ_0.
//!
//! # Concentrations
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
//!
//! # Covariances
//!
//! With variances v_d ~ InverseGamma(a, b_d) of their own,
//! - noise: v_d ~ InverseGamma(a + N/2, b_d + Σ_n (x_nd − θ_{c_n,d})²/2);
//! - base: v_d ~ InverseGamma(a + K/2, b_d + Σ_k (θ_kd − μ_0d)²/2), over the K occupied components: those
//!   without items are integrated out.
//!
//! A variance that all D dimensions share has a + ND/2 or a + KD/2, and the sums go over d too. All of this
//! is in the user's coordinates, where neither θ nor the margins depend on Σ and Σ_0. A draw that the model
//! could not be made with is refused, and the present value stays: the prior ends there.

use super::Work;
use crate::config::check_positive;
use crate::config::{Gamma, InverseGamma};
use crate::distributions::{beta, gamma};
use crate::model::Model;
use crate::rng::{Rng, uniform};
use crate::state::State;
use crate::state::tree::ROOT;

/// What restaurants of one concentration know of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Restaurants {
    pub(crate) n_customers: Vec<u32>,
    pub(crate) n_tables: u32,
}

impl Restaurants {
    /// The nested Chinese restaurants of the tree.
    pub(crate) fn of_tree(state: &State) -> Self {
        let tree = &state.tree;
        let inner = tree.iter().filter(|&node| !tree.is_leaf(node));
        Self {
            n_customers: inner.map(|node| tree.n_items(node)).collect(),
            n_tables: tree.n_nodes() as u32 - 1,
        }
    }

    /// The restaurants of γ, and that of γ_0, by the counts that the weights are drawn with.
    pub(crate) fn of_weights(state: &State, counts: &[u32]) -> (Self, Self) {
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
    pub(crate) fn redraw(&self, rng: &mut Rng, prior: Gamma, value: f64) -> f64 {
        let (mut shape, mut rate) = (prior.shape + f64::from(self.n_tables), prior.rate);
        for n in self.n_customers.iter().map(|&n| f64::from(n)) {
            rate -= beta(rng, value + 1.0, n, 1.0).0.ln();
            shape -= if uniform(rng) * (n + value) < n { 1.0 } else { 0.0 };
        }
        let drawn = gamma(rng, shape, rate);
        if check_positive("concentration", drawn).is_ok() { drawn } else { value }
    }
}

pub(crate) fn alpha(model: &mut Model, state: &State, rng: &mut Rng) {
    if let Some(prior) = model.config.priors.alpha {
        model.config.alpha = Restaurants::of_tree(state).redraw(rng, prior, model.config.alpha);
    }
}

/// γ and γ_0 given `work.counts`, which the weights are to be drawn with next.
pub(crate) fn of_weights(model: &mut Model, state: &State, work: &Work, rng: &mut Rng) {
    let config = &mut model.config;
    if config.priors.gamma.is_none() && config.priors.gamma0.is_none() {
        return;
    }
    let (below, root) = Restaurants::of_weights(state, &work.counts);
    if let Some(prior) = config.priors.gamma {
        config.gamma = below.redraw(rng, prior, config.gamma);
    }
    if let Some(prior) = config.priors.gamma0 {
        config.gamma0 = root.redraw(rng, prior, config.gamma0);
    }
}

pub(crate) fn noise_cov(model: &mut Model, state: &mut State, work: &mut Work, rng: &mut Rng) {
    if let Some(posterior) = noise_posterior(model, state, &mut work.sums) {
        let drawn = posterior.draw(rng, &model.config.noise_cov);
        let _refused = model.set_noise_cov(state, drawn);
    }
}

pub(crate) fn base_cov(model: &mut Model, state: &mut State, work: &mut Work, rng: &mut Rng) {
    if let Some(posterior) = base_posterior(model, state, &mut work.sums) {
        let drawn = posterior.draw(rng, &model.config.base_cov);
        let _refused = model.set_base_cov(state, drawn);
    }
}

/// Of Σ given c, θ and the items; none where it is fixed.
pub(crate) fn noise_posterior(model: &Model, state: &State, means: &mut Vec<f64>) -> Option<InverseGamma> {
    let prior = model.config.priors.noise_cov.as_ref()?;
    let n_dims = model.n_dims();
    fill_means(model, state, means);
    let mut squares = vec![0.0; n_dims];
    for n in 0..model.n_items() {
        let mean = &means[state.component[n].index() * n_dims..][..n_dims];
        for ((square, x), mean) in squares.iter_mut().zip(model.data.x(n)).zip(mean) {
            *square += (x - mean).powi(2);
        }
    }
    Some(prior.given(model.n_items() as f64, &squares))
}

/// Of Σ_0 given θ; none where it is fixed.
pub(crate) fn base_posterior(model: &Model, state: &State, means: &mut Vec<f64>) -> Option<InverseGamma> {
    let prior = model.config.priors.base_cov.as_ref()?;
    let n_dims = model.n_dims();
    fill_means(model, state, means);
    let mut squares = vec![0.0; n_dims];
    for component in state.components.iter() {
        let mean = &means[component.index() * n_dims..][..n_dims];
        for ((square, mean), base) in squares.iter_mut().zip(mean).zip(model.whitening.base_mean()) {
            *square += (mean - base).powi(2);
        }
    }
    Some(prior.given(state.components.n_components() as f64, &squares))
}

/// θ in the user's coordinates, a row a slot.
fn fill_means(model: &Model, state: &State, means: &mut Vec<f64>) {
    means.clear();
    means.resize(state.components.n_slots() * model.n_dims(), 0.0);
    for component in state.components.iter() {
        let white: Vec<f64> = state.components.mean(component).collect();
        let row = &mut means[component.index() * model.n_dims()..][..model.n_dims()];
        row.iter_mut().zip(model.mean_of(&white)).for_each(|(to, from)| *to = from);
    }
}
