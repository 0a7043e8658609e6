//! The arena of nodes: stable ids, a free list, and the nodes of each level in one list.
//!
//! A node holds its parent, and no list of its children: algorithms pass over levels, parents before
//! children.

use serde::{Deserialize, Serialize};

/// The slot of a node, which keeps it until it is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NodeId(pub(crate) u32);

pub const ROOT: NodeId = NodeId(0);

impl NodeId {
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Node {
    pub(crate) parent: NodeId,
    pub(crate) level: u32,
    pub(crate) n_items: u32,
    pub(crate) n_children: u32,
    /// The index of the node in the list of its level.
    pub(crate) position: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree {
    pub(crate) nodes: Vec<Node>,
    pub(crate) levels: Vec<Vec<NodeId>>,
    pub(crate) free: Vec<NodeId>,
}

impl Tree {
    pub(crate) fn new(n_levels: usize) -> Self {
        let root = Node { parent: ROOT, level: 0, n_items: 0, n_children: 0, position: 0 };
        let mut levels = vec![Vec::new(); n_levels + 1];
        levels[0].push(ROOT);
        Self { nodes: vec![root], levels, free: Vec::new() }
    }

    pub fn n_levels(&self) -> usize {
        self.levels.len() - 1
    }

    /// The number of slots that were ever opened; every id is below it.
    #[inline]
    pub fn n_slots(&self) -> usize {
        self.nodes.len()
    }

    /// The number of nodes, with the root.
    pub fn n_nodes(&self) -> usize {
        self.levels.iter().map(Vec::len).sum()
    }

    /// The nodes at a level; the root is level 0.
    #[inline]
    pub fn level_nodes(&self, level: usize) -> &[NodeId] {
        &self.levels[level]
    }

    /// All nodes, parents first.
    pub fn iter(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.levels.iter().flatten().copied()
    }

    #[inline]
    pub fn parent(&self, node: NodeId) -> NodeId {
        self.nodes[node.index()].parent
    }

    #[inline]
    pub fn level(&self, node: NodeId) -> usize {
        self.nodes[node.index()].level as usize
    }

    #[inline]
    pub fn is_leaf(&self, node: NodeId) -> bool {
        self.level(node) == self.n_levels()
    }

    #[inline]
    pub fn n_items(&self, node: NodeId) -> u32 {
        self.nodes[node.index()].n_items
    }

    #[inline]
    pub fn n_children(&self, node: NodeId) -> u32 {
        self.nodes[node.index()].n_children
    }

    #[cfg(test)]
    pub(crate) fn has_siblings(&self, node: NodeId) -> bool {
        node != ROOT && self.n_children(self.parent(node)) > 1
    }

    pub(crate) fn add(&mut self, parent: NodeId) -> NodeId {
        let node = Node {
            parent,
            level: self.nodes[parent.index()].level + 1,
            n_items: 0,
            n_children: 0,
            position: 0,
        };
        let id = match self.free.pop() {
            Some(id) => {
                self.nodes[id.index()] = node;
                id
            }
            None => {
                self.nodes.push(node);
                NodeId((self.nodes.len() - 1) as u32)
            }
        };
        self.link(id);
        id
    }

    /// Adds a node to the list of its level and to the children of its parent.
    pub(crate) fn link(&mut self, node: NodeId) {
        let level = self.level(node);
        self.nodes[node.index()].position = self.levels[level].len() as u32;
        self.levels[level].push(node);
        let parent = self.parent(node);
        self.nodes[parent.index()].n_children += 1;
    }

    /// Removes a node from its level and its parent; it keeps its slot until [`Self::release`].
    pub(crate) fn unlink(&mut self, node: NodeId) {
        let level = self.level(node);
        let position = self.nodes[node.index()].position as usize;
        self.levels[level].swap_remove(position);
        if let Some(moved) = self.levels[level].get(position) {
            self.nodes[moved.index()].position = position as u32;
        }
        let parent = self.parent(node);
        self.nodes[parent.index()].n_children -= 1;
    }

    pub(crate) fn release(&mut self, node: NodeId) {
        self.free.push(node);
    }

    #[inline]
    pub(crate) fn add_item(&mut self, node: NodeId) {
        self.nodes[node.index()].n_items += 1;
    }

    #[inline]
    pub(crate) fn remove_item(&mut self, node: NodeId) {
        self.nodes[node.index()].n_items -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_stable_and_free_slots_are_reused() {
        let mut tree = Tree::new(2);
        let a = tree.add(ROOT);
        let b = tree.add(ROOT);
        let c = tree.add(ROOT);
        tree.unlink(a);
        tree.release(a);
        assert_eq!(tree.level_nodes(1), &[c, b]);
        assert_eq!(tree.n_children(ROOT), 2);
        let d = tree.add(b);
        assert_eq!((d, tree.level(d), tree.parent(d)), (a, 2, b));
        assert!(tree.has_siblings(b) && !tree.has_siblings(d) && tree.is_leaf(d));
        tree.unlink(c);
        tree.link(c);
        assert_eq!(tree.n_nodes(), 4);
    }
}
