//! `rbhmc.distributions`, seeded draws from the distributions of the core, and `rbhmc.simulate`, draws from the model.

use ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rbhmc_core::Error;
use rbhmc_core::distributions as core;
use rbhmc_core::rng::{Rng, Stream, stream};

use crate::arrays;
use crate::errors::{InvalidInput, to_python};
use crate::interrupt::interruptible;
use crate::sampler::tree_dict;
use crate::settings::Settings;
use crate::threads::detach;

/// `size` draws of `width` numbers each, in one vector.
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

/// Checks that a parameter is from `least` to `most`.
fn check(name: &str, value: f64, (least, most): (f64, f64)) -> PyResult<()> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(InvalidInput::new_err(format!("{name} is {value}; it must be a number from {least:e} to {most:e}")))
}

/// Draws from the generalised inverse Gaussian: density ∝ x^(p-1) exp(-(a x + b / x) / 2).
///
/// a > 0 and b > 0 allow any p; b = 0 needs p > 0 (a gamma), a = 0 needs p < 0 (an inverse gamma).
#[pyfunction]
#[pyo3(signature = (p, a, b, size=1, seed=0))]
pub fn gig<'py>(
    py: Python<'py>,
    p: f64,
    a: f64,
    b: f64,
    #[pyo3(from_py_with = arrays::size)] size: usize,
    #[pyo3(from_py_with = arrays::seed)] seed: u64,
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
    #[pyo3(from_py_with = arrays::size)] size: usize,
    #[pyo3(from_py_with = arrays::seed)] seed: u64,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    check("mean", mean, (1e-150, 1e150))?;
    let values = draws(py, (size, 1), seed, |rng, out| out.push(core::inverse_gaussian(rng, mean)))?;
    Ok(values.into_pyarray(py))
}

/// Draws from the inverse gamma, truncated from below: density ∝ x^(-shape-1) exp(-scale / x) for x ≥ floor. The shape is at
/// least 3/2.
#[pyfunction]
#[pyo3(signature = (shape, scale, floor, size=1, seed=0))]
pub fn inverse_gamma_above<'py>(
    py: Python<'py>,
    shape: f64,
    scale: f64,
    floor: f64,
    #[pyo3(from_py_with = arrays::size)] size: usize,
    #[pyo3(from_py_with = arrays::seed)] seed: u64,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    check("shape", shape, (1.5, 1e30))?;
    check("scale", scale, (1e-100, 1e100))?;
    check("floor", floor, (1e-100, 1e100))?;
    let draw = |rng: &mut Rng, out: &mut Vec<f64>| {
        out.push(core::inverse_gamma_above(rng, shape, scale, floor));
    };
    Ok(draws(py, (size, 1), seed, draw)?.into_pyarray(py))
}

/// Draws from Beta(a, b). If one parameter is 0, the draw is the limit, 0 or 1; if both are, it is 1 with
/// probability `limit`.
#[pyfunction]
#[pyo3(signature = (a, b, size=1, seed=0, limit=0.5))]
pub fn beta<'py>(
    py: Python<'py>,
    a: f64,
    b: f64,
    #[pyo3(from_py_with = arrays::size)] size: usize,
    #[pyo3(from_py_with = arrays::seed)] seed: u64,
    limit: f64,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    check("a", a, (0.0, 1e100))?;
    check("b", b, (0.0, 1e100))?;
    check("limit", limit, (0.0, 1.0))?;
    let values = draws(py, (size, 1), seed, |rng, out| out.push(core::beta(rng, a, b, limit).0))?;
    Ok(values.into_pyarray(py))
}

/// Draws from the Dirichlet distribution, (size, len(shapes)). A shape of 0 gives an entry of 0.
#[pyfunction]
#[pyo3(signature = (shapes, size=1, seed=0))]
pub fn dirichlet<'py>(
    py: Python<'py>,
    shapes: Vec<f64>,
    #[pyo3(from_py_with = arrays::size)] size: usize,
    #[pyo3(from_py_with = arrays::seed)] seed: u64,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    shapes.iter().try_for_each(|&shape| check("an entry of shapes", shape, (0.0, 1e100)))?;
    if shapes.iter().all(|&shape| shape == 0.0) {
        return Err(InvalidInput::new_err("every entry of shapes is 0; at least one must be above 0"));
    }
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
    #[pyo3(from_py_with = arrays::n_customers)] n: u32,
    concentration: f64,
    #[pyo3(from_py_with = arrays::size)] size: usize,
    #[pyo3(from_py_with = arrays::seed)] seed: u64,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    check("concentration", concentration, (0.0, 1e100))?;
    let values = draws(py, (size, 1), seed, |rng, out| out.push(core::crt(rng, n, concentration)))?;
    Ok(values.into_pyarray(py))
}

/// Draws a table from the generative process: a tree, weights, components, items.
///
/// Parameters
/// ----------
/// n_items, n_dims : int
///     The shape of the table.
/// seed : int
///     Equal seeds give equal tables, to the bit.
/// **settings
///     The settings of `Sampler`, of which C is 0 by default. None of them can be learned.
///
/// Returns
/// -------
/// dict
///     X (n_items, n_dims), and the hierarchy behind it, in the form of the attributes of `Sampler`: paths, components,
///     means, tree.
///
/// Examples
/// --------
/// >>> import rbhmc
/// >>> truth = rbhmc.simulate(20, 3, base_cov=25.0, seed=4)
/// >>> truth["X"].shape, truth["paths"].shape
/// ((20, 3), (20, 3))
#[pyfunction]
#[pyo3(signature = (n_items, n_dims, *, seed=0, **settings))]
pub fn simulate<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = arrays::n_items)] n_items: usize,
    #[pyo3(from_py_with = arrays::n_dims)] n_dims: usize,
    #[pyo3(from_py_with = arrays::seed)] seed: u64,
    settings: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let mut config = Settings::parse(settings)?.without_data()?;
    if !settings.is_some_and(|settings| settings.contains("C").unwrap_or(false)) {
        config.C = 0.0;
    }
    let simulation = detach(py, || rbhmc_core::simulate(config, n_items, n_dims, seed)).map_err(to_python)?;
    let out = PyDict::new(py);
    out.set_item("X", simulation.x.into_pyarray(py))?;
    out.set_item("paths", simulation.truth.paths.into_pyarray(py))?;
    out.set_item("components", simulation.truth.components.into_pyarray(py))?;
    out.set_item("means", simulation.truth.means.into_pyarray(py))?;
    out.set_item("tree", tree_dict(py, simulation.truth.tree)?)?;
    Ok(out)
}
