//! The initial state of a chain: from the prior, or from given paths.

use std::collections::HashMap;

use ndarray::ArrayView2;

use crate::chain::Chain;
use crate::config::Scheme;
use crate::error::{Error, Result};
use crate::kernels::components::{assign, means};
use crate::kernels::margins::lambda;
use crate::kernels::paths::branch;
use crate::kernels::weights;
use crate::simulate;
use crate::state::tree::ROOT;
use crate::state::{NodeId, seating};

/// Draws the state from the prior, or, given paths, everything else given these and the data.
pub(crate) fn draw_state(chain: &mut Chain, paths: Option<ArrayView2<'_, i64>>) -> Result<()> {
    match paths {
        None => simulate::draw_state(chain),
        Some(paths) => {
            add_paths(chain, paths)?;
            for n in 0..chain.model.n_items() {
                assign::draw_at_leaf(chain, n);
            }
            weights::update_by_tables(chain);
            means::update_means(chain);
        }
    }
    // The other schemes draw every λ_n before they use it.
    if chain.model.is_regularised() && chain.model.config.scheme == Scheme::Paper {
        lambda::update_lambda(chain);
    }
    Ok(())
}

/// Gives every item its path. There is no component yet, and the rest of every node is 1.
fn add_paths(chain: &mut Chain, paths: ArrayView2<'_, i64>) -> Result<()> {
    let Chain { model, state, rng, .. } = chain;
    let (n_items, n_levels) = (model.n_items(), model.n_levels());
    if paths.dim() != (n_items, n_levels) {
        return Err(Error::BadPaths {
            problem: format!(
                "shape {:?}; it must be ({n_items}, {n_levels}): one row for each item, one column for each level",
                paths.dim()
            ),
        });
    }
    // By level and label: the node, and the first item on it.
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
        seating::enter(state, n, node);
    }
    Ok(())
}
