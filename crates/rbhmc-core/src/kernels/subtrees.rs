//! A subtree whose weights are integrated out, so that it can hang anywhere.
//!
//! Given the table counts of its nodes, all that a subtree says of the weights β_p above it is
//! Π_k β_pk^{T_k}, T_k the tables that its top node hands up. Below a parent that does not exist yet, whose
//! weights integrate out too, it is DM(T; γβ_g) = Γ(γ)/Γ(γ + T.) Π_k Γ(γβ_gk + T_k)/Γ(γβ_gk).

use statrs::function::gamma::ln_gamma;

use crate::distributions::{crt, dirichlet};
use crate::model::Model;
use crate::rng::Rng;
use crate::state::{NodeId, State};

#[derive(Debug, Clone, Default)]
pub(crate) struct Subtree {
    /// Its nodes, parents first.
    nodes: Vec<NodeId>,
    inside: Vec<bool>,
    /// n_zk, a row a node of the tree.
    counts: Vec<u32>,
    /// T_k of its top node.
    pub(super) tables: Vec<u32>,
    /// The items below it.
    pub(super) items: Vec<u32>,
    shapes: Vec<f64>,
    exponents: Vec<f64>,
}

impl Subtree {
    /// Takes up the subtree below `top` and draws its tables, T_zk = CRT(n_zk, γβ_parent,k), bottom up.
    pub(super) fn take(&mut self, model: &Model, state: &State, rng: &mut Rng, top: NodeId) {
        let State { tree, weights, components, .. } = state;
        let level = tree.level(top);
        let stride = weights.stride();
        self.inside.clear();
        self.inside.resize(tree.n_slots(), false);
        self.inside[top.index()] = true;
        self.nodes.clear();
        self.nodes.push(top);
        for below in level + 1..=tree.n_levels() {
            for &node in tree.level_nodes(below) {
                if self.inside[tree.parent(node).index()] {
                    self.inside[node.index()] = true;
                    self.nodes.push(node);
                }
            }
        }
        self.counts.clear();
        self.counts.resize(tree.n_slots() * stride, 0);
        self.items.clear();
        for n in 0..state.n_items() {
            if state.path(n)[level] == top {
                self.items.push(n as u32);
                self.counts[state.leaf(n).index() * stride + state.component[n].index()] += 1;
            }
        }
        self.tables.clear();
        self.tables.resize(components.n_slots(), 0);
        for &node in self.nodes.iter().rev() {
            let parent = tree.parent(node);
            let above = weights.row(parent);
            for (k, above) in above.iter().enumerate().take(components.n_slots()) {
                let n = self.counts[node.index() * stride + k];
                if n > 0 {
                    let tables = crt(rng, n, model.config.gamma * above);
                    if node == top {
                        self.tables[k] = tables;
                    } else {
                        self.counts[parent.index() * stride + k] += tables;
                    }
                }
            }
        }
    }

    /// ln Π_k β_pk^{T_k}
    pub(super) fn ln_below(&self, state: &State, parent: NodeId) -> f64 {
        self.occupied().map(|(k, tables)| tables * state.weights.row(parent)[k].ln()).sum()
    }

    /// ln DM(T; γβ_g): below a new child of `above`.
    pub(super) fn ln_below_new(&self, model: &Model, state: &State, above: NodeId) -> f64 {
        let gamma = model.config.gamma;
        let total: f64 = self.occupied().map(|(_, tables)| tables).sum();
        let each = |(k, tables): (usize, f64)| {
            let shape = gamma * state.weights.row(above)[k];
            if shape > 0.0 { ln_gamma(shape + tables) - ln_gamma(shape) } else { f64::NEG_INFINITY }
        };
        ln_gamma(gamma) - ln_gamma(gamma + total) + self.occupied().map(each).sum::<f64>()
    }

    fn occupied(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.tables.iter().enumerate().filter(|&(_, &t)| t > 0).map(|(k, &t)| (k, f64::from(t)))
    }

    /// β of a new parent of the subtree, ~ Dir(γβ_g + T).
    pub(super) fn draw_parent(&mut self, model: &Model, state: &mut State, rng: &mut Rng, parent: NodeId) {
        let tables = std::mem::take(&mut self.tables);
        self.draw(model, state, rng, parent, &tables);
        self.tables = tables;
    }

    /// β of the subtree's nodes where it hangs now, parents first: ~ Dir(n_zk + γβ_parent,k, …).
    pub(super) fn redraw(&mut self, model: &Model, state: &mut State, rng: &mut Rng) {
        let (counts, nodes) = (std::mem::take(&mut self.counts), std::mem::take(&mut self.nodes));
        let stride = state.weights.stride();
        for &node in &nodes {
            self.draw(model, state, rng, node, &counts[node.index() * stride..][..self.tables.len()]);
        }
        (self.counts, self.nodes) = (counts, nodes);
    }

    fn draw(&mut self, model: &Model, state: &mut State, rng: &mut Rng, node: NodeId, counts: &[u32]) {
        let gamma = model.config.gamma;
        let parent = state.tree.parent(node);
        let n_slots = counts.len();
        self.shapes.clear();
        let above = state.weights.row(parent);
        self.shapes.extend(counts.iter().zip(above).map(|(&n, above)| f64::from(n) + gamma * above));
        self.shapes.push(gamma * state.weights.rest(parent));
        self.exponents.resize(n_slots + 1, 0.0);
        dirichlet(rng, &mut self.shapes, &mut self.exponents);
        let row = state.weights.row_mut(node);
        row[..n_slots].copy_from_slice(&self.shapes[..n_slots]);
        row[n_slots..].fill(0.0);
        state.weights.set_rest(node, self.shapes[n_slots]);
    }
}
