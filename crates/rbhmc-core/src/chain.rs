//! One Markov chain: a model, the state that is sampled, a random stream, and the kernels' workspace.

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
}

impl Chain {
    /// A chain whose items have no path and no component yet.
    pub(crate) fn new(model: Model, rng: Rng) -> Result<Self> {
        let state = State::empty(&model)?;
        Ok(Self::at(model, state, rng))
    }

    /// A chain in a given state.
    pub(crate) fn at(model: Model, state: State, rng: Rng) -> Self {
        Self { model, state, rng, workspace: Workspace::default(), acceptance: Acceptance::default() }
    }
}

/// Proposals and acceptances of the Metropolis–Hastings steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Acceptance {
    pub path: Counter,
    pub eta: Counter,
    /// Splits and merges of components.
    pub split_merge: Counter,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counter {
    pub proposed: u64,
    pub accepted: u64,
}

impl Counter {
    pub(crate) fn count(&mut self, accepted: bool) {
        self.proposed += 1;
        self.accepted += u64::from(accepted);
    }

    /// The share of proposals that were accepted; NaN if there were none.
    pub fn rate(self) -> f64 {
        self.accepted as f64 / self.proposed as f64
    }
}
