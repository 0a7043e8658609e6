//! Python values as the core wants them.

use ndarray::{Array2, Ix2};
use numpy::{PyArray1, PyArray2, PyArrayDyn, PyArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;
use rbhmc_core::Covariance;

use crate::errors::{InvalidInput, to_python};

/// A table of numbers of any dtype and order.
pub fn table(x: &Bound<'_, PyAny>) -> PyResult<Array2<f64>> {
    let array = floats(x, "X", "a table of numbers")?;
    let shape = array.shape().to_vec();
    array.into_dimensionality::<Ix2>().map_err(|_| {
        InvalidInput::new_err(format!(
            "X has shape {}; it must have two dimensions: a row for each item, a column for each feature",
            shape_text(&shape)
        ))
    })
}

/// Whole numbers in two dimensions.
pub fn paths(given: &Bound<'_, PyAny>) -> PyResult<Array2<i64>> {
    let array = as_array(given, "initial_paths", "whole numbers")?;
    if !matches!(kind(&array)?.as_str(), "i" | "u") {
        return Err(InvalidInput::new_err(format!(
            "initial_paths has dtype {}; it must hold whole numbers",
            array.getattr("dtype")?
        )));
    }
    let array = array.call_method1("astype", ("int64",))?;
    let array: Bound<'_, PyArrayDyn<i64>> = array.extract()?;
    let array = array.readonly().as_array().to_owned();
    let shape = array.shape().to_vec();
    array.into_dimensionality::<Ix2>().map_err(|_| {
        InvalidInput::new_err(format!(
            "initial_paths has shape {}; it must have two dimensions: a row for each item, a column for each level",
            shape_text(&shape)
        ))
    })
}

/// A covariance, or the name of how it is found.
pub enum CovarianceSetting {
    Given(Covariance),
    Named(String),
}

pub fn noise_setting(given: &Bound<'_, PyAny>) -> PyResult<CovarianceSetting> {
    setting(given, noise_cov)
}

pub fn base_setting(given: &Bound<'_, PyAny>) -> PyResult<CovarianceSetting> {
    setting(given, base_cov)
}

fn setting(
    given: &Bound<'_, PyAny>,
    covariance: impl Fn(&Bound<'_, PyAny>) -> PyResult<Covariance>,
) -> PyResult<CovarianceSetting> {
    match given.cast::<PyString>() {
        Ok(name) => Ok(CovarianceSetting::Named(name.to_string())),
        Err(_) => covariance(given).map(CovarianceSetting::Given),
    }
}

pub fn alpha(given: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    concentration(given, "alpha")
}

pub fn gamma(given: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    concentration(given, "gamma")
}

pub fn gamma0(given: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    concentration(given, "gamma0")
}

/// A number, or none for "learn".
fn concentration(given: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<f64>> {
    if given.cast::<PyString>().is_ok_and(|text| text == "learn") {
        return Ok(None);
    }
    given.extract().map(Some).map_err(|_| {
        pyo3::exceptions::PyTypeError::new_err(format!(
            "{name} is {}; it must be a number above 0, or \"learn\"",
            given.repr().map_or_else(|_| "of no use".to_string(), |text| text.to_string())
        ))
    })
}

/// A number, a vector or a matrix.
pub fn from_covariance<'py>(py: Python<'py>, covariance: &Covariance) -> PyResult<Bound<'py, PyAny>> {
    Ok(match covariance {
        Covariance::Scalar(variance) => variance.into_pyobject(py)?.into_any(),
        Covariance::Diagonal(variances) => PyArray1::from_slice(py, variances).into_any(),
        Covariance::Full(matrix) => PyArray2::from_array(py, matrix).into_any(),
    })
}

pub fn noise_cov(given: &Bound<'_, PyAny>) -> PyResult<Covariance> {
    covariance(given, "noise_cov")
}

pub fn base_cov(given: &Bound<'_, PyAny>) -> PyResult<Covariance> {
    covariance(given, "base_cov")
}

fn covariance(given: &Bound<'_, PyAny>, name: &str) -> PyResult<Covariance> {
    let array = floats(given, name, "a number, a vector or a matrix")?;
    match array.ndim() {
        0 => Ok(Covariance::Scalar(array.first().copied().unwrap_or(f64::NAN))),
        1 => Ok(Covariance::Diagonal(array.iter().copied().collect())),
        2 => Ok(Covariance::Full(array.into_dimensionality().map_err(shape_error)?)),
        _ => Err(InvalidInput::new_err(format!(
            "{name} has shape {}; it must be a number, a vector or a matrix",
            shape_text(array.shape())
        ))),
    }
}

pub fn base_mean(given: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    vector(given, "base_mean", "a number or a vector", 0)
}

/// Numbers in one dimension, or in none if `least` is 0.
fn vector(given: &Bound<'_, PyAny>, name: &str, expected: &str, least: usize) -> PyResult<Vec<f64>> {
    let array = floats(given, name, expected)?;
    if !(least..=1).contains(&array.ndim()) {
        return Err(InvalidInput::new_err(format!(
            "{name} has shape {}; it must be {expected}",
            shape_text(array.shape())
        )));
    }
    Ok(array.iter().copied().collect())
}

/// A whole number from `least` up; `name` for the message.
fn whole(given: &Bound<'_, PyAny>, name: &str, least: u64) -> PyResult<u64> {
    let py = given.py();
    let index = given.call_method0(intern!(py, "__index__")).map_err(|_| {
        pyo3::exceptions::PyTypeError::new_err(format!(
            "{name} is {}; it must be a whole number",
            given.repr().map_or_else(|_| "of no use".to_string(), |text| text.to_string())
        ))
    })?;
    match index.extract::<u64>() {
        Ok(value) if value >= least => Ok(value),
        _ => Err(InvalidInput::new_err(format!(
            "{name} is {index}; it must be a whole number, {least} at least and below 2**64"
        ))),
    }
}

pub fn n_levels(given: &Bound<'_, PyAny>) -> PyResult<usize> {
    size(given, "n_levels", 1)
}

pub fn n_items(given: &Bound<'_, PyAny>) -> PyResult<usize> {
    size(given, "n_items", 1)
}

pub fn n_dims(given: &Bound<'_, PyAny>) -> PyResult<usize> {
    size(given, "n_dims", 1)
}

pub fn n_draws(given: &Bound<'_, PyAny>) -> PyResult<usize> {
    size(given, "n_draws", 0)
}

pub fn n_samples(given: &Bound<'_, PyAny>) -> PyResult<usize> {
    size(given, "size", 0)
}

pub fn n_customers(given: &Bound<'_, PyAny>) -> PyResult<u32> {
    // Every customer is one draw: more than this would take longer than anybody waits.
    match u32::try_from(whole(given, "n", 0)?) {
        Ok(n) if n <= 100_000_000 => Ok(n),
        _ => Err(InvalidInput::new_err(format!("n is {given}; it must be at most 10**8"))),
    }
}

pub fn seed(given: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole(given, "seed", 0)
}

pub fn n(given: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole(given, "n", 0)
}

pub fn thin(given: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole(given, "thin", 1)
}

pub fn burn_in(given: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole(given, "burn_in", 0)
}

/// What the core refuses as too large may be larger than its own numbers.
fn size(given: &Bound<'_, PyAny>, name: &str, least: u64) -> PyResult<usize> {
    Ok(usize::try_from(whole(given, name, least)?).unwrap_or(usize::MAX))
}

pub fn parse<T: std::str::FromStr<Err = rbhmc_core::Error>>(name: &str) -> PyResult<T> {
    name.parse().map_err(to_python)
}

fn floats(given: &Bound<'_, PyAny>, name: &str, expected: &str) -> PyResult<ndarray::ArrayD<f64>> {
    let array = as_array(given, name, expected)?;
    if !matches!(kind(&array)?.as_str(), "b" | "i" | "u" | "f" | "O") {
        return Err(InvalidInput::new_err(format!(
            "{name} has dtype {}; it must be {expected}",
            array.getattr("dtype")?
        )));
    }
    let array = array.call_method1("astype", ("float64",)).map_err(|error| {
        InvalidInput::new_err(format!(
            "{name} cannot be read as numbers ({}); it must be {expected}",
            error.value(given.py())
        ))
    })?;
    let array: Bound<'_, PyArrayDyn<f64>> = array.extract()?;
    Ok(array.readonly().as_array().to_owned())
}

fn as_array<'py>(given: &Bound<'py, PyAny>, name: &str, expected: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = given.py();
    py.import(intern!(py, "numpy"))?.call_method1(intern!(py, "asarray"), (given,)).map_err(|error| {
        InvalidInput::new_err(format!("{name} is no array ({}); it must be {expected}", error.value(py)))
    })
}

fn kind(array: &Bound<'_, PyAny>) -> PyResult<String> {
    array.getattr("dtype")?.getattr("kind")?.extract()
}

fn shape_text(shape: &[usize]) -> String {
    let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
    format!("({}{})", sizes.join(", "), if sizes.len() == 1 { "," } else { "" })
}

fn shape_error(error: ndarray::ShapeError) -> PyErr {
    InvalidInput::new_err(error.to_string())
}
