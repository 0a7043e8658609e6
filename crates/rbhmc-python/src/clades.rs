//! What draws of trees say together: clades, matched nodes, pairs of items, measures, trees of least loss.

use ndarray::{Array2, ArrayView2, ArrayView3, Axis};
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArray3, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3,
    PyReadwriteArray2,
};
use pyo3::prelude::*;
use rbhmc_core::posterior::descent::Descent;
use rbhmc_core::posterior::loss::Loss;
use rbhmc_core::posterior::sets::{self, Sets};
use rbhmc_core::posterior::{clades, classes, distances, matching, nearest, numbering, pairs};

use crate::errors::InvalidInput;
use crate::interrupt::interruptible;

type Counts<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u64>>);
type Agreement<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>);
type Pair<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);
type Nearest<'py> = (Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<f64>>);

/// Puts draws, (draw, item, level), in the form that the other functions want: (draw, level, item), the nodes of a
/// level numbered from 0 by first appearance. Errors count draws from first on, by step.
#[pyfunction]
pub fn numbered<'py>(
    py: Python<'py>,
    paths: PyReadonlyArray3<'py, i32>,
    first: usize,
    step: usize,
) -> PyResult<Bound<'py, PyArray3<i32>>> {
    let paths = paths.as_array();
    let trees = py.detach(|| numbering::numbered(paths, first, step));
    Ok(trees.map_err(|error| InvalidInput::new_err(error.to_string()))?.into_pyarray(py))
}

/// Counts the draws in which each set of items is a node: at any level, and within its span of levels.
///
/// Sets are their items in a row and where each ends; spans have the first and the last level, the root is 0.
#[pyfunction]
pub fn clade_counts<'py>(
    py: Python<'py>,
    items: PyReadonlyArray1<'py, u32>,
    ends: PyReadonlyArray1<'py, u64>,
    spans: PyReadonlyArray2<'py, u64>,
    trees: PyReadonlyArray3<'py, i32>,
) -> PyResult<Counts<'py>> {
    let trees = in_order(&trees)?;
    let (items, ends) = sets_of(&items, &ends, trees.dim().2)?;
    let spans: Vec<(usize, usize)> =
        spans.as_array().outer_iter().map(|span| (span[0] as usize, span[1] as usize)).collect();
    if spans.len() != ends.len() {
        return Err(InvalidInput::new_err("there must be a span for each set"));
    }
    let found = py.detach(|| sets::counts(Sets { items: &items, ends: &ends }, &spans, trees));
    let (anywhere, at_level): (Vec<u64>, Vec<u64>) =
        found.iter().map(|count| (count.anywhere, count.at_level)).unzip();
    Ok((anywhere.into_pyarray(py), at_level.into_pyarray(py)))
}

/// Finds the node of each draw that is most like each set of items: its level, an item in it, and the Jaccard
/// overlap, (draw, set) each.
#[pyfunction]
pub fn nearest_nodes<'py>(
    py: Python<'py>,
    items: PyReadonlyArray1<'py, u32>,
    ends: PyReadonlyArray1<'py, u64>,
    trees: PyReadonlyArray3<'py, i32>,
) -> PyResult<Nearest<'py>> {
    let trees = in_order(&trees)?;
    let (items, ends) = sets_of(&items, &ends, trees.dim().2)?;
    let found = py.detach(|| nearest::nearest(Sets { items: &items, ends: &ends }, trees));
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
    trees: PyReadonlyArray3<'py, i32>,
    least: u64,
) -> PyResult<Bound<'py, PyArray2<u64>>> {
    let trees = in_order(&trees)?;
    let places = py.detach(|| clades::frequent(trees, least));
    let rows = Array2::from_shape_fn((places.len(), 3), |(row, column)| {
        let place = places[row];
        [place.draw, place.level, place.item][column] as u64
    });
    Ok(rows.into_pyarray(py))
}

/// Gives each node of draws the number of the node of a tree, (level, item), that is most like it at its level.
#[pyfunction]
pub fn matched_nodes<'py>(
    py: Python<'py>,
    tree: PyReadonlyArray2<'py, i32>,
    trees: PyReadonlyArray3<'py, i32>,
) -> PyResult<Bound<'py, PyArray3<i32>>> {
    let (tree, trees) = (tree.as_array(), in_order(&trees)?);
    check_tree(tree, trees.dim().1, trees.dim().2)?;
    Ok(py.detach(|| matching::matched(tree, trees)).into_pyarray(py))
}

/// Adds to counts, (item, item), in how many draws, (draw, item), two items have the same number.
#[pyfunction]
pub fn add_together<'py>(
    py: Python<'py>,
    draws: PyReadonlyArray2<'py, i32>,
    mut counts: PyReadwriteArray2<'py, u32>,
) -> PyResult<()> {
    let (draws, counts) = (draws.as_array(), counts.as_array_mut());
    let n_items = draws.ncols();
    if counts.dim() != (n_items, n_items) || n_items > usize::from(u16::MAX) {
        return Err(InvalidInput::new_err(
            "counts must be square, with a row for each of at most 65535 items",
        ));
    }
    py.detach(|| pairs::add_together(draws, counts));
    Ok(())
}

/// Computes what trees cost, by how often two items were together over so many draws: counts (level, item, item).
#[pyfunction]
pub fn tree_costs<'py>(
    py: Python<'py>,
    trees: PyReadonlyArray3<'py, i32>,
    counts: PyReadonlyArray3<'py, u32>,
    n_draws: u64,
    loss: &str,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let trees = in_order(&trees)?;
    let loss = loss_of(loss, n_draws)?;
    let counts = check_counts(&counts, trees.dim().1, trees.dim().2)?;
    Ok(py.detach(|| pairs::costs(trees, counts, loss)).into_pyarray(py))
}

