//! The settings of a model, and the priors of the parameters that are learned.

mod noise_scale;
mod priors;
mod settings;

pub use priors::{Gamma, InverseGamma, LearnedParameter, Priors};
pub use settings::{Config, Covariance, MAX_MAGNITUDE, PathMove, Scheme};
pub(crate) use settings::{check_positive, is_usable};
