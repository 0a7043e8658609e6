//! Arrays and integers from Python values, with errors that name the argument.

use ndarray::{Array2, ArrayD, Ix2};
use numpy::{PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use rbhmc_core::Covariance;

use crate::errors::InvalidInput;

/// A table of numbers of any dtype and memory order.
pub fn table(x: &Bound<'_, PyAny>) -> PyResult<Array2<f64>> {
    two_dimensional(floats(x, "X", "a table of numbers")?, "X", "feature")
}

/// Paths: integers of any dtype.
pub fn paths(given: &Bound<'_, PyAny>) -> PyResult<Array2<i64>> {
    two_dimensional(integers(given, "initial_paths")?, "initial_paths", "level")
}

/// The components of items: a vector of integers of any dtype.
pub fn components(given: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
    let array = integers(given, "initial_components")?;
    if array.ndim() != 1 {
        return Err(InvalidInput::new_err(format!(
            "initial_components has shape {}; it must have one dimension: a number for each item",
            shape_text(array.shape())
        )));
    }
    Ok(array.into_iter().collect())
}

fn integers(given: &Bound<'_, PyAny>, name: &str) -> PyResult<ArrayD<i64>> {
    let array = as_array(given, name, "whole numbers")?;
    if !matches!(kind(&array)?.as_str(), "i" | "u") {
        return Err(InvalidInput::new_err(format!(
            "{name} has dtype {}; it must hold whole numbers",
            array.getattr("dtype")?
        )));
    }
    let array = array.call_method1("astype", ("int64",))?;
    let array: Bound<'_, PyArrayDyn<i64>> = array.extract()?;
    Ok(array.readonly().as_array().to_owned())
}

fn two_dimensional<T: Clone>(array: ArrayD<T>, name: &str, column: &str) -> PyResult<Array2<T>> {
    let shape = shape_text(array.shape());
    array.into_dimensionality::<Ix2>().map_err(|_| {
        InvalidInput::new_err(format!(
            "{name} has shape {shape}; it must have two dimensions: a row for each item, a column for each {column}"
        ))
    })
}

/// A number, a vector or a matrix.
pub fn covariance(given: &Bound<'_, PyAny>, name: &str) -> PyResult<Covariance> {
    let array = floats(given, name, "a number, a vector or a matrix")?;
    match array.ndim() {
        0 => Ok(Covariance::Scalar(array.first().copied().unwrap_or(f64::NAN))),
        1 => Ok(Covariance::Diagonal(array.iter().copied().collect())),
        2 => Ok(Covariance::Full(
            array.into_dimensionality().map_err(|error| InvalidInput::new_err(error.to_string()))?,
        )),
        _ => Err(InvalidInput::new_err(format!(
            "{name} has shape {}; it must be a number, a vector or a matrix",
            shape_text(array.shape())
        ))),
    }
}

/// A number or a vector.
pub fn vector(given: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<f64>> {
    let array = floats(given, name, "a number or a vector")?;
    if array.ndim() > 1 {
        return Err(InvalidInput::new_err(format!(
            "{name} has shape {}; it must be a number or a vector",
            shape_text(array.shape())
        )));
    }
    Ok(array.iter().copied().collect())
}

/// An integer from `least` to 2⁶⁴ − 1.
pub fn integer(given: &Bound<'_, PyAny>, name: &str, least: u64) -> PyResult<u64> {
    let py = given.py();
    let index = given.call_method0(intern!(py, "__index__")).map_err(|_| {
        PyTypeError::new_err(format!("{name} is {}; it must be a whole number", display(given)))
    })?;
    match index.extract::<u64>() {
        Ok(value) if value >= least => Ok(value),
        _ => Err(InvalidInput::new_err(format!(
            "{name} is {index}; it must be a whole number, at least {least} and below 2**64"
        ))),
    }
}

/// Parsers of integer arguments: the name in messages, the type, and the least value. Sizes beyond the range of the
/// type become the largest, which is refused with the memory that it would need.
macro_rules! integers {
    ($($function:ident, $name:literal, $type:ty, $least:literal;)*) => {
        $(
            pub fn $function(given: &Bound<'_, PyAny>) -> PyResult<$type> {
                Ok(<$type>::try_from(integer(given, $name, $least)?).unwrap_or(<$type>::MAX))
            }
        )*
    };
}

integers! {
    n_items, "n_items", usize, 1;
    n_dims, "n_dims", usize, 1;
    n_draws, "n_draws", usize, 0;
    size, "size", usize, 0;
    seed, "seed", u64, 0;
    n_sweeps, "n", u64, 0;
    thin, "thin", u64, 1;
    burn_in, "burn_in", u64, 0;
    in_progress, "in_progress", u64, 0;
}

/// The number of customers of a Chinese restaurant; each of them takes one uniform.
pub fn n_customers(given: &Bound<'_, PyAny>) -> PyResult<u32> {
    match u32::try_from(integer(given, "n", 0)?) {
        Ok(n) if n <= 100_000_000 => Ok(n),
        _ => Err(InvalidInput::new_err(format!("n is {given}; it must be at most 10**8"))),
    }
}

/// A value in a message.
pub fn display(given: &Bound<'_, PyAny>) -> String {
    given.repr().map_or_else(|_| "a value without a repr".to_string(), |text| text.to_string())
}

fn floats(given: &Bound<'_, PyAny>, name: &str, expected: &str) -> PyResult<ArrayD<f64>> {
    let array = as_array(given, name, expected)?;
    if !matches!(kind(&array)?.as_str(), "b" | "i" | "u" | "f" | "O") {
        return Err(InvalidInput::new_err(format!(
            "{name} has dtype {}; it must be {expected}",
            array.getattr("dtype")?
        )));
    }
    let array = array.call_method1("astype", ("float64",)).map_err(|error| {
        InvalidInput::new_err(format!(
            "{name} could not be converted to numbers ({}); it must be {expected}",
            error.value(given.py())
        ))
    })?;
    let array: Bound<'_, PyArrayDyn<f64>> = array.extract()?;
    Ok(array.readonly().as_array().to_owned())
}

fn as_array<'py>(given: &Bound<'py, PyAny>, name: &str, expected: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = given.py();
    py.import(intern!(py, "numpy"))?.call_method1(intern!(py, "asarray"), (given,)).map_err(|error| {
        InvalidInput::new_err(format!(
            "{name} could not be converted to an array ({}); it must be {expected}",
            error.value(py)
        ))
    })
}

fn kind(array: &Bound<'_, PyAny>) -> PyResult<String> {
    array.getattr("dtype")?.getattr("kind")?.extract()
}

fn shape_text(shape: &[usize]) -> String {
    let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
    format!("({}{})", sizes.join(", "), if sizes.len() == 1 { "," } else { "" })
}
