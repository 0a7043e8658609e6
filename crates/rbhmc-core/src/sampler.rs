//! The sampler: one chain and the kernels of its scheme.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ndarray::{Array2, ArrayView2};

use crate::chain::{Acceptance, Chain};
use crate::checkpoint::{self, SavedChain};
use crate::config::Config;
use crate::draws::Draws;
use crate::error::{Error, Result};
use crate::init;
use crate::kernels::Kernel;
use crate::kernels::margins::violations::Violations;
use crate::model::{Model, target};
use crate::numerics::PARALLEL_FROM_ITEMS;
use crate::rng::{self, Stream};
use crate::simulate;
use crate::snapshot::Snapshot;
use crate::state::State;

#[derive(Debug)]
pub struct Sampler {
    chain: Chain,
    kernels: Vec<Kernel>,
    n_sweeps: u64,
}

impl Sampler {
    /// Starts a chain from the prior, or from given paths: one row per item and one column per level; items
    /// that share a node have equal numbers in its column.
    pub fn new(
        x: ArrayView2<'_, f64>,
        config: Config,
        initial_paths: Option<ArrayView2<'_, i64>>,
        seed: u64,
    ) -> Result<Self> {
        Self::start(x, config, initial_paths, None, seed)
    }

    /// Starts a chain from given paths and components, one number per item: only β, θ and η are drawn.
    pub fn from_assignments(
        x: ArrayView2<'_, f64>,
        config: Config,
        paths: ArrayView2<'_, i64>,
        components: &[i64],
        seed: u64,
    ) -> Result<Self> {
        Self::start(x, config, Some(paths), Some(components), seed)
    }

    fn start(
        x: ArrayView2<'_, f64>,
        config: Config,
        paths: Option<ArrayView2<'_, i64>>,
        components: Option<&[i64]>,
        seed: u64,
    ) -> Result<Self> {
        let mut chain = Chain::new(Model::new(x, config)?, rng::stream(seed, Stream::Chain))?;
        chain.workspace.reserve(&chain.model)?;
        init::draw_state(&mut chain, paths, components)?;
        Ok(Self::assemble(chain, 0))
    }

    /// Checks everything that [`Self::new`] checks, without starting a chain.
    pub fn check(
        x: ArrayView2<'_, f64>,
        config: &Config,
        initial_paths: Option<ArrayView2<'_, i64>>,
    ) -> Result<()> {
        Model::check(x, config)?;
        if let Some(paths) = initial_paths {
            init::check_paths(paths, x.nrows(), config.n_levels)?;
        }
        Ok(())
    }

    fn assemble(chain: Chain, n_sweeps: u64) -> Self {
        let kernels = Kernel::schedule(&chain.model.config);
        Self { chain, kernels, n_sweeps }
    }

    /// Applies every kernel of the scheme once.
    pub fn sweep(&mut self) {
        let holds_noise = self.n_sweeps < self.chain.model.config.noise_warmup;
        for &kernel in &self.kernels {
            if self.chain.is_stopped() {
                return;
            }
            if !(holds_noise && kernel == Kernel::NoiseCov) {
                kernel.apply(&mut self.chain);
            }
        }
        // A forged checkpoint may hold the largest number of sweeps.
        self.n_sweeps = self.n_sweeps.saturating_add(1);
    }

    /// Whether another thread wants sweeps and kernels to end early.
    pub fn stop(&self) -> Arc<AtomicBool> {
        self.chain.stop.clone()
    }

    /// Calls `update` with the sampler. If it is stopped, the chain goes back to where it was, and the result is none.
    pub fn unless_stopped<T>(&mut self, update: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let (before, n_sweeps) = (self.chain.copy_changing(), self.n_sweeps);
        let result = update(self);
        if self.chain.is_stopped() {
            self.chain.take_back(before);
            self.n_sweeps = n_sweeps;
            return None;
        }
        Some(result)
    }

    /// [`Self::sweep`] on all cores, for a chain that runs alone. A sweep of few items uses this thread only: the change to
    /// the threads of the pool would take a good part of its time.
    pub fn sweep_in_parallel(&mut self) {
        if self.model().n_items() < PARALLEL_FROM_ITEMS {
            self.sweep();
        } else {
            rayon::scope(|_| self.sweep());
        }
    }

