//! Where a chain starts: from the prior, or from paths that a user gives.

use std::collections::HashMap;

use ndarray::ArrayView2;

use crate::config::Scheme;
use crate::error::{Error, Result};
use crate::kernels::components::{assign, means};
use crate::kernels::margins::lambda;
use crate::kernels::paths::branch;
use crate::kernels::{Work, weights};
use crate::model::Model;
use crate::rng::Rng;
use crate::simulate;
use crate::state::tree::ROOT;
use crate::state::{NodeId, State, seating};

/// A state from the prior, or one with the given tree and everything else drawn given it and the data.
pub(crate) fn state(
    model: &mut Model,
    paths: Option<ArrayView2<'_, i64>>,
    work: &mut Work,
    rng: &mut Rng,
) -> Result<State> {
    let mut state = match paths {
        None => simulate::draw_state(model, work, rng)?,
        Some(paths) => {
            let mut state = seat_paths(model, paths, rng)?;
            assign::seat_all(model, &mut state, work, rng);
            weights::weights_by_tables(model, &mut state, work, rng);
            means::means(model, &mut state, work, rng);
            state
        }
    };
    // The other schemes redraw every λ_n before they read it.
    if model.is_regularised() && model.config.scheme == Scheme::Paper {
        work.violations.refresh(model, &state);
        for n in 0..model.n_items() {
            state.lambda[n] = lambda::draw_lambda(model, rng, work.violations.of(model, n));
        }
    }
    Ok(state)
}

/// Seats every item at its given path. No component is open yet: the rest of every node is 1.
fn seat_paths(model: &Model, paths: ArrayView2<'_, i64>, rng: &mut Rng) -> Result<State> {
    let (n_items, n_levels) = (model.n_items(), model.n_levels());
    if paths.dim() != (n_items, n_levels) {
        return Err(Error::BadPaths {
            problem: format!(
                "shape {:?}; it must be ({n_items}, {n_levels}): a row for each item, a column for each level",
                paths.dim()
            ),
        });
    }
    let mut state = State::empty(model)?;
    // The node of each label of each level, and the first item that named it.
    let mut nodes: HashMap<(usize, i64), (NodeId, usize)> = HashMap::new();
    let mut eta = vec![0.0; if model.is_regularised() { model.n_dims() } else { 0 }];
    for n in 0..n_items {
        let mut node = ROOT;
        for level in 1..=n_levels {
            let label = paths[(n, level - 1)];
            node = match nodes.get(&(level, label)) {
                Some(&(known, first)) if state.tree.parent(known) != node => {
                    return Err(Error::BadPaths {
                        problem: format!(
                            "items {first} and {n} share node {label} at level {level} but not its parent at \
                             level {}; labels must be unique within a level for these to form a tree",
                            level - 1
                        ),
                    });
                }
                Some(&(known, _)) => known,
                None => {
                    let new = state.open_node(node);
                    state.weights.set_rest(new, 1.0);
                    branch::draw_eta(model, rng, &mut eta);
                    state.discriminants.set_column(new.index(), &eta);
                    nodes.insert((level, label), (new, n));
                    new
                }
            };
        }
        seating::enter(&mut state, n, node);
    }
    Ok(state)
}
