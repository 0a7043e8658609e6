//! The initial state of a chain: from the prior, or from given paths, with or without given components.

use ndarray::{Array2, ArrayView2, Axis};

use crate::chain::Chain;
use crate::config::Scheme;
use crate::error::{Error, Result};
use crate::kernels::components::{assign, means};
use crate::kernels::margins::lambda;
use crate::kernels::weights;
use crate::labels::canonical_labels;
use crate::model::discriminant_prior;
use crate::simulate;
use crate::state::tree::ROOT;
use crate::state::{NodeId, seating};

/// Draws the state from the prior, or, given paths and perhaps components, everything else given these and the data.
pub(crate) fn draw_state(
    chain: &mut Chain,
    paths: Option<ArrayView2<'_, i64>>,
    components: Option<&[i64]>,
) -> Result<()> {
    match paths {
        None => simulate::draw_state(chain),
        Some(paths) => {
            add_paths(chain, paths)?;
            match components {
                Some(components) => add_components(chain, components)?,
                None => (0..chain.model.n_items()).for_each(|n| assign::draw_at_leaf(chain, n)),
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

/// Checks given paths (item, level), and returns them as a tree (level, item) with canonical labels.
pub(crate) fn check_paths(
    paths: ArrayView2<'_, i64>,
    n_items: usize,
    n_levels: usize,
) -> Result<Array2<i32>> {
    if paths.dim() != (n_items, n_levels) {
        return Err(Error::BadPaths {
            problem: format!(
                "shape {:?}; it must be ({n_items}, {n_levels}): one row for each item, one column for each level",
                paths.dim()
            ),
        });
    }
    match canonical_labels(paths.insert_axis(Axis(0))) {
        Ok(trees) => Ok(trees.index_axis_move(Axis(0), 0)),
        Err(error) => Err(Error::BadPaths { problem: error.to_string() }),
    }
}

/// Gives every item its component, equal numbers the same. Their weights are 0 and their means 0 until they are drawn.
fn add_components(chain: &mut Chain, components: &[i64]) -> Result<()> {
    let Chain { model, state, .. } = chain;
    if components.len() != model.n_items() {
        return Err(Error::parameter(
            "the length of initial_components",
            components.len(),
            format!("{}: one number for each item", model.n_items()),
        ));
    }
    let mut known = std::collections::BTreeMap::new();
    let mean = vec![0.0; model.n_dims()];
    for (n, &label) in components.iter().enumerate() {
        let component = *known.entry(label).or_insert_with(|| state.open_component(&mean));
        state.component[n] = component;
        state.components.n_items[component.index()] += 1;
    }
    Ok(())
}

/// Gives every item its path. There is no component yet, and the rest of every node is 1.
fn add_paths(chain: &mut Chain, paths: ArrayView2<'_, i64>) -> Result<()> {
    let Chain { model, state, rng, .. } = chain;
    let labels = check_paths(paths, model.n_items(), model.n_levels())?;
    let mut nodes: Vec<Vec<NodeId>> = vec![Vec::new(); model.n_levels()];
    let mut eta = vec![0.0; if model.is_regularised() { model.n_eta_dims() } else { 0 }];
    for n in 0..model.n_items() {
        let mut node = ROOT;
        for (nodes, labels) in nodes.iter_mut().zip(labels.outer_iter()) {
            let label = labels[n] as usize;
            // Labels are canonical: a new one is the number of nodes so far.
            if label == nodes.len() {
                let new = state.open_node(node);
                state.weights.set_rest(new, 1.0);
                discriminant_prior::draw(model, rng, &mut eta);
                state.discriminants.set_column(new.index(), &eta);
                nodes.push(new);
            }
            node = nodes[label];
        }
        seating::enter(state, n, node);
    }
    Ok(())
}
