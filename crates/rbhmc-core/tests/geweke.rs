//! Joint distribution (Geweke 2004): draws of (parameters, data) from the prior, and from a chain that
//! alternates a sweep with a redraw of the data, must have the same means.
//!
//! Level: 0.001 for the whole family of comparisons (Bonferroni), seeds fixed, no retries. The `paper` scheme is the
//! control: it must fail.

use rbhmc_core::config::{Gamma, InverseGamma};
use rbhmc_core::rng::{Rng, Stream, stream};
use rbhmc_core::{Config, Covariance, Kernel, PathMove, Priors, Sampler, Scheme, simulate};

const N_ITEMS: usize = 5;
const N_DIMS: usize = 2;
const N_LEVELS: usize = 2;
const LEVEL: f64 = 0.001;

fn config(scheme: Scheme, path_move: Option<PathMove>) -> Config {
    Config {
        n_levels: N_LEVELS,
        alpha: 0.8,
        gamma: 1.3,
        gamma0: 1.1,
        C: 0.0,
        noise_cov: Covariance::Diagonal(vec![0.7, 1.2]),
        base_mean: vec![0.3, -0.2],
        base_cov: Covariance::Full(ndarray::array![[2.0, 0.5], [0.5, 1.5]]),
        scheme,
        path_move,
        ..Config::default()
    }
}

/// The statistics that are compared: the numbers of nodes of each level and of components; whether items 0 and 1 share a
/// node of each level, and a component; means and squares of β at c_n, and the rest, for the root, level 1 and the leaf;
/// x_0·x_1 and x_0·x_0.
fn statistics(sampler: &Sampler) -> Vec<f64> {
    let state = sampler.state();
    let model = sampler.model();
    let mut out: Vec<f64> = (1..=N_LEVELS).map(|level| state.tree.level_nodes(level).len() as f64).collect();
    out.push(state.components.n_components() as f64);
    for level in 1..=N_LEVELS {
        out.push(f64::from(u8::from(state.path(0)[level] == state.path(1)[level])));
    }
    out.push(f64::from(u8::from(state.component[0] == state.component[1])));
    for level in 0..=N_LEVELS {
        let weights: Vec<f64> =
            (0..N_ITEMS).map(|n| state.weights.get(state.path(n)[level], state.component[n])).collect();
        out.push(weights.iter().sum::<f64>() / N_ITEMS as f64);
        out.push(weights.iter().map(|w| w * w).sum::<f64>() / N_ITEMS as f64);
        out.push((0..N_ITEMS).map(|n| state.weights.rest(state.path(n)[level])).sum::<f64>());
    }
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    out.push(dot(model.data.x(0), model.data.x(1)));
    out.push(dot(model.data.x(0), model.data.x(0)));
    out
}

#[derive(Clone)]
struct Means {
    mean: Vec<f64>,
    variance_of_mean: Vec<f64>,
}

/// Means, with their variances by batches that are longer than the autocorrelation.
fn means(draws: &[Vec<f64>]) -> Means {
    let n_batches = 100;
    let size = draws.len() / n_batches;
    let n_statistics = draws[0].len();
    let mut mean = vec![0.0; n_statistics];
    let mut variance_of_mean = vec![0.0; n_statistics];
    for s in 0..n_statistics {
        let batches: Vec<f64> = draws
            .chunks_exact(size)
            .map(|batch| batch.iter().map(|draw| draw[s]).sum::<f64>() / size as f64)
            .collect();
        let centre = batches.iter().sum::<f64>() / batches.len() as f64;
        let spread = batches.iter().map(|b| (b - centre).powi(2)).sum::<f64>();
        mean[s] = centre;
        variance_of_mean[s] = spread / ((batches.len() - 1) * batches.len()) as f64;
    }
    Means { mean, variance_of_mean }
}

/// The initial state of a sampler is a draw from the prior; its data are then redrawn.
fn prior_means(n_draws: usize) -> Means {
    let x = ndarray::Array2::zeros((N_ITEMS, N_DIMS));
    let draws: Vec<Vec<f64>> = (0..n_draws as u64)
        .map(|seed| {
            let config = config(Scheme::Collapsed, None);
            let mut sampler = Sampler::new(x.view(), config, None, 1_000_000 + seed).unwrap();
            sampler.redraw_items().unwrap();
            statistics(&sampler)
        })
        .collect();
    means(&draws)
}

