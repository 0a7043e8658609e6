//! The mixture components: assignments c, means θ, and their splits and merges.

pub(crate) mod assign;
pub(crate) mod densities;
pub(crate) mod means;
pub(crate) mod sequential_allocation;
pub(crate) mod split_merge;
