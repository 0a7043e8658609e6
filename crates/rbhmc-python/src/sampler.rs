//! `rbhmc.Sampler`: one chain.

use std::cell::RefCell;

use ndarray::{Array2, Array3};
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::exceptions::{PyAssertionError, PyKeyboardInterrupt, PyRuntimeWarning};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict};
use rbhmc_core::Draws;
use rbhmc_core::snapshot::FlatTree;

use crate::arrays;
use crate::errors::{InvalidInput, to_python};
use crate::interrupt::{interruptible, interruptible_within_steps};
use crate::settings::{self, Settings};
use crate::threads::detach;

/// One chain of Bayesian hierarchical mixture clustering.
///
/// Parameters
/// ----------
/// X : array of shape (n_items, n_dims)
///     The items, one in each row, of any real dtype and memory order. The table is copied.
/// initial_paths : array of shape (n_items, n_levels), optional
///     The initial tree, in the form of `paths`. By default it is drawn from the prior.
/// initial_components : array of shape (n_items,), optional
///     The initial component of each item, as whole numbers; only with `initial_paths`. By default they are drawn given
///     the paths.
/// seed : int
///     Equal seeds give equal draws, to the bit.
/// n_levels : int
///     Number of levels of the tree below the root. Default 3.
/// alpha, gamma, gamma0 : float or "learn"
///     Concentrations of the nested Chinese restaurant process, of the mixture weights below the root, and of the
///     weights at the root. "learn" samples it, with the prior Gamma(1, 1). Defaults 0.35, 1 and 0.85.
/// C, margin : float
///     Strength of the max-margin regularisation, and the margin between siblings. C = 0 is BHMC without
///     regularisation. Defaults 1 and 5.
/// eta_scale : float or "auto"
///     Prior standard deviation of the discriminants; "auto" is 4.2/√n_items. Default 1.
/// intercept : float or "auto"
///     Constant last entry of every item in the margins, which gives each node an intercept; 0 for none. "auto" is half
///     of the root mean square norm of the items. Default 0.
/// noise_cov : float, vector or matrix, "learn", "learn-diagonal" or "auto"
///     Covariance of an item around the mean of its component. "learn" samples one variance for all dimensions,
///     "learn-diagonal" one for each, with the prior InverseGamma(2, s), s the variance within small groups, above a
///     floor. The chain starts at s. "auto" is "learn-diagonal". Default 1.
/// noise_warmup : int
///     Number of sweeps at the start of a chain during which a learned noise_cov stays as it is. Default 0.
/// base_mean : float or vector
///     Prior mean of the component means. Default 0.
/// base_cov : float, vector or matrix, "learn", "learn-diagonal", "data" or "auto"
///     Covariance of the component means around base_mean. Learned variances have the prior InverseGamma(2, v) with v
///     the mean square of X around base_mean; "data" fixes the variances at these mean squares. "auto" is "data".
///     Default 1.
/// scheme : {"collapsed", "exact", "paper"}
///     "collapsed", the default, counts the item's own loss in the path step; "exact" counts the losses of all items,
///     and leaves the regularised posterior invariant; "paper" is the published algorithm.
/// path_move : {None, "gibbs", "mh"}
///     The path step. The default is "mh" for the scheme "paper", otherwise "gibbs".
///
/// Examples
/// --------
/// >>> import numpy as np, rbhmc
/// >>> X = np.array([[0.0, 0.1], [0.2, 0.0], [9.0, 9.1], [9.2, 8.9]])
/// >>> sampler = rbhmc.Sampler(X, n_levels=2, base_cov=25.0, seed=1)
/// >>> draws = sampler.run(200, burn_in=100)
/// >>> draws["paths"].shape
/// (200, 4, 2)
#[pyclass(module = "rbhmc", name = "Sampler")]
pub struct Sampler(rbhmc_core::Sampler);

/// A table with at most so many values, in at most so many dimensions, has sweeps that are shorter than 100 ms.
const MAX_QUICK_VALUES: usize = 1 << 13;
const MAX_QUICK_DIMS: usize = 32;

