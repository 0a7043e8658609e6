//! The mixture components: assignments c, means θ, and their splits and merges.

pub(crate) mod allocation;
pub(crate) mod assign;
pub(crate) mod densities;
pub(crate) mod means;
pub(crate) mod split_merge;
