//! The tree as the path step reads it: a column a node, all nodes side by side.
//!
//! Inner nodes come first and parents before their children; leaves follow. A column whose node is gone
//! is closed: it counts no items and lies infinitely far off, until a new node takes it. The layout
//! mirrors the state, and each birth or death in the state is told to it.

use crate::model::Model;
use crate::numerics::{LANES, TILE, round_up};
use crate::state::tree::ROOT;
use crate::state::{ComponentId, NodeId, State};

/// Items from which the path step looks for likely candidates first.
const MANY: usize = 1_024;

#[derive(Debug, Clone, Default)]
pub(crate) struct Layout {
    /// Whether there are so many items, and losses to tell likely candidates by.
    pub(crate) is_large: bool,
    /// Columns in all, a multiple of [`TILE`].
    pub(crate) width: usize,
    /// Inner nodes are below this column, in use or closed.
    pub(crate) n_inner: usize,
    pub(crate) first_leaf: usize,
    /// One beyond the last leaf.
    pub(crate) end: usize,
    pub(crate) nodes: Vec<NodeId>,
    pub(crate) parents: Vec<u32>,
    /// N_z
    pub(crate) sizes: Vec<f64>,
    /// N_z/(N_z + α) of an inner node but the root, whose is 1/(N + α): p(z)/(N_z + α), with p(z) the nCRP
    /// probability of coming to z, is the product of these down to z.
    pub(crate) shares: Vec<f64>,
    alpha: f64,
    /// 0, or ∞ for a closed column.
    pub(crate) closed: Vec<f64>,
    /// β: a row for the rest, then one a component.
    pub(crate) weights: Vec<f64>,
    /// η, a row a dimension.
    pub(crate) etas: Vec<f64>,
    // Of a large table:
    /// The first columns, which held the root's children when this was built, in whole tiles; their η again.
    pub(crate) n_top: usize,
    pub(crate) top_etas: Vec<f64>,
    /// η of all nodes again, a row a column, padded to whole lanes.
    eta_rows: Vec<f64>,
    pub(crate) eta_length: usize,
    /// The columns of an inner column's children.
    pub(crate) children: Vec<Vec<u32>>,
    /// Raised by every birth and death: what was computed from an earlier one no longer holds.
    pub(crate) version: u64,
    /// By node slot.
    columns: Vec<u32>,
    free_inner: Vec<u32>,
    free_leaves: Vec<u32>,
}

impl Layout {
    pub(crate) fn build(&mut self, model: &Model, state: &State) {
        let n_levels = model.n_levels();
        let n_leaves = state.tree.level_nodes(n_levels).len();
        let n_inner = state.tree.n_nodes() - n_leaves;
        let room = |n: usize| round_up(n + n / 8 + LANES);
        self.first_leaf = room(n_inner);
        self.width = (self.first_leaf + room(n_leaves)).next_multiple_of(TILE);
        self.n_inner = 0;
        self.end = self.first_leaf;
        self.free_inner.clear();
        self.free_leaves.clear();
        self.nodes.clear();
        self.nodes.resize(self.width, ROOT);
        self.parents.clear();
        self.parents.resize(self.width, 0);
        self.sizes.clear();
        self.sizes.resize(self.width, 0.0);
        self.shares.clear();
        self.shares.resize(self.first_leaf, 0.0);
        self.alpha = model.config.alpha;
        self.closed.clear();
        self.closed.resize(self.width, f64::INFINITY);
        self.weights.clear();
        self.etas.clear();
        self.etas.resize(state.discriminants.n_rows() * self.width, 0.0);
        self.is_large = model.is_regularised() && model.n_items() >= MANY;
        if self.is_large {
            self.n_top = (1 + state.tree.level_nodes(1).len()).next_multiple_of(TILE);
            self.top_etas.clear();
            self.top_etas.resize(model.n_dims() * self.n_top, 0.0);
            self.eta_length = round_up(model.n_dims());
            self.eta_rows.clear();
            self.eta_rows.resize(self.width * self.eta_length, 0.0);
            self.children.resize(self.first_leaf.max(self.children.len()), Vec::new());
        }
        self.make_rows(state);
        for node in state.tree.iter() {
            self.place(state, node);
        }
        self.version += 1;
    }

    fn make_rows(&mut self, state: &State) {
        let n_rows = 1 + state.components.n_slots();
        if self.weights.len() < n_rows * self.width {
            self.weights.resize(n_rows * self.width, 0.0);
        }
    }