/// Goes downhill from a tree, (level, item), to one that costs less: such a tree, and what it costs.
#[pyfunction]
pub fn descend<'py>(
    py: Python<'py>,
    tree: PyReadonlyArray2<'py, i32>,
    counts: PyReadonlyArray3<'py, u32>,
    n_draws: u64,
    loss: &str,
) -> PyResult<(Bound<'py, PyArray2<i32>>, f64)> {
    let loss = loss_of(loss, n_draws)?;
    let tree = tree.as_array();
    check_tree(tree, tree.nrows(), tree.ncols())?;
    let counts = check_counts(&counts, tree.nrows(), tree.ncols())?;
    let mut descent = Descent::new(tree, counts, loss);
    interruptible(py, &mut descent, Descent::sweep, |_| Ok(()))?;
    Ok((descent.tree().into_pyarray(py), descent.cost()))
}

/// Measures trees by the items X, (item, dimension): AID and AOD of each tree.
#[pyfunction]
pub fn tree_distances<'py>(
    py: Python<'py>,
    x: PyReadonlyArray2<'py, f64>,
    trees: PyReadonlyArray3<'py, i32>,
) -> PyResult<Pair<'py>> {
    let (x, trees) = (x.as_array(), in_order(&trees)?);
    if x.nrows() != trees.dim().2 || x.ncols() == 0 {
        return Err(InvalidInput::new_err("x must have a row for each item, and a column at least"));
    }
    let found = py.detach(|| distances::distances(x, trees));
    let (inner, outer): (Vec<f64>, Vec<f64>) = found.iter().map(|each| (each.inner, each.outer)).unzip();
    Ok((inner.into_pyarray(py), outer.into_pyarray(py)))
}

/// Measures trees by classes, numbered from 0: the F-measure of each tree and level, and purity of each tree.
#[pyfunction]
pub fn tree_agreement<'py>(
    py: Python<'py>,
    known: PyReadonlyArray1<'py, i32>,
    trees: PyReadonlyArray3<'py, i32>,
) -> PyResult<Agreement<'py>> {
    let (known, trees) = (known.as_array(), in_order(&trees)?);
    let (n_trees, n_levels, n_items) = trees.dim();
    check_tree(known.insert_axis(Axis(0)), 1, n_items)?;
    let found = py.detach(|| classes::agreement(known, trees));
    let f_measure = Array2::from_shape_fn((n_trees, n_levels), |(tree, level)| found[tree].f_measure[level]);
    let purity: Vec<f64> = found.iter().map(|each| each.purity).collect();
    Ok((f_measure.into_pyarray(py), purity.into_pyarray(py)))
}

/// Trees whose nodes are numbered as `numbered` does it.
fn in_order<'a>(trees: &'a PyReadonlyArray3<'_, i32>) -> PyResult<ArrayView3<'a, i32>> {
    let trees = trees.as_array();
    for labels in trees.rows() {
        let mut next = 0;
        for &label in labels {
            if label < 0 || label > next {
                return Err(InvalidInput::new_err("trees must be as numbered() makes them"));
            }
            next += i32::from(label == next);
        }
    }
    Ok(trees)
}

fn check_tree(tree: ArrayView2<'_, i32>, n_levels: usize, n_items: usize) -> PyResult<()> {
    let fits = |&label: &i32| usize::try_from(label).is_ok_and(|label| label < n_items);
    if tree.dim() == (n_levels, n_items) && tree.iter().all(fits) {
        return Ok(());
    }
    Err(InvalidInput::new_err(format!(
        "tree must have the shape ({n_levels}, {n_items}), and numbers from 0 to {n_items} - 1"
    )))
}

fn sets_of(
    items: &PyReadonlyArray1<'_, u32>,
    ends: &PyReadonlyArray1<'_, u64>,
    n_items: usize,
) -> PyResult<(Vec<u32>, Vec<usize>)> {
    let items = items.as_array().to_vec();
    let ends: Vec<usize> = ends.as_array().iter().map(|&end| end as usize).collect();
    let rises = ends.first().is_none_or(|&end| end > 0) && ends.is_sorted_by(|a, b| a < b);
    if !rises || ends.last().is_some_and(|&end| end != items.len()) {
        return Err(InvalidInput::new_err(
            "ends must rise, from 1 or more to the number of items in all sets",
        ));
    }
    if items.iter().any(|&item| item as usize >= n_items) {
        return Err(InvalidInput::new_err(format!("items must be from 0 to {n_items} - 1")));
    }
    Ok((items, ends))
}

fn check_counts<'a>(
    counts: &'a PyReadonlyArray3<'_, u32>,
    n_levels: usize,
    n_items: usize,
) -> PyResult<ArrayView3<'a, u32>> {
    let counts = counts.as_array();
    if counts.dim() == (n_levels, n_items, n_items) && counts.is_standard_layout() {
        return Ok(counts);
    }
    Err(InvalidInput::new_err(format!(
        "counts must have the shape ({n_levels}, {n_items}, {n_items}), and be laid out by rows"
    )))
}

fn loss_of(name: &str, n_draws: u64) -> PyResult<Loss> {
    if n_draws >= 1 << 24 {
        return Err(InvalidInput::new_err(format!("there are {n_draws} draws; 2**24 - 1 can be counted")));
    }
    match name {
        "vi" => Ok(Loss::Vi),
        "binder" => Ok(Loss::Binder { n_draws: n_draws as f64 }),
        _ => Err(InvalidInput::new_err(format!("loss is {name:?}; it must be \"vi\" or \"binder\""))),
    }
}
