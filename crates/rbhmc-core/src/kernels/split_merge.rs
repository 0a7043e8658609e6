//! A leaf is split into two, or two leaves of one parent are merged.
//!
//! An item i is chosen, and j among the others below its parent p at the level above the leaves. If they share
//! their leaf z it is to be split: i stays, j leaves for a new leaf below p, and every other item n of z
//! follows j with probability a_n = 1/(1 + exp((‖y_n − y_j‖² − ‖y_n − y_i‖²)/2)), y whitened. If not, their two
//! leaves are to be merged. With n_k, n'_k the components' counts of the two and the leaves' weights
//! integrated out, the trees with both and with one weigh
//! w_2 = α Γ(N) Γ(N') DM(n; γβ_p) DM(n'; γβ_p) and w_1 = Γ(N + N') DM(n + n'; γβ_p).
//! With C > 0 the leaves' discriminants are drawn anew (see `fitted`). A split is accepted with probability
//! min(1, R), a merge with min(1, 1/R),
//! R = w_2/w_1 · 1/Π a · [p(η') e^{−2C Σh'} / q(η')] / [p(η) e^{−2C Σh} / q(η)].

use statrs::function::gamma::ln_gamma;

use super::regraft::{index, ln_discriminants};
use super::{Info, Work};
use crate::distributions::dirichlet;
use crate::model::Model;
use crate::rng::{Rng, uniform};
use crate::state::{NodeId, State};

/// The items of the two leaves that are split or merged.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sides {
    stay: Vec<u32>,
    leave: Vec<u32>,
    /// ln Π a: how likely it is that a split divides them so.
    ln_division: f64,
}

pub(crate) fn split_merge(model: &Model, state: &mut State, work: &mut Work, rng: &mut Rng) -> Info {
    let mut info = Info::default();
    let level = model.n_levels();
    let i = index(rng, model.n_items());
    let parent = state.path(i)[level - 1];
    let n_others = state.tree.n_items(parent) as usize - 1;
    if n_others == 0 {
        return info;
    }
    let nth = index(rng, n_others);
    let Some(j) = (0..model.n_items()).filter(|&n| n != i && state.path(n)[level - 1] == parent).nth(nth)
    else {
        return info;
    };
    info.moves.count(if state.leaf(i) == state.leaf(j) {
        split(model, state, work, rng, i, j)
    } else {
        merge(model, state, work, rng, i, j)
    });
    info
}

fn split(model: &Model, state: &mut State, work: &mut Work, rng: &mut Rng, i: usize, j: usize) -> bool {
    let old = state.leaf(i);
    let parent = state.tree.parent(old);
    divide(model, state, &mut work.sides, i, j, |probability| Some(uniform(rng) < probability));
    let mut ln_ratio = ln_two_over_one(model, state, work, parent) - work.sides.ln_division;
    let eta = state.etas(&[old]);
    if model.is_regularised() {
        ln_ratio -= ln_discriminants(model, state, work, &[old]);
        ln_ratio += work.fitted.ln_density(model, state, rng, &[old]);
    }
    let new = state.open_node(parent);
    seat(state, &work.sides.leave, old, new);
    if model.is_regularised() {
        ln_ratio -= work.fitted.propose(model, state, rng, &[old, new]);
        ln_ratio += ln_discriminants(model, state, work, &[old, new]);
    }
    let accepted = uniform(rng).ln() < ln_ratio;
    if accepted {
        draw_weights(model, state, work, rng, old);
        draw_weights(model, state, work, rng, new);
    } else {
        seat(state, &work.sides.leave, new, old);
        state.tree.unlink(new);
        state.tree.release(new);
        state.set_etas(&[old], &eta);
    }
    accepted
}

fn merge(model: &Model, state: &mut State, work: &mut Work, rng: &mut Rng, i: usize, j: usize) -> bool {
    let (old, gone) = (state.leaf(i), state.leaf(j));
    let parent = state.tree.parent(old);
    divide(model, state, &mut work.sides, i, j, |_| None);
    let mut ln_ratio = work.sides.ln_division - ln_two_over_one(model, state, work, parent);
    let etas = state.etas(&[old, gone]);
    if model.is_regularised() {
        ln_ratio -= ln_discriminants(model, state, work, &[old, gone]);
        ln_ratio += work.fitted.ln_density(model, state, rng, &[old, gone]);
    }
    seat(state, &work.sides.leave, gone, old);
    state.tree.unlink(gone);
    if model.is_regularised() {
        ln_ratio -= work.fitted.propose(model, state, rng, &[old]);
        ln_ratio += ln_discriminants(model, state, work, &[old]);
    }
    let accepted = uniform(rng).ln() < ln_ratio;
    if accepted {
        state.tree.release(gone);
        draw_weights(model, state, work, rng, old);
    } else {
        state.tree.link(gone);
        seat(state, &work.sides.leave, old, gone);
        state.set_etas(&[old, gone], &etas);
    }
    accepted
}

