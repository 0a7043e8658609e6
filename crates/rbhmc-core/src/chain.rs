//! A chain: a model, the state that is sampled, one random stream, and the kernels' workspace.

use crate::kernels::{Info, Kernel, Work};
use crate::model::Model;
use crate::rng::Rng;
use crate::state::State;

#[derive(Debug, Clone)]
pub(crate) struct Chain {
    pub(crate) model: Model,
    pub(crate) state: State,
    pub(crate) rng: Rng,
    pub(crate) work: Work,
}

impl Chain {
    pub(crate) fn update(&mut self, kernel: Kernel) -> Info {
        kernel.apply(&mut self.model, &mut self.state, &mut self.work, &mut self.rng)
    }

    /// Σ_n h_n; 0 where C = 0.
    pub(crate) fn loss(&mut self) -> f64 {
        if !self.model.is_regularised() {
            return 0.0;
        }
        self.work.violations.refresh(&self.model, &self.state);
        self.work.violations.losses(&self.model).sum()
    }
}
