//! Parallel tempering: replicas of a chain with less regularisation, which exchange their states.
//!
//! The replica of strength C_i has the target p(V, c, β, θ | X) p(η) e^{−2 C_i H}, H = Σ_n h_n. Two neighbours
//! exchange their states with probability min(1, R), R = exp(2 (C_i − C_j)(H_i − H_j)), which leaves the product
//! of all targets invariant, and with it that of the first, which alone is recorded.

use crate::config::{Scheme, check_positive};
use crate::error::{Error, Result};
use crate::kernels::{Info, Kernel, Tally, Work};
use crate::model::Model;
use crate::rng::{self, Rng};
use crate::state::State;

/// All that a chain consists of, at one strength of the regularisation.
#[derive(Debug, Clone)]
pub(crate) struct Replica {
    pub(crate) model: Model,
    pub(crate) state: State,
    pub(crate) rng: Rng,
    pub(crate) work: Work,
}

impl Replica {
    pub(crate) fn update(&mut self, kernel: Kernel) -> Info {
        kernel.apply(&mut self.model, &mut self.state, &mut self.work, &mut self.rng)
    }

    /// H = Σ_n h_n
    pub(crate) fn loss(&mut self) -> f64 {
        if !self.model.is_regularised() {
            return 0.0;
        }
        self.work.violations.refresh(&self.model, &self.state);
        self.work.violations.losses(&self.model).sum()
    }

    /// A replica in the same state with another strength and a random stream of its own.
    pub(crate) fn heated(&self, strength: f64, rung: usize) -> Self {
        let mut replica = Self { rng: rng::replica(&self.rng, rung), ..self.clone() };
        replica.model.config.C = strength;
        replica
    }
}

/// Checks the strengths of the replicas below that of the chain itself.
pub(crate) fn check(model: &Model, strengths: &[f64]) -> Result<()> {
    if strengths.is_empty() {
        return Ok(());
    }
    if model.config.scheme != Scheme::Exact {
        return Err(Error::parameter(
            "tempering",
            format!("{strengths:?}"),
            "left out unless scheme=\"exact\": exchanges keep the regularised posterior, which no other scheme has",
        ));
    }
    let mut above = model.config.C;
    for &strength in strengths {
        check_positive("tempering", strength)?;
        if strength >= above {
            return Err(Error::parameter(
                "tempering",
                format!("{strengths:?}"),
                format!("strengths that fall from below C = {}, as [C/2, C/4, C/8]", model.config.C),
            ));
        }
        above = strength;
    }
    Ok(())
}

/// Checks that replicas from elsewhere are such as [`Replica::heated`] makes, but for what is learned.
pub(crate) fn check_replicas(replicas: &[Replica]) -> std::result::Result<(), String> {
    let Some((chain, others)) = replicas.split_first() else {
        return Err("it holds no chain".into());
    };
    let strengths: Vec<f64> = others.iter().map(|replica| replica.model.config.C).collect();
    check(&chain.model, &strengths).map_err(|error| error.to_string())?;
    let same = |replica: &Replica| {
        let (a, b) = (&chain.model.config, &replica.model.config);
        (a.n_levels, a.scheme, a.path_move, &a.learn) == (b.n_levels, b.scheme, b.path_move, &b.learn)
    };
    if !others.iter().all(same) {
        return Err("its replicas have other settings than its chain".into());
    }
    Ok(())
}

/// Neighbours, every other pair from `first` on, exchange their states or not; what was accepted is counted
/// for each pair. The replicas change places, and their strengths change back.
pub(crate) fn exchange(replicas: &mut [Replica], first: usize, tallies: &mut [Tally]) {
    for colder in (first..tallies.len()).step_by(2) {
        let [a, b] = &mut replicas[colder..colder + 2] else { unreachable!("two are asked for") };
        let ln_ratio = ln_ratio(a, b);
        let accepted = rng::uniform(&mut a.rng).ln() < ln_ratio;
        tallies[colder].count(accepted);
        if accepted {
            std::mem::swap(a, b);
            std::mem::swap(&mut a.model.config.C, &mut b.model.config.C);
        }
    }
}

