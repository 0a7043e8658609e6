//! Bayesian hierarchical mixture clustering (BHMC) and its max-margin, posterior-regularised form
//! (RBHMC), sampled by Markov chain Monte Carlo.
//!
//! A [`Sampler`] holds a [`Model`] (the data and the settings, of which only parameters with [`Priors`] change), a
//! [`State`] (which every sweep changes) and one random stream. A sweep applies the [`Kernel`]s of its [`Scheme`] in
//! order.
//!
//! ```
//! use ndarray::array;
//! use rbhmc_core::{Config, Sampler};
//!
//! let x = array![[0.0, 0.1], [0.2, 0.0], [5.0, 5.1], [5.2, 4.9]];
//! let mut sampler = Sampler::new(x.view(), Config::default(), None, 0).unwrap();
//! sampler.sweep();
//! assert_eq!(sampler.snapshot().paths.dim(), (4, 3));
//! ```

mod chain;
pub mod checkpoint;
pub mod config;
pub mod distributions;
mod draws;
pub mod error;
mod init;
pub mod kernels;
pub mod labels;
pub mod model;
pub mod numerics;
pub mod posterior;
pub mod predictive;
pub mod rng;
pub mod sampler;
pub mod simulate;
pub mod snapshot;
pub mod state;

pub use config::{Config, Covariance, PathMove, Priors, Scheme};
pub use draws::{Draws, Trace};
pub use error::{Error, Result};
pub use kernels::Kernel;
pub use model::Model;
pub use sampler::Sampler;
pub use simulate::{Simulation, simulate};
pub use snapshot::Snapshot;
pub use state::State;
