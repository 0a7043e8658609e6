//! Summaries of draws of trees: clades and their frequencies, co-clustering, distances between trees, metrics.
//!
//! Draws are arrays (draw, level, item) of canonical labels, level 1 first, as [`crate::labels::canonical_labels`]
//! makes them. Every result is the same for any number of threads.

pub mod clades;
pub mod coclustering;
mod groups;
pub mod jaccard;
pub mod metrics;
pub mod partitions;
