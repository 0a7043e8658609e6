//! The conditionals of learned parameters against the slow log of (Q) with its priors.

use statrs::function::gamma::ln_gamma;

use super::fixtures::{chain_of, close, config};
use crate::chain::Chain;
use crate::config::{Config, Covariance, Gamma, InverseGamma, Priors, Scheme};
use crate::distributions::crt;
use crate::kernels::hyperparameters::{Restaurants, base_posterior, noise_posterior};
use crate::kernels::weights::{add_counts, count_tables, fill_prior_shapes};
use crate::model::Model;
use crate::model::target::ln_target;
use crate::rng::{Stream, stream};
use crate::state::State;

const PRIOR: Gamma = Gamma { shape: 2.5, rate: 1.7 };

/// A chain that learns every parameter: one variance of the noise and two of the base, or vice versa.
fn chain(seed: u64) -> Chain {
    let one = (Covariance::Scalar(0.9), InverseGamma { shape: 3.0, scale: vec![2.0], floor: vec![0.8] });
    let two = (
        Covariance::Diagonal(vec![2.0, 3.0]),
        InverseGamma { shape: 4.0, scale: vec![5.0, 7.0], floor: vec![1.0, 0.5] },
    );
    let (noise, base) = if seed.is_multiple_of(2) { (one, two) } else { (two, one) };
    let priors = Priors {
        alpha: Some(PRIOR),
        gamma: Some(PRIOR),
        gamma0: Some(PRIOR),
        noise_cov: Some(noise.1),
        base_cov: Some(base.1),
    };
    chain_of(Config { noise_cov: noise.0, base_cov: base.0, priors, ..config(Scheme::Exact) }, seed)
}

/// The log density that restaurants give their concentration.
fn ln_density(restaurants: &Restaurants, value: f64) -> f64 {
    let of = |&n: &u32| ln_gamma(value) - ln_gamma(value + f64::from(n));
    PRIOR.ln_density(value)
        + f64::from(restaurants.n_tables) * value.ln()
        + restaurants.n_customers.iter().map(of).sum::<f64>()
}

#[test]
fn alpha_has_the_target_s_density() {
    for seed in 0..10 {
        let Chain { mut model, state, .. } = chain(seed);
        let restaurants = Restaurants::of_tree(&state);
        let mut both = |alpha: f64| {
            model.config.alpha = alpha;
            ln_target(&model, &state) - ln_density(&restaurants, alpha)
        };
        assert!(close(both(0.3), both(4.0)), "seed {seed}");
    }
}

/// ln p(T | n, a) up to terms without a: T ln a + ln Γ(a) − ln Γ(a + n).
fn ln_crt(tables: u32, n: u32, concentration: f64) -> f64 {
    f64::from(tables) * concentration.ln() + ln_gamma(concentration) - ln_gamma(concentration + f64::from(n))
}

/// ln of the Dirichlet densities from which the weights are drawn given the counts.
fn ln_weights_density(model: &Model, state: &State, counts: &[u32]) -> f64 {
    let mut shapes = Vec::new();
    let n_slots = state.components.n_slots();
    state
        .tree
        .iter()
        .map(|node| {
            fill_prior_shapes(model, state, node, &mut shapes);
            add_counts(&mut shapes, &counts[node.index() * state.weights.stride()..]);
            let term = |shape: f64, weight: f64| (shape - 1.0) * weight.ln() - ln_gamma(shape);
            let open = state.components.iter();
            let rest = term(shapes[n_slots], state.weights.rest(node));
            ln_gamma(shapes.iter().sum())
                + rest
                + open.map(|k| term(shapes[k.index()], state.weights.get(node, k))).sum::<f64>()
        })
        .sum()
}

