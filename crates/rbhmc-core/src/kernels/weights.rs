//! The weights of all nodes, by tables or by counts.
//!
//! Bottom up, what a node hands to its parent is, for each component,
//! - by tables: T_zk = CRT(n_zk, γβ_parent,k), n_zk a leaf's item counts or the sum of the children's T;
//! - by counts (as printed): n_zk itself.
//!
//! Then γ and γ_0 given these, where they are learned. Top down, root ~ Dir(n_root,1, …, γ_0) and below
//! ~ Dir(n_zk + γβ_parent,k, …, γβ*_parent).

use super::{Work, hyper};
use crate::distributions::{crt, dirichlet};
use crate::model::Model;
use crate::rng::Rng;
use crate::state::tree::ROOT;
use crate::state::{NodeId, State};

pub(crate) fn weights_by_tables(model: &mut Model, state: &mut State, work: &mut Work, rng: &mut Rng) {
    let gamma = model.config.gamma;
    count(state, work, |n, parent_weight| crt(rng, n, gamma * parent_weight));
    hyper::of_weights(model, state, work, rng);
    draw(model, state, work, rng);
}

pub(crate) fn weights_by_counts(model: &mut Model, state: &mut State, work: &mut Work, rng: &mut Rng) {
    count(state, work, |n, _| n);
    hyper::of_weights(model, state, work, rng);
    draw(model, state, work, rng);
}

/// Fills `work.counts`, a row a node, handing up `tables(n_zk, β_parent,k)`.
pub(crate) fn count(state: &State, work: &mut Work, mut tables: impl FnMut(u32, f64) -> u32) {
    let stride = state.weights.stride();
    let counts = &mut work.counts;
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

fn draw(model: &Model, state: &mut State, work: &mut Work, rng: &mut Rng) {
    let n_slots = state.components.n_slots();
    work.exponents.resize(n_slots + 1, 0.0);
    for level in 0..=state.tree.n_levels() {
        for position in 0..state.tree.level_nodes(level).len() {
            let node = state.tree.level_nodes(level)[position];
            fill_shapes(model, state, &work.counts, node, &mut work.shapes);
            dirichlet(rng, &mut work.shapes, &mut work.exponents[..n_slots + 1]);
            state.weights.row_mut(node)[..n_slots].copy_from_slice(&work.shapes[..n_slots]);
            state.weights.set_rest(node, work.shapes[n_slots]);
        }
    }
}

/// The parameters of a node's Dirichlet, the rest last.
pub(crate) fn fill_shapes(model: &Model, state: &State, counts: &[u32], node: NodeId, shapes: &mut Vec<f64>) {
    let gamma = model.config.gamma;
    let n_slots = state.components.n_slots();
    let first = node.index() * state.weights.stride();
    let counts = counts[first..first + n_slots].iter().map(|&n| f64::from(n));
    shapes.clear();
    if node == ROOT {
        shapes.extend(counts);
        shapes.push(model.config.gamma0);
    } else {
        let parent = state.tree.parent(node);
        let above = state.weights.row(parent).iter().map(|weight| gamma * weight);
        shapes.extend(counts.zip(above).map(|(n, above)| n + above));
        shapes.push(gamma * state.weights.rest(parent));
    }
}
