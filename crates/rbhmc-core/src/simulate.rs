//! The generative process, forward: tree, weights, components, data (Algorithm 1 of the paper).

use ndarray::Array2;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::kernels::Work;
use crate::kernels::components::assign;
use crate::kernels::paths::{branch, ncrp};
use crate::model::Model;
use crate::rng::{self, Rng, Stream, categorical, standard_normal};
use crate::snapshot::Snapshot;
use crate::state::seating;
use crate::state::{NodeId, State};

/// A table drawn from the model, and the hierarchy that it was drawn from.
#[derive(Debug, Clone)]
pub struct Simulation {
    pub x: Array2<f64>,
    pub truth: Snapshot,
}

pub fn simulate(config: Config, n_items: usize, n_dims: usize, seed: u64) -> Result<Simulation> {
    let bytes = 8 * n_items as u128 * n_dims as u128;
    let mut zeros: Vec<f64> = Vec::new();
    n_items
        .checked_mul(n_dims)
        .and_then(|size| zeros.try_reserve_exact(size).ok())
        .ok_or(Error::OutOfMemory { what: "the table", bytes })?;
    zeros.resize(n_items * n_dims, 0.0);
    let mut x =
        Array2::from_shape_vec((n_items, n_dims), zeros).map_err(|_| Error::EmptyData { n_items, n_dims })?;
    let model = Model::new(x.view(), config)?;
    let mut rng = rng::stream(seed, Stream::Simulation);
    let state = draw_state(&model, &mut Work::default(), &mut rng)?;
    draw_items(&model, &state, &mut rng, &mut x);
    let truth = Snapshot::new(&model, &state);
    Ok(Simulation { x, truth })
}

/// V, β, c, θ and η from their priors.
pub(crate) fn draw_state(model: &Model, work: &mut Work, rng: &mut Rng) -> Result<State> {
    let mut state = State::empty(model)?;
    for n in 0..model.n_items() {
        let end = ncrp::walk(model, &state, rng);
        let leaf = grow(model, &mut state, work, rng, end);
        seating::enter(&mut state, n, leaf);
        draw_component(model, &mut state, work, rng, n);
    }
    Ok(state)
}

/// The leaf itself, or a new one at the end of a branch that leaves at `end`.
fn grow(model: &Model, state: &mut State, work: &mut Work, rng: &mut Rng, end: NodeId) -> NodeId {
    if state.tree.is_leaf(end) {
        return end;
    }
    if model.is_regularised() {
        work.branch.resize(model);
        work.branch.draw(model, rng, state.tree.level(end) + 1);
    }
    branch::create(model, state, work, rng, end, None)
}

/// c_n ~ β of the item's leaf; a component met for the first time has θ ~ H.
fn draw_component(model: &Model, state: &mut State, work: &mut Work, rng: &mut Rng, n: usize) {
    let leaf = state.leaf(n);
    let mut terms = state.weights.row(leaf).to_vec();
    terms.push(state.weights.rest(leaf));
    let slot = categorical(rng, &terms, terms.iter().sum());
    let component = if slot < state.weights.stride() {
        crate::state::ComponentId(slot as u32)
    } else {
        let mean: Vec<f64> = model
            .whitening
            .base_variance
            .iter()
            .map(|variance| variance.sqrt() * standard_normal(rng))
            .collect();
        assign::open_seated(model, state, work, rng, &mean, leaf)
    };
    state.component[n] = component;
    state.components.n_items[component.index()] += 1;
}

/// x_n ~ N(θ_{c_n}, Σ)
pub(crate) fn draw_items(model: &Model, state: &State, rng: &mut Rng, x: &mut Array2<f64>) {
    for (n, mut row) in x.rows_mut().into_iter().enumerate() {
        let white: Vec<f64> =
            state.components.mean(state.component[n]).map(|mean| mean + standard_normal(rng)).collect();
        row.assign(&model.mean_of(&white));
    }
}
