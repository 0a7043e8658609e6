//! Summaries of draws of trees. Trees are arrays (tree, level, item) of canonical labels.

use ndarray::{Array2, ArrayView3};
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArray3, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3,
    PyReadwriteArray2, PyReadwriteArray3, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use rbhmc_core::labels;
use rbhmc_core::posterior::coclustering::{self, Loss};
use rbhmc_core::posterior::node_similarity::{self, SampleTree};
use rbhmc_core::posterior::{clades, cut, jaccard, linkage, transfer};

use crate::errors::InvalidInput;
use crate::interrupt::interruptible;
use crate::threads::detach;
use crate::trees::{Sets, check_counts, check_labels, hierarchy, indices, item_sets, trees};

type SimilarNodes<'py> = (Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<f64>>);

/// Draws fewer than this can be counted without overflow.
const MAX_DRAWS: u64 = 1 << 24;

/// Converts paths, (draw, item, level), with any labels, to trees, (draw, level, item), whose nodes are numbered from 0
/// by first appearance within each level. With `draws`, an error names the draw that is not a tree.
#[pyfunction]
#[pyo3(signature = (paths, draws=None))]
pub fn canonical_labels<'py>(
    py: Python<'py>,
    paths: PyReadonlyArray3<'py, i64>,
    draws: Option<Vec<usize>>,
) -> PyResult<Bound<'py, PyArray3<i32>>> {
    let paths = paths.as_array();
    let trees = detach(py, || labels::canonical_labels(paths)).map_err(|error| {
        let draw = draws.and_then(|draws| draws.get(error.draw).map(|draw| format!("draw {draw}: ")));
        InvalidInput::new_err(format!("{}{error}", draw.unwrap_or_default()))
    })?;
    Ok(trees.into_pyarray(py))
}

/// Computes the transfer distance of each node of a tree to each draw, (draw, node): the least number of items in which
/// the node differs from a node of the draw or a single item.
///
/// The tree is the parent of each item and then of each node, which comes after its children; the root is last and has
/// −1.
#[pyfunction]
pub fn transfer_distances<'py>(
    py: Python<'py>,
    parents: PyReadonlyArray1<'py, i32>,
    #[pyo3(from_py_with = trees)] trees: PyReadonlyArray3<'py, i32>,
) -> PyResult<Bound<'py, PyArray2<u32>>> {
    let trees = trees.as_array();
    let tree = hierarchy(&parents, trees.dim().2)?;
    Ok(detach(py, || transfer::transfer_distances(&tree, trees)).into_pyarray(py))
}

/// Computes SciPy's linkage matrix, by average linkage of 1 − counts / n_total; clusters that tie are merged at once.
#[pyfunction]
pub fn average_linkage<'py>(
    py: Python<'py>,
    counts: PyReadonlyArray2<'py, u32>,
    n_total: u32,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let counts = counts.as_array();
    check_counts(counts, n_total, counts.nrows())?;
    let merges = detach(py, || linkage::average_linkage(counts.mapv(|count| u64::from(n_total - count))));
    let rows = Array2::from_shape_fn((merges.len(), 4), |(row, column)| {
        let merge = merges[row];
        let height = merge.height / f64::from(n_total);
        [merge.left as f64, merge.right as f64, height, merge.size as f64][column]
    });
    Ok(rows.into_pyarray(py))
}

/// Finds the clusters of a tree, as for `transfer_distances`, of least expected variation of information: whether each
/// item and each node is one. Items are together with probability counts / n_total.
#[pyfunction]
pub fn vi_cut<'py>(
    py: Python<'py>,
    parents: PyReadonlyArray1<'py, i32>,
    counts: PyReadonlyArray2<'py, u32>,
    n_total: u32,
    weight: f64,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let counts = counts.as_array();
    check_counts(counts, n_total, counts.nrows())?;
    if !weight.is_finite() {
        return Err(InvalidInput::new_err(format!("weight is {weight}; it must be finite")));
    }
    let tree = hierarchy(&parents, counts.nrows())?;
    Ok(detach(py, || cut::vi_cut(&tree, counts, n_total.into(), weight)).into_pyarray(py))
}