fn is_quick(sampler: &rbhmc_core::Sampler) -> bool {
    let (n_items, n_dims) = (sampler.model().n_items(), sampler.model().n_dims());
    n_items * n_dims <= MAX_QUICK_VALUES && n_dims <= MAX_QUICK_DIMS
}

/// What `progress` asks for.
#[derive(PartialEq)]
enum Wish {
    GoOn,
    EndAfterDraw,
    EndAfterSweep,
    EndNow,
}

impl Wish {
    fn of(progress: &Bound<'_, PyAny>, now: Bound<'_, PyDict>) -> PyResult<Self> {
        let wish = progress.call1((now,))?;
        if wish.is(PyBool::new(progress.py(), false)) {
            return Ok(Self::EndAfterDraw);
        }
        Ok(match wish.extract::<&str>() {
            Ok("sweep") => Self::EndAfterSweep,
            Ok("now") => Self::EndNow,
            _ => Self::GoOn,
        })
    }
}

/// A run in progress.
struct Run<'a> {
    sampler: &'a mut rbhmc_core::Sampler,
    draws: Draws,
    done: u64,
    /// Sweeps of the first draw that were done before the run.
    done_before: u64,
    burn_in: u64,
    thin: u64,
    total: u64,
    /// The sweep to stop after: `total`, or an earlier one if `progress` returned False.
    end: u64,
    /// Whether signals need not be checked within a sweep.
    is_quick: bool,
    parallel: bool,
}

impl<'a> Run<'a> {
    /// `in_progress` is the number of sweeps of the first draw that are done already.
    fn new(
        sampler: &'a mut rbhmc_core::Sampler,
        n_draws: usize,
        thin: u64,
        burn_in: u64,
        in_progress: u64,
    ) -> PyResult<Self> {
        let total =
            (n_draws as u64).checked_mul(thin).and_then(|sweeps| sweeps.checked_add(burn_in)).ok_or_else(
                || InvalidInput::new_err("burn_in + n_draws * thin is 2**64 or more; use fewer sweeps"),
            )?;
        if in_progress > 0 && (burn_in > 0 || in_progress >= thin) {
            return Err(InvalidInput::new_err(format!(
                "in_progress is {in_progress}; it must be below thin, {thin}, and 0 with burn_in"
            )));
        }
        let draws = Draws::with_capacity(sampler, n_draws).map_err(to_python)?;
        let is_quick = is_quick(sampler);
        let done = in_progress.min(total);
        Ok(Self {
            sampler,
            draws,
            done,
            done_before: done,
            burn_in,
            thin,
            total,
            end: total,
            is_quick,
            parallel: false,
        })
    }

    /// Does one sweep, if any is left, and records the draw that it completes. Returns whether sweeps are left.
    fn step(&mut self) -> bool {
        if self.done < self.end {
            if self.done == self.burn_in {
                self.sampler.reset_acceptance();
            }
            if !self.sweep() {
                self.end = self.done;
                return false;
            }
            self.done += 1;
            if self.done > self.burn_in && (self.done - self.burn_in).is_multiple_of(self.thin) {
                self.sampler.record(&mut self.draws);
            }
        }
        self.done < self.end
    }

