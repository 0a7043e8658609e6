//! An item leaves the tree and enters it.

use crate::state::{NodeId, State};

/// Takes the item's path out of the tree. Nodes that this empties are unlinked, so that they are
/// neither candidates nor siblings; the level of the topmost of them is returned. Their slots stay
/// theirs, and the item's path still names them, until they are released or linked again.
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

/// Links the item's unlinked nodes again, from `topmost` down.
pub(crate) fn relink(state: &mut State, n: usize, topmost: usize) {
    for level in topmost..=state.tree.n_levels() {
        let node = state.path(n)[level];
        state.tree.link(node);
    }
}

/// Gives the slots of the item's unlinked nodes back, from `topmost` down.
pub(crate) fn release(state: &mut State, n: usize, topmost: usize) {
    for level in topmost..=state.tree.n_levels() {
        let node = state.path(n)[level];
        state.tree.release(node);
    }
}

/// Seats the item at a leaf.
pub(crate) fn enter(state: &mut State, n: usize, leaf: NodeId) {
    let mut node = leaf;
    for level in (0..=state.tree.n_levels()).rev() {
        state.path_mut(n)[level] = node;
        state.tree.add_item(node);
        node = state.tree.parent(node);
    }
}
