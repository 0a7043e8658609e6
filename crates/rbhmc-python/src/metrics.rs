//! Measures of trees and partitions: distances, agreement with classes and with each other.

use ndarray::{Array2, Axis};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::prelude::*;
use rbhmc_core::posterior::metrics::{self, NodeFilter};
use rbhmc_core::posterior::partitions::{Measure, Partitions};

use crate::errors::InvalidInput;
use crate::interrupt::interruptible;
use crate::threads::detach;
use crate::trees::{check_labels, trees};

type Pair<'py, A, B> = (Bound<'py, A>, Bound<'py, B>);

/// Compares each row of a with each row of b, both partitions of the same items with labels from 0 up: (row of a, row
/// of b). The measure is "vi" (bits), "binder" or "ari".
#[pyfunction]
pub fn compare_partitions<'py>(
    py: Python<'py>,
    a: PyReadonlyArray2<'py, i32>,
    b: PyReadonlyArray2<'py, i32>,
    measure: &str,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let measure = match measure {
        "vi" => Measure::Vi,
        "binder" => Measure::Binder,
        "ari" => Measure::Ari,
        _ => {
            return Err(InvalidInput::new_err(format!(
                "measure is {measure:?}; it must be \"vi\", \"binder\" or \"ari\""
            )));
        }
    };
    let (a, b) = (a.as_array(), b.as_array());
    if a.ncols() != b.ncols() || a.iter().chain(&b).any(|&label| label < 0) {
        return Err(InvalidInput::new_err(format!(
            "a has {} columns and b {}; both must have a column for each item, and labels from 0 up",
            a.ncols(),
            b.ncols()
        )));
    }
    let partitions = detach(py, || Partitions::new(b));
    let mut work = (Array2::zeros((a.nrows(), b.nrows())), 0);
    interruptible(
        py,
        &mut work,
        |(values, row)| {
            if *row < a.nrows() {
                let compared = partitions.compare(a.row(*row), measure);
                values.row_mut(*row).iter_mut().zip(compared).for_each(|(value, new)| *value = new);
                *row += 1;
            }
            *row < a.nrows()
        },
        |_| Ok(()),
    )?;
    Ok(work.0.into_pyarray(py))
}

/// Computes AID and AOD of trees of the items x, (item, dimension), over all levels, or over one, 0 for the first;
/// with skip_singletons, over nodes of two items or more.
#[pyfunction]
#[pyo3(signature = (x, trees, level=None, skip_singletons=false))]
pub fn aid_aod<'py>(
    py: Python<'py>,
    x: PyReadonlyArray2<'py, f64>,
    #[pyo3(from_py_with = trees)] trees: PyReadonlyArray3<'py, i32>,
    level: Option<usize>,
    skip_singletons: bool,
) -> PyResult<Pair<'py, PyArray1<f64>, PyArray1<f64>>> {
    let (x, trees) = (x.as_array(), trees.as_array());
    if x.nrows() != trees.dim().2 || x.ncols() == 0 {
        return Err(InvalidInput::new_err(format!(
            "x has shape {:?}; it must have a row for each of {} items, and at least one column",
            x.dim(),
            trees.dim().2
        )));
    }
    let distances = detach(py, || metrics::distances(x, trees, NodeFilter { level, skip_singletons }));
    let (aid, aod): (Vec<f64>, Vec<f64>) = distances.iter().map(|each| (each.inner, each.outer)).unzip();
    Ok((aid.into_pyarray(py), aod.into_pyarray(py)))
}

/// Compares trees with classes, numbered from 0: the F-measure of each tree and level, and the dendrogram purity of
/// each tree.
#[pyfunction]
pub fn class_agreement<'py>(
    py: Python<'py>,
    classes: PyReadonlyArray1<'py, i32>,
    #[pyo3(from_py_with = trees)] trees: PyReadonlyArray3<'py, i32>,
) -> PyResult<Pair<'py, PyArray2<f64>, PyArray1<f64>>> {
    let (classes, trees) = (classes.as_array(), trees.as_array());
    let (n_trees, n_levels, n_items) = trees.dim();
    check_labels("classes", classes.insert_axis(Axis(0)), (1, n_items))?;
    let agreement = detach(py, || metrics::agreement(classes, trees));
    let f_measure =
        Array2::from_shape_fn((n_trees, n_levels), |(tree, level)| agreement[tree].f_measure[level]);
    let purity: Vec<f64> = agreement.iter().map(|each| each.purity).collect();
    Ok((f_measure.into_pyarray(py), purity.into_pyarray(py)))
}
