//! The kernels, each an update of a part of the state.

pub(crate) mod components;
mod hyperparameters;
pub(crate) mod margins;
pub(crate) mod paths;
mod schedule;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod weights;
mod workspace;

pub use schedule::Kernel;
pub(crate) use workspace::Workspace;
