//! The tables that the benches sample.

use ndarray::Array2;
use rbhmc_core::{Config, Covariance, Sampler, simulate};

/// A table with a clear hierarchy: the model's own, with means nine noise variances apart.
pub fn table(n_items: usize, n_dims: usize, n_levels: usize) -> Array2<f64> {
    let config = Config {
        n_levels,
        alpha: 1.0,
        gamma0: 3.0,
        C: 0.0,
        base_cov: Covariance::Scalar(9.0),
        ..Config::default()
    };
    simulate(config, n_items, n_dims, 0).expect("a valid simulation").x
}

/// A sampler that has left its initial state behind.
pub fn warm(n_items: usize, n_dims: usize, config: Config) -> Sampler {
    let x = table(n_items, n_dims, config.n_levels);
    let config = Config { base_cov: Covariance::Scalar(9.0), ..config };
    let mut sampler = Sampler::new(x.view(), config, None, 0).expect("a valid sampler");
    for _ in 0..500 {
        sampler.sweep();
    }
    sampler
}
