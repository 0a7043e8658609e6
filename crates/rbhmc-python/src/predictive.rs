//! Where new items go: their principal components, and the probabilities of their paths.

use ndarray::{Array2, s};
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use rbhmc_core::numerics::projection;
use rbhmc_core::predictive::{Parameters, Predictive, Tree};
use rbhmc_core::{Config, Covariance};

use crate::convert;
use crate::errors::{InvalidInput, to_python};
use crate::interrupt::interruptible;

/// Items between two looks at signals, at the least.
const AT_ONCE: usize = 4096;

/// A draw of the parameters, as a dict.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
#[allow(non_snake_case)]
pub struct Draw<'py> {
    alpha: f64,
    C: f64,
    margin: f64,
    eta_scale: f64,
    #[pyo3(from_py_with = convert::noise_cov)]
    noise_cov: Covariance,
    #[pyo3(from_py_with = convert::base_mean)]
    base_mean: Vec<f64>,
    #[pyo3(from_py_with = convert::base_cov)]
    base_cov: Covariance,
    weights: PyReadonlyArray2<'py, f64>,
    means: PyReadonlyArray2<'py, f64>,
    discriminants: Option<PyReadonlyArray2<'py, f64>>,
}

impl Draw<'_> {
    fn parameters(&self) -> Parameters<'_> {
        Parameters {
            config: Config {
                alpha: self.alpha,
                C: self.C,
                margin: self.margin,
                eta_scale: self.eta_scale,
                noise_cov: self.noise_cov.clone(),
                base_mean: self.base_mean.clone(),
                base_cov: self.base_cov.clone(),
                ..Config::default()
            },
            weights: self.weights.as_array(),
            means: self.means.as_array(),
            discriminants: self.discriminants.as_ref().map(|eta| eta.as_array()),
        }
    }
}

/// Computes the probabilities of the paths of new items X, (item, column), averaged over draws of the parameters.
///
/// The tree is the parent and the number of items of each node, parents first; columns says where a node's go: a
/// leaf's is the probability of its path, an inner node's that of a new branch there.
#[pyfunction]
pub fn path_probabilities<'py>(
    py: Python<'py>,
    x: PyReadonlyArray2<'py, f64>,
    parent: PyReadonlyArray1<'py, i32>,
    n_items: PyReadonlyArray1<'py, i32>,
    columns: Vec<usize>,
    draws: Vec<Draw<'py>>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let x = x.as_array();
    let draws: Vec<Parameters<'_>> = draws.iter().map(Draw::parameters).collect();
    let (parent, n_items) = (parent.as_array().to_vec(), n_items.as_array().to_vec());
    let tree = Tree::new(&parent, &n_items).map_err(to_python)?;
    let predictive = Predictive::new(tree, &columns, &draws, x.ncols()).map_err(to_python)?;
    let mut work = (Array2::zeros((x.nrows(), predictive.n_columns())), 0);
    interruptible(
        py,
        &mut work,
        |(out, start)| {
            let rows = *start..x.nrows().min(*start + AT_ONCE);
            *start = rows.end;
            predictive.probabilities(x.slice(s![rows.clone(), ..]), out.slice_mut(s![rows, ..]));
            *start < x.nrows()
        },
        |_| Ok(()),
    )?;
    Ok(work.0.into_pyarray(py))
}

/// Gives rows of X, less a centre, in other axes, (axis, column): each row by itself, to the bit.
#[pyfunction]
pub fn project<'py>(
    py: Python<'py>,
    x: PyReadonlyArray2<'py, f64>,
    centre: PyReadonlyArray1<'py, f64>,
    axes: PyReadonlyArray2<'py, f64>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (x, centre, axes) = (x.as_array(), centre.as_array(), axes.as_array());
    if centre.len() != x.ncols() || axes.ncols() != x.ncols() {
        return Err(InvalidInput::new_err("centre and axes must have as many columns as x"));
    }
    Ok(py.detach(|| projection::project(x, centre, axes)).into_pyarray(py))
}
