//! The tables of the benches, and the time of a sweep.

use std::time::Instant;

use ndarray::Array2;
use rand::{RngExt, SeedableRng, rngs::SmallRng};
use rand_distr::StandardNormal;
use rbhmc_core::{Config, Covariance, Kernel, Sampler, Scheme, simulate};

/// A table with a clear hierarchy, drawn from the model with a base variance of nine times the noise.
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

/// A sampler after 500 sweeps.
pub fn warm(n_items: usize, n_dims: usize, config: Config) -> Sampler {
    let x = table(n_items, n_dims, config.n_levels);
    let config = Config { base_cov: Covariance::Scalar(9.0), ..config };
    let mut sampler = Sampler::new(x.view(), config, None, 0).expect("a valid sampler");
    for _ in 0..500 {
        sampler.sweep();
    }
    sampler
}

/// The median time of a sweep, in seconds.
pub fn median_time(sampler: &mut Sampler, n_sweeps: usize, sweep: fn(&mut Sampler)) -> f64 {
    let mut times: Vec<f64> = (0..n_sweeps)
        .map(|_| {
            let start = Instant::now();
            sweep(sampler);
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[n_sweeps / 2]
}

/// A table with a known tree, in which every inner node has `fan` children.
#[derive(Debug, Clone, Copy)]
pub struct Forest {
    pub n_items: usize,
    pub n_dims: usize,
    pub n_levels: usize,
    pub n_components: usize,
    pub fan: usize,
    /// The concentration of the chain: a larger one keeps more nodes of the tree.
    pub alpha: f64,
}

/// The numbers of nodes, of leaves among them, and of components, as text.
pub fn size(sampler: &Sampler) -> String {
    let state = sampler.state();
    format!(
        "{} nodes, {} leaves, {} components",
        state.tree.n_nodes(),
        state.tree.level_nodes(state.tree.n_levels()).len(),
        state.components.n_components(),
    )
}

impl Forest {
    /// The items and their paths; each leaf mixes two components.
    pub fn table(self) -> (Array2<f64>, Array2<i64>) {
        let Self { n_items, n_dims, n_levels, n_components, fan, .. } = self;
        let mut rng = SmallRng::seed_from_u64(0);
        let means: Array2<f64> = Array2::from_shape_simple_fn((n_components, n_dims), || {
            3.0 * rng.sample::<f64, _>(StandardNormal)
        });
        let n_leaves = fan.pow(n_levels as u32);
        let choices: Vec<[usize; 2]> =
            (0..n_leaves).map(|leaf| [leaf % n_components, rng.random_range(0..n_components)]).collect();
        let mut x = Array2::zeros((n_items, n_dims));
        let mut paths = Array2::zeros((n_items, n_levels));
        for n in 0..n_items {
            let leaf = rng.random_range(0..n_leaves);
            let component = choices[leaf][usize::from(rng.random_bool(0.3))];
            for d in 0..n_dims {
                x[(n, d)] = means[(component, d)] + rng.sample::<f64, _>(StandardNormal);
            }
            for level in 0..n_levels {
                paths[(n, level)] = (leaf / fan.pow((n_levels - 1 - level) as u32)) as i64;
            }
        }
        (x, paths)
    }

    /// A sampler that started from the true tree, after `n_sweeps` sweeps.
    #[allow(non_snake_case)]
    pub fn warm(self, C: f64, n_sweeps: usize) -> Sampler {
        let Self { n_levels, alpha, .. } = self;
        let (x, paths) = self.table();
        let config = Config { C, n_levels, alpha, base_cov: Covariance::Scalar(9.0), ..Config::default() };
        let mut sampler = Sampler::new(x.view(), config, Some(paths.view()), 0).expect("a valid sampler");
        (0..n_sweeps).for_each(|_| sampler.sweep());
        sampler
    }
}

/// A chain as a fit with the defaults has it, for a table of 50 overlapping groups
/// with heavy tails, which chains divide into more and more components, as those of real tables.
#[derive(Debug, Clone, Copy)]
pub struct DefaultFit {
    pub n_items: usize,
    pub n_dims: usize,
}

impl DefaultFit {
    const N_LEVELS: usize = 4;
    const N_GROUPS: usize = 10;
    const N_SUBGROUPS: usize = 5;

    /// The items: close ones are about as far apart as in a prepared table.
    pub fn table(self) -> Array2<f64> {
        let Self { n_items, n_dims } = self;
        let mut rng = SmallRng::seed_from_u64(0);
        let mut normal = |scale: f64| scale * rng.sample::<f64, _>(StandardNormal);
        let groups: Array2<f64> = Array2::from_shape_simple_fn((Self::N_GROUPS, n_dims), || normal(1.2));
        let subgroups = Array2::from_shape_fn((Self::N_GROUPS * Self::N_SUBGROUPS, n_dims), |(group, d)| {
            groups[(group / Self::N_SUBGROUPS, d)] + normal(0.8)
        });
        let mut x = Array2::zeros((n_items, n_dims));
        for (n, mut row) in x.outer_iter_mut().enumerate() {
            let width = normal(0.6).exp();
            for (d, value) in row.iter_mut().enumerate() {
                *value = subgroups[(n % subgroups.nrows(), d)] + normal(0.6 * width);
            }
        }
        x
    }

    /// Nested paths as those of a linkage of 2√N items: level ℓ has √N^(ℓ/L) of the first items as centres, each below
    /// the nearest centre of the level above, and items are below their nearest centre.
    pub fn paths(self, x: &Array2<f64>) -> Array2<i64> {
        let n_leaves = (x.nrows() as f64).sqrt();
        let nearest = |n: usize, level: usize| {
            let n_centres = n_leaves.powf(level as f64 / Self::N_LEVELS as f64).round().max(1.0) as usize;
            let distance = |centre: &usize| {
                let difference = &x.row(n) - &x.row(*centre);
                difference.dot(&difference)
            };
            (0..n_centres).min_by(|a, b| distance(a).total_cmp(&distance(b))).expect("one centre at least")
        };
        let mut paths = Array2::zeros((x.nrows(), Self::N_LEVELS));
        for n in 0..x.nrows() {
            let mut centre = n;
            for level in (1..=Self::N_LEVELS).rev() {
                centre = nearest(centre, level);
                paths[(n, level - 1)] = centre as i64;
            }
        }
        paths
    }

    /// A sampler with the settings of `RBHMC()` after `n_sweeps` sweeps.
    pub fn warm(self, n_sweeps: usize) -> Sampler {
        let config = Config { n_levels: Self::N_LEVELS, margin: 1.0, ..Config::default() };
        let mut sampler = self.sampler(config);
        (0..n_sweeps).for_each(|_| sampler.sweep());
        sampler
    }

    /// A sampler that learns what that of `RBHMC()` does, and starts as it does.
    fn sampler(self, mut config: Config) -> Sampler {
        let x = self.table();
        config.noise_warmup = 40;
        config.set_auto_eta_scale(x.view());
        config.set_auto_intercept(x.view());
        config.set_noise_prior(x.view(), "learn-diagonal").expect("a valid table");
        config.set_base_prior(x.view(), "data").expect("a valid table");
        let paths = self.paths(&x);
        Sampler::new(x.view(), config, Some(paths.view()), 0).expect("a valid sampler")
    }

    /// A chain of the study of the paper after 500 sweeps, by the reading's name, and what is a sweep of it.
    #[allow(non_snake_case)]
    pub fn warm_reading(self, reading: &str, C: f64) -> (Sampler, fn(&mut Sampler)) {
        let config =
            Config { n_levels: 4, alpha: 0.2, gamma: 1.5, gamma0: 0.85, C, margin: 1.0, ..Config::default() };
        let (mut sampler, sweep): (Sampler, fn(&mut Sampler)) = if reading == "collapsed" {
            (self.sampler(config), Sampler::sweep)
        } else {
            let config = Config { scheme: Scheme::Paper, ..config };
            let sampler = Sampler::new(self.table().view(), config, None, 0).expect("a valid sampler");
            (sampler, if reading == "paths" { sweep_by_path_sums } else { Sampler::sweep })
        };
        (0..500).for_each(|_| sweep(&mut sampler));
        (sampler, sweep)
    }
}

/// A sweep of the published algorithm with path sums in place of active sums.
fn sweep_by_path_sums(sampler: &mut Sampler) {
    for kernel in [
        Kernel::PathsPaper,
        Kernel::ComponentsPaper,
        Kernel::WeightsCounts,
        Kernel::MarginsPathSums,
        Kernel::Means,
    ] {
        sampler.apply(kernel).expect("a chain with C > 0");
    }
}