    /// Applies one kernel alone. Kernels of the margins need C > 0, kernels of a parameter need it learned.
    pub fn apply(&mut self, kernel: Kernel) -> Result<()> {
        if kernel.needs_margins() && !self.model().is_regularised() {
            return Err(Error::parameter("C", 0.0, "above 0 to apply a kernel of the margins"));
        }
        if let Some(name) = kernel.fixed_parameter(&self.model().config) {
            return Err(Error::parameter(name, "fixed", "\"learn\" to apply its kernel"));
        }
        kernel.apply(&mut self.chain);
        Ok(())
    }

    pub fn model(&self) -> &Model {
        &self.chain.model
    }

    pub fn state(&self) -> &State {
        &self.chain.state
    }

    pub fn n_sweeps(&self) -> u64 {
        self.n_sweeps
    }

    pub fn snapshot(&self) -> Snapshot {
        Snapshot::new(self.model(), self.state())
    }

    pub fn cdll(&self) -> f64 {
        target::cdll(self.model(), self.state())
    }

    pub fn rcdll(&self) -> f64 {
        target::rcdll(&self.model().config, self.cdll(), self.losses().iter().sum())
    }

    /// h_n of every item; all 0 if C = 0.
    pub fn losses(&self) -> Vec<f64> {
        if !self.model().is_regularised() {
            return vec![0.0; self.model().n_items()];
        }
        let mut violations = Violations::default();
        violations.refresh(self.model(), self.state());
        violations.losses(self.model()).collect()
    }

    /// Replaces the items by new ones drawn given the present state: the other half of a joint distribution test.
    pub fn redraw_items(&mut self) -> Result<()> {
        let mut x = Array2::zeros((self.model().n_items(), self.model().n_dims()));
        simulate::draw_items(&mut self.chain, &mut x);
        self.chain.model = Model::new(x.view(), self.model().config.clone())?;
        Ok(())
    }

    /// Appends the present state to `draws`, and restarts the counts of acceptances.
    pub fn record(&mut self, draws: &mut Draws) {
        let cdll = self.cdll();
        let Chain { model, state, workspace, acceptance, .. } = &mut self.chain;
        let loss = if model.is_regularised() {
            workspace.violations.refresh(model, state);
            workspace.violations.losses(model).sum()
        } else {
            0.0
        };
        draws.push(&model.config, state, cdll, loss, *acceptance);
        self.reset_acceptance();
    }

    pub fn reset_acceptance(&mut self) {
        self.chain.acceptance = Acceptance::default();
    }

    /// Saves the chain; a chain restored from these bytes continues to the bit.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let Chain { model, state, rng, acceptance, .. } = &self.chain;
        checkpoint::write(&SavedChain {
            n_dims: model.n_dims(),
            x: model.data.values(),
            config: model.config.clone(),
            state: state.clone(),
            rng: rng.clone(),
            acceptance: *acceptance,
            n_sweeps: self.n_sweeps,
        })
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let saved = checkpoint::read(bytes)?;
        let n_sweeps = saved.n_sweeps;
        Ok(Self::assemble(checkpoint::restore(saved)?, n_sweeps))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::config::{PathMove, Scheme};

    #[test]
    fn a_sweep_that_is_stopped_is_taken_back() {
        let x = simulate::simulate(Config { alpha: 2.0, ..Config::default() }, 30, 3, 1).unwrap().x;
        for (scheme, path_move) in [
            (Scheme::Collapsed, PathMove::Gibbs),
            (Scheme::Exact, PathMove::Mh),
            (Scheme::Paper, PathMove::Mh),
        ] {
            let mut config = Config { scheme, path_move: Some(path_move), ..Config::default() };
            if scheme != Scheme::Paper {
                config.set_noise_prior(x.view(), "learn-diagonal").unwrap();
            }
            let mut sampler = Sampler::new(x.view(), config, None, 2).unwrap();
            sampler.sweep();
            let before = sampler.to_bytes().unwrap();
            // Stopped before the first kernel, and after all of them.
            sampler.stop().store(true, Ordering::Relaxed);
            assert_eq!(sampler.unless_stopped(Sampler::sweep), None);
            assert_eq!(sampler.to_bytes().unwrap(), before);
            sampler.stop().store(false, Ordering::Relaxed);
            let stopped = sampler.unless_stopped(|sampler| {
                sampler.sweep();
                sampler.stop().store(true, Ordering::Relaxed);
            });
            assert_eq!(stopped, None);
            assert_eq!(sampler.to_bytes().unwrap(), before);
            sampler.stop().store(false, Ordering::Relaxed);
            assert_eq!(sampler.unless_stopped(Sampler::sweep), Some(()));
            assert_eq!(sampler.n_sweeps(), 2);
            sampler.state().check(sampler.model()).unwrap();
        }
    }
}
