//! One Markov chain: a model, the state that is sampled, a random stream, and the kernels' workspace.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::error::Result;
use crate::kernels::Workspace;
use crate::model::Model;
use crate::rng::Rng;
use crate::state::State;

#[derive(Debug, Clone)]
pub(crate) struct Chain {
    /// Data and settings; of these only learned parameters change.
    pub(crate) model: Model,
    pub(crate) state: State,
    pub(crate) rng: Rng,
    pub(crate) workspace: Workspace,
    /// Proposals and acceptances since the last draw.
    pub(crate) acceptance: Acceptance,
    /// Set by another thread to end a long kernel early; the chain must then go back to where it was.
    pub(crate) stop: Arc<AtomicBool>,
}

/// What kernels change.
pub(crate) struct Changing {
    config: Config,
    state: State,
    rng: Rng,
    acceptance: Acceptance,
}

impl Chain {
    /// A chain whose items have no path and no component yet.
    pub(crate) fn new(model: Model, rng: Rng) -> Result<Self> {
        let state = State::empty(&model)?;
        Ok(Self::at(model, state, rng))
    }

    /// A chain in a given state.
    pub(crate) fn at(model: Model, state: State, rng: Rng) -> Self {
        let (workspace, acceptance) = (Workspace::default(), Acceptance::default());
        Self { model, state, rng, workspace, acceptance, stop: Arc::default() }
    }

    /// Whether a kernel should end early. Kernels ask between two items or nodes.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Copies what kernels change.
    pub(crate) fn copy_changing(&self) -> Changing {
        Changing {
            config: self.model.config.clone(),
            state: self.state.clone(),
            rng: self.rng.clone(),
            acceptance: self.acceptance,
        }
    }

    /// Takes back all changes since the copy.
    pub(crate) fn take_back(&mut self, before: Changing) {
        let Changing { config, state, rng, acceptance } = before;
        let values = self.model.data.values();
        let x = ArrayView2::from_shape((self.model.n_items(), self.model.n_dims()), &values);
        let model = Model::new(x.expect("a rectangular table"), config).expect("a valid model");
        *self = Self { acceptance, stop: self.stop.clone(), ..Self::at(model, state, rng) };
    }
}

/// Proposals and acceptances of the Metropolis–Hastings steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acceptance {
    pub path: Counter,
    pub eta: Counter,
    /// Splits and merges of components.
    pub split_merge: Counter,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counter {
    pub proposed: u64,
    pub accepted: u64,
}

impl Counter {
    pub(crate) fn count(&mut self, accepted: bool) {
        self.add(1, u64::from(accepted));
    }

    /// Adds proposals and acceptances; a forged checkpoint may hold the largest numbers.
    pub(crate) fn add(&mut self, proposed: u64, accepted: u64) {
        self.proposed = self.proposed.saturating_add(proposed);
        self.accepted = self.accepted.saturating_add(accepted);
    }

    pub(crate) fn is_valid(self) -> bool {
        self.accepted <= self.proposed
    }

    /// The share of proposals that were accepted; NaN if there were none.
    pub fn rate(self) -> f64 {
        self.accepted as f64 / self.proposed as f64
    }
}