    fn place(&mut self, state: &State, node: NodeId) {
        let parent = if node == ROOT { 0 } else { self.column(state.tree.parent(node)) };
        let column = if !state.tree.is_leaf(node) {
            // A parent stands before its children.
            match self.free_inner.iter().rposition(|&free| free as usize > parent) {
                Some(place) => self.free_inner.swap_remove(place) as usize,
                None => {
                    self.n_inner += 1;
                    self.n_inner - 1
                }
            }
        } else if let Some(free) = self.free_leaves.pop() {
            free as usize
        } else {
            self.end += 1;
            self.end - 1
        };
        self.columns.resize(state.tree.n_slots().max(self.columns.len()), 0);
        self.columns[node.index()] = column as u32;
        self.nodes[column] = node;
        self.parents[column] = parent as u32;
        self.set_size(column, f64::from(state.tree.n_items(node)));
        self.closed[column] = 0.0;
        self.weights[column] = state.weights.rest(node);
        let rows = self.weights[self.width..].chunks_exact_mut(self.width);
        for (row, &weight) in rows.zip(state.weights.row(node)) {
            row[column] = weight;
        }
        let rows = self.etas.chunks_exact_mut(self.width);
        for (row, eta) in rows.zip(state.discriminants.column(node.index())) {
            row[column] = eta;
        }
        if self.is_large {
            let row = &mut self.eta_rows[column * self.eta_length..];
            for (entry, eta) in row.iter_mut().zip(state.discriminants.column(node.index())) {
                *entry = eta;
            }
            if column < self.first_leaf {
                self.children[column].clear();
            }
            if column < self.n_top {
                let rows = self.top_etas.chunks_exact_mut(self.n_top);
                for (row, eta) in rows.zip(state.discriminants.column(node.index())) {
                    row[column] = eta;
                }
            }
            if node != ROOT {
                self.children[parent].push(column as u32);
            }
        }
    }

    /// η of a column, padded.
    #[inline]
    pub(crate) fn eta(&self, column: usize) -> &[f64] {
        &self.eta_rows[column * self.eta_length..][..self.eta_length]
    }

    #[inline]
    pub(crate) fn column(&self, node: NodeId) -> usize {
        self.columns[node.index()] as usize
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.weights.len() / self.width
    }

    /// Item counts along a path change by `change`.
    pub(crate) fn count(&mut self, path: &[NodeId], change: f64) {
        for &node in path {
            let column = self.column(node);
            self.set_size(column, self.sizes[column] + change);
        }
    }

    fn set_size(&mut self, column: usize, size: f64) {
        self.sizes[column] = size;
        if column < self.first_leaf {
            let share = if column == 0 { 1.0 } else { size };
            self.shares[column] = share / (size + self.alpha);
        }
    }

    /// The nodes of a path, from a level down, have been taken out of the tree.
    pub(crate) fn nodes_closed(&mut self, nodes: &[NodeId]) {
        self.version += 1;
        if self.is_large {
            let topmost = self.column(nodes[0]) as u32;
            let siblings = &mut self.children[self.parents[topmost as usize] as usize];
            siblings.retain(|&column| column != topmost);
        }
        for (position, &node) in nodes.iter().enumerate() {
            let column = self.column(node);
            self.closed[column] = f64::INFINITY;
            if position + 1 < nodes.len() {
                self.free_inner.push(column as u32);
            } else {
                self.free_leaves.push(column as u32);
            }
        }
    }

    /// New nodes, without items yet, parents first and a leaf at the end.
    pub(crate) fn nodes_opened(&mut self, model: &Model, state: &State, nodes: &[NodeId]) {
        let full = self.n_inner + nodes.len() > self.first_leaf || self.end == self.width;
        if full {
            self.build(model, state);
            return;
        }
        self.version += 1;
        for &node in nodes {
            self.place(state, node);
        }
    }

    /// A component has been opened or dropped: its weights and the rest's have changed everywhere.
    pub(crate) fn component_changed(&mut self, state: &State, component: ComponentId) {
        self.version += 1;
        self.make_rows(state);
        let (rests, rows) = self.weights.split_at_mut(self.width);
        let row = &mut rows[component.index() * self.width..][..self.width];
        for column in (0..self.n_inner).chain(self.first_leaf..self.end) {
            if self.closed[column] == 0.0 {
                let node = self.nodes[column];
                rests[column] = state.weights.rest(node);
                row[column] = state.weights.get(node, component);
            }
        }
    }

    /// Whether the layout still says what the state says, but for its items' numbers.
    pub(crate) fn mirrors(&self, state: &State) -> bool {
        let open = self.closed.iter().filter(|&&closed| closed == 0.0).count();
        open == state.tree.n_nodes()
            && state.tree.iter().all(|node| {
                let column = self.column(node);
                self.nodes[column] == node
                    && self.closed[column] == 0.0
                    && self.sizes[column] == f64::from(state.tree.n_items(node))
                    && (column < self.first_leaf) != state.tree.is_leaf(node)
                    && (node == ROOT || self.parents[column] as usize == self.column(state.tree.parent(node)))
                    && self.weights[column] == state.weights.rest(node)
                    && (!self.is_large || self.lists(state, node, column))
                    && state.components.iter().all(|component| {
                        self.weights[(1 + component.index()) * self.width + column]
                            == state.weights.get(node, component)
                    })
            })
    }

    /// Whether a column's list of children and row of η are those of its node.
    fn lists(&self, state: &State, node: NodeId, column: usize) -> bool {
        let etas = self.eta(column).iter().copied().zip(state.discriminants.column(node.index()));
        let is_listed = |&child: &u32| self.parents[child as usize] as usize == column;
        (node == ROOT || { etas }.all(|(row, eta)| row == eta))
            && (state.tree.is_leaf(node)
                || (self.children[column].len() == state.tree.n_children(node) as usize
                    && self.children[column].iter().all(is_listed)))
    }
}
