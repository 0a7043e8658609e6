//! The tree as the path step reads it: one column per node, all nodes side by side.
//!
//! Inner nodes come first, parents before their children; leaves follow. The column of a removed node is masked (size 0,
//! loss ∞) until a new node takes it. Every birth and death in the state is repeated in the table.

use std::ops::Range;

use super::ncrp;
use crate::model::Model;
use crate::numerics::{LANES, TILE, fmax, round_up};
use crate::state::tree::ROOT;
use crate::state::{ComponentId, NodeId, State};

/// From this many nodes on, with C > 0, the path step prunes unlikely candidates; to look at all side by side is faster in
/// smaller trees.
const PRUNE_FROM_NODES: usize = 1_024;

#[derive(Debug, Clone, Default)]
pub(crate) struct NodeTable {
    /// Whether the path step prunes unlikely candidates.
    pub(crate) prunes: bool,
    /// Set by tests, which prune small trees too.
    pub(crate) prune_from_nodes: Option<usize>,
    /// The number of columns, a multiple of [`TILE`].
    pub(crate) width: usize,
    /// Columns of inner nodes, in use or masked, are below this.
    pub(crate) n_inner: usize,
    pub(crate) first_leaf: usize,
    /// One beyond the last leaf.
    pub(crate) end: usize,
    pub(crate) nodes: Vec<NodeId>,
    pub(crate) parents: Vec<u32>,
    /// N_z
    pub(crate) sizes: Vec<f64>,
    /// [`ncrp::reach_factor`] of the inner nodes.
    pub(crate) ncrp_factors: Vec<f64>,
    alpha: f64,
    /// 0, or ∞ for a masked column.
    pub(crate) mask: Vec<f64>,
    /// β: one row for the rest, then one per component.
    pub(crate) weights: Vec<f64>,
    /// η, one row per dimension.
    pub(crate) etas: Vec<f64>,
    // Only if it prunes:
    /// p(z) as it was when the node was added.
    pub(crate) priors: Vec<f64>,
    /// The number of first columns, in whole tiles, that held the root and its children when the table was built;
    /// their η again.
    pub(crate) n_top: usize,
    pub(crate) top_etas: Vec<f64>,
    /// η of all nodes again, one row per column, padded to whole lanes.
    eta_rows: Vec<f64>,
    pub(crate) eta_length: usize,
    /// By inner column: the columns of its children.
    pub(crate) children: Vec<Vec<u32>>,
    /// By inner column, at least: the largest weight of each component at and below it, and the largest rest.
    largest_weights: Vec<f64>,
    largest_rests: Vec<f64>,
    /// The length of a row of largest weights.
    stride: usize,
    /// Raised by every birth and death: values computed from an earlier version are stale.
    pub(crate) version: u64,
    /// By node slot.
    columns: Vec<u32>,
    free_inner: Vec<u32>,
    free_leaves: Vec<u32>,
}

impl NodeTable {
    pub(crate) fn build(&mut self, model: &Model, state: &State) {
        let n_levels = model.n_levels();
        let n_leaves = state.tree.level_nodes(n_levels).len();
        let n_inner = state.tree.n_nodes() - n_leaves;
        let with_spare = |n: usize| round_up(n + n / 8 + LANES);
        self.first_leaf = with_spare(n_inner);
        self.width = (self.first_leaf + with_spare(n_leaves)).next_multiple_of(TILE);
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
        self.ncrp_factors.clear();
        self.ncrp_factors.resize(self.first_leaf, 0.0);
        self.alpha = model.config.alpha;
        self.mask.clear();
        self.mask.resize(self.width, f64::INFINITY);
        self.weights.clear();
        self.etas.clear();
        self.etas.resize(state.discriminants.n_rows() * self.width, 0.0);
        let prune_from = self.prune_from_nodes.unwrap_or(PRUNE_FROM_NODES);
        self.prunes = model.is_regularised() && state.tree.n_nodes() >= prune_from;
        if self.prunes {
            self.priors.clear();
            self.priors.resize(self.width, 0.0);
            self.n_top = (1 + state.tree.level_nodes(1).len()).next_multiple_of(TILE);
            self.top_etas.clear();
            self.top_etas.resize(model.n_eta_dims() * self.n_top, 0.0);
            self.eta_length = round_up(model.n_eta_dims());
            self.eta_rows.clear();
            self.eta_rows.resize(self.width * self.eta_length, 0.0);
            self.children.resize(self.first_leaf.max(self.children.len()), Vec::new());
            self.reset_largest_weights(state);
        }
        self.add_component_rows(state);
        for node in state.tree.iter() {
            self.add_node(state, node);
        }
        self.version += 1;
    }

