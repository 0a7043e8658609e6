//! A chain: a model, a state, one random stream, and the kernels of its scheme.

use ndarray::{Array2, ArrayView2};

use crate::checkpoint::{self, Payload};
use crate::config::Config;
use crate::draws::Draws;
use crate::error::{Error, Result};
use crate::initial;
use crate::kernels::{Info, Kernel, Violations, Work};
use crate::model::{Model, target};
use crate::rng::{self, Rng, Stream};
use crate::simulate;
use crate::snapshot::Snapshot;
use crate::state::State;

#[derive(Debug)]
pub struct Sampler {
    model: Model,
    state: State,
    rng: Rng,
    kernels: Vec<Kernel>,
    work: Work,
    n_sweeps: u64,
    /// What was proposed and accepted since the last draw.
    info: Info,
}

impl Sampler {
    /// A chain that starts from the prior, or from given paths: a row an item, a column a level, equal
    /// numbers in a column for items that share a node.
    pub fn new(
        x: ArrayView2<'_, f64>,
        config: Config,
        initial_paths: Option<ArrayView2<'_, i64>>,
        seed: u64,
    ) -> Result<Self> {
        let mut model = Model::new(x, config)?;
        let mut rng = rng::stream(seed, Stream::Chain);
        let mut work = Work::new(&model)?;
        let state = initial::state(&mut model, initial_paths, &mut work, &mut rng)?;
        Ok(Self::assemble(model, state, rng, work, 0))
    }

    fn assemble(model: Model, state: State, rng: Rng, work: Work, n_sweeps: u64) -> Self {
        Self { kernels: Kernel::of(&model.config), model, state, rng, work, n_sweeps, info: Info::default() }
    }

    pub fn sweep(&mut self) {
        for index in 0..self.kernels.len() {
            self.update(self.kernels[index]);
        }
        // A forged checkpoint may say that there were as many as can be counted.
        self.n_sweeps = self.n_sweeps.saturating_add(1);
    }

    /// Applies one kernel alone; those of the discriminants need C > 0, those of parameters learned ones.
    pub fn apply(&mut self, kernel: Kernel) -> Result<()> {
        if kernel.needs_margins() && !self.model.is_regularised() {
            return Err(Error::parameter("C", 0.0, "above 0 for a kernel of the margins"));
        }
        if let Some(name) = kernel.fixed(&self.model.config) {
            return Err(Error::parameter(name, "fixed", "\"learn\" for its kernel"));
        }
        self.update(kernel);
        Ok(())
    }

    fn update(&mut self, kernel: Kernel) {
        self.info += kernel.apply(&mut self.model, &mut self.state, &mut self.work, &mut self.rng);
    }

    pub fn model(&self) -> &Model {
        &self.model
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    pub fn n_sweeps(&self) -> u64 {
        self.n_sweeps
    }

    pub fn snapshot(&self) -> Snapshot {
        Snapshot::new(&self.model, &self.state)
    }

    pub fn cdll(&self) -> f64 {
        target::cdll(&self.model, &self.state)
    }

    /// CDLL − 2C Σ h_n
    pub fn rcdll(&self) -> f64 {
        self.regularised(self.cdll(), self.losses().iter().sum())
    }

    fn regularised(&self, cdll: f64, loss: f64) -> f64 {
        cdll - 2.0 * self.model.config.C * loss
    }

    /// h_n of every item; all 0 where C = 0.
    pub fn losses(&self) -> Vec<f64> {
        if !self.model.is_regularised() {
            return vec![0.0; self.model.n_items()];
        }
        let mut violations = Violations::default();
        violations.refresh(&self.model, &self.state);
        violations.losses(&self.model).collect()
    }

    /// Replaces the items by new ones drawn given the present state: the other half of a joint
    /// distribution test.
    pub fn redraw_items(&mut self) -> Result<()> {
        let mut x = Array2::zeros((self.model.n_items(), self.model.n_dims()));
        simulate::draw_items(&self.model, &self.state, &mut self.rng, &mut x);
        self.model = Model::new(x.view(), self.model.config.clone())?;
        Ok(())
    }

    /// Appends the present state to `draws`.
    pub fn record(&mut self, draws: &mut Draws) {
        let mut loss = 0.0;
        if self.model.is_regularised() {
            self.work.violations.refresh(&self.model, &self.state);
            loss = self.work.violations.losses(&self.model).sum();
        }
        let cdll = self.cdll();
        let info = std::mem::take(&mut self.info);
        draws.push(&self.model.config, &self.state, cdll, self.regularised(cdll, loss), loss, info);
    }

    /// Starts the count of acceptances anew, as every draw does.
    pub fn forget_acceptance(&mut self) {
        self.info = Info::default();
    }

    /// A checkpoint, after which the chain goes on to the bit.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        checkpoint::write(&Payload {
            config: self.model.config.clone(),
            n_dims: self.model.n_dims(),
            x: self.model.data.values().to_vec(),
            state: self.state.clone(),
            rng: self.rng.clone(),
            n_sweeps: self.n_sweeps,
        })
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let payload = checkpoint::read(bytes)?;
        let model = checkpoint::model(payload.x, payload.n_dims, payload.config)?;
        payload.state.check(&model).map_err(|problem| Error::BadCheckpoint {
            problem: format!("its state is inconsistent: {problem}"),
        })?;
        let work = Work::new(&model)?;
        Ok(Self::assemble(model, payload.state, payload.rng, work, payload.n_sweeps))
    }
}
