//! The nested Chinese restaurant process of the items that are seated.
//!
//! At a node with N_z items the next child is taken with probability N_child/(N_z + α), a new one with
//! α/(N_z + α).

use crate::model::Model;
use crate::rng::{Rng, uniform};
use crate::state::tree::ROOT;
use crate::state::{NodeId, State};

/// Draws the way down from the nCRP; the leaf, or the inner node where a new branch leaves.
pub(crate) fn walk(model: &Model, state: &State, rng: &mut Rng) -> NodeId {
    let tree = &state.tree;
    let mut node = ROOT;
    while !tree.is_leaf(node) {
        let mut left = uniform(rng) * (f64::from(tree.n_items(node)) + model.config.alpha);
        let mut next = None;
        for &child in tree.level_nodes(tree.level(node) + 1) {
            if tree.parent(child) == node {
                left -= f64::from(tree.n_items(child));
                if left < 0.0 {
                    next = Some(child);
                    break;
                }
            }
        }
        match next {
            Some(child) => node = child,
            None => return node,
        }
    }
    node
}
