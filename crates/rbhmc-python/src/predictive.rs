//! New items: their projection, the probabilities of their paths, and their densities.

use ndarray::{Array1, Array2, s};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rbhmc_core::Config;
use rbhmc_core::numerics::projection;
use rbhmc_core::predictive::{Parameters, Predictive, Tree};

use crate::errors::{InvalidInput, to_python};
use crate::interrupt::interruptible;
use crate::settings::Settings;
use crate::threads::detach;

/// Items between two checks of signals.
const BLOCK_ITEMS: usize = 4096;

/// A draw of the parameters: a dict of weights, means, discriminants and settings.
pub struct Draw<'py> {
    config: Config,
    weights: PyReadonlyArray2<'py, f64>,
    means: PyReadonlyArray2<'py, f64>,
    discriminants: Option<PyReadonlyArray2<'py, f64>>,
}

impl<'py> Draw<'py> {
    fn new(given: &Bound<'py, PyDict>) -> PyResult<Self> {
        let item = |name: &str| {
            let missing = || InvalidInput::new_err(format!("a draw has no {name:?}; it must hold it"));
            given.get_item(name)?.ok_or_else(missing)
        };
        let mut settings = Settings::default();
        for (name, value) in given {
            let name: String = name.extract()?;
            if !matches!(name.as_str(), "weights" | "means" | "discriminants") {
                settings.set(&name, &value)?;
            }
        }
        Ok(Self {
            config: settings.without_data()?,
            weights: item("weights")?.extract()?,
            means: item("means")?.extract()?,
            discriminants: item("discriminants")?.extract()?,
        })
    }

    fn parameters(&self) -> Parameters<'_> {
        Parameters {
            config: self.config.clone(),
            weights: self.weights.as_array(),
            means: self.means.as_array(),
            discriminants: self.discriminants.as_ref().map(|eta| eta.as_array()),
        }
    }
}

fn predictive(
    parent: &PyReadonlyArray1<'_, i32>,
    n_items: &PyReadonlyArray1<'_, i32>,
    columns: &[usize],
    draws: &[Bound<'_, PyDict>],
    n_dims: usize,
) -> PyResult<Predictive> {
    let draws: Vec<Draw<'_>> = draws.iter().map(Draw::new).collect::<PyResult<_>>()?;
    let parameters: Vec<Parameters<'_>> = draws.iter().map(Draw::parameters).collect();
    let tree = Tree::new(&parent.as_array().to_vec(), &n_items.as_array().to_vec()).map_err(to_python)?;
    Predictive::new(tree, columns, &parameters, n_dims).map_err(to_python)
}

/// Computes the probabilities of the paths of new items X, (item, column), averaged over draws of the parameters.
///
/// The tree is given by the parent and the number of items of each node, parents first. `columns` holds the column to
/// which each node adds its probability: a leaf that its path is taken, an inner node that a new branch starts there.
#[pyfunction]
pub fn path_probabilities<'py>(
    py: Python<'py>,
    x: PyReadonlyArray2<'py, f64>,
    parent: PyReadonlyArray1<'py, i32>,
    n_items: PyReadonlyArray1<'py, i32>,
    columns: Vec<usize>,
    draws: Vec<Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let x = x.as_array();
    let predictive = predictive(&parent, &n_items, &columns, &draws, x.ncols())?;
    let mut work = (Array2::zeros((x.nrows(), predictive.n_columns())), 0);
    interruptible(
        py,
        &mut work,
        |(out, start)| {
            let rows = *start..x.nrows().min(*start + BLOCK_ITEMS);
            *start = rows.end;
            predictive.probabilities(x.slice(s![rows.clone(), ..]), out.slice_mut(s![rows, ..]));
            *start < x.nrows()
        },
        |_| Ok(()),
    )?;
    Ok(work.0.into_pyarray(py))
}

/// Computes the log density of new items X, averaged over draws of the parameters; the tree is given as for
/// `path_probabilities`.
#[pyfunction]
pub fn ln_densities<'py>(
    py: Python<'py>,
    x: PyReadonlyArray2<'py, f64>,
    parent: PyReadonlyArray1<'py, i32>,
    n_items: PyReadonlyArray1<'py, i32>,
    draws: Vec<Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let x = x.as_array();
    let columns = vec![0; parent.as_array().len()];
    let predictive = predictive(&parent, &n_items, &columns, &draws, x.ncols())?;
    let mut out = Array1::zeros(x.nrows());
    detach(py, || predictive.ln_densities(x, out.view_mut()));
    Ok(out.into_pyarray(py))
}

/// Projects the rows of X, less a centre, on axes, (axis, column). A row is the same to the bit in any table.
#[pyfunction]
pub fn project<'py>(
    py: Python<'py>,
    x: PyReadonlyArray2<'py, f64>,
    centre: PyReadonlyArray1<'py, f64>,
    axes: PyReadonlyArray2<'py, f64>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (x, centre, axes) = (x.as_array(), centre.as_array(), axes.as_array());
    if centre.len() != x.ncols() || axes.ncols() != x.ncols() {
        return Err(InvalidInput::new_err(format!(
            "centre has {} entries and axes {} columns; both must have one for each of the {} columns of x",
            centre.len(),
            axes.ncols(),
            x.ncols()
        )));
    }
    Ok(detach(py, || projection::project(x, centre, axes)).into_pyarray(py))
}
