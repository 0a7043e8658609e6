//! Buffers that the kernels reuse.

use super::components::{allocation, densities, split_merge};
use super::margins::{discriminants, joint_loss, scores, siblings, violations};
use super::paths::{bounded, branch, candidates, likelihoods, node_table, prefetch};
use crate::error::{Error, Result};
use crate::model::Model;

/// Room that the kernels use again and again; nothing in it outlives a kernel.
#[derive(Debug, Clone, Default)]
pub(crate) struct Work {
    pub(crate) order: Vec<u32>,
    pub(crate) densities: densities::Densities,
    pub(crate) scores: scores::Scores,
    pub(crate) layout: node_table::Layout,
    pub(crate) outlook: likelihoods::Outlook,
    pub(crate) ahead: prefetch::Ahead,
    pub(crate) candidates: candidates::Candidates,
    pub(crate) bounds: bounded::Bounds,
    pub(crate) branch: branch::Branch,
    pub(crate) losses: joint_loss::Losses,
    pub(crate) shapes: Vec<f64>,
    pub(crate) exponents: Vec<f64>,
    pub(crate) fractions: Vec<f64>,
    pub(crate) counts: Vec<u32>,
    pub(crate) sums: Vec<f64>,
    pub(crate) violations: violations::Violations,
    pub(crate) group: siblings::Group,
    pub(crate) proposal: discriminants::Proposal,
    pub(crate) halves: allocation::Halves,
    pub(crate) division: split_merge::Division,
}

impl Work {
    /// Room for a model; an error where its largest part, a square of the dimensions, cannot be had.
    pub(crate) fn new(model: &Model) -> Result<Self> {
        let mut work = Self::default();
        let n_dims = model.n_dims();
        if model.is_regularised() && !work.proposal.reserve(n_dims) {
            return Err(Error::OutOfMemory {
                what: "a precision matrix of so many dimensions",
                bytes: 16 * n_dims as u128 * n_dims as u128,
            });
        }
        Ok(work)
    }
}