/// Fills the sides: as `leaves` says of each item but i and j, or as they are where it says nothing.
pub(super) fn divide(
    model: &Model,
    state: &State,
    sides: &mut Sides,
    i: usize,
    j: usize,
    mut leaves: impl FnMut(f64) -> Option<bool>,
) {
    let (here, there) = (state.leaf(i), state.leaf(j));
    sides.stay.clear();
    sides.leave.clear();
    sides.ln_division = 0.0;
    for n in 0..model.n_items() {
        if state.leaf(n) != here && state.leaf(n) != there {
            continue;
        }
        let leave = if n == i || n == j {
            n == j
        } else {
            let towards = 0.5 * (square_distance(model, n, i) - square_distance(model, n, j));
            let leave = leaves(1.0 / (1.0 + (-towards).exp())).unwrap_or_else(|| state.leaf(n) == there);
            // ln 1/(1 + e^{∓t}), without overflow.
            let t = if leave { towards } else { -towards };
            sides.ln_division -= (-t.abs()).exp().ln_1p() + (-t).max(0.0);
            leave
        };
        if leave { &mut sides.leave } else { &mut sides.stay }.push(n as u32);
    }
}

fn square_distance(model: &Model, a: usize, b: usize) -> f64 {
    model.data.white(a).iter().zip(model.data.white(b)).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// ln w_2/w_1
pub(super) fn ln_two_over_one(model: &Model, state: &State, work: &mut Work, parent: NodeId) -> f64 {
    let (alpha, gamma) = (model.config.alpha, model.config.gamma);
    let Work { sides, counts, .. } = work;
    let n_slots = state.components.n_slots();
    let mut ln_leaf = |sides: &[&[u32]]| -> f64 {
        counts.clear();
        counts.resize(n_slots, 0);
        let mut size = 0.0;
        for &n in sides.iter().copied().flatten() {
            counts[state.component[n as usize].index()] += 1;
            size += 1.0;
        }
        let row = state.weights.row(parent);
        let occupied = counts.iter().zip(row).filter(|&(&n, _)| n > 0);
        let terms = occupied.map(|(&n, &above)| {
            let shape = gamma * above;
            if shape > 0.0 { ln_gamma(shape + f64::from(n)) - ln_gamma(shape) } else { f64::NEG_INFINITY }
        });
        ln_gamma(size) + ln_gamma(gamma) - ln_gamma(gamma + size) + terms.sum::<f64>()
    };
    let (stay, leave) = (&sides.stay[..], &sides.leave[..]);
    let one = ln_leaf(&[stay, leave]);
    if one == f64::NEG_INFINITY {
        return one;
    }
    alpha.ln() + ln_leaf(&[stay]) + ln_leaf(&[leave]) - one
}

/// Moves items from one leaf to another of the same parent.
pub(super) fn seat(state: &mut State, items: &[u32], from: NodeId, to: NodeId) {
    let level = state.tree.n_levels();
    for &n in items {
        state.tree.remove_item(from);
        state.tree.add_item(to);
        state.path_mut(n as usize)[level] = to;
    }
}

/// β of a leaf given its items' components, ~ Dir(n_k + γβ_p,k, …).
fn draw_weights(model: &Model, state: &mut State, work: &mut Work, rng: &mut Rng, leaf: NodeId) {
    let gamma = model.config.gamma;
    let parent = state.tree.parent(leaf);
    let n_slots = state.components.n_slots();
    let Work { shapes, exponents, .. } = work;
    shapes.clear();
    shapes.extend(state.weights.row(parent)[..n_slots].iter().map(|above| gamma * above));
    shapes.push(gamma * state.weights.rest(parent));
    for n in 0..state.n_items() {
        if state.leaf(n) == leaf {
            shapes[state.component[n].index()] += 1.0;
        }
    }
    exponents.resize(n_slots + 1, 0.0);
    dirichlet(rng, shapes, &mut exponents[..n_slots + 1]);
    let row = state.weights.row_mut(leaf);
    row[..n_slots].copy_from_slice(&shapes[..n_slots]);
    row[n_slots..].fill(0.0);
    state.weights.set_rest(leaf, shapes[n_slots]);
}
