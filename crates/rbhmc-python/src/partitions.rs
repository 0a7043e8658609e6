//! `overlaps`: what one partition shares with each of many.

use ndarray::Array2;
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;
use rbhmc_core::partitions;

use crate::errors::InvalidInput;
use crate::interrupt::interruptible;

type Sums<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>);

/// Compares each row of a with each row of b; both hold clusters of the same items, from 0 up.
///
/// Returns two arrays of shape (len(a), len(b)): the sums of n log2 n, and of n², over the numbers n of
/// items that a cluster of the one shares with a cluster of the other.
#[pyfunction]
pub fn overlaps<'py>(
    py: Python<'py>,
    a: PyReadonlyArray2<'py, i32>,
    b: PyReadonlyArray2<'py, i32>,
) -> PyResult<Sums<'py>> {
    let (a, b) = (a.as_array().to_owned(), b.as_array().to_owned());
    if a.ncols() != b.ncols() || a.iter().chain(&b).any(|&cluster| cluster < 0) {
        return Err(InvalidInput::new_err(
            "a and b must have as many columns, and hold whole numbers from 0 up",
        ));
    }
    let shape = (a.nrows(), b.nrows());
    let mut work = (Array2::zeros(shape), Array2::zeros(shape), 0);
    interruptible(
        py,
        &mut work,
        |(n_log_n, squares, row)| {
            if *row < a.nrows() {
                for (column, sums) in partitions::overlaps(a.row(*row), b.view()).into_iter().enumerate() {
                    n_log_n[(*row, column)] = sums.n_log_n;
                    squares[(*row, column)] = sums.squares;
                }
                *row += 1;
            }
            *row < a.nrows()
        },
        |_| Ok(()),
    )?;
    let (n_log_n, squares, _) = work;
    Ok((n_log_n.into_pyarray(py), squares.into_pyarray(py)))
}
