//! The path of an item: Gibbs and Metropolis–Hastings steps.

pub(crate) mod bounded;
pub(crate) mod branch;
pub(crate) mod candidates;
pub(crate) mod gibbs;
pub(crate) mod likelihoods;
pub(crate) mod mh;
pub(crate) mod ncrp;
pub(crate) mod node_table;
pub(crate) mod prefetch;
pub(crate) mod pruned;