fn chain_means(scheme: Scheme, path_move: Option<PathMove>, extra: &[Kernel], n_draws: usize) -> Means {
    let config = config(scheme, path_move);
    let start = simulate(config.clone(), N_ITEMS, N_DIMS, 7).unwrap();
    let mut sampler = Sampler::new(start.x.view(), config, None, 8).unwrap();
    sampler.redraw_items().unwrap();
    let draws: Vec<Vec<f64>> = (0..n_draws)
        .map(|_| {
            sampler.sweep();
            for &kernel in extra {
                sampler.apply(kernel).unwrap();
            }
            sampler.redraw_items().unwrap();
            statistics(&sampler)
        })
        .collect();
    means(&draws)
}

fn largest_z(a: &Means, b: &Means) -> f64 {
    (0..a.mean.len())
        .map(|s| {
            let z = (a.mean[s] - b.mean[s]) / (a.variance_of_mean[s] + b.variance_of_mean[s]).sqrt();
            println!("  {s:2}: {:9.5} {:9.5}  z {z:6.2}", a.mean[s], b.mean[s]);
            z.abs()
        })
        .fold(0.0, f64::max)
}

/// The two-sided normal quantile at `LEVEL` over `n` comparisons.
fn critical(n: usize) -> f64 {
    use statrs::distribution::{ContinuousCDF, Normal};
    Normal::new(0.0, 1.0).unwrap().inverse_cdf(1.0 - LEVEL / (2.0 * n as f64))
}

#[test]
fn the_exact_sweeps_keep_the_joint_distribution_and_the_published_one_does_not() {
    let n_draws = 200_000;
    let prior = prior_means(n_draws);
    let critical = critical(prior.mean.len());
    let chains = [
        ("Gibbs paths", PathMove::Gibbs, &[][..]),
        ("Metropolis–Hastings paths", PathMove::Mh, &[]),
        ("Gibbs paths and components alone", PathMove::Gibbs, &[Kernel::Components]),
        ("Gibbs paths and more splits and merges", PathMove::Gibbs, &[Kernel::SplitMergeComponents; 4]),
    ];
    for (name, path_move, extra) in chains {
        println!("{name}");
        let z = largest_z(&prior, &chain_means(Scheme::Collapsed, Some(path_move), extra, n_draws));
        assert!(z < critical, "{name}: z = {z:.2}, critical {critical:.2}");
    }
    println!("paper (control)");
    let z = largest_z(&prior, &chain_means(Scheme::Paper, None, &[], n_draws));
    assert!(z > critical, "the control passed: z = {z:.2}, critical {critical:.2}");
}

/// Every parameter learned, with priors that have moments, above floors: one variance of the noise and two of the base,
/// or vice versa.
fn learning(path_move: PathMove, diagonal_noise: bool) -> Config {
    let one = (Covariance::Scalar(0.0), InverseGamma { shape: 8.0, scale: vec![6.0], floor: vec![0.7] });
    let two = (
        Covariance::Diagonal(vec![]),
        InverseGamma { shape: 7.0, scale: vec![9.0, 6.0], floor: vec![0.9, 0.9] },
    );
    let (noise, base) = if diagonal_noise { (two, one) } else { (one, two) };
    Config {
        noise_cov: noise.0,
        base_cov: base.0,
        priors: Priors {
            alpha: Some(Gamma { shape: 3.0, rate: 3.0 }),
            gamma: Some(Gamma { shape: 4.0, rate: 3.0 }),
            gamma0: Some(Gamma { shape: 4.0, rate: 4.0 }),
            noise_cov: Some(noise.1),
            base_cov: Some(base.1),
        },
        ..config(Scheme::Collapsed, Some(path_move))
    }
}

