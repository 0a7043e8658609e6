//! Trees measured by their items and by known classes.

use ndarray::{Array2, Axis};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::prelude::*;
use rbhmc_core::posterior::classes;
use rbhmc_core::posterior::distances::{Counted, distances};

use crate::errors::InvalidInput;
use crate::trees::{self, check_tree};

type Agreement<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>);
type Pair<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// Measures trees by the items X, (item, dimension): AID and AOD of each tree, over all levels or one of them, from 0
/// for the first; with pairs_only, nodes of one item do not count.
#[pyfunction]
#[pyo3(signature = (x, trees, level=None, pairs_only=false))]
pub fn tree_distances<'py>(
    py: Python<'py>,
    x: PyReadonlyArray2<'py, f64>,
    #[pyo3(from_py_with = trees::trees)] trees: PyReadonlyArray3<'py, i32>,
    level: Option<usize>,
    pairs_only: bool,
) -> PyResult<Pair<'py>> {
    let (x, trees) = (x.as_array(), trees.as_array());
    if x.nrows() != trees.dim().2 || x.ncols() == 0 {
        return Err(InvalidInput::new_err("x must have a row for each item, and a column at least"));
    }
    let found = py.detach(|| distances(x, trees, Counted { level, pairs_only }));
    let (inner, outer): (Vec<f64>, Vec<f64>) = found.iter().map(|each| (each.inner, each.outer)).unzip();
    Ok((inner.into_pyarray(py), outer.into_pyarray(py)))
}

/// Measures trees by classes, numbered from 0: the F-measure of each tree and level, and purity of each tree.
#[pyfunction]
pub fn tree_agreement<'py>(
    py: Python<'py>,
    known: PyReadonlyArray1<'py, i32>,
    #[pyo3(from_py_with = trees::trees)] trees: PyReadonlyArray3<'py, i32>,
) -> PyResult<Agreement<'py>> {
    let (known, trees) = (known.as_array(), trees.as_array());
    let (n_trees, n_levels, n_items) = trees.dim();
    check_tree(known.insert_axis(Axis(0)), 1, n_items)?;
    let found = py.detach(|| classes::agreement(known, trees));
    let f_measure = Array2::from_shape_fn((n_trees, n_levels), |(tree, level)| found[tree].f_measure[level]);
    let purity: Vec<f64> = found.iter().map(|each| each.purity).collect();
    Ok((f_measure.into_pyarray(py), purity.into_pyarray(py)))
}
