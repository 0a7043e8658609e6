//! What draws of trees say together: how often items are a node, which share one, which tree is closest to all.
//!
//! Draws are arrays (draw, level, item) of node numbers, level 1 first, as [`numbering::numbered`] makes them.
//! Every answer is the same for any number of threads.

pub mod clades;
pub mod classes;
pub mod distances;
pub(crate) mod grouping;
pub mod loss;
pub mod matching;
pub mod nearest;
pub mod numbering;
pub mod pairs;
pub mod sets;