/// Adds to sums, (target, node), the number of items of a node of a tree that share a node of a draw with the target,
/// over all draws and levels, (draw, level, item).
///
/// The tree is over a sample of the items: their leaves, and the parent of each node, which comes before it.
#[pyfunction]
pub fn add_shared_items<'py>(
    py: Python<'py>,
    tree: (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>),
    targets: PyReadonlyArray1<'py, i64>,
    #[pyo3(from_py_with = trees)] draws: PyReadonlyArray3<'py, i32>,
    mut sums: PyReadwriteArray2<'py, u32>,
) -> PyResult<()> {
    let (draws, mut sums) = (draws.as_array(), sums.as_array_mut());
    let n_items = draws.dim().2;
    let n_nodes = tree.2.as_array().len();
    let sample = indices("the sample", &tree.0, n_items)?;
    let leaves = indices("leaves", &tree.1, n_nodes)?;
    let parents = indices("parents", &tree.2, n_nodes)?;
    let targets = indices("targets", &targets, n_items)?;
    let is_ordered = parents.iter().enumerate().skip(1).all(|(node, &parent)| parent < node);
    if !is_ordered || sample.len() != leaves.len() || sums.dim() != (targets.len(), n_nodes) {
        return Err(InvalidInput::new_err(format!(
            "there are {} leaves for a sample of {}, and sums has shape {:?}; there must be a leaf for each item of \
             the sample, a row for each of {} targets, a column for each of {n_nodes} nodes, and parents before \
             their children",
            leaves.len(),
            sample.len(),
            sums.dim(),
            targets.len()
        )));
    }
    let tree = SampleTree { sample: &sample, leaves: &leaves, parents: &parents };
    let mut work = draws.outer_iter();
    interruptible(
        py,
        &mut (&mut work, &mut sums),
        |(work, sums)| {
            let next = work.next();
            let is_some = next.is_some();
            if let Some(draw) = next {
                node_similarity::add_shared_items(tree, &targets, draw, sums.view_mut());
            }
            is_some
        },
        |_| Ok(()),
    )
}

/// Counts the draws in which each set of items is a node. Sets are the items of all sets and where each ends.
#[pyfunction]
pub fn count_clades<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = item_sets)] sets: Sets,
    #[pyo3(from_py_with = trees)] trees: PyReadonlyArray3<'py, i32>,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let trees = trees.as_array();
    let sets = sets.of_items(trees.dim().2)?;
    Ok(detach(py, || clades::count_clades(sets, trees)).into_pyarray(py))
}

/// Finds the sets of items, other than all of them, that are nodes in at least min_draws of the draws: one row for
/// each, with the draw, the level and the first item of its first occurrence.
#[pyfunction]
pub fn frequent_clades<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = trees)] trees: PyReadonlyArray3<'py, i32>,
    min_draws: u64,
) -> Bound<'py, PyArray2<u64>> {
    let trees = trees.as_array();
    let firsts = detach(py, || clades::frequent_clades(trees, min_draws));
    let rows = Array2::from_shape_fn((firsts.len(), 3), |(row, column)| {
        let first = firsts[row];
        [first.draw, first.level, first.item][column] as u64
    });
    rows.into_pyarray(py)
}

/// Finds the node of each draw with the largest Jaccard index with each set of items: its level, one of its items, and
/// the index, (draw, set) each.
#[pyfunction]
pub fn best_jaccard<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = item_sets)] sets: Sets,
    #[pyo3(from_py_with = trees)] trees: PyReadonlyArray3<'py, i32>,
) -> PyResult<SimilarNodes<'py>> {
    let trees = trees.as_array();
    let sets = sets.of_items(trees.dim().2)?;
    let nodes = detach(py, || jaccard::best_jaccard(sets, trees));
    Ok((
        nodes.mapv(|node| i64::from(node.level)).into_pyarray(py),
        nodes.mapv(|node| i64::from(node.item)).into_pyarray(py),
        nodes.mapv(|node| f64::from(node.shared) / f64::from(node.union)).into_pyarray(py),
    ))
}

/// Gives each node of the draws the label of the most similar node of a tree, (level, item), at its level.
#[pyfunction]
pub fn match_nodes<'py>(
    py: Python<'py>,
    tree: PyReadonlyArray2<'py, i32>,
    #[pyo3(from_py_with = trees)] trees: PyReadonlyArray3<'py, i32>,
) -> PyResult<Bound<'py, PyArray3<i32>>> {
    let (tree, trees) = (tree.as_array(), trees.as_array());
    check_labels("tree", tree, (trees.dim().1, trees.dim().2))?;
    Ok(detach(py, || jaccard::match_nodes(tree, trees)).into_pyarray(py))
}

