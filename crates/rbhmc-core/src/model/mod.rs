//! The settings, the data and their densities; during a run only learned parameters change.

mod data;
pub(crate) mod discriminant_prior;
pub mod target;
mod whitening;

use ndarray::{Array1, ArrayView2};

pub use data::Data;
pub use whitening::Whitening;

use crate::config::{Config, Covariance, Scheme};
use crate::error::Result;
use crate::state::State;

#[derive(Debug, Clone)]
pub struct Model {
    pub config: Config,
    pub whitening: Whitening,
    pub data: Data,
}

impl Model {
    pub fn new(x: ArrayView2<'_, f64>, config: Config) -> Result<Self> {
        let whitening = Self::check(x, &config)?;
        let data = Data::new(x, config.intercept, &whitening);
        Ok(Self { config, whitening, data })
    }

    /// Checks the data and the settings, and returns the whitening that they determine.
    pub fn check(x: ArrayView2<'_, f64>, config: &Config) -> Result<Whitening> {
        config.check()?;
        Data::check(x)?;
        Whitening::new(config, x.ncols())
    }

    pub fn n_levels(&self) -> usize {
        self.config.n_levels
    }

    pub fn n_items(&self) -> usize {
        self.data.n_items
    }

    pub fn n_dims(&self) -> usize {
        self.data.n_dims
    }

    /// The dimension of a discriminant: 1 more than that of an item if there is an intercept.
    pub fn n_eta_dims(&self) -> usize {
        self.data.n_eta_dims
    }

    /// Whether there are discriminants: C > 0.
    pub fn is_regularised(&self) -> bool {
        self.config.C > 0.0
    }

    /// Whether the path step counts the losses of all items, and not only of the item that it moves.
    pub fn is_joint(&self) -> bool {
        self.is_regularised() && self.config.scheme == Scheme::Exact
    }

    /// ln N(x_n; θ, Σ), with θ in whitened coordinates.
    pub fn ln_density(&self, n: usize, mean: impl Iterator<Item = f64>) -> f64 {
        let squares: f64 = self.data.white(n).iter().zip(mean).map(|(y, mean)| (y - mean) * (y - mean)).sum();
        self.whitening.ln_normaliser - 0.5 * squares
    }

    /// A whitened point in the user's coordinates.
    pub fn unwhiten(&self, white: &[f64]) -> Array1<f64> {
        self.whitening.unwhiten(white)
    }

    /// Σ; see [`Self::set_covariances`].
    pub(crate) fn set_noise_cov(&mut self, state: &mut State, noise_cov: Covariance) -> Result<()> {
        self.set_covariances(state, noise_cov, self.config.base_cov.clone())
    }

    /// Σ_0; see [`Self::set_covariances`].
    pub(crate) fn set_base_cov(&mut self, state: &mut State, base_cov: Covariance) -> Result<()> {
        self.set_covariances(state, self.config.noise_cov.clone(), base_cov)
    }

    /// Sets both covariances and whitens items and means again: every θ_k is unchanged in the user's
    /// coordinates. Invalid covariances are refused and change nothing.
    fn set_covariances(&mut self, state: &mut State, noise: Covariance, base: Covariance) -> Result<()> {
        let config = Config { noise_cov: noise, base_cov: base, ..self.config.clone() };
        let whitening = Whitening::new(&config, self.n_dims())?;
        let mut white = vec![0.0; self.n_dims()];
        for slot in 0..state.components.n_slots() {
            if state.components.is_open(slot) {
                let old: Vec<f64> = state.components.means.column(slot).collect();
                whitening.whiten(&self.unwhiten(&old).to_vec(), &mut white);
                state.components.means.set_column(slot, &white);
            }
        }
        self.data.whiten(&whitening);
        (self.config, self.whitening) = (config, whitening);
        Ok(())
    }
}
