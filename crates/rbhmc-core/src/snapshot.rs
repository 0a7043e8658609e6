//! A state as flat arrays with canonical labels: equal trees are equal arrays.
//!
//! The nodes of each level, and the components, are numbered by first appearance over the items. In the
//! flat tree the root is node 0 and the levels follow one another: label j of a level is node
//! (first node of the level) + j.

use ndarray::Array2;

use crate::labels::FirstAppearance;
use crate::model::Model;
use crate::state::tree::ROOT;
use crate::state::{NodeId, State};

#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// The label of each item's node at each level below the root.
    pub paths: Array2<i32>,
    pub components: Vec<i32>,
    /// The mean of each component (component, dimension), in the user's coordinates.
    pub means: Array2<f64>,
    pub tree: FlatTree,
}

/// The nodes of a tree; each field has one entry or row for each node.
#[derive(Debug, Clone, PartialEq)]
pub struct FlatTree {
    /// −1 for the root.
    pub parent: Vec<i32>,
    pub level: Vec<i32>,
    pub n_items: Vec<i32>,
    /// β_z, with the rest in the last column.
    pub weights: Array2<f64>,
    /// η_z, with the weight of the intercept κ in the last column if there is one; NaN for the root; `None` if C = 0.
    pub discriminants: Option<Array2<f64>>,
}

/// The nodes and components in the order of their canonical labels.
#[derive(Debug, Clone, Default)]
pub(crate) struct Labels {
    numbers: FirstAppearance,
    nodes: Vec<NodeId>,
    components: Vec<usize>,
}

impl Labels {
    /// Writes the canonical labels of a state to `paths` (item, level) and `components` (item).
    pub(crate) fn write(&mut self, state: &State, paths: &mut [i32], components: &mut [i32]) {
        let n_levels = state.tree.n_levels();
        self.nodes.clear();
        self.nodes.push(ROOT);
        for level in 1..=n_levels {
            let first = self.nodes.len();
            self.numbers.clear(state.tree.n_slots());
            for n in 0..state.n_items() {
                let node = state.path(n)[level];
                let label = self.numbers.number(node.index() as i64);
                if first + label as usize == self.nodes.len() {
                    self.nodes.push(node);
                }
                paths[n * n_levels + level - 1] = label;
            }
        }
        self.components.clear();
        self.numbers.clear(state.components.n_slots());
        for (component, out) in state.component.iter().zip(components) {
            *out = self.numbers.number(component.index() as i64);
            if *out as usize == self.components.len() {
                self.components.push(component.index());
            }
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
            row.assign(&model.unwhiten(&white));
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
        let mut discriminants = Array2::from_elem((n_nodes, model.n_eta_dims()), f64::NAN);
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
