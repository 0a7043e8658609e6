//! New branches: the chain of nodes from a node of the tree down to a new leaf.

use crate::distributions::dirichlet;
use crate::kernels::Work;
use crate::model::Model;
use crate::numerics::dot;
use crate::rng::{Rng, standard_normal};
use crate::state::{ComponentId, NodeId, State};

/// The discriminants of a branch that is not in the tree, a row a level.
#[derive(Debug, Clone, Default)]
pub(crate) struct Branch {
    etas: Vec<f64>,
    n_dims: usize,
}

impl Branch {
    pub(crate) fn resize(&mut self, model: &Model) {
        self.n_dims = model.n_dims();
        self.etas.resize((model.n_levels() + 1) * self.n_dims, 0.0);
    }

    pub(crate) fn eta(&self, level: usize) -> &[f64] {
        &self.etas[level * self.n_dims..(level + 1) * self.n_dims]
    }

    pub(crate) fn eta_mut(&mut self, level: usize) -> &mut [f64] {
        &mut self.etas[level * self.n_dims..(level + 1) * self.n_dims]
    }

    /// Keeps the discriminants of the item's nodes from `topmost` down.
    pub(crate) fn keep(&mut self, state: &State, n: usize, topmost: usize) {
        for level in topmost..=state.tree.n_levels() {
            let node = state.path(n)[level].index();
            for (eta, value) in self.eta_mut(level).iter_mut().zip(state.discriminants.column(node)) {
                *eta = value;
            }
        }
    }

    /// η ~ N(0, ν_0² I) for the levels from `topmost` down.
    pub(crate) fn draw(&mut self, model: &Model, rng: &mut Rng, topmost: usize) {
        for level in topmost..=model.n_levels() {
            draw_eta(model, rng, self.eta_mut(level));
        }
    }
}

/// η ~ N(0, ν_0² I)
pub(crate) fn draw_eta(model: &Model, rng: &mut Rng, eta: &mut [f64]) {
    for value in eta {
        *value = model.config.eta_scale * standard_normal(rng);
    }
}

/// η ~ N(0, ν_0² I) given that ηᵀx = score: a free draw, moved along x.
pub(crate) fn draw_eta_given_score(model: &Model, rng: &mut Rng, n: usize, score: f64, eta: &mut [f64]) {
    draw_eta(model, rng, eta);
    let square = model.data.square[n];
    if square > 0.0 {
        let x = model.data.x(n);
        let step = (score - dot(eta, x)) / square;
        for (eta, x) in eta.iter_mut().zip(x) {
            *eta += step * x;
        }
    }
}

/// Creates the nodes from below `parent` down to a new leaf, which is returned.
///
/// β ~ Dir(γβ_parent), with 1 more at `component` where the item is known to sit in it; η from
/// `work.branch`.
pub(crate) fn create(
    model: &Model,
    state: &mut State,
    work: &mut Work,
    rng: &mut Rng,
    parent: NodeId,
    component: Option<ComponentId>,
) -> NodeId {
    let mut node = parent;
    for level in state.tree.level(parent) + 1..=model.n_levels() {
        let above = node;
        node = state.open_node(above);
        draw_weights_below(model, state, work, rng, above, node, component);
        if model.is_regularised() {
            state.discriminants.set_column(node.index(), work.branch.eta(level));
        }
    }
    node
}

fn draw_weights_below(
    model: &Model,
    state: &mut State,
    work: &mut Work,
    rng: &mut Rng,
    above: NodeId,
    node: NodeId,
    component: Option<ComponentId>,
) {
    let gamma = model.config.gamma;
    let stride = state.weights.stride();
    let shapes = &mut work.shapes;
    shapes.clear();
    shapes.extend(state.weights.row(above).iter().map(|weight| gamma * weight));
    shapes.push(gamma * state.weights.rest(above));
    if let Some(component) = component {
        shapes[component.index()] += 1.0;
    }
    work.exponents.resize(shapes.len(), 0.0);
    dirichlet(rng, shapes, &mut work.exponents);
    state.weights.row_mut(node).copy_from_slice(&shapes[..stride]);
    state.weights.set_rest(node, shapes[stride]);
}

/// Removes the new and still empty nodes from `leaf` up to the one below `parent`.
pub(crate) fn discard(state: &mut State, leaf: NodeId, parent: NodeId) {
    let mut node = leaf;
    while node != parent {
        let above = state.tree.parent(node);
        state.tree.unlink(node);
        state.tree.release(node);
        node = above;
    }
}