/// q(β, T, γ, γ_0) = q(γ, γ_0, T) · q(β | T, γ, γ_0): the first factor is the restaurants'.
#[test]
fn gamma_and_gamma0_have_the_target_s_density_with_weights_integrated_out() {
    for seed in 0..10 {
        let Chain { mut model, state, mut workspace, mut rng, .. } = chain(seed);
        let mut handed = Vec::new();
        count_tables(&state, &mut workspace.counts, |n, weight| {
            let tables = crt(&mut rng, n, 2.0 * weight);
            handed.push((tables, n, weight));
            tables
        });
        let (below, root) = Restaurants::of_weights(&state, &workspace.counts);
        let mut both = |gamma: f64, gamma0: f64| {
            (model.config.gamma, model.config.gamma0) = (gamma, gamma0);
            let of_tables: f64 = handed.iter().map(|&(t, n, weight)| ln_crt(t, n, gamma * weight)).sum();
            ln_target(&model, &state) + of_tables
                - ln_weights_density(&model, &state, &workspace.counts)
                - ln_density(&below, gamma)
                - ln_density(&root, gamma0)
        };
        let here = both(1.0, 1.0);
        assert!(close(both(0.4, 1.0), here), "seed {seed}, gamma");
        assert!(close(both(1.0, 3.0), here), "seed {seed}, gamma0");
        // The same with one table too many is another density.
        let wrong = Restaurants { n_tables: below.n_tables + 1, ..below.clone() };
        assert!(!close(
            ln_density(&wrong, 0.4) - ln_density(&wrong, 1.0),
            ln_density(&below, 0.4) - ln_density(&below, 1.0)
        ));
    }
}

/// 40,000 draws against quadrature: the mean of ln a within 4.5 standard errors (level 10⁻⁵), by batches.
/// The control has one table too many.
#[test]
fn redrawn_concentrations_keep_their_density() {
    let restaurants = Restaurants { n_customers: vec![9, 5, 1, 4], n_tables: 6 };
    let grid: Vec<f64> = (0..4000).map(|i| -10.0 + 0.004 * f64::from(i)).collect();
    let mean = |restaurants: &Restaurants| -> f64 {
        let weights: Vec<f64> =
            grid.iter().map(|ln| (ln_density(restaurants, ln.exp()) + ln).exp()).collect();
        grid.iter().zip(&weights).map(|(ln, weight)| ln * weight).sum::<f64>() / weights.iter().sum::<f64>()
    };
    let mut rng = stream(3, Stream::Chain);
    let mut value = 1.0;
    let batches: Vec<f64> = (0..100)
        .map(|_| {
            (0..400)
                .map(|_| {
                    value = restaurants.redraw(&mut rng, PRIOR, value);
                    value.ln()
                })
                .sum::<f64>()
                / 400.0
        })
        .collect();
    let got = batches.iter().sum::<f64>() / 100.0;
    let error = (batches.iter().map(|batch| (batch - got).powi(2)).sum::<f64>() / (99.0 * 100.0)).sqrt();
    assert!((got - mean(&restaurants)).abs() < 4.5 * error, "{got} against {}", mean(&restaurants));
    let wrong = Restaurants { n_tables: 7, ..restaurants };
    assert!((got - mean(&wrong)).abs() > 4.5 * error, "the control passed");
}

#[test]
fn covariances_have_the_target_s_density() {
    for seed in 0..10 {
        let Chain { mut model, mut state, mut workspace, mut rng, .. } = chain(seed);
        let noise = noise_posterior(&model, &state, &mut workspace.sums).unwrap();
        let base = base_posterior(&model, &state, &mut workspace.sums).unwrap();
        let both = |model: &Model, state: &State| {
            ln_target(model, state)
                - noise.ln_density(&model.config.noise_cov)
                - base.ln_density(&model.config.base_cov)
        };
        let here = both(&model, &state);
        let moved = noise.draw(&mut rng, &model.config.noise_cov);
        model.set_noise_cov(&mut state, moved).unwrap();
        assert!(close(both(&model, &state), here), "seed {seed}, noise");
        let moved = base.draw(&mut rng, &model.config.base_cov);
        model.set_base_cov(&mut state, moved).unwrap();
        assert!(close(both(&model, &state), here), "seed {seed}, base");
    }
}

