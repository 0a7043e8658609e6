//! Chains that the tests of the kernels start from.

use crate::chain::Chain;
use crate::config::{Config, Covariance, Scheme};
use crate::kernels::{Kernel, Work};
use crate::model::Model;
use crate::rng::{Stream, stream};
use crate::simulate::draw_state;
use crate::state::{ComponentId, State};

/// A chain that has moved for a while, on items that are not far apart.
pub(crate) fn chain(scheme: Scheme, seed: u64) -> Chain {
    chain_of(config(scheme), seed)
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
    let x = crate::simulate(config.clone(), 9, 2, seed).unwrap().x;
    let mut model = Model::new(x.view(), config).unwrap();
    let mut rng = stream(seed, Stream::Chain);
    let mut work = Work::default();
    let mut state = draw_state(&model, &mut work, &mut rng).unwrap();
    for _ in 0..20 {
        for kernel in Kernel::of(&model.config) {
            kernel.apply(&mut model, &mut state, &mut work, &mut rng);
        }
    }
    level_weights(&mut state);
    Chain { model, state, work, rng }
}

/// Moves all weights towards equality: the log of a weight that has underflowed to 0 says nothing.
pub(crate) fn level_weights(state: &mut State) {
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

/// Many nodes and components, with births and deaths every few items.
#[allow(non_snake_case)]
pub(crate) fn large_chain(n_items: usize, alpha: f64, C: f64, scheme: Scheme) -> Chain {
    let config = Config {
        n_levels: 3,
        alpha,
        gamma: 2.0,
        gamma0: 2.0,
        C,
        margin: 2.0,
        noise_cov: Covariance::Scalar(0.5),
        base_cov: Covariance::Scalar(40.0),
        scheme,
        ..Config::default()
    };
    let x = crate::simulate(config.clone(), n_items, 3, 1).unwrap().x;
    let model = Model::new(x.view(), config).unwrap();
    let mut rng = stream(1, Stream::Chain);
    let mut work = Work::default();
    let state = draw_state(&model, &mut work, &mut rng).unwrap();
    Chain { model, state, work, rng }
}
