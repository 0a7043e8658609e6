//! A chain: a model, a state, one random stream, and the kernels of its scheme; with replicas where it is tempered.

use ndarray::{Array2, ArrayView2};

use crate::checkpoint::{self, Kept, Payload};
use crate::config::Config;
use crate::draws::Draws;
use crate::error::{Error, Result};
use crate::initial;
use crate::kernels::{Info, Kernel, Tally, Violations, Work};
use crate::model::{Model, target};
use crate::rng::{self, Stream};
use crate::simulate;
use crate::snapshot::Snapshot;
use crate::state::State;
use crate::tempering::{self, Replica};

#[derive(Debug)]
pub struct Sampler {
    /// The chain itself, and those that it exchanges states with, C falling.
    replicas: Vec<Replica>,
    kernels: Vec<Kernel>,
    n_sweeps: u64,
    /// What was proposed and accepted since the last draw.
    info: Info,
    /// The same for the exchanges of each replica with the next.
    exchanges: Vec<Tally>,
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
        Ok(Self::assemble(vec![Replica { model, state, rng, work }], 0))
    }

    /// The chain with replicas of smaller strengths, which start where it is.
    pub fn tempered(mut self, strengths: &[f64]) -> Result<Self> {
        tempering::check(self.model(), strengths)?;
        let rungs = strengths.iter().zip(1..);
        let heated: Vec<Replica> =
            rungs.map(|(&strength, rung)| self.replicas[0].heated(strength, rung)).collect();
        self.replicas.truncate(1);
        self.replicas.extend(heated);
        Ok(Self::assemble(self.replicas, self.n_sweeps))
    }

    fn assemble(replicas: Vec<Replica>, n_sweeps: u64) -> Self {
        let exchanges = vec![Tally::default(); replicas.len() - 1];
        let kernels = Kernel::of(&replicas[0].model.config);
        Self { replicas, kernels, n_sweeps, info: Info::default(), exchanges }
    }

    pub fn sweep(&mut self) {
        for index in 0..self.kernels.len() {
            self.update(self.kernels[index]);
        }
        for replica in &mut self.replicas[1..] {
            for &kernel in &self.kernels {
                replica.update(kernel);
            }
        }
        // Even pairs and odd ones in turn, so that a state can travel all the way.
        tempering::exchange(&mut self.replicas, (self.n_sweeps % 2) as usize, &mut self.exchanges);
        // A forged checkpoint may say that there were as many as can be counted.
        self.n_sweeps = self.n_sweeps.saturating_add(1);
    }

    /// Applies one kernel alone; those of the discriminants need C > 0, those of parameters learned ones.
    pub fn apply(&mut self, kernel: Kernel) -> Result<()> {
        if kernel.needs_margins() && !self.model().is_regularised() {
            return Err(Error::parameter("C", 0.0, "above 0 for a kernel of the margins"));
        }
        if let Some(name) = kernel.fixed(&self.model().config) {
            return Err(Error::parameter(name, "fixed", "\"learn\" for its kernel"));
        }
        self.update(kernel);
        Ok(())
    }

    fn update(&mut self, kernel: Kernel) {
        self.info += self.replicas[0].update(kernel);
    }

    pub fn model(&self) -> &Model {
        &self.replicas[0].model
    }

    pub fn state(&self) -> &State {
        &self.replicas[0].state
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
        target::regularised(&self.model().config, self.cdll(), self.losses().iter().sum())
    }

    /// h_n of every item; all 0 where C = 0.
    pub fn losses(&self) -> Vec<f64> {
        if !self.model().is_regularised() {
            return vec![0.0; self.model().n_items()];
        }
        let mut violations = Violations::default();
        violations.refresh(self.model(), self.state());
        violations.losses(self.model()).collect()
    }

    /// The strengths of the replicas, C falling; none where the chain is not tempered.
    pub fn tempering(&self) -> impl Iterator<Item = f64> + '_ {
        self.replicas[1..].iter().map(|replica| replica.model.config.C)
    }

    /// Replaces the items by new ones drawn given the present state: the other half of a joint
    /// distribution test. Replicas are left behind, since the items are no longer theirs.
    pub fn redraw_items(&mut self) -> Result<()> {
        self.replicas.truncate(1);
        self.exchanges.clear();
        let Replica { model, state, rng, .. } = &mut self.replicas[0];
        let mut x = Array2::zeros((model.n_items(), model.n_dims()));
        simulate::draw_items(model, state, rng, &mut x);
        *model = Model::new(x.view(), model.config.clone())?;
        Ok(())
    }

    /// Appends the present state to `draws`.
    pub fn record(&mut self, draws: &mut Draws) {
        let loss = self.replicas[0].loss();
        let cdll = self.cdll();
        let Replica { model, state, .. } = &self.replicas[0];
        draws.push(&model.config, state, cdll, loss, self.info, &self.exchanges);
        self.forget_acceptance();
    }

    /// Starts the count of acceptances anew, as every draw does.
    pub fn forget_acceptance(&mut self) {
        self.info = Info::default();
        self.exchanges.fill(Tally::default());
    }

    /// A checkpoint, after which the chain goes on to the bit.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let kept = |replica: &Replica| Kept {
            config: replica.model.config.clone(),
            state: replica.state.clone(),
            rng: replica.rng.clone(),
        };
        checkpoint::write(&Payload {
            n_dims: self.model().n_dims(),
            x: self.model().data.values().to_vec(),
            replicas: self.replicas.iter().map(kept).collect(),
            n_sweeps: self.n_sweeps,
        })
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let Payload { n_dims, x, replicas, n_sweeps } = checkpoint::read(bytes)?;
        let replicas = replicas.into_iter().map(|kept| checkpoint::replica(&x, n_dims, kept));
        let replicas: Vec<Replica> = replicas.collect::<Result<_>>()?;
        tempering::check_replicas(&replicas).map_err(checkpoint::bad)?;
        Ok(Self::assemble(replicas, n_sweeps))
    }
}