    /// Does all sweeps, or fewer if `progress` says so.
    fn finish(&mut self, py: Python<'_>, progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let Some(progress) = progress else {
            return self.finish_with(py, |_| Ok(()), || Ok(false));
        };
        // During a sweep there is nothing new to tell.
        let last = RefCell::new(self.describe(py)?);
        let report = |run: &mut Self| {
            last.replace(run.describe(py)?);
            run.obey(Wish::of(progress, last.borrow().copy()?)?);
            Ok(())
        };
        self.finish_with(py, report, || Ok(Wish::of(progress, last.borrow().copy()?)? == Wish::EndNow))
    }

    fn finish_with(
        &mut self,
        py: Python<'_>,
        report: impl FnMut(&mut Self) -> PyResult<()>,
        poll: impl FnMut() -> PyResult<bool>,
    ) -> PyResult<()> {
        if self.is_quick {
            return interruptible(py, self, Self::step, report);
        }
        let stop = self.sampler.stop();
        interruptible_within_steps(py, self, &stop, Self::step, report, poll)
    }

    /// Does a sweep; returns false if it was ended early, and taken back.
    fn sweep(&mut self) -> bool {
        let sweep =
            if self.parallel { rbhmc_core::Sampler::sweep_in_parallel } else { rbhmc_core::Sampler::sweep };
        if self.is_quick {
            sweep(self.sampler);
            return true;
        }
        self.sampler.unless_stopped(sweep).is_some()
    }

    /// Stops after the draw in progress.
    fn stop_after_draw(&mut self) {
        let drawing = self.done.saturating_sub(self.burn_in);
        self.end = self.done - drawing + drawing.next_multiple_of(self.thin);
    }

    fn describe<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let now = PyDict::new(py);
        now.set_item("sweeps", self.done - self.done_before)?;
        now.set_item("n_sweeps", self.total - self.done_before)?;
        now.set_item("n_draws", self.draws.len())?;
        now.set_item("rcdll", detach(py, || self.sampler.rcdll()))?;
        now.set_item("n_components", self.sampler.state().components.n_components())?;
        now.set_item("n_nodes", self.sampler.state().tree.n_nodes())?;
        Ok(now)
    }

    fn obey(&mut self, wish: Wish) {
        match wish {
            Wish::GoOn => {}
            Wish::EndAfterDraw => self.stop_after_draw(),
            Wish::EndAfterSweep | Wish::EndNow => self.end = self.done,
        }
    }
}

