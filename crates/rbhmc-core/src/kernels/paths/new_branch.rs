//! New branches: the chain of nodes from a node of the tree down to a new leaf.

use crate::chain::Chain;
use crate::model::{Model, discriminant_prior};
use crate::rng::Rng;
use crate::state::{ComponentId, NodeId, State};

/// The discriminants of a branch that is not in the tree, one row per level.
#[derive(Debug, Clone, Default)]
pub(crate) struct Branch {
    etas: Vec<f64>,
    n_dims: usize,
}

impl Branch {
    pub(crate) fn resize(&mut self, model: &Model) {
        self.n_dims = model.n_eta_dims();
        self.etas.resize((model.n_levels() + 1) * self.n_dims, 0.0);
    }

    pub(crate) fn eta(&self, level: usize) -> &[f64] {
        &self.etas[level * self.n_dims..(level + 1) * self.n_dims]
    }

    pub(crate) fn eta_mut(&mut self, level: usize) -> &mut [f64] {
        &mut self.etas[level * self.n_dims..(level + 1) * self.n_dims]
    }

    /// Copies the discriminants of the item's nodes from level `topmost` down.
    pub(crate) fn copy_from(&mut self, state: &State, n: usize, topmost: usize) {
        for level in topmost..=state.tree.n_levels() {
            let node = state.path(n)[level].index();
            for (eta, value) in self.eta_mut(level).iter_mut().zip(state.discriminants.column(node)) {
                *eta = value;
            }
        }
    }

    /// Draws η ~ N(0, ν_0² I) for the levels from `topmost` down.
    pub(crate) fn draw(&mut self, model: &Model, rng: &mut Rng, topmost: usize) {
        for level in topmost..=model.n_levels() {
            discriminant_prior::draw(model, rng, self.eta_mut(level));
        }
    }
}

/// Draws a branch from the prior: its discriminants, then its nodes below `parent`. Returns the new leaf.
pub(crate) fn create_from_prior(chain: &mut Chain, parent: NodeId) -> NodeId {
    let Chain { model, state, workspace, rng, .. } = chain;
    if model.is_regularised() {
        workspace.branch.resize(model);
        workspace.branch.draw(model, rng, state.tree.level(parent) + 1);
    }
    create(chain, parent, None)
}

/// Creates the nodes below `parent` down to a new leaf, which is returned. β ~ Dir(γβ_parent), with one more at
/// `component` if the item is known to be in it; η as in the workspace's branch.
pub(crate) fn create(chain: &mut Chain, parent: NodeId, component: Option<ComponentId>) -> NodeId {
    let Chain { model, state, workspace, rng, .. } = chain;
    let mut node = parent;
    for level in state.tree.level(parent) + 1..=model.n_levels() {
        node = state.open_node(node);
        workspace.dirichlet.draw(model, state, rng, node, |shapes| {
            if let Some(component) = component {
                shapes[component.index()] += 1.0;
            }
        });
        if model.is_regularised() {
            state.discriminants.set_column(node.index(), workspace.branch.eta(level));
        }
    }
    node
}

/// Removes new nodes without items, from `leaf` up to the child of `parent`.
pub(crate) fn discard(state: &mut State, leaf: NodeId, parent: NodeId) {
    let mut node = leaf;
    while node != parent {
        let above = state.tree.parent(node);
        state.tree.unlink(node);
        state.tree.release(node);
        node = above;
    }
}
