//! A few sweeps of every kernel on a tiny table, for `make memcheck` under Miri.

use ndarray::{Array3, array};
use rbhmc_core::config::Gamma;
use rbhmc_core::labels::canonical_labels;
use rbhmc_core::posterior::{clades, coclustering};
use rbhmc_core::{Config, Covariance, Draws, PathMove, Sampler, Scheme};

/// Settings whose sweeps together contain every kernel of a scheme.
fn configs() -> Vec<Config> {
    let base = Config { n_levels: 2, alpha: 2.0, gamma0: 2.0, ..Config::default() };
    let mut learned = Config { scheme: Scheme::Exact, ..base.clone() };
    learned.priors.alpha = Some(Gamma::default());
    learned.priors.gamma = Some(Gamma::default());
    learned.set_noise_prior(X.into(), "learn").unwrap();
    learned.set_base_prior(X.into(), "learn-diagonal").unwrap();
    vec![
        Config { C: 0.0, noise_cov: Covariance::Full(array![[1.0, 0.3], [0.3, 2.0]]), ..base.clone() },
        Config { path_move: Some(PathMove::Mh), ..base.clone() },
        Config { scheme: Scheme::Paper, ..base },
        learned,
    ]
}

const X: &[[f64; 2]; 5] = &[[0.0, 0.1], [0.2, 0.0], [5.0, 5.1], [5.2, 4.9], [-4.0, 2.0]];

#[test]
fn every_kernel_on_five_items() {
    for config in configs() {
        let mut sampler = Sampler::new(X.into(), config, None, 1).unwrap();
        let mut draws = Draws::with_capacity(&sampler, 2).unwrap();
        for _ in 0..2 {
            sampler.sweep();
            sampler.record(&mut draws);
        }
        let bytes = sampler.to_bytes().unwrap();
        assert_eq!(Sampler::from_bytes(&bytes).unwrap().to_bytes().unwrap(), bytes);
        assert_eq!(sampler.snapshot().paths.dim(), (5, 2));
        let paths = draws.paths.iter().map(|&label| i64::from(label)).collect();
        let trees = canonical_labels(Array3::from_shape_vec((2, 5, 2), paths).unwrap().view()).unwrap();
        let mut shared = ndarray::Array2::zeros((2, 5));
        coclustering::sum_coclustered(trees.index_axis(ndarray::Axis(0), 0), trees.view(), shared.view_mut());
        assert!(shared.iter().all(|&items| items >= 2));
        assert!(clades::frequent_clades(trees.view(), 1).len() <= 20);
    }
}
