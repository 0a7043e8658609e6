//! A state as flat arrays with canonical labels: equal trees are equal arrays.
//!
//! Nodes of a level, and components, are numbered by first appearance over the items. In the flat tree
//! the root is node 0 and the levels follow one another, so that label j at a level is node
//! (first node of the level) + j.

use ndarray::Array2;

use crate::model::Model;
use crate::state::{NodeId, State};

#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// The label of each item's node at each level below the root.
    pub paths: Array2<i32>,
    pub components: Vec<i32>,
    /// A row a component, in the user's coordinates.
    pub means: Array2<f64>,
    pub tree: FlatTree,
}

/// A row a node.
#[derive(Debug, Clone, PartialEq)]
pub struct FlatTree {
    /// −1 for the root.
    pub parent: Vec<i32>,
    pub level: Vec<i32>,
    pub n_items: Vec<i32>,
    /// β_z, the rest last.
    pub weights: Array2<f64>,
    /// η_z, NaN for the root; none where C = 0.
    pub discriminants: Option<Array2<f64>>,
}

/// What the canonical numbers stand for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Labels {
    label: Vec<i32>,
    nodes: Vec<NodeId>,
    components: Vec<usize>,
}

impl Labels {
    /// Writes canonical labels; `paths` holds a row an item.
    pub(crate) fn write(&mut self, state: &State, paths: &mut [i32], components: &mut [i32]) {
        let n_levels = state.tree.n_levels();
        self.nodes.clear();
        self.nodes.push(crate::state::tree::ROOT);
        for level in 1..=state.tree.n_levels() {
            let first = self.nodes.len();
            self.label.clear();
            self.label.resize(state.tree.n_slots(), -1);
            for n in 0..state.n_items() {
                let node = state.path(n)[level];
                if self.label[node.index()] < 0 {
                    self.label[node.index()] = (self.nodes.len() - first) as i32;
                    self.nodes.push(node);
                }
                paths[n * n_levels + level - 1] = self.label[node.index()];
            }
        }
        self.components.clear();
        self.label.clear();
        self.label.resize(state.components.n_slots(), -1);
        for (component, out) in state.component.iter().zip(components) {
            let slot = component.index();
            if self.label[slot] < 0 {
                self.label[slot] = self.components.len() as i32;
                self.components.push(slot);
            }
            *out = self.label[slot];
        }
    }
}

impl Snapshot {
    pub fn new(model: &Model, state: &State) -> Self {
        let mut labels = Labels::default();
        let mut paths = vec![0; model.n_items() * model.n_levels()];
        let mut components = vec![0; model.n_items()];
        labels.write(state, &mut paths, &mut components);
        let mut means = Array2::zeros((labels.components.len(), model.n_dims()));
        for (mut row, &slot) in means.rows_mut().into_iter().zip(&labels.components) {
            let white: Vec<f64> = state.components.means.column(slot).collect();
            row.assign(&model.mean_of(&white));
        }
        let paths = Array2::from_shape_fn((model.n_items(), model.n_levels()), |(n, level)| {
            paths[n * model.n_levels() + level]
        });
        Self { paths, components, means, tree: FlatTree::new(model, state, &labels) }
    }
}

impl FlatTree {
    fn new(model: &Model, state: &State, labels: &Labels) -> Self {
        let n_nodes = labels.nodes.len();
        let n_components = labels.components.len();
        let mut number = vec![-1; state.tree.n_slots()];
        let mut weights = Array2::zeros((n_nodes, n_components + 1));
        let mut discriminants = Array2::from_elem((n_nodes, model.n_dims()), f64::NAN);
        let mut parent = vec![-1; n_nodes];
        for (index, &node) in labels.nodes.iter().enumerate() {
            number[node.index()] = index as i32;
            for (k, &slot) in labels.components.iter().enumerate() {
                weights[(index, k)] = state.weights.row(node)[slot];
            }
            weights[(index, n_components)] = state.weights.rest(node);
            if index > 0 {
                parent[index] = number[state.tree.parent(node).index()];
                for (d, eta) in state.discriminants.column(node.index()).enumerate() {
                    discriminants[(index, d)] = eta;
                }
            }
        }
        Self {
            parent,
            level: labels.nodes.iter().map(|&node| state.tree.level(node) as i32).collect(),
            n_items: labels.nodes.iter().map(|&node| state.tree.n_items(node) as i32).collect(),
            weights,
            discriminants: model.is_regularised().then_some(discriminants),
        }
    }
}