    fn add_component_rows(&mut self, state: &State) {
        let n_rows = 1 + state.components.n_slots();
        if self.weights.len() < n_rows * self.width {
            self.weights.resize(n_rows * self.width, 0.0);
        }
    }

    fn add_node(&mut self, state: &State, node: NodeId) {
        let parent = if node == ROOT { 0 } else { self.column(state.tree.parent(node)) };
        let column = if !state.tree.is_leaf(node) {
            // Parents come before their children.
            match self.free_inner.iter().rposition(|&free| free as usize > parent) {
                Some(index) => self.free_inner.swap_remove(index) as usize,
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
        self.mask[column] = 0.0;
        self.weights[column] = state.weights.rest(node);
        let rows = self.weights[self.width..].chunks_exact_mut(self.width);
        for (row, &weight) in rows.zip(state.weights.row(node)) {
            row[column] = weight;
        }
        let eta = || state.discriminants.column(node.index());
        set_column(&mut self.etas, self.width, column, eta());
        if self.prunes {
            self.priors[column] = if node == ROOT {
                1.0
            } else {
                let n_parent = f64::from(state.tree.n_items(state.tree.parent(node)));
                self.priors[parent] * self.sizes[column] / (n_parent + self.alpha)
            };
            let row = &mut self.eta_rows[column * self.eta_length..];
            row.iter_mut().zip(eta()).for_each(|(entry, eta)| *entry = eta);
            if column < self.first_leaf {
                self.children[column].clear();
            }
            if column < self.n_top {
                set_column(&mut self.top_etas, self.n_top, column, eta());
            }
            if node != ROOT {
                self.children[parent].push(column as u32);
            }
            if column < self.first_leaf {
                self.largest_weights[column * self.stride..][..self.stride].fill(0.0);
                self.largest_rests[column] = 0.0;
            }
            self.raise_largest_weights(state, column, 0..self.stride);
        }
    }

    fn reset_largest_weights(&mut self, state: &State) {
        self.stride = state.weights.stride();
        self.largest_weights.clear();
        self.largest_weights.resize(self.first_leaf * self.stride, 0.0);
        self.largest_rests.clear();
        self.largest_rests.resize(self.first_leaf, 0.0);
    }

    /// Raises the largest weights of some components, and the largest rest, of a column and all columns above it to its own.
    fn raise_largest_weights(&mut self, state: &State, column: usize, components: Range<usize>) {
        let row = &state.weights.row(self.nodes[column])[components.clone()];
        let rest = state.weights.rest(self.nodes[column]);
        let mut at = column;
        loop {
            if at < self.first_leaf {
                let largest = &mut self.largest_weights[at * self.stride..][components.clone()];
                largest.iter_mut().zip(row).for_each(|(largest, &weight)| *largest = fmax(weight, *largest));
                self.largest_rests[at] = fmax(rest, self.largest_rests[at]);
            }
            if at == 0 {
                return;
            }
            at = self.parents[at] as usize;
        }
    }

    /// The largest weight of each component at and below an inner column, and the largest rest.
    #[inline]
    pub(crate) fn largest_weights(&self, column: usize) -> (&[f64], f64) {
        (&self.largest_weights[column * self.stride..][..self.stride], self.largest_rests[column])
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

    /// The rows of β: the rest and all component slots.
    pub(crate) fn n_rows(&self) -> usize {
        self.weights.len() / self.width
    }

    /// Adds `change` to the item counts along a path.
    pub(crate) fn change_counts(&mut self, path: &[NodeId], change: f64) {
        for &node in path {
            let column = self.column(node);
            self.set_size(column, self.sizes[column] + change);
        }
    }

    fn set_size(&mut self, column: usize, size: f64) {
        self.sizes[column] = size;
        if column < self.first_leaf {
            self.ncrp_factors[column] = ncrp::reach_factor(size, self.alpha, column == 0);
        }
    }

    /// Masks the nodes of an emptied branch, topmost first.
    pub(crate) fn remove_branch(&mut self, nodes: &[NodeId]) {
        self.version += 1;
        if self.prunes {
            let topmost = self.column(nodes[0]) as u32;
            let siblings = &mut self.children[self.parents[topmost as usize] as usize];
            siblings.retain(|&column| column != topmost);
        }
        for (index, &node) in nodes.iter().enumerate() {
            let column = self.column(node);
            self.mask[column] = f64::INFINITY;
            let is_leaf = index + 1 == nodes.len();
            if is_leaf { &mut self.free_leaves } else { &mut self.free_inner }.push(column as u32);
        }
    }

    /// Adds the nodes of a new branch, parents first and the leaf last.
    pub(crate) fn add_branch(&mut self, model: &Model, state: &State, nodes: &[NodeId]) {
        let is_full = self.n_inner + nodes.len() > self.first_leaf || self.end == self.width;
        if is_full {
            self.build(model, state);
            return;
        }
        self.version += 1;
        for &node in nodes {
            self.add_node(state, node);
        }
    }

    /// Copies the weights of a component that was opened or dropped, and the rest of every node.
    pub(crate) fn update_component(&mut self, state: &State, component: ComponentId) {
        self.version += 1;
        self.add_component_rows(state);
        let (rests, rows) = self.weights.split_at_mut(self.width);
        let row = &mut rows[component.index() * self.width..][..self.width];
        for column in (0..self.n_inner).chain(self.first_leaf..self.end) {
            if self.mask[column] == 0.0 {
                let node = self.nodes[column];
                rests[column] = state.weights.rest(node);
                row[column] = state.weights.get(node, component);
            }
        }
        if self.prunes {
            let mut components = component.index()..component.index() + 1;
            if self.stride != state.weights.stride() {
                self.reset_largest_weights(state);
                components = 0..self.stride;
            }
            for column in (0..self.n_inner).chain(self.first_leaf..self.end) {
                if self.mask[column] == 0.0 {
                    self.raise_largest_weights(state, column, components.clone());
                }
            }
        }
    }

    /// Whether the table agrees with the state.
    pub(crate) fn matches(&self, state: &State) -> bool {
        let n_open = self.mask.iter().filter(|&&mask| mask == 0.0).count();
        n_open == state.tree.n_nodes()
            && state.tree.iter().all(|node| {
                let column = self.column(node);
                self.nodes[column] == node
                    && self.mask[column] == 0.0
                    && self.sizes[column] == f64::from(state.tree.n_items(node))
                    && (column < self.first_leaf) != state.tree.is_leaf(node)
                    && (node == ROOT || self.parents[column] as usize == self.column(state.tree.parent(node)))
                    && self.weights[column] == state.weights.rest(node)
                    && (!self.prunes || self.pruning_rows_match(state, node, column))
                    && state.components.iter().all(|component| {
                        self.weights[(1 + component.index()) * self.width + column]
                            == state.weights.get(node, component)
                    })
            })
    }

    /// Whether the children and the row of η of a column agree with its node, whose weights the columns above bound.
    fn pruning_rows_match(&self, state: &State, node: NodeId, column: usize) -> bool {
        let bounding = if state.tree.is_leaf(node) { self.parents[column] as usize } else { column };
        let (largest, largest_rest) = self.largest_weights(bounding);
        let (above, rest_above) = self.largest_weights(self.parents[bounding] as usize);
        let is_bounded =
            largest.iter().zip(state.weights.row(node)).all(|(largest, weight)| largest >= weight)
                && above.iter().zip(largest).all(|(above, largest)| above >= largest)
                && largest_rest >= state.weights.rest(node)
                && rest_above >= largest_rest;
        let mut etas = self.eta(column).iter().copied().zip(state.discriminants.column(node.index()));
        let is_child = |&child: &u32| self.parents[child as usize] as usize == column;
        is_bounded
            && (node == ROOT || etas.all(|(row, eta)| row == eta))
            && (state.tree.is_leaf(node)
                || (self.children[column].len() == state.tree.n_children(node) as usize
                    && self.children[column].iter().all(is_child)))
    }
}

/// Writes one column of a matrix whose rows have length `width`.
fn set_column(rows: &mut [f64], width: usize, column: usize, values: impl Iterator<Item = f64>) {
    for (row, value) in rows.chunks_exact_mut(width).zip(values) {
        row[column] = value;
    }
}
