//! Buffers that the kernels reuse; their contents do not outlive a kernel.

use super::components::{densities, sequential_allocation, split_merge};
use super::margins::{discriminants, joint_loss, scores, siblings, violations};
use super::paths::{bounded_categorical, candidates, likelihoods, new_branch, node_table, prefetch};
use super::weights;
use crate::error::{Error, Result};
use crate::model::Model;

#[derive(Debug, Clone, Default)]
pub(crate) struct Workspace {
    /// The items in random order.
    pub(crate) order: Vec<u32>,
    // Paths:
    pub(crate) densities: densities::Densities,
    pub(crate) scores: scores::Scores,
    pub(crate) table: node_table::NodeTable,
    pub(crate) likelihoods: likelihoods::NodeLikelihoods,
    pub(crate) prefetch: prefetch::Prefetch,
    pub(crate) candidates: candidates::Candidates,
    pub(crate) bounded: bounded_categorical::BoundedCategorical,
    pub(crate) branch: new_branch::Branch,
    pub(crate) joint_loss: joint_loss::JointLoss,
    // Components and weights:
    pub(crate) dirichlet: weights::DirichletRow,
    /// One row per node: the counts with which its weights are drawn.
    pub(crate) counts: Vec<u32>,
    /// Terms of a categorical draw.
    pub(crate) terms: Vec<f64>,
    /// One number per node: its fraction of a split weight.
    pub(crate) fractions: Vec<f64>,
    /// One row per component: a sum of items, or a mean.
    pub(crate) sums: Vec<f64>,
    pub(crate) allocation: sequential_allocation::SequentialAllocation,
    pub(crate) weight_split: split_merge::WeightSplit,
    // Margins:
    pub(crate) violations: violations::Violations,
    pub(crate) siblings: siblings::SiblingGroup,
    pub(crate) proposal: discriminants::Proposal,
}

impl Workspace {
    /// Reserves the largest part, which grows with the square of the dimensions.
    pub(crate) fn reserve(&mut self, model: &Model) -> Result<()> {
        let n_dims = model.n_eta_dims();
        if model.is_regularised() && !self.proposal.reserve(n_dims) {
            return Err(Error::OutOfMemory {
                what: "a precision matrix of so many dimensions",
                bytes: 16 * n_dims as u128 * n_dims as u128,
            });
        }
        Ok(())
    }
}
