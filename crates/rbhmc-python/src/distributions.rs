//! `rbhmc.distributions`: seeded draws from the core's own distributions.

use ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;
use rbhmc_core::Error;
use rbhmc_core::distributions as core;
use rbhmc_core::rng::{Rng, Stream, stream};

use crate::convert;
use crate::errors::{InvalidInput, to_python};
use crate::interrupt::interruptible;

/// `size` draws of `width` numbers each, one after the other.
fn draws<T: Send>(
    py: Python<'_>,
    (size, width): (usize, usize),
    seed: u64,
    draw: impl Fn(&mut Rng, &mut Vec<T>) + Sync,
) -> PyResult<Vec<T>> {
    let mut values = Vec::new();
    size.checked_mul(width).and_then(|total| values.try_reserve_exact(total).ok()).ok_or_else(|| {
        let bytes = size as u128 * width as u128 * size_of::<T>() as u128;
        to_python(Error::OutOfMemory { what: "the draws", bytes })
    })?;
    let mut work = (stream(seed, Stream::Distribution), values, size);
    interruptible(
        py,
        &mut work,
        |(rng, values, left)| {
            if *left > 0 {
                draw(rng, values);
                *left -= 1;
            }
            *left > 0
        },
        |_| Ok(()),
    )?;
    let values = work.1;
    Ok(values)
}

fn require(holds: bool, message: &str) -> PyResult<()> {
    if holds { Ok(()) } else { Err(InvalidInput::new_err(message.to_string())) }
}

/// Draws from the generalised inverse Gaussian: density ∝ x^(p-1) exp(-(a x + b / x) / 2).
///
/// a > 0 and b > 0 with any p; b = 0 needs p > 0 (a gamma), a = 0 needs p < 0 (an inverse gamma).
#[pyfunction]
#[pyo3(signature = (p, a, b, size=1, seed=0))]
pub fn gig<'py>(
    py: Python<'py>,
    p: f64,
    a: f64,
    b: f64,
    #[pyo3(from_py_with = convert::n_samples)] size: usize,
    #[pyo3(from_py_with = convert::seed)] seed: u64,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let distribution = core::Gig::new(p, a, b).map_err(to_python)?;
    let values = draws(py, (size, 1), seed, |rng, out| out.push(distribution.sample(rng)))?;
    Ok(values.into_pyarray(py))
}

/// Draws from the inverse Gaussian with the given mean and shape 1.
#[pyfunction]
#[pyo3(signature = (mean, size=1, seed=0))]
pub fn inverse_gaussian<'py>(
    py: Python<'py>,
    mean: f64,
    #[pyo3(from_py_with = convert::n_samples)] size: usize,
    #[pyo3(from_py_with = convert::seed)] seed: u64,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    require((1e-150..=1e150).contains(&mean), "mean must be a number from 1e-150 to 1e150")?;
    let values = draws(py, (size, 1), seed, |rng, out| out.push(core::inverse_gaussian(rng, mean)))?;
    Ok(values.into_pyarray(py))
}

/// Draws from Beta(a, b). One vanished parameter gives the limit, 0 or 1; with both vanished, 1 with
/// probability `limit`.
#[pyfunction]
#[pyo3(signature = (a, b, size=1, seed=0, limit=0.5))]
pub fn beta<'py>(
    py: Python<'py>,
    a: f64,
    b: f64,
    #[pyo3(from_py_with = convert::n_samples)] size: usize,
    #[pyo3(from_py_with = convert::seed)] seed: u64,
    limit: f64,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let range = |value: f64| (0.0..=1e100).contains(&value);
    require(range(a) && range(b), "a and b must be numbers from 0 to 1e100")?;
    require((0.0..=1.0).contains(&limit), "limit must be a probability")?;
    let values = draws(py, (size, 1), seed, |rng, out| out.push(core::beta(rng, a, b, limit).0))?;
    Ok(values.into_pyarray(py))
}

/// Draws from the Dirichlet distribution, (size, len(shapes)). A shape of 0 gives an entry of 0.
#[pyfunction]
#[pyo3(signature = (shapes, size=1, seed=0))]
pub fn dirichlet<'py>(
    py: Python<'py>,
    shapes: Vec<f64>,
    #[pyo3(from_py_with = convert::n_samples)] size: usize,
    #[pyo3(from_py_with = convert::seed)] seed: u64,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let valid = shapes.iter().all(|shape| (0.0..=1e100).contains(shape));
    require(
        valid && shapes.iter().any(|&shape| shape > 0.0),
        "shapes must be numbers from 0 to 1e100, not all 0",
    )?;
    let values = draws(py, (size, shapes.len()), seed, |rng, out| {
        let first = out.len();
        out.extend_from_slice(&shapes);
        core::dirichlet(rng, &mut out[first..], &mut vec![0.0; shapes.len()]);
    })?;
    let values = Array2::from_shape_vec((size, shapes.len()), values)
        .map_err(|error| InvalidInput::new_err(error.to_string()))?;
    Ok(values.into_pyarray(py))
}

/// Draws the number of tables that n customers occupy in a Chinese restaurant.
#[pyfunction]
#[pyo3(signature = (n, concentration, size=1, seed=0))]
pub fn crt<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = convert::n_customers)] n: u32,
    concentration: f64,
    #[pyo3(from_py_with = convert::n_samples)] size: usize,
    #[pyo3(from_py_with = convert::seed)] seed: u64,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    require((0.0..=1e100).contains(&concentration), "concentration must be a number from 0 to 1e100")?;
    let values = draws(py, (size, 1), seed, |rng, out| out.push(core::crt(rng, n, concentration)))?;
    Ok(values.into_pyarray(py))
}
