//! The state of a chain: the tree, the paths of the items, weights, components, discriminants.

pub mod components;
mod invariants;
pub(crate) mod seating;
pub mod tree;
pub mod weights;

use serde::{Deserialize, Serialize};

pub use components::{ComponentId, Components};
pub use tree::{NodeId, Tree};
pub use weights::Weights;

use crate::error::{Error, Result};
use crate::model::Model;
use crate::numerics::SlotMatrix;

/// The range to which every λ_n is clamped, so that its inverse and square are finite.
pub(crate) const LAMBDA_RANGE: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    pub tree: Tree,
    /// v_n, root first: `n_levels` + 1 nodes for each item.
    pub(crate) paths: Vec<NodeId>,
    /// c_n
    pub component: Vec<ComponentId>,
    /// β_z
    pub weights: Weights,
    /// θ_k
    pub components: Components,
    /// η_z, one column for each node; no rows if C = 0.
    pub discriminants: SlotMatrix,
    /// λ_n; empty if C = 0.
    pub lambda: Vec<f64>,
}

impl State {
    /// A root without items.
    pub(crate) fn empty(model: &Model) -> Result<Self> {
        let n_items = model.n_items();
        let n_cells = n_items * (model.n_levels() + 1);
        let mut paths = Vec::new();
        paths
            .try_reserve_exact(n_cells)
            .map_err(|_| Error::OutOfMemory { what: "the paths of the items", bytes: 4 * n_cells as u128 })?;
        paths.resize(n_cells, tree::ROOT);
        let regularised = model.is_regularised();
        let mut weights = Weights::default();
        weights.open_nodes(1);
        weights.set_rest(tree::ROOT, 1.0);
        let mut discriminants = SlotMatrix::new(if regularised { model.n_eta_dims() } else { 0 });
        discriminants.open(1);
        Ok(Self {
            tree: Tree::new(model.n_levels()),
            paths,
            component: vec![ComponentId::NONE; n_items],
            weights,
            components: Components::new(model.n_dims()),
            discriminants,
            lambda: vec![1.0; if regularised { n_items } else { 0 }],
        })
    }

    /// The item's nodes, from the root to its leaf.
    #[inline]
    pub fn path(&self, n: usize) -> &[NodeId] {
        let length = self.tree.n_levels() + 1;
        &self.paths[n * length..(n + 1) * length]
    }

    #[inline]
    pub(crate) fn path_mut(&mut self, n: usize) -> &mut [NodeId] {
        let length = self.tree.n_levels() + 1;
        &mut self.paths[n * length..(n + 1) * length]
    }

    #[inline]
    pub fn leaf(&self, n: usize) -> NodeId {
        let length = self.tree.n_levels() + 1;
        self.paths[(n + 1) * length - 1]
    }

    pub fn n_items(&self) -> usize {
        self.component.len()
    }

    /// A new node below `parent`, without items; the caller sets its weights and its discriminant.
    pub(crate) fn open_node(&mut self, parent: NodeId) -> NodeId {
        let node = self.tree.add(parent);
        let n_slots = self.tree.n_slots();
        self.weights.open_nodes(n_slots);
        self.discriminants.open(n_slots);
        node
    }

    /// A new component at `mean` (whitened), without items, and with weight 0 at every node.
    pub(crate) fn open_component(&mut self, mean: &[f64]) -> ComponentId {
        let component = self.components.add(mean);
        self.weights.open_components(self.components.n_slots());
        component
    }
}