/// ln R
fn ln_ratio(a: &mut Replica, b: &mut Replica) -> f64 {
    2.0 * (a.model.config.C - b.model.config.C) * (a.loss() - b.loss())
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array};

    use super::*;
    use crate::config::Config;
    use crate::kernels::conditionals::level_weights;
    use crate::model::target::ln_target;
    use crate::sampler::Sampler;

    const LADDER: [f64; 2] = [0.3, 0.05];

    fn x() -> Array2<f64> {
        array![[1.2, 0.4], [1.5, -0.3], [-1.1, 0.8], [-0.6, -1.3], [0.2, 0.9]]
    }

    fn config() -> Config {
        Config {
            C: 0.8,
            margin: 1.0,
            alpha: 1.5,
            gamma: 5.0,
            n_levels: 2,
            scheme: Scheme::Exact,
            ..Config::default()
        }
    }

    fn chain(seed: u64, strengths: &[f64]) -> Sampler {
        Sampler::new(x().view(), config(), None, seed).unwrap().tempered(strengths).unwrap()
    }

    #[test]
    fn the_ratio_of_an_exchange_is_that_of_the_targets() {
        let levelled = |seed: u64, strength: f64| {
            let mut replica = replica(seed).heated(strength, 1);
            level_weights(&mut replica.state);
            replica
        };
        for seed in 0..20 {
            let (mut a, mut b) = (levelled(seed, 0.8), levelled(seed + 100, 0.3));
            let slow = ln_target(&a.model, &b.state) + ln_target(&b.model, &a.state)
                - ln_target(&a.model, &a.state)
                - ln_target(&b.model, &b.state);
            let fast = ln_ratio(&mut a, &mut b);
            assert!((fast - slow).abs() < 1e-9 * (1.0 + slow.abs()), "{fast} {slow}");
        }
    }

    /// Mean loss at the first strength, and its standard error by batch means.
    fn mean_loss(mut step: impl FnMut() -> f64) -> (f64, f64) {
        const BATCHES: usize = 50;
        let batches: Vec<f64> = (0..BATCHES).map(|_| (0..300).map(|_| step()).sum::<f64>() / 300.0).collect();
        let mean = batches.iter().sum::<f64>() / BATCHES as f64;
        let square: f64 = batches.iter().map(|batch| (batch - mean).powi(2)).sum();
        (mean, (square / (BATCHES * (BATCHES - 1)) as f64).sqrt())
    }

    fn z((a, a_error): (f64, f64), (b, b_error): (f64, f64)) -> f64 {
        ((a - b) / a_error.hypot(b_error)).abs()
    }

    /// Level 0.001, two sides. A chain that takes every exchange is the control.
    #[test]
    fn exchanges_leave_the_first_target_invariant() {
        let critical = 3.29;
        let (mut plain, mut tempered) = (chain(3, &[]), chain(4, &LADDER));
        let want = mean_loss(|| {
            plain.sweep();
            plain.losses().iter().sum()
        });
        let got = mean_loss(|| {
            tempered.sweep();
            tempered.losses().iter().sum()
        });
        assert!(z(want, got) < critical, "{want:?} {got:?}");

        let cold = replica(5);
        let hot = cold.heated(LADDER[0], 1);
        let mut replicas = [cold, hot];
        let kernels = Kernel::of(&config());
        let always = mean_loss(|| {
            for replica in &mut replicas {
                for &kernel in &kernels {
                    replica.update(kernel);
                }
            }
            replicas.swap(0, 1);
            let [a, b] = &mut replicas[..2] else { unreachable!() };
            std::mem::swap(&mut a.model.config.C, &mut b.model.config.C);
            replicas[0].loss()
        });
        assert!(z(want, always) > 10.0 * critical, "{want:?} {always:?}");
    }

    fn replica(seed: u64) -> Replica {
        let start = chain(seed, &[]);
        Replica {
            model: start.model().clone(),
            state: start.state().clone(),
            rng: rng::stream(seed, rng::Stream::Chain),
            work: Work::new(start.model()).unwrap(),
        }
    }

    #[test]
    fn strengths_fall_and_belong_to_the_exact_scheme() {
        let start = || chain(0, &[]);
        for wrong in [&[0.9][..], &[0.8], &[0.3, 0.3], &[0.1, 0.3], &[0.0], &[-1.0], &[f64::NAN]] {
            let error = start().tempered(wrong).unwrap_err().to_string();
            assert!(error.starts_with("tempering is"), "{error}");
        }
        let collapsed = Config { scheme: Scheme::Collapsed, ..config() };
        let chain = Sampler::new(x().view(), collapsed, None, 0).unwrap();
        assert!(chain.tempered(&[0.3]).unwrap_err().to_string().contains("unless scheme=\"exact\""));
    }

    #[test]
    fn a_tempered_chain_goes_on_from_its_bytes() {
        let mut chain = chain(6, &LADDER);
        (0..20).for_each(|_| chain.sweep());
        let mut again = Sampler::from_bytes(&chain.to_bytes().unwrap()).unwrap();
        assert_eq!(again.tempering().collect::<Vec<_>>(), LADDER);
        (0..20).for_each(|_| {
            chain.sweep();
            again.sweep();
        });
        assert_eq!(chain.to_bytes().unwrap(), again.to_bytes().unwrap());
    }
}
