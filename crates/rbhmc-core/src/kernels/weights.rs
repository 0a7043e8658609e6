//! The weights β of all nodes, by tables or by counts.
//!
//! Bottom up, each node hands to its parent, for each component,
//! - by tables: T_zk = CRT(n_zk, γβ_parent,k), n_zk the item counts of a leaf or the sum of the children's T;
//! - by counts (as printed): n_zk itself.
//!
//! Then γ and γ_0 are drawn given these, if they are learned. Top down, root ~ Dir(n_root,1, …, γ_0) and below
//! ~ Dir(n_zk + γβ_parent,k, …, γβ*_parent).

use super::hyperparameters;
use crate::chain::Chain;
use crate::distributions::{crt, dirichlet};
use crate::model::Model;
use crate::rng::Rng;
use crate::state::tree::ROOT;
use crate::state::{NodeId, State};

pub(crate) fn update_by_tables(chain: &mut Chain) {
    let Chain { model, state, workspace, rng, .. } = chain;
    let gamma = model.config.gamma;
    count_tables(state, &mut workspace.counts, |n, parent_weight| crt(rng, n, gamma * parent_weight));
    draw_given_counts(chain);
}

pub(crate) fn update_by_counts(chain: &mut Chain) {
    count_tables(&chain.state, &mut chain.workspace.counts, |n, _| n);
    draw_given_counts(chain);
}

/// Fills `counts`, one row per node; a node hands `tables(n_zk, β_parent,k)` to its parent.
pub(crate) fn count_tables(state: &State, counts: &mut Vec<u32>, mut tables: impl FnMut(u32, f64) -> u32) {
    let stride = state.weights.stride();
    counts.clear();
    counts.resize(state.tree.n_slots() * stride, 0);
    for n in 0..state.n_items() {
        counts[state.leaf(n).index() * stride + state.component[n].index()] += 1;
    }
    for level in (1..=state.tree.n_levels()).rev() {
        for &node in state.tree.level_nodes(level) {
            let parent = state.tree.parent(node);
            let weights = state.weights.row(parent);
            for k in 0..state.components.n_slots() {
                let n = counts[node.index() * stride + k];
                if n > 0 {
                    counts[parent.index() * stride + k] += tables(n, weights[k]);
                }
            }
        }
    }
}

/// Draws γ and γ_0, if they are learned, then the weights of all nodes, parents first.
fn draw_given_counts(chain: &mut Chain) {
    hyperparameters::update_weight_concentrations(chain);
    let Chain { model, state, workspace, rng, .. } = chain;
    let stride = state.weights.stride();
    for level in 0..=state.tree.n_levels() {
        for position in 0..state.tree.level_nodes(level).len() {
            let node = state.tree.level_nodes(level)[position];
            let counts = &workspace.counts[node.index() * stride..];
            workspace.dirichlet.draw(model, state, rng, node, |shapes| add_counts(shapes, counts));
        }
    }
}

/// Adds the counts of the components to the shapes of a node, whose last is the rest.
pub(crate) fn add_counts(shapes: &mut [f64], counts: &[u32]) {
    let Some((_, components)) = shapes.split_last_mut() else { return };
    for (shape, &n) in components.iter_mut().zip(counts) {
        *shape += f64::from(n);
    }
}

/// Draws the weights of one node.
#[derive(Debug, Clone, Default)]
pub(crate) struct DirichletRow {
    /// The parameters, then the draw.
    shapes: Vec<f64>,
    exponents: Vec<f64>,
}

impl DirichletRow {
    /// Draws β_z ~ Dir(prior shapes + counts), where `add` adds the counts.
    pub(crate) fn draw(
        &mut self,
        model: &Model,
        state: &mut State,
        rng: &mut Rng,
        node: NodeId,
        add: impl FnOnce(&mut [f64]),
    ) {
        let n_slots = state.components.n_slots();
        fill_prior_shapes(model, state, node, &mut self.shapes);
        add(&mut self.shapes);
        self.exponents.resize(n_slots + 1, 0.0);
        dirichlet(rng, &mut self.shapes, &mut self.exponents[..n_slots + 1]);
        let (components, rest) = state.weights.row_mut(node).split_at_mut(n_slots);
        components.copy_from_slice(&self.shapes[..n_slots]);
        rest.fill(0.0);
        state.weights.set_rest(node, self.shapes[n_slots]);
    }
}

/// The parameters of a node's Dirichlet prior, the rest last: γβ_parent, at the root (0, …, 0, γ_0).
pub(crate) fn fill_prior_shapes(model: &Model, state: &State, node: NodeId, shapes: &mut Vec<f64>) {
    let n_slots = state.components.n_slots();
    shapes.clear();
    if node == ROOT {
        shapes.resize(n_slots, 0.0);
        shapes.push(model.config.gamma0);
    } else {
        let (gamma, parent) = (model.config.gamma, state.tree.parent(node));
        shapes.extend(state.weights.row(parent)[..n_slots].iter().map(|weight| gamma * weight));
        shapes.push(gamma * state.weights.rest(parent));
    }
}
