//! Learned parameters: the concentrations α, γ and γ_0, and the covariances Σ and Σ_0.
//!
//! # Concentrations
//!
//! Restaurants that share a concentration a ~ Gamma(s, r), the i-th with n_i customers, and with T tables
//! altogether, give it the density
//!
//! p(a | …) ∝ p(a) a^T Π_i Γ(a)/Γ(a + n_i),  and  Γ(a)/Γ(a + n) ∝ (1 + n/a) ∫ w^a (1 − w)^{n−1} dw:
//!
//! with w_i ~ Beta(a + 1, n_i) and b_i ~ Bernoulli(n_i/(n_i + a)), a ~ Gamma(s + T − Σ b_i, r − Σ ln w_i)
//! (Escobar and West 1995; for many restaurants Teh et al. 2006). The restaurants are
//! - of α: the inner nodes, with N_z customers and one table per child;
//! - of γ: the nodes below the root, with n_z customers (the counts of `weights`) and Σ_k T_zk tables;
//! - of γ_0: the root, with n_root customers and K tables.
//!
//! Given the tables, the weights integrate out of the conditionals of γ and γ_0, level by level:
//! ∫ Dir(β_z; γβ_parent) Π_k β_zk^{n_zk} dβ_z · p(T_z | n_z, γβ_parent) ∝ Γ(γ)/Γ(γ + n_z) Π_k (γβ_parent,k)^{T_zk}.
//! So tables given β, then γ and γ_0 given the tables, then β given both, is one exact update.
//!
//! # Covariances
//!
//! If each dimension has its own variance v_d ~ InverseGamma(a, b_d),
//! - noise: v_d ~ InverseGamma(a + N/2, b_d + Σ_n (x_nd − θ_{c_n,d})²/2);
//! - base: v_d ~ InverseGamma(a + K/2, b_d + Σ_k (θ_kd − μ_0d)²/2), over the K occupied components; empty ones
//!   are integrated out.
//!
//! A variance that all D dimensions share has a + ND/2 or a + KD/2, and the sums run over d too. All of this is
//! in the user's coordinates, in which neither θ nor the margins depend on Σ and Σ_0.
//!
//! A draw outside the range of valid parameters is refused and the present value stays, since the prior is 0 there.

use crate::chain::Chain;
use crate::config::check_positive;
use crate::config::{Gamma, InverseGamma};
use crate::distributions::{beta, gamma};
use crate::model::Model;
use crate::rng::{Rng, uniform};
use crate::state::State;
use crate::state::tree::ROOT;

/// The restaurants that share a concentration: all that its conditional depends on.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Restaurants {
    pub(crate) n_customers: Vec<u32>,
    pub(crate) n_tables: u32,
}

impl Restaurants {
    /// The restaurants of α.
    pub(crate) fn of_tree(state: &State) -> Self {
        let tree = &state.tree;
        let inner = tree.iter().filter(|&node| !tree.is_leaf(node));
        Self {
            n_customers: inner.map(|node| tree.n_items(node)).collect(),
            n_tables: tree.n_nodes() as u32 - 1,
        }
    }

    /// The restaurants of γ and of γ_0, by the counts with which the weights are drawn.
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
            // The tables of the children are the counts of their parent.
            below.n_tables += if state.tree.is_leaf(node) { 0 } else { n };
        }
        (below, root)
    }

    /// Draws the concentration given its present value.
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

pub(crate) fn update_alpha(chain: &mut Chain) {
    let config = &mut chain.model.config;
    if let Some(prior) = config.priors.alpha {
        config.alpha = Restaurants::of_tree(&chain.state).redraw(&mut chain.rng, prior, config.alpha);
    }
}

/// Draws γ and γ_0 given the counts in the workspace, with which the weights are drawn next.
pub(crate) fn update_weight_concentrations(chain: &mut Chain) {
    let Chain { model, state, workspace, rng, .. } = chain;
    let config = &mut model.config;
    if config.priors.gamma.is_none() && config.priors.gamma0.is_none() {
        return;
    }
    let (below, root) = Restaurants::of_weights(state, &workspace.counts);
    if let Some(prior) = config.priors.gamma {
        config.gamma = below.redraw(rng, prior, config.gamma);
    }
    if let Some(prior) = config.priors.gamma0 {
        config.gamma0 = root.redraw(rng, prior, config.gamma0);
    }
}

pub(crate) fn update_noise_cov(chain: &mut Chain) {
    let Chain { model, state, workspace, rng, .. } = chain;
    if let Some(posterior) = noise_posterior(model, state, &mut workspace.sums) {
        let drawn = posterior.draw(rng, &model.config.noise_cov);
        let _refused = model.set_noise_cov(state, drawn);
    }
}

pub(crate) fn update_base_cov(chain: &mut Chain) {
    let Chain { model, state, workspace, rng, .. } = chain;
    if let Some(posterior) = base_posterior(model, state, &mut workspace.sums) {
        let drawn = posterior.draw(rng, &model.config.base_cov);
        let _refused = model.set_base_cov(state, drawn);
    }
}

/// The conditional of Σ given c, θ and the items; none if it is fixed.
pub(crate) fn noise_posterior(model: &Model, state: &State, means: &mut Vec<f64>) -> Option<InverseGamma> {
    let prior = model.config.priors.noise_cov.as_ref()?;
    let n_dims = model.n_dims();
    fill_means(model, state, means);
    let mut squares = vec![0.0; n_dims];
    for n in 0..model.n_items() {
        let mean = &means[state.component[n].index() * n_dims..][..n_dims];
        add_squares(&mut squares, model.data.x(n), mean);
    }
    Some(prior.given(model.n_items() as f64, &squares))
}

/// The conditional of Σ_0 given θ; none if it is fixed.
pub(crate) fn base_posterior(model: &Model, state: &State, means: &mut Vec<f64>) -> Option<InverseGamma> {
    let prior = model.config.priors.base_cov.as_ref()?;
    let n_dims = model.n_dims();
    fill_means(model, state, means);
    let mut squares = vec![0.0; n_dims];
    for component in state.components.iter() {
        let mean = &means[component.index() * n_dims..][..n_dims];
        add_squares(&mut squares, mean, model.whitening.base_mean());
    }
    Some(prior.given(state.components.n_components() as f64, &squares))
}

/// squares_d += (x_d − centre_d)²
fn add_squares(squares: &mut [f64], x: &[f64], centre: &[f64]) {
    for ((square, x), centre) in squares.iter_mut().zip(x).zip(centre) {
        *square += (x - centre).powi(2);
    }
}

/// θ in the user's coordinates, one row per slot.
fn fill_means(model: &Model, state: &State, means: &mut Vec<f64>) {
    means.clear();
    means.resize(state.components.n_slots() * model.n_dims(), 0.0);
    for component in state.components.iter() {
        let white: Vec<f64> = state.components.mean(component).collect();
        let row = &mut means[component.index() * model.n_dims()..][..model.n_dims()];
        row.iter_mut().zip(model.unwhiten(&white)).for_each(|(to, from)| *to = from);
    }
}
