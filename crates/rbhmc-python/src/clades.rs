//! What draws of trees say together of sets of items: how often each is a node, and which node is most like it.

use ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::prelude::*;
use rbhmc_core::posterior::{clades, matching, nearest, numbering, sets};

use crate::errors::InvalidInput;
use crate::trees::{self, Sets, check_tree};

type Counts<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u64>>);
type Nearest<'py> = (Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<f64>>);

/// Puts trees, (tree, item, level), with any labels, in the form that the other functions want: (tree, level, item),
/// the nodes of a level numbered from 0 by first appearance. Where draws are given, a number for each tree, an error
/// says in which of them it is.
#[pyfunction]
#[pyo3(signature = (paths, draws=None))]
pub fn numbered<'py>(
    py: Python<'py>,
    paths: PyReadonlyArray3<'py, i64>,
    draws: Option<Vec<usize>>,
) -> PyResult<Bound<'py, PyArray3<i32>>> {
    let paths = paths.as_array();
    let trees = py.detach(|| numbering::numbered(paths)).map_err(|error| {
        let draw = draws.and_then(|draws| draws.get(error.draw).map(|draw| format!("draw {draw}: ")));
        InvalidInput::new_err(format!("{}{error}", draw.unwrap_or_default()))
    })?;
    Ok(trees.into_pyarray(py))
}

/// Counts the draws in which each set of items is a node: at any level, and within its span of levels.
///
/// Sets are their items in a row and where each ends; spans have the first and the last level, the root is 0.
#[pyfunction]
pub fn clade_counts<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = trees::sets)] sets: Sets,
    spans: PyReadonlyArray2<'py, u64>,
    #[pyo3(from_py_with = trees::trees)] trees: PyReadonlyArray3<'py, i32>,
) -> PyResult<Counts<'py>> {
    let trees = trees.as_array();
    let sets = sets.of(trees.dim().2)?;
    let spans = spans.as_array();
    if spans.dim() != (sets.len(), 2) {
        return Err(InvalidInput::new_err("there must be a span, of two levels, for each set"));
    }
    let spans: Vec<(usize, usize)> =
        spans.outer_iter().map(|span| (span[0] as usize, span[1] as usize)).collect();
    let found = py.detach(|| sets::counts(sets, &spans, trees));
    let (anywhere, at_level): (Vec<u64>, Vec<u64>) =
        found.iter().map(|count| (count.anywhere, count.at_level)).unzip();
    Ok((anywhere.into_pyarray(py), at_level.into_pyarray(py)))
}

/// Finds the node of each draw that is most like each set of items: its level, an item in it, and the Jaccard
/// overlap, (draw, set) each.
#[pyfunction]
pub fn nearest_nodes<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = trees::sets)] sets: Sets,
    #[pyo3(from_py_with = trees::trees)] trees: PyReadonlyArray3<'py, i32>,
) -> PyResult<Nearest<'py>> {
    let trees = trees.as_array();
    let sets = sets.of(trees.dim().2)?;
    let found = py.detach(|| nearest::nearest(sets, trees));
    Ok((
        found.mapv(|node| i64::from(node.level)).into_pyarray(py),
        found.mapv(|node| i64::from(node.item)).into_pyarray(py),
        found.mapv(|node| f64::from(node.shared) / f64::from(node.union)).into_pyarray(py),
    ))
}

/// Finds the sets of items, other than all, that are nodes in at least so many of the draws: a row for each, with
/// the draw, the level and the first item of the place where it is first seen.
#[pyfunction]
pub fn frequent_clades<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = trees::trees)] trees: PyReadonlyArray3<'py, i32>,
    least: u64,
) -> Bound<'py, PyArray2<u64>> {
    let trees = trees.as_array();
    let places = py.detach(|| clades::frequent(trees, least));
    let rows = Array2::from_shape_fn((places.len(), 3), |(row, column)| {
        let place = places[row];
        [place.draw, place.level, place.item][column] as u64
    });
    rows.into_pyarray(py)
}

/// Gives each node of draws the number of the node of a tree, (level, item), that is most like it at its level.
#[pyfunction]
pub fn matched_nodes<'py>(
    py: Python<'py>,
    tree: PyReadonlyArray2<'py, i32>,
    #[pyo3(from_py_with = trees::trees)] trees: PyReadonlyArray3<'py, i32>,
) -> PyResult<Bound<'py, PyArray3<i32>>> {
    let (tree, trees) = (tree.as_array(), trees.as_array());
    check_tree(tree, trees.dim().1, trees.dim().2)?;
    Ok(py.detach(|| matching::matched(tree, trees)).into_pyarray(py))
}
