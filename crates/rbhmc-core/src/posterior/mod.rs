//! Summaries of draws of trees: their consensus, clades and their frequencies, co-clustering, distances, metrics.
//!
//! Draws are arrays (draw, level, item) of canonical labels, level 1 first, as [`crate::labels::canonical_labels`]
//! makes them. Every result is the same for any number of threads.

pub mod clades;
pub mod coclustering;
pub mod cut;
mod groups;
pub mod hierarchy;
pub mod jaccard;
pub mod linkage;
pub mod metrics;
pub mod node_similarity;
pub mod partitions;
pub mod transfer;