/// A sampler whose parameters, state and items are drawn from the prior.
fn draw_joint(config: &Config, rng: &mut Rng, seed: u64) -> Sampler {
    let priors = &config.priors;
    let covariance =
        |rng: &mut Rng, prior: &Option<InverseGamma>, like| prior.as_ref().unwrap().draw(rng, like);
    let config = Config {
        alpha: priors.alpha.unwrap().draw(rng),
        gamma: priors.gamma.unwrap().draw(rng),
        gamma0: priors.gamma0.unwrap().draw(rng),
        noise_cov: covariance(rng, &priors.noise_cov, &config.noise_cov),
        base_cov: covariance(rng, &priors.base_cov, &config.base_cov),
        ..config.clone()
    };
    let x = ndarray::Array2::zeros((N_ITEMS, N_DIMS));
    let mut sampler = Sampler::new(x.view(), config, None, seed).unwrap();
    sampler.redraw_items().unwrap();
    sampler
}

/// Each learned parameter with its square and logarithm, products with numbers of nodes and components, and all
/// [`statistics`].
fn learned_statistics(sampler: &Sampler) -> Vec<f64> {
    let config = &sampler.model().config;
    let mut values = vec![config.alpha, config.gamma, config.gamma0];
    for covariance in [&config.noise_cov, &config.base_cov] {
        match covariance {
            Covariance::Scalar(variance) => values.push(*variance),
            Covariance::Diagonal(variances) => values.extend(variances),
            Covariance::Full(_) => unreachable!("a matrix is never learned"),
        }
    }
    let others = statistics(sampler);
    let mut out: Vec<f64> = values.iter().flat_map(|&value| [value, value * value, value.ln()]).collect();
    out.push(values[0] * others[0]);
    out.push(values[1] * others[N_LEVELS]);
    out.push(values[2] * others[N_LEVELS]);
    out.extend(others);
    out
}

fn learned_chain_means(config: &Config, kernels: &[Kernel], n_draws: usize) -> Means {
    let mut sampler = draw_joint(config, &mut stream(5, Stream::Simulation), 6);
    let draws: Vec<Vec<f64>> = (0..n_draws)
        .map(|_| {
            for &kernel in kernels {
                sampler.apply(kernel).unwrap();
            }
            sampler.redraw_items().unwrap();
            learned_statistics(&sampler)
        })
        .collect();
    means(&draws)
}

/// One control draws γ, γ_0 and the weights with counts in place of tables, the other draws the noise without its floor.
#[test]
fn learned_parameters_keep_the_joint_distribution_and_wrong_tables_or_floors_do_not() {
    let n_draws = 100_000;
    for (path_move, diagonal_noise) in [(PathMove::Gibbs, false), (PathMove::Mh, true)] {
        println!("{path_move:?} paths");
        let config = learning(path_move, diagonal_noise);
        let mut rng = stream(4, Stream::Simulation);
        let prior: Vec<Vec<f64>> = (0..n_draws as u64)
            .map(|seed| learned_statistics(&draw_joint(&config, &mut rng, 2_000_000 + seed)))
            .collect();
        let prior = means(&prior);
        let critical = critical(prior.mean.len());
        let mut kernels = Kernel::schedule(&config);
        assert!(kernels.contains(&Kernel::SplitMergeComponents));
        let z = largest_z(&prior, &learned_chain_means(&config, &kernels, n_draws));
        assert!(z < critical, "{path_move:?} paths: z = {z:.2}, critical {critical:.2}");
        println!("no floor of the noise (control)");
        let mut without = config.clone();
        without.priors.noise_cov.as_mut().unwrap().floor.clear();
        let z = largest_z(&prior, &learned_chain_means(&without, &kernels, n_draws / 4));
        assert!(z > critical, "the control passed: z = {z:.2}, critical {critical:.2}");
        let weights = kernels.iter().position(|&kernel| kernel == Kernel::WeightsTables).unwrap();
        kernels[weights] = Kernel::WeightsCounts;
        println!("counts in place of tables (control)");
        let z = largest_z(&prior, &learned_chain_means(&config, &kernels, n_draws / 4));
        assert!(z > critical, "the control passed: z = {z:.2}, critical {critical:.2}");
    }
}
