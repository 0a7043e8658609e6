//! Chains from which the tests of the kernels start, and the violation by its definition.

use crate::chain::Chain;
use crate::config::{Config, Covariance, Scheme};
use crate::kernels::Kernel;
use crate::model::Model;
use crate::rng::{Stream, stream};
use crate::simulate::draw_state;
use crate::state::{ComponentId, NodeId, State};

/// A chain after a few sweeps, on items that are not far apart. Seeds alternate between the strength of [`config`] and C = 1,
/// and pairs of them between no intercept and κ = 0.7; the published algorithm has no intercept.
pub(crate) fn chain(scheme: Scheme, seed: u64) -> Chain {
    let config = config(scheme);
    let strength = if seed % 2 == 1 { 1.0 } else { config.C };
    let intercept = if seed % 4 >= 2 && scheme != Scheme::Paper { 0.7 } else { 0.0 };
    chain_of(Config { C: strength, intercept, ..config }, seed)
}

/// The model with the intercept left out of every score: the control of tests with an intercept.
pub(crate) fn without_intercept(model: &Model) -> Model {
    let values = model.data.values();
    let x = ndarray::ArrayView2::from_shape((model.n_items(), model.n_dims()), &values).unwrap();
    Model::new(x, Config { intercept: 0.0, ..model.config.clone() }).unwrap()
}

pub(crate) fn config(scheme: Scheme) -> Config {
    Config {
        n_levels: 3,
        alpha: 1.5,
        gamma: 2.0,
        gamma0: 2.0,
        C: 0.4,
        margin: 1.0,
        eta_scale: 0.8,
        noise_cov: Covariance::Full(ndarray::array![[1.0, 0.3], [0.3, 0.8]]),
        base_cov: Covariance::Diagonal(vec![2.0, 3.0]),
        base_mean: vec![0.2, -0.1],
        scheme,
        ..Config::default()
    }
}

pub(crate) fn chain_of(config: Config, seed: u64) -> Chain {
    let mut chain = draw_chain(config, 9, 2, seed);
    for _ in 0..20 {
        for kernel in Kernel::schedule(&chain.model.config) {
            kernel.apply(&mut chain);
        }
    }
    level_weights(&mut chain.state);
    chain
}

/// A chain with many nodes and components, and with births and deaths every few items.
#[allow(non_snake_case)]
pub(crate) fn large_chain(n_items: usize, alpha: f64, C: f64, intercept: f64, scheme: Scheme) -> Chain {
    let config = Config {
        n_levels: 3,
        alpha,
        gamma: 2.0,
        gamma0: 2.0,
        C,
        intercept,
        margin: 2.0,
        noise_cov: Covariance::Scalar(0.5),
        base_cov: Covariance::Scalar(40.0),
        scheme,
        ..Config::default()
    };
    draw_chain(config, n_items, 3, 1)
}

/// A simulated table, and a state from the prior.
fn draw_chain(config: Config, n_items: usize, n_dims: usize, seed: u64) -> Chain {
    let x = crate::simulate(config.clone(), n_items, n_dims, seed).unwrap().x;
    let model = Model::new(x.view(), config).unwrap();
    let mut chain = Chain::new(model, stream(seed, Stream::Chain)).unwrap();
    draw_state(&mut chain);
    chain
}

/// Moves all weights towards equality, since the log of an underflowed weight cannot be compared.
fn level_weights(state: &mut State) {
    let equal = 1.0 / (state.components.n_components() + 1) as f64;
    let components: Vec<ComponentId> = state.components.iter().collect();
    for node in state.tree.iter().collect::<Vec<_>>() {
        for &k in &components {
            let weight = state.weights.get(node, k);
            state.weights.set(node, k, 0.5 * (weight + equal));
        }
        let rest = state.weights.rest(node);
        state.weights.set_rest(node, 0.5 * (rest + equal));
    }
}

pub(crate) fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-7 * (1.0 + a.abs())
}

/// η_zᵀx̃_n
pub(crate) fn reference_score(model: &Model, state: &State, node: NodeId, n: usize) -> f64 {
    state.discriminants.column(node.index()).zip(model.data.extended(n)).map(|(eta, x)| eta * x).sum()
}

/// ρ_n and its rival pair (v, s) by definition, if the item has siblings.
pub(crate) fn reference_violation(model: &Model, state: &State, n: usize) -> Option<(f64, NodeId, NodeId)> {
    let score = |node: NodeId| reference_score(model, state, node, n);
    let mut largest: Option<(f64, NodeId, NodeId)> = None;
    for level in 1..=model.n_levels() {
        let own = state.path(n)[level];
        for &other in state.tree.level_nodes(level) {
            if other != own && state.tree.parent(other) == state.tree.parent(own) {
                let violation = model.config.margin - score(own) + score(other);
                if largest.is_none_or(|(most, ..)| violation > most) {
                    largest = Some((violation, own, other));
                }
            }
        }
    }
    largest
}
