//! Recorded draws, one after the other.

use crate::error::{Error, Result};
use crate::kernels::Info;
use crate::sampler::Sampler;
use crate::snapshot::Labels;
use crate::state::State;

/// Every column of all draws.
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
        let (n_items, n_levels) = (sampler.model().n_items(), sampler.model().n_levels());
        let mut draws = Self::default();
        draws.reserve(n_draws, n_items, n_levels).ok_or_else(|| {
            let per_draw = 4 * (n_items * (n_levels + 1) + n_levels + 1) + 8 * 5;
            Error::OutOfMemory { what: "so many draws", bytes: n_draws as u128 * per_draw as u128 }
        })?;
        Ok(draws)
    }

    fn reserve(&mut self, n_draws: usize, n_items: usize, n_levels: usize) -> Option<()> {
        let cells = n_draws.checked_mul(n_items)?;
        self.paths.try_reserve_exact(cells.checked_mul(n_levels)?).ok()?;
        self.components.try_reserve_exact(cells).ok()?;
        self.n_nodes.try_reserve_exact(n_draws.checked_mul(n_levels)?).ok()?;
        self.n_components.try_reserve_exact(n_draws).ok()?;
        for column in [
            &mut self.cdll,
            &mut self.rcdll,
            &mut self.loss,
            &mut self.path_acceptance,
            &mut self.eta_acceptance,
        ] {
            column.try_reserve_exact(n_draws).ok()?;
        }
        Some(())
    }

    /// Gives back the room of draws that did not come.
    pub fn shrink_to_fit(&mut self) {
        self.paths.shrink_to_fit();
        self.components.shrink_to_fit();
        self.n_nodes.shrink_to_fit();
        self.n_components.shrink_to_fit();
        for column in [
            &mut self.cdll,
            &mut self.rcdll,
            &mut self.loss,
            &mut self.path_acceptance,
            &mut self.eta_acceptance,
        ] {
            column.shrink_to_fit();
        }
    }

    pub(crate) fn push(&mut self, state: &State, cdll: f64, rcdll: f64, loss: f64, info: Info) {
        let n_levels = state.tree.n_levels();
        let (first_path, first_component) = (self.paths.len(), self.components.len());
        self.paths.resize(first_path + state.n_items() * n_levels, 0);
        self.components.resize(first_component + state.n_items(), 0);
        self.labels.write(state, &mut self.paths[first_path..], &mut self.components[first_component..]);
        self.cdll.push(cdll);
        self.rcdll.push(rcdll);
        self.loss.push(loss);
        self.n_nodes.extend((1..=n_levels).map(|level| state.tree.level_nodes(level).len() as i32));
        self.n_components.push(state.components.n_components() as i32);
        self.path_acceptance.push(info.path.rate());
        self.eta_acceptance.push(info.eta.rate());
    }

    pub fn len(&self) -> usize {
        self.cdll.len()
    }

    pub fn is_empty(&self) -> bool {
        self.cdll.is_empty()
    }
}
