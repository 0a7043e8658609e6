//! The nested Chinese restaurant process of the items in the tree.
//!
//! At a node with N_z items the next child is taken with probability N_child/(N_z + α), a new one with α/(N_z + α).

use crate::model::Model;
use crate::rng::{Rng, uniform};
use crate::state::tree::ROOT;
use crate::state::{NodeId, State};

/// Draws a path from the nCRP; returns its leaf, or the inner node at which a new branch starts.
pub(crate) fn draw_path(model: &Model, state: &State, rng: &mut Rng) -> NodeId {
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

/// N_z/(N_z + α) of an inner node, and 1/(N + α) of the root. The product of these from the root down to z is
/// p(z)/(N_z + α), where p(z) is the probability that a path passes through z. Times N_child, or times α, it is the
/// probability of a child, or of a new branch.
#[inline]
pub(crate) fn reach_factor(size: f64, alpha: f64, is_root: bool) -> f64 {
    let share = if is_root { 1.0 } else { size };
    share / (size + alpha)
}