/// (Q) is 0 below the floor, and the draws have its density above: the probability integral transform of 20,000 draws of one
/// noise variance, by quadrature of the slow target, has mean 1/2 and mean square 1/3 within 4 standard errors. The control
/// transforms by the target without its floor.
#[test]
fn draws_of_a_truncated_noise_have_the_target_s_density() {
    const N_DRAWS: usize = 20_000;
    let Chain { mut model, mut state, mut workspace, mut rng, .. } = chain(4);
    let posterior = noise_posterior(&model, &state, &mut workspace.sums).unwrap();
    // A floor in the middle of the conditional, so that it matters.
    let floor = posterior.scale[0] / posterior.shape;
    model.config.priors.noise_cov.as_mut().unwrap().floor = vec![floor];
    let posterior = noise_posterior(&model, &state, &mut workspace.sums).unwrap();
    model.set_noise_cov(&mut state, Covariance::Scalar(0.99 * floor)).unwrap();
    assert_eq!(ln_target(&model, &state), f64::NEG_INFINITY);
    let draws: Vec<f64> = (0..N_DRAWS)
        .map(|_| match posterior.draw(&mut rng, &model.config.noise_cov) {
            Covariance::Scalar(variance) => variance,
            other => panic!("{other:?} is not a scalar"),
        })
        .collect();
    assert!(draws.iter().all(|&variance| variance >= floor));
    model.set_noise_cov(&mut state, Covariance::Scalar(floor)).unwrap();
    let at_floor = ln_target(&model, &state);
    for has_floor in [true, false] {
        if !has_floor {
            model.config.priors.noise_cov.as_mut().unwrap().floor.clear();
        }
        // The trapezoidal rule in ln v.
        let grid: Vec<f64> = (0..=6_000).map(|i| floor * (0.001 * f64::from(i - 1_500)).exp()).collect();
        let mut distribution = vec![0.0];
        let mut before = 0.0;
        for &variance in &grid {
            model.set_noise_cov(&mut state, Covariance::Scalar(variance)).unwrap();
            let density = (ln_target(&model, &state) - at_floor + variance.ln()).exp();
            distribution.push(distribution.last().unwrap() + 0.5 * (before + density));
            before = density;
        }
        let total = *distribution.last().unwrap();
        let transform = |variance: &f64| {
            let index = grid.partition_point(|point| point <= variance);
            distribution[index] / total
        };
        let transformed: Vec<f64> = draws.iter().map(transform).collect();
        let mean = |power: i32| transformed.iter().map(|u| u.powi(power)).sum::<f64>() / N_DRAWS as f64;
        // The variances of U and U² are 1/12 and 4/45.
        let z = [(mean(1) - 0.5) / (1.0f64 / 12.0).sqrt(), (mean(2) - 1.0 / 3.0) / (4.0f64 / 45.0).sqrt()]
            .map(|gap| gap.abs() * (N_DRAWS as f64).sqrt());
        assert_eq!(z[0] < 4.0 && z[1] < 4.0, has_floor, "{z:?}");
    }
}

#[test]
fn new_covariances_leave_means_in_place() {
    for seed in 0..4 {
        let Chain { mut model, mut state, mut rng, .. } = chain(seed);
        let means = crate::Snapshot::new(&model, &state).means;
        let prior = model.config.priors.noise_cov.clone().unwrap();
        let covariance = prior.draw(&mut rng, &model.config.noise_cov);
        model.set_noise_cov(&mut state, covariance).unwrap();
        let moved = crate::Snapshot::new(&model, &state).means;
        assert!(means.iter().zip(&moved).all(|(a, b)| close(*a, *b)));
        // All that is whitened is as in a model made with this covariance.
        let values = model.data.values();
        let x = ndarray::ArrayView2::from_shape((model.n_items(), 2), &values).unwrap();
        let fresh = Model::new(x, model.config.clone()).unwrap();
        assert_eq!(fresh.data.ln_new_density, model.data.ln_new_density);
        assert!((0..model.n_items()).all(|n| fresh.data.white(n) == model.data.white(n)));
        // One that no model can have changes nothing.
        let before = (model.config.clone(), state.clone());
        assert!(model.set_noise_cov(&mut state, Covariance::Scalar(f64::NAN)).is_err());
        assert_eq!((model.config.clone(), state.clone()), before);
    }
}