#[pymethods]
impl Sampler {
    #[new]
    #[pyo3(signature = (X, *, initial_paths=None, initial_components=None, seed=0, **settings))]
    #[allow(non_snake_case)]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = arrays::table)] X: Array2<f64>,
        initial_paths: Option<&Bound<'_, PyAny>>,
        initial_components: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = arrays::seed)] seed: u64,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let config = Settings::parse(settings)?.with_data(X.view())?;
        let paths = initial_paths.map(arrays::paths).transpose()?;
        let paths = paths.as_ref().map(|paths| paths.view());
        let components = initial_components.map(arrays::components).transpose()?;
        if components.is_some() && paths.is_none() {
            return Err(InvalidInput::new_err(
                "initial_components is given without initial_paths; give both",
            ));
        }
        let start = || match (paths, components) {
            (Some(paths), Some(components)) => {
                rbhmc_core::Sampler::from_assignments(X.view(), config, paths, &components, seed)
            }
            (paths, _) => rbhmc_core::Sampler::new(X.view(), config, paths, seed),
        };
        detach(py, start).map(Self).map_err(to_python)
    }

    /// Does n sweeps. Ctrl-C stops between two sweeps, or takes back a long one; the chain can continue.
    #[pyo3(signature = (n=1))]
    fn sweep(&mut self, py: Python<'_>, #[pyo3(from_py_with = arrays::n_sweeps)] n: u64) -> PyResult<()> {
        Run::new(&mut self.0, 0, 1, n, 0)?.finish(py, None)
    }

    /// Does burn_in sweeps, then records n_draws draws, one every `thin` sweeps.
    ///
    /// Returns a dict of arrays: paths (n_draws, n_items, n_levels), components (n_draws, n_items), cdll, rcdll, loss,
    /// n_nodes (n_draws, n_levels), n_components, and path_acceptance, eta_acceptance and split_merge_acceptance, the shares
    /// of proposals accepted since the previous draw (NaN without proposals, 1 for steps that always accept; moves are
    /// splits and merges of components). Labels are numbered by first appearance, so that equal trees are equal arrays.
    /// Learned parameters have the names of their settings: one number for each draw, or one row for a diagonal.
    ///
    /// `progress` is called about ten times a second with a dict: sweeps (done), n_sweeps (of this run), n_draws, rcdll,
    /// n_components, n_nodes. If it returns False, the run stops after the draw in progress and returns its draws; "sweep"
    /// stops after the sweep in progress, and "now" takes back that sweep if it is long. `in_progress` continues
    /// such a run: it is the number of sweeps of the first draw that are done. Ctrl-C returns the complete draws, with
    /// a RuntimeWarning.
    ///
    /// With `parallel` a sweep of a large table uses all cores. This changes the time and not the draws; it serves a chain
    /// that runs alone, and slows down chains that run at the same time.
    #[pyo3(signature = (n_draws, *, thin=1, burn_in=0, in_progress=0, progress=None, parallel=false))]
    #[allow(clippy::too_many_arguments)]
    fn run<'py>(
        &mut self,
        py: Python<'py>,
        #[pyo3(from_py_with = arrays::n_draws)] n_draws: usize,
        #[pyo3(from_py_with = arrays::thin)] thin: u64,
        #[pyo3(from_py_with = arrays::burn_in)] burn_in: u64,
        #[pyo3(from_py_with = arrays::in_progress)] in_progress: u64,
        progress: Option<&Bound<'py, PyAny>>,
        parallel: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let mut run = Run::new(&mut self.0, n_draws, thin, burn_in, in_progress)?;
        run.parallel = parallel;
        let outcome = run.finish(py, progress);
        match outcome {
            Err(error) if error.is_instance_of::<PyKeyboardInterrupt>(py) => {
                let message =
                    format!("interrupted: {} of {n_draws} draws are complete and returned", run.draws.len());
                let message = std::ffi::CString::new(message)?;
                PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &message, 1)?;
            }
            other => other?,
        }
        let mut draws = run.draws;
        draws.shrink_to_fit();
        draws_dict(py, draws, self.0.model().n_items(), self.0.model().n_levels())
    }

    /// Applies one kernel, for tests and experiments: items_gibbs, items_mh, paths_paper, components, components_paper,
    /// weights_tables, weights_counts, margins, margins_paper, margins_path_sums, means, split_merge_components, and for
    /// learned parameters alpha, noise_cov and base_cov (the kernels of the weights update gamma and gamma0).
    fn apply(&mut self, py: Python<'_>, kernel: &str) -> PyResult<()> {
        let kernel = kernel.parse().map_err(to_python)?;
        if is_quick(&self.0) {
            return detach(py, || self.0.apply(kernel)).map_err(to_python);
        }
        let stop = self.0.stop();
        let mut work = (&mut self.0, Ok(()));
        let step = |(sampler, outcome): &mut (&mut rbhmc_core::Sampler, rbhmc_core::Result<()>)| {
            *outcome = sampler.unless_stopped(|sampler| sampler.apply(kernel)).unwrap_or(Ok(()));
            false
        };
        interruptible_within_steps(py, &mut work, &stop, step, |_| Ok(()), || Ok(false))?;
        work.1.map_err(to_python)
    }

    /// Raises AssertionError if the state is inconsistent in any way.
    fn check(&self) -> PyResult<()> {
        self.0.state().check(self.0.model()).map_err(PyAssertionError::new_err)
    }

    /// Canonical labels of the items' nodes, (n_items, n_levels).
    #[getter]
    fn paths<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i32>> {
        self.0.snapshot().paths.into_pyarray(py)
    }

    /// Canonical labels of the items' components: row k of `means` is component k.
    #[getter]
    fn components<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        self.0.snapshot().components.into_pyarray(py)
    }

    /// The component means, (n_components, n_dims).
    #[getter]
    fn means<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        self.0.snapshot().means.into_pyarray(py)
    }

    /// The tree as a dict of arrays with one row for each node: parent (-1 for the root), level, n_items, weights (the
    /// rest in the last column), discriminants (NaN for the root; None if C = 0). The root is row 0; the levels follow
    /// one another, each in the order of its labels.
    #[getter]
    fn tree<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        tree_dict(py, self.0.snapshot().tree)
    }

    /// Complete-data log likelihood: items, their weights, and the tree's prior.
    #[getter]
    fn cdll(&self) -> f64 {
        self.0.cdll()
    }

    /// CDLL - 2 C (sum of the items' losses).
    #[getter]
    fn rcdll(&self, py: Python<'_>) -> f64 {
        detach(py, || self.0.rcdll())
    }

    /// The hinge loss of each item; all 0 if C = 0.
    #[getter]
    fn losses<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        detach(py, || self.0.losses()).into_pyarray(py)
    }

    /// The current values of all settings, by name; learned parameters change with every sweep.
    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        settings::to_dict(&self.0.model().config, py)
    }

    /// The names of the learned parameters.
    #[getter]
    fn learned(&self) -> Vec<&'static str> {
        self.0.model().config.learned().map(|learned| learned.name).collect()
    }

    /// The number of sweeps since the start of the chain.
    #[getter]
    fn n_sweeps(&self) -> u64 {
        self.0.n_sweeps()
    }

    /// Writes a checkpoint, with a version and a checksum. `Sampler.from_bytes` continues the chain to the bit.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = detach(py, || self.0.to_bytes()).map_err(to_python)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Reads the chain of a checkpoint.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, b: &[u8]) -> PyResult<Self> {
        detach(py, || rbhmc_core::Sampler::from_bytes(b)).map(Self).map_err(to_python)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let restore = py.import("rbhmc._core")?.getattr("restore")?;
        Ok((restore, (self.to_bytes(py)?,)))
    }

    fn __repr__(&self) -> String {
        let model = self.0.model();
        let state = self.0.state();
        format!(
            "<rbhmc.Sampler of {} items x {} dims: {} sweeps, {} nodes, {} components>",
            model.n_items(),
            model.n_dims(),
            self.0.n_sweeps(),
            state.tree.n_nodes(),
            state.components.n_components(),
        )
    }
}

