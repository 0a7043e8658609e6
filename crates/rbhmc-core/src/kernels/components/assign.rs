//! The items' components: birth, death, and c_n.
//!
//! c_n = k with weight β_zk f(x_n; θ_k), new with weight β*_z f*(x_n), z the item's leaf or the node
//! where its branch is about to leave the tree.

use super::densities::TINY;
use crate::distributions::beta;
use crate::kernels::Work;
use crate::model::Model;
use crate::rng::{Rng, categorical, categorical_ln, standard_normal};
use crate::state::tree::ROOT;
use crate::state::{ComponentId, NodeId, State};

/// Whether a new component's stick knows that the item sits in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stick {
    /// One more at the nodes of the item's path: its law given the item.
    Seated,
    /// As printed: Beta(γβ_parent,new, γβ*_parent) everywhere.
    Unseated,
}

/// Takes the item out of its component, and drops the component if that empties it.
pub(crate) fn leave(state: &mut State, n: usize) {
    let component = std::mem::replace(&mut state.component[n], ComponentId::NONE);
    state.components.n_items[component.index()] -= 1;
    if state.components.n_items(component) == 0 {
        drop_component(state, component);
    }
}

/// Returns a component's weight to the rest at every node.
fn drop_component(state: &mut State, component: ComponentId) {
    for node in state.tree.iter() {
        let rest = state.weights.rest(node) + state.weights.get(node, component);
        state.weights.set_rest(node, rest);
        state.weights.set(node, component, 0.0);
    }
    state.components.remove(component);
}

/// Draws c_n at the item's leaf; its densities are in `work`.
pub(crate) fn draw(model: &Model, state: &mut State, work: &mut Work, rng: &mut Rng, n: usize) {
    draw_at(model, state, work, rng, n, state.leaf(n));
}

/// Draws c_n from the weights of `node`; its densities are in `work`.
pub(crate) fn draw_at(
    model: &Model,
    state: &mut State,
    work: &mut Work,
    rng: &mut Rng,
    n: usize,
    node: NodeId,
) -> ComponentId {
    draw_with(model, state, work, rng, n, node, Stick::Seated)
}

/// Takes each item out of its component and draws c_n at its leaf.
pub(crate) fn redraw(model: &Model, state: &mut State, work: &mut Work, rng: &mut Rng) {
    for n in 0..model.n_items() {
        leave(state, n);
        work.densities.fill(model, state, n);
        draw(model, state, work, rng, n);
    }
}

/// Draws all c_n of items that have none yet, one after the other.
pub(crate) fn seat_all(model: &Model, state: &mut State, work: &mut Work, rng: &mut Rng) {
    for n in 0..model.n_items() {
        work.densities.fill(model, state, n);
        draw(model, state, work, rng, n);
    }
}

/// The published pass: every c_n in index order. A component that loses its last item stays a
/// candidate until the pass ends.
pub(crate) fn components_paper(model: &Model, state: &mut State, work: &mut Work, rng: &mut Rng) {
    for n in 0..model.n_items() {
        let component = state.component[n];
        state.components.n_items[component.index()] -= 1;
        work.densities.fill(model, state, n);
        draw_with(model, state, work, rng, n, state.leaf(n), Stick::Unseated);
    }
    for slot in 0..state.components.n_slots() {
        if state.components.is_open(slot) && state.components.n_items[slot] == 0 {
            drop_component(state, ComponentId(slot as u32));
        }
    }
}

fn draw_with(
    model: &Model,
    state: &mut State,
    work: &mut Work,
    rng: &mut Rng,
    n: usize,
    node: NodeId,
    stick: Stick,
) -> ComponentId {
    let slot = choose(state, work, rng, node);
    let component = if slot < state.components.n_slots() {
        ComponentId(slot as u32)
    } else {
        birth(model, state, work, rng, n, node, stick)
    };
    state.component[n] = component;
    state.components.n_items[component.index()] += 1;
    component
}

/// A component's slot, or one beyond all of them for a new one.
pub(crate) fn choose(state: &State, work: &mut Work, rng: &mut Rng, node: NodeId) -> usize {
    let densities = &work.densities;
    let n_slots = densities.scaled.len();
    let row = &state.weights.row(node)[..n_slots];
    let rest = state.weights.rest(node);
    let terms = &mut work.shapes;
    terms.clear();
    terms.extend(row.iter().zip(&densities.scaled).map(|(weight, f)| weight * f));
    terms.push(rest * densities.scaled_new);
    let total: f64 = terms.iter().sum();
    if total > TINY {
        return categorical(rng, terms, total);
    }
    terms.clear();
    terms.extend(row.iter().zip(&densities.ln).map(|(weight, ln)| weight.ln() + ln));
    terms.push(rest.ln() + densities.ln_new);
    categorical_ln(rng, terms)
}

/// A new component: θ from its posterior given x_n alone, N(y s/(1+s), s/(1+s)) a coordinate.
fn birth(
    model: &Model,
    state: &mut State,
    work: &mut Work,
    rng: &mut Rng,
    n: usize,
    node: NodeId,
    stick: Stick,
) -> ComponentId {
    let mean = &mut work.sums;
    mean.clear();
    for (y, s) in model.data.white(n).iter().zip(&model.whitening.base_variance) {
        let variance = s / (1.0 + s);
        mean.push(y * variance + variance.sqrt() * standard_normal(rng));
    }
    let component = state.open_component(mean);
    split_rest(model, state, &mut work.fractions, rng, component, node, stick);
    component
}

/// A component for an item of the forward simulation, at a given mean.
pub(crate) fn open_seated(
    model: &Model,
    state: &mut State,
    work: &mut Work,
    rng: &mut Rng,
    mean: &[f64],
    leaf: NodeId,
) -> ComponentId {
    let component = state.open_component(mean);
    split_rest(model, state, &mut work.fractions, rng, component, leaf, Stick::Seated);
    component
}

/// Splits the rest of every node, parents first: at the root a fraction ~ Beta(1, γ_0), below
/// ~ Beta(γβ_parent,new + [the node is on the way to `end`], γβ*_parent).
fn split_rest(
    model: &Model,
    state: &mut State,
    fractions: &mut Vec<f64>,
    rng: &mut Rng,
    component: ComponentId,
    end: NodeId,
    stick: Stick,
) {
    let (gamma, gamma0) = (model.config.gamma, model.config.gamma0);
    let State { tree, weights, .. } = state;
    fractions.resize(tree.n_slots(), 0.0);
    for level in 0..=tree.n_levels() {
        let on_path = ancestor(tree, end, level);
        for &node in tree.level_nodes(level) {
            let (taken, left) = if node == ROOT {
                beta(rng, 1.0, gamma0, 1.0)
            } else {
                let parent = tree.parent(node);
                let seated = stick == Stick::Seated && on_path == Some(node);
                beta(
                    rng,
                    gamma * weights.get(parent, component) + f64::from(u8::from(seated)),
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

/// The node at `level` on the way from the root to `end`, if `end` is that deep.
fn ancestor(tree: &crate::state::Tree, end: NodeId, level: usize) -> Option<NodeId> {
    let mut node = end;
    while tree.level(node) > level {
        node = tree.parent(node);
    }
    (tree.level(node) == level).then_some(node)
}
