//! The items of every leaf, a list each, so that those below a node are found without a look at the others.

use crate::state::{NodeId, State};

#[derive(Debug, Clone, Default)]
pub(crate) struct Members {
    /// By leaf slot.
    lists: Vec<Vec<u32>>,
    /// By item: the leaf whose list it is on, and where.
    leaves: Vec<NodeId>,
    positions: Vec<u32>,
}

impl Members {
    pub(crate) fn list(&mut self, state: &State) {
        self.lists.iter_mut().for_each(Vec::clear);
        self.leaves.clear();
        self.positions.clear();
        for n in 0..state.n_items() {
            let leaf = state.leaf(n);
            self.leaves.push(leaf);
            self.positions.push(0);
            self.append(n, leaf);
        }
    }

    fn append(&mut self, n: usize, leaf: NodeId) {
        if self.lists.len() <= leaf.index() {
            self.lists.resize(leaf.index() + 1, Vec::new());
        }
        let list = &mut self.lists[leaf.index()];
        self.leaves[n] = leaf;
        self.positions[n] = list.len() as u32;
        list.push(n as u32);
    }

    /// Item n sits at another leaf, or the same.
    pub(crate) fn moved(&mut self, state: &State, n: usize) {
        if self.leaves[n] == state.leaf(n) {
            return;
        }
        let (list, position) = (&mut self.lists[self.leaves[n].index()], self.positions[n]);
        list.swap_remove(position as usize);
        if let Some(&other) = list.get(position as usize) {
            self.positions[other as usize] = position;
        }
        self.append(n, state.leaf(n));
    }

    /// The items below a node, but for one.
    pub(crate) fn below<'a>(
        &'a self,
        state: &'a State,
        node: NodeId,
        except: usize,
    ) -> impl Iterator<Item = usize> + 'a {
        let (tree, level) = (&state.tree, state.tree.level(node));
        let leaves = tree.level_nodes(tree.n_levels()).iter().filter(move |&&leaf| {
            let mut above = leaf;
            while tree.level(above) > level {
                above = tree.parent(above);
            }
            above == node
        });
        // A leaf without items since its list was made has none.
        let lists = leaves.filter_map(|leaf| self.lists.get(leaf.index()));
        lists.flatten().map(|&m| m as usize).filter(move |&m| m != except)
    }
}

/// The same items on every list, in whatever order.
impl PartialEq for Members {
    fn eq(&self, other: &Self) -> bool {
        self.leaves == other.leaves
    }
}
