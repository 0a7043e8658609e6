//! Draws from the generative process: tree, weights, components, data (Algorithm 1 of the paper).

use ndarray::Array2;

use crate::chain::Chain;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::kernels::components::assign;
use crate::kernels::paths::{ncrp, new_branch};
use crate::model::Model;
use crate::rng::{self, Stream, categorical, standard_normal};
use crate::snapshot::Snapshot;
use crate::state::{ComponentId, seating};

/// A table drawn from the model, and the hierarchy behind it.
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
    let mut chain = Chain::new(model, rng::stream(seed, Stream::Simulation))?;
    draw_state(&mut chain);
    draw_items(&mut chain, &mut x);
    let truth = Snapshot::new(&chain.model, &chain.state);
    Ok(Simulation { x, truth })
}

/// Draws V, β, c, θ and η from their priors.
pub(crate) fn draw_state(chain: &mut Chain) {
    for n in 0..chain.model.n_items() {
        let mut leaf = ncrp::draw_path(&chain.model, &chain.state, &mut chain.rng);
        if !chain.state.tree.is_leaf(leaf) {
            leaf = new_branch::create_from_prior(chain, leaf);
        }
        seating::enter(&mut chain.state, n, leaf);
        draw_component(chain, n);
    }
}

/// Draws c_n ~ β of the item's leaf; a new component has θ ~ H.
fn draw_component(chain: &mut Chain, n: usize) {
    let Chain { model, state, rng, .. } = chain;
    let leaf = state.leaf(n);
    let mut terms = state.weights.row(leaf).to_vec();
    terms.push(state.weights.rest(leaf));
    let slot = categorical(rng, &terms, terms.iter().sum());
    let component = if slot < state.weights.stride() {
        ComponentId(slot as u32)
    } else {
        let mean: Vec<f64> = model
            .whitening
            .base_variance
            .iter()
            .map(|variance| variance.sqrt() * standard_normal(rng))
            .collect();
        assign::open_component(chain, &mean, leaf)
    };
    let state = &mut chain.state;
    state.component[n] = component;
    state.components.n_items[component.index()] += 1;
}

/// Draws x_n ~ N(θ_{c_n}, Σ).
pub(crate) fn draw_items(chain: &mut Chain, x: &mut Array2<f64>) {
    let Chain { model, state, rng, .. } = chain;
    for (n, mut row) in x.rows_mut().into_iter().enumerate() {
        let white: Vec<f64> =
            state.components.mean(state.component[n]).map(|mean| mean + standard_normal(rng)).collect();
        row.assign(&model.unwhiten(&white));
    }
}
