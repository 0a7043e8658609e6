//! Kernels against the slow log of (Q) and against reference implementations.

mod conditionals;
pub(crate) mod fixtures;
mod hyperparameters;
mod reference_gibbs;
mod reference_mh;
mod split_merge;
