//! Recorded draws, column by column.

use crate::chain::Acceptance;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::model::target;
use crate::sampler::Sampler;
use crate::snapshot::Labels;
use crate::state::State;

/// The columns of all draws; the comments give their axes.
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
    /// Shares of proposals accepted since the previous draw; NaN if there were none.
    pub path_acceptance: Vec<f64>,
    pub eta_acceptance: Vec<f64>,
    pub split_merge_acceptance: Vec<f64>,
    /// The learned parameters.
    pub learned: Vec<Trace>,
    labels: Labels,
}

/// The values of a learned parameter.
#[derive(Debug, Clone)]
pub struct Trace {
    pub name: &'static str,
    /// The length of a vector; none for a number.
    pub length: Option<usize>,
    pub values: Vec<f64>,
}

impl Draws {
    /// Reserves memory for `n_draws` draws of a sampler; an error if there is not enough.
    pub fn with_capacity(sampler: &Sampler, n_draws: usize) -> Result<Self> {
        let (n_items, n_levels) = (sampler.model().n_items(), sampler.model().n_levels());
        let learned = sampler.model().config.learned().map(|learned| Trace {
            name: learned.name,
            length: learned.is_vector.then_some(learned.values.len()),
            values: Vec::new(),
        });
        let mut draws = Self { learned: learned.collect(), ..Self::default() };
        draws.reserve(n_draws, n_items, n_levels).ok_or_else(|| {
            let n_learned: usize = draws.learned.iter().map(|trace| trace.length.unwrap_or(1)).sum();
            let per_draw = 4 * (n_items * (n_levels + 1) + n_levels + 1) + 8 * (6 + n_learned);
            Error::OutOfMemory { what: "the draws", bytes: n_draws as u128 * per_draw as u128 }
        })?;
        Ok(draws)
    }

    fn reserve(&mut self, n_draws: usize, n_items: usize, n_levels: usize) -> Option<()> {
        let cells = n_draws.checked_mul(n_items)?;
        self.paths.try_reserve_exact(cells.checked_mul(n_levels)?).ok()?;
        self.components.try_reserve_exact(cells).ok()?;
        self.n_nodes.try_reserve_exact(n_draws.checked_mul(n_levels)?).ok()?;
        self.n_components.try_reserve_exact(n_draws).ok()?;
        for column in self.numbers() {
            column.try_reserve_exact(n_draws).ok()?;
        }
        for trace in &mut self.learned {
            trace.values.try_reserve_exact(n_draws.checked_mul(trace.length.unwrap_or(1))?).ok()?;
        }
        Some(())
    }

    /// The columns with one number per draw.
    fn numbers(&mut self) -> [&mut Vec<f64>; 6] {
        [
            &mut self.cdll,
            &mut self.rcdll,
            &mut self.loss,
            &mut self.path_acceptance,
            &mut self.eta_acceptance,
            &mut self.split_merge_acceptance,
        ]
    }

    /// Frees the memory of draws that were not made.
    pub fn shrink_to_fit(&mut self) {
        self.paths.shrink_to_fit();
        self.components.shrink_to_fit();
        self.n_nodes.shrink_to_fit();
        self.n_components.shrink_to_fit();
        for column in self.numbers() {
            column.shrink_to_fit();
        }
        self.learned.iter_mut().for_each(|trace| trace.values.shrink_to_fit());
    }

    pub(crate) fn push(
        &mut self,
        config: &Config,
        state: &State,
        cdll: f64,
        loss: f64,
        acceptance: Acceptance,
    ) {
        let n_levels = state.tree.n_levels();
        let (first_path, first_component) = (self.paths.len(), self.components.len());
        self.paths.resize(first_path + state.n_items() * n_levels, 0);
        self.components.resize(first_component + state.n_items(), 0);
        self.labels.write(state, &mut self.paths[first_path..], &mut self.components[first_component..]);
        self.cdll.push(cdll);
        self.rcdll.push(target::rcdll(config, cdll, loss));
        self.loss.push(loss);
        self.n_nodes.extend((1..=n_levels).map(|level| state.tree.level_nodes(level).len() as i32));
        self.n_components.push(state.components.n_components() as i32);
        self.path_acceptance.push(acceptance.path.rate());
        self.eta_acceptance.push(acceptance.eta.rate());
        self.split_merge_acceptance.push(acceptance.split_merge.rate());
        for (trace, learned) in self.learned.iter_mut().zip(config.learned()) {
            trace.values.extend_from_slice(learned.values);
        }
    }

    pub fn len(&self) -> usize {
        self.cdll.len()
    }

    pub fn is_empty(&self) -> bool {
        self.cdll.is_empty()
    }
}