/// Restores a pickled Sampler.
#[pyfunction]
pub fn restore(py: Python<'_>, b: &[u8]) -> PyResult<Sampler> {
    Sampler::from_bytes(py, b)
}

fn draws_dict(py: Python<'_>, draws: Draws, n_items: usize, n_levels: usize) -> PyResult<Bound<'_, PyDict>> {
    let n_draws = draws.len();
    let shaped = |error: ndarray::ShapeError| InvalidInput::new_err(error.to_string());
    let paths = Array3::from_shape_vec((n_draws, n_items, n_levels), draws.paths).map_err(shaped)?;
    let components = Array2::from_shape_vec((n_draws, n_items), draws.components).map_err(shaped)?;
    let n_nodes = Array2::from_shape_vec((n_draws, n_levels), draws.n_nodes).map_err(shaped)?;
    let out = PyDict::new(py);
    out.set_item("paths", paths.into_pyarray(py))?;
    out.set_item("components", components.into_pyarray(py))?;
    out.set_item("cdll", draws.cdll.into_pyarray(py))?;
    out.set_item("rcdll", draws.rcdll.into_pyarray(py))?;
    out.set_item("n_nodes", n_nodes.into_pyarray(py))?;
    out.set_item("n_components", draws.n_components.into_pyarray(py))?;
    out.set_item("loss", draws.loss.into_pyarray(py))?;
    out.set_item("path_acceptance", draws.path_acceptance.into_pyarray(py))?;
    out.set_item("eta_acceptance", draws.eta_acceptance.into_pyarray(py))?;
    out.set_item("split_merge_acceptance", draws.split_merge_acceptance.into_pyarray(py))?;
    for trace in draws.learned {
        match trace.length {
            None => out.set_item(trace.name, trace.values.into_pyarray(py))?,
            Some(length) => {
                let rows = Array2::from_shape_vec((n_draws, length), trace.values).map_err(shaped)?;
                out.set_item(trace.name, rows.into_pyarray(py))?;
            }
        }
    }
    Ok(out)
}

pub fn tree_dict(py: Python<'_>, tree: FlatTree) -> PyResult<Bound<'_, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("parent", tree.parent.into_pyarray(py))?;
    out.set_item("level", tree.level.into_pyarray(py))?;
    out.set_item("n_items", tree.n_items.into_pyarray(py))?;
    out.set_item("weights", tree.weights.into_pyarray(py))?;
    let discriminants = tree.discriminants.map(|etas| etas.into_pyarray(py));
    out.set_item("discriminants", discriminants)?;
    Ok(out)
}
