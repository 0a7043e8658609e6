//! A chain: a model, a state, one random stream, and the kernels of its scheme.

use ndarray::{Array2, ArrayView2, ArrayViewMut2};

use crate::checkpoint::{self, Payload};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::kernels::{Info, Kernel, Violations, Work, margins, means, weights};
use crate::model::{Model, target};
use crate::rng::{self, Rng, Stream};
use crate::simulate;
use crate::snapshot::{Labels, Snapshot};
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
        let model = Model::new(x, config)?;
        let mut rng = rng::stream(seed, Stream::Chain);
        let mut work = Work::new(&model)?;
        let mut state = match initial_paths {
            None => simulate::draw_state(&model, &mut work, &mut rng),
            Some(paths) => from_paths(&model, paths, &mut work, &mut rng)?,
        };
        if model.is_regularised() {
            work.violations.refresh(&model, &state);
            for n in 0..model.n_items() {
                state.lambda[n] = margins::draw_lambda(&model, &mut rng, work.violations.of(&model, n));
            }
        }
        Ok(Self::assemble(model, state, rng, work, 0, Info::default()))
    }

    fn assemble(model: Model, state: State, rng: Rng, work: Work, n_sweeps: u64, info: Info) -> Self {
        Self { kernels: Kernel::of(&model.config), model, state, rng, work, n_sweeps, info }
    }

    pub fn sweep(&mut self) {
        for index in 0..self.kernels.len() {
            self.update(self.kernels[index]);
        }
        self.n_sweeps += 1;
    }

    /// Applies one kernel alone; those of the discriminants need C > 0.
    pub fn apply(&mut self, kernel: Kernel) -> Result<()> {
        if kernel.needs_margins() && !self.model.is_regularised() {
            return Err(Error::parameter("C", 0.0, "above 0 for a kernel of the margins"));
        }
        self.update(kernel);
        Ok(())
    }

    fn update(&mut self, kernel: Kernel) {
        self.info += kernel.apply(&self.model, &mut self.state, &mut self.work, &mut self.rng);
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
        self.cdll() - 2.0 * self.model.config.C * self.losses().iter().sum::<f64>()
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
        let (n_items, n_levels) = (self.model.n_items(), self.model.n_levels());
        let first = draws.paths.len();
        draws.paths.resize(first + n_items * n_levels, 0);
        let first_component = draws.components.len();
        draws.components.resize(first_component + n_items, 0);
        if let Ok(paths) = ArrayViewMut2::from_shape((n_items, n_levels), &mut draws.paths[first..]) {
            draws.labels.write(&self.state, paths, &mut draws.components[first_component..]);
        }
        let mut loss = 0.0;
        if self.model.is_regularised() {
            self.work.violations.refresh(&self.model, &self.state);
            loss = self.work.violations.losses(&self.model).sum();
        }
        let cdll = self.cdll();
        draws.cdll.push(cdll);
        draws.rcdll.push(cdll - 2.0 * self.model.config.C * loss);
        draws.loss.push(loss);
        for level in 1..=n_levels {
            draws.n_nodes.push(self.state.tree.level_nodes(level).len() as i32);
        }
        draws.n_components.push(self.state.components.n_components() as i32);
        let info = std::mem::take(&mut self.info);
        draws.path_acceptance.push(info.path.rate());
        draws.eta_acceptance.push(info.eta.rate());
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
            info: self.info,
        })
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let payload = checkpoint::read(bytes)?;
        let model = checkpoint::model(payload.x, payload.n_dims, payload.config)?;
        payload.state.check(&model).map_err(|problem| Error::BadCheckpoint {
            problem: format!("its state is inconsistent: {problem}"),
        })?;
        let work = Work::new(&model)?;
        Ok(Self::assemble(model, payload.state, payload.rng, work, payload.n_sweeps, payload.info))
    }
}

/// The tree of the given paths; everything else drawn given it and the data.
fn from_paths(model: &Model, paths: ArrayView2<'_, i64>, work: &mut Work, rng: &mut Rng) -> Result<State> {
    let mut state = crate::state::initial::seat_paths(model, paths, rng)?;
    crate::kernels::components::seat_all(model, &mut state, work, rng);
    weights::weights_by_tables(model, &mut state, work, rng);
    means::means(model, &mut state, work, rng);
    Ok(state)
}

/// Recorded draws, one after the other.
#[derive(Debug, Clone, Default)]
pub struct Draws {
    /// (draw, item, level)
    pub paths: Vec<i32>,
    /// (draw, item)
    pub components: Vec<i32>,
    pub cdll: Vec<f64>,
    pub rcdll: Vec<f64>,
    pub loss: Vec<f64>,
    /// (draw, level)
    pub n_nodes: Vec<i32>,
    pub n_components: Vec<i32>,
    /// Shares accepted since the draw before; NaN where nothing was proposed.
    pub path_acceptance: Vec<f64>,
    pub eta_acceptance: Vec<f64>,
    labels: Labels,
}

impl Draws {
    /// Room for `n_draws` draws of a sampler, or an error where there is no such memory.
    pub fn with_capacity(sampler: &Sampler, n_draws: usize) -> Result<Self> {
        let n_items = sampler.model.n_items();
        let n_levels = sampler.model.n_levels();
        let mut draws = Self::default();
        let per_draw = 4 * (n_items * (n_levels + 1) + n_levels + 1) + 8 * 5;
        let reserve = || -> Option<()> {
            let cells = n_draws.checked_mul(n_items)?;
            draws.paths.try_reserve_exact(cells.checked_mul(n_levels)?).ok()?;
            draws.components.try_reserve_exact(cells).ok()?;
            draws.n_nodes.try_reserve_exact(n_draws.checked_mul(n_levels)?).ok()?;
            draws.n_components.try_reserve_exact(n_draws).ok()?;
            for column in [
                &mut draws.cdll,
                &mut draws.rcdll,
                &mut draws.loss,
                &mut draws.path_acceptance,
                &mut draws.eta_acceptance,
            ] {
                column.try_reserve_exact(n_draws).ok()?;
            }
            Some(())
        };
        let mut reserve = reserve;
        reserve()
            .ok_or(Error::OutOfMemory { what: "so many draws", bytes: n_draws as u128 * per_draw as u128 })?;
        Ok(draws)
    }

    pub fn len(&self) -> usize {
        self.cdll.len()
    }

    pub fn is_empty(&self) -> bool {
        self.cdll.is_empty()
    }
}
