//! β_z: the component weights of every node, and the rest.

use serde::{Deserialize, Serialize};

use super::components::ComponentId;
use super::tree::NodeId;
use crate::numerics::{LANES, round_up};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Weights {
    /// Length of a row, a multiple of [`LANES`]. Slots without a component hold 0.
    pub(crate) stride: usize,
    pub(crate) values: Vec<f64>,
    /// β*_z
    pub(crate) rest: Vec<f64>,
}

impl Default for Weights {
    fn default() -> Self {
        Self { stride: LANES, values: Vec::new(), rest: Vec::new() }
    }
}

impl Weights {
    #[inline]
    pub fn stride(&self) -> usize {
        self.stride
    }

    #[inline]
    pub fn row(&self, node: NodeId) -> &[f64] {
        &self.values[node.index() * self.stride..(node.index() + 1) * self.stride]
    }

    #[inline]
    pub(crate) fn row_mut(&mut self, node: NodeId) -> &mut [f64] {
        &mut self.values[node.index() * self.stride..(node.index() + 1) * self.stride]
    }

    #[inline]
    pub fn rest(&self, node: NodeId) -> f64 {
        self.rest[node.index()]
    }

    #[inline]
    pub(crate) fn set_rest(&mut self, node: NodeId, rest: f64) {
        self.rest[node.index()] = rest;
    }

    #[inline]
    pub fn get(&self, node: NodeId, component: ComponentId) -> f64 {
        self.values[node.index() * self.stride + component.index()]
    }

    #[inline]
    pub(crate) fn set(&mut self, node: NodeId, component: ComponentId, weight: f64) {
        self.values[node.index() * self.stride + component.index()] = weight;
    }

    pub(crate) fn open_nodes(&mut self, n_slots: usize) {
        if n_slots > self.rest.len() {
            self.values.resize(n_slots * self.stride, 0.0);
            self.rest.resize(n_slots, 0.0);
        }
    }

    pub(crate) fn open_components(&mut self, n_slots: usize) {
        if n_slots <= self.stride {
            return;
        }
        let stride = round_up(n_slots.max(2 * self.stride));
        let mut values = vec![0.0; self.rest.len() * stride];
        for (new, old) in values.chunks_exact_mut(stride).zip(self.values.chunks_exact(self.stride)) {
            new[..self.stride].copy_from_slice(old);
        }
        self.values = values;
        self.stride = stride;
    }
}
