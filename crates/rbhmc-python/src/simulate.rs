//! `rbhmc.simulate`.

use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rbhmc_core::{Config, Covariance};

use crate::convert;
use crate::errors::to_python;
use crate::sampler::tree_dict;

/// Draws a table from the generative process: a tree, weights, components, items.
///
/// Returns a dict: X (n_items, n_dims), and the hierarchy behind it as `Sampler` gives it: paths,
/// components, means, tree.
///
/// Examples
/// --------
/// >>> import rbhmc
/// >>> truth = rbhmc.simulate(20, 3, base_cov=25.0, seed=4)
/// >>> truth["X"].shape, truth["paths"].shape
/// ((20, 3), (20, 3))
#[pyfunction]
#[pyo3(
    signature = (
        n_items, n_dims, *, n_levels=3, alpha=0.35, gamma=1.0, gamma0=0.85,
        noise_cov=Covariance::Scalar(1.0), base_mean=vec![0.0], base_cov=Covariance::Scalar(1.0), seed=0
    ),
    text_signature = "(n_items, n_dims, *, n_levels=3, alpha=0.35, gamma=1.0, gamma0=0.85, \
                      noise_cov=1.0, base_mean=0.0, base_cov=1.0, seed=0)"
)]
#[allow(clippy::too_many_arguments)]
pub fn simulate<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = convert::n_items)] n_items: usize,
    #[pyo3(from_py_with = convert::n_dims)] n_dims: usize,
    #[pyo3(from_py_with = convert::n_levels)] n_levels: usize,
    alpha: f64,
    gamma: f64,
    gamma0: f64,
    #[pyo3(from_py_with = convert::noise_cov)] noise_cov: Covariance,
    #[pyo3(from_py_with = convert::base_mean)] base_mean: Vec<f64>,
    #[pyo3(from_py_with = convert::base_cov)] base_cov: Covariance,
    #[pyo3(from_py_with = convert::seed)] seed: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let config = Config {
        n_levels,
        alpha,
        gamma,
        gamma0,
        C: 0.0,
        noise_cov,
        base_mean,
        base_cov,
        ..Config::default()
    };
    let simulation = py.detach(|| rbhmc_core::simulate(config, n_items, n_dims, seed)).map_err(to_python)?;
    let out = PyDict::new(py);
    out.set_item("X", simulation.x.into_pyarray(py))?;
    out.set_item("paths", simulation.truth.paths.into_pyarray(py))?;
    out.set_item("components", simulation.truth.components.into_pyarray(py))?;
    out.set_item("means", simulation.truth.means.into_pyarray(py))?;
    out.set_item("tree", tree_dict(py, simulation.truth.tree)?)?;
    Ok(out)
}