/// A matrix of whole numbers, (item, item), in one of two types.
#[derive(FromPyObject)]
pub enum CountMatrix<'py> {
    Integers(PyReadwriteArray2<'py, u32>),
    Floats(PyReadwriteArray2<'py, f64>),
}

/// Adds to counts, (item, item), the number of draws, (draw, item), in which two items have the same label.
#[pyfunction]
pub fn count_coclustered<'py>(
    py: Python<'py>,
    draws: PyReadonlyArray2<'py, i32>,
    counts: CountMatrix<'py>,
) -> PyResult<()> {
    let draws = draws.as_array();
    let n_items = draws.ncols();
    let check = |shape: (usize, usize)| {
        if shape == (n_items, n_items) && n_items <= usize::from(u16::MAX) {
            return Ok(());
        }
        Err(InvalidInput::new_err(format!(
            "counts has shape {shape:?} for {n_items} items; it must have a row and a column for each of at most \
             65535 items"
        )))
    };
    match counts {
        CountMatrix::Integers(mut counts) => {
            let counts = counts.as_array_mut();
            check(counts.dim())?;
            detach(py, || coclustering::count_coclustered(draws, counts));
        }
        CountMatrix::Floats(mut counts) => {
            let counts = counts.as_array_mut();
            check(counts.dim())?;
            detach(py, || coclustering::count_coclustered(draws, counts));
        }
    }
    Ok(())
}

/// Adds to sums, (tree, level, item), the number of items that share an item's node both in the tree and in a draw,
/// over all draws: its row of co-clustering counts, summed over its node, without the matrix of counts.
#[pyfunction]
pub fn sum_coclustered<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = trees)] trees: PyReadonlyArray3<'py, i32>,
    #[pyo3(from_py_with = trees)] draws: PyReadonlyArray3<'py, i32>,
    mut sums: PyReadwriteArray3<'py, u64>,
) -> PyResult<()> {
    let (trees, draws, mut sums) = (trees.as_array(), draws.as_array(), sums.as_array_mut());
    if sums.dim() != trees.dim() || trees.shape()[1..] != draws.shape()[1..] {
        return Err(InvalidInput::new_err(format!(
            "sums has shape {:?} and draws {:?}; sums must have the shape of trees, {:?}, and draws as many levels \
             and items",
            sums.dim(),
            draws.dim(),
            trees.dim()
        )));
    }
    let mut work = trees.outer_iter().zip(sums.outer_iter_mut());
    interruptible(
        py,
        &mut work,
        |work| {
            let next = work.next();
            let is_some = next.is_some();
            if let Some((tree, sums)) = next {
                coclustering::sum_coclustered(tree, draws, sums);
            }
            is_some
        },
        |_| Ok(()),
    )
}

/// Computes the expected loss of trees from co-clustering counts, (level, item, item), over n_draws draws: summed over
/// items and levels, up to a constant of the draws.
#[pyfunction]
pub fn expected_losses<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = trees)] trees: PyReadonlyArray3<'py, i32>,
    counts: PyReadonlyArray3<'py, u32>,
    n_draws: u64,
    loss: &str,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let loss = parse_loss(loss, n_draws)?;
    let (_, n_levels, n_items) = trees.as_array().dim();
    if counts.as_array().dim() != (n_levels, n_items, n_items) || !counts.is_c_contiguous() {
        return Err(InvalidInput::new_err(format!(
            "counts has shape {:?}; it must be ({n_levels}, {n_items}, {n_items}), in row-major order",
            counts.as_array().dim()
        )));
    }
    let (trees, counts) = (trees.as_array(), counts.as_array());
    Ok(detach(py, || coclustering::expected_losses(trees, counts, loss)).into_pyarray(py))
}

/// Computes what `expected_losses` does, from the sums of `sum_coclustered`.
#[pyfunction]
pub fn expected_losses_from_sums<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = trees)] trees: PyReadonlyArray3<'py, i32>,
    sums: PyReadonlyArray3<'py, u64>,
    n_draws: u64,
    loss: &str,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let loss = parse_loss(loss, n_draws)?;
    let (trees, sums): (_, ArrayView3<'_, u64>) = (trees.as_array(), sums.as_array());
    if sums.dim() != trees.dim() {
        return Err(InvalidInput::new_err(format!(
            "sums has shape {:?}; it must have the shape of trees, {:?}",
            sums.dim(),
            trees.dim()
        )));
    }
    Ok(detach(py, || coclustering::expected_losses_from_sums(trees, sums, loss)).into_pyarray(py))
}

fn parse_loss(name: &str, n_draws: u64) -> PyResult<Loss> {
    if n_draws >= MAX_DRAWS {
        return Err(InvalidInput::new_err(format!("n_draws is {n_draws}; it must be below 2**24")));
    }
    match name {
        "vi" => Ok(Loss::Vi),
        "binder" => Ok(Loss::Binder { n_draws: n_draws as f64 }),
        _ => Err(InvalidInput::new_err(format!("loss is {name:?}; it must be \"vi\" or \"binder\""))),
    }
}
