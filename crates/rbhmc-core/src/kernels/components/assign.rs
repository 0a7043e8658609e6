//! The components of the items: birth, death, and c_n.
//!
//! c_n = k with weight β_zk f(x_n; θ_k), new with weight β*_z f*(x_n), where z is the leaf of the item, or the node
//! at which its new branch starts.

use super::densities::{Densities, UNDERFLOW};
use super::means::draw_mean_of_one;
use crate::chain::Chain;
use crate::distributions::beta;
use crate::rng::{Rng, categorical, categorical_ln};
use crate::state::tree::ROOT;
use crate::state::{ComponentId, NodeId, State, Tree};

/// The law of the sticks with which a new component's weights are split off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stick {
    /// Given that the item is in the component: the first parameter is one larger at the nodes of its path.
    GivenItem,
    /// As printed: Beta(γβ_parent,new, γβ*_parent) at every node.
    Printed,
}

/// Draws every c_n anew, in index order.
pub(crate) fn update_components(chain: &mut Chain) {
    for n in 0..chain.model.n_items() {
        leave(&mut chain.state, n);
        draw_at_leaf(chain, n);
    }
}

/// The published update: every c_n in index order. A component that loses its last item stays a candidate until
/// all items are drawn.
pub(crate) fn update_components_paper(chain: &mut Chain) {
    for n in 0..chain.model.n_items() {
        let component = chain.state.component[n];
        chain.state.components.n_items[component.index()] -= 1;
        chain.workspace.densities.fill(&chain.model, &chain.state, n);
        draw_with(chain, n, chain.state.leaf(n), Stick::Printed);
    }
    let state = &mut chain.state;
    for slot in 0..state.components.n_slots() {
        if state.components.is_open(slot) && state.components.n_items[slot] == 0 {
            drop_component(state, ComponentId(slot as u32));
        }
    }
}

/// Removes the item from its component, and drops the component if that empties it.
pub(crate) fn leave(state: &mut State, n: usize) {
    let component = std::mem::replace(&mut state.component[n], ComponentId::NONE);
    state.components.n_items[component.index()] -= 1;
    if state.components.n_items(component) == 0 {
        drop_component(state, component);
    }
}

/// Returns the weight of a component to the rest at every node.
fn drop_component(state: &mut State, component: ComponentId) {
    for node in state.tree.iter() {
        let rest = state.weights.rest(node) + state.weights.get(node, component);
        state.weights.set_rest(node, rest);
        state.weights.set(node, component, 0.0);
    }
    state.components.remove(component);
}

/// Computes the densities of item n, which has no component, and draws c_n at its leaf.
pub(crate) fn draw_at_leaf(chain: &mut Chain, n: usize) {
    chain.workspace.densities.fill(&chain.model, &chain.state, n);
    draw_at(chain, n, chain.state.leaf(n));
}

/// Draws c_n from the weights of `node`, with the densities in the workspace.
pub(crate) fn draw_at(chain: &mut Chain, n: usize, node: NodeId) -> ComponentId {
    draw_with(chain, n, node, Stick::GivenItem)
}

fn draw_with(chain: &mut Chain, n: usize, node: NodeId, stick: Stick) -> ComponentId {
    let Chain { model, state, workspace, rng, .. } = chain;
    let slot = choose(state, &workspace.densities, &mut workspace.terms, rng, node);
    let component = if slot < state.components.n_slots() {
        ComponentId(slot as u32)
    } else {
        draw_mean_of_one(model, rng, n, &mut workspace.sums);
        let component = state.open_component(&workspace.sums);
        split_rest(chain, component, node, stick);
        component
    };
    let state = &mut chain.state;
    state.component[n] = component;
    state.components.n_items[component.index()] += 1;
    component
}

/// Draws the slot of a component, or the first beyond all slots for a new component.
pub(crate) fn choose(
    state: &State,
    densities: &Densities,
    terms: &mut Vec<f64>,
    rng: &mut Rng,
    node: NodeId,
) -> usize {
    let row = &state.weights.row(node)[..densities.scaled.len()];
    let rest = state.weights.rest(node);
    terms.clear();
    terms.extend(row.iter().zip(&densities.scaled).map(|(weight, f)| weight * f));
    terms.push(rest * densities.scaled_new);
    let total: f64 = terms.iter().sum();
    if total > UNDERFLOW {
        return categorical(rng, terms, total);
    }
    terms.clear();
    terms.extend(row.iter().zip(&densities.ln).map(|(weight, ln)| weight.ln() + ln));
    terms.push(rest.ln() + densities.ln_new);
    categorical_ln(rng, terms)
}

/// Opens a component at a given mean for an item at `leaf`: the forward simulation.
pub(crate) fn open_component(chain: &mut Chain, mean: &[f64], leaf: NodeId) -> ComponentId {
    let component = chain.state.open_component(mean);
    split_rest(chain, component, leaf, Stick::GivenItem);
    component
}

/// Splits the rest of every node, parents first: at the root a fraction ~ Beta(1, γ_0), below
/// ~ Beta(γβ_parent,new + [the node is on the path to `end`], γβ*_parent).
fn split_rest(chain: &mut Chain, component: ComponentId, end: NodeId, stick: Stick) {
    let (gamma, gamma0) = (chain.model.config.gamma, chain.model.config.gamma0);
    let State { tree, weights, .. } = &mut chain.state;
    let (fractions, rng) = (&mut chain.workspace.fractions, &mut chain.rng);
    fractions.resize(tree.n_slots(), 0.0);
    for level in 0..=tree.n_levels() {
        let on_path = ancestor(tree, end, level);
        for &node in tree.level_nodes(level) {
            let (taken, left) = if node == ROOT {
                beta(rng, 1.0, gamma0, 1.0)
            } else {
                let parent = tree.parent(node);
                let has_item = stick == Stick::GivenItem && on_path == Some(node);
                beta(
                    rng,
                    gamma * weights.get(parent, component) + f64::from(u8::from(has_item)),
                    gamma * weights.rest(parent),
                    fractions[parent.index()],
                )
            };
            let rest = weights.rest(node);
            weights.set(node, component, rest * taken);
            weights.set_rest(node, rest * left);
            fractions[node.index()] = taken;
        }
    }
}

/// The node at `level` on the path from the root to `end`, if `end` is that deep.
fn ancestor(tree: &Tree, end: NodeId, level: usize) -> Option<NodeId> {
    let mut node = end;
    while tree.level(node) > level {
        node = tree.parent(node);
    }
    (tree.level(node) == level).then_some(node)
}
