//! Removes an item from the tree, and puts it on a path.

use crate::state::{NodeId, State};

/// Removes the item from the nodes of its path. Nodes that this empties are unlinked, so that they are neither candidates nor
/// siblings; returns the level of the topmost of them. They keep their slots, and the item keeps its path, until they are
/// released or linked again.
pub(crate) fn leave(state: &mut State, n: usize) -> Option<usize> {
    let mut topmost = None;
    for level in 0..=state.tree.n_levels() {
        let node = state.path(n)[level];
        state.tree.remove_item(node);
        if level > 0 && state.tree.n_items(node) == 0 {
            state.tree.unlink(node);
            topmost = topmost.or(Some(level));
        }
    }
    topmost
}

/// Links the item's emptied nodes again, from level `topmost` down.
pub(crate) fn relink(state: &mut State, n: usize, topmost: usize) {
    for level in topmost..=state.tree.n_levels() {
        let node = state.path(n)[level];
        state.tree.link(node);
    }
}

/// Frees the slots of the item's emptied nodes, from level `topmost` down.
pub(crate) fn release(state: &mut State, n: usize, topmost: usize) {
    for level in topmost..=state.tree.n_levels() {
        let node = state.path(n)[level];
        state.tree.release(node);
    }
}

/// Puts the item on the path to a leaf.
pub(crate) fn enter(state: &mut State, n: usize, leaf: NodeId) {
    let mut node = leaf;
    for level in (0..=state.tree.n_levels()).rev() {
        state.path_mut(n)[level] = node;
        state.tree.add_item(node);
        node = state.tree.parent(node);
    }
}
