//! `rbhmc.Sampler`.

use ndarray::{Array2, Array3};
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::exceptions::{PyAssertionError, PyKeyboardInterrupt, PyRuntimeWarning};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict};
use rbhmc_core::config::Gamma;
use rbhmc_core::snapshot::FlatTree;
use rbhmc_core::{Config, Covariance, Draws, Priors};

use crate::convert::{self, CovarianceSetting};
use crate::errors::{InvalidInput, to_python};
use crate::interrupt::interruptible;

/// One chain of Bayesian hierarchical mixture clustering.
///
/// Parameters
/// ----------
/// X : array of shape (n_items, n_dims)
///     The items, a row each. Any real dtype and memory order; it is copied.
/// n_levels : int
///     Levels of the tree below its root.
/// alpha, gamma, gamma0 : float or "learn"
///     Concentrations of the nested Chinese restaurant process, and of the mixture weights below
///     the root and at it. With "learn" it has the prior Gamma(1, 1) and is sampled with the rest.
/// C, margin : float
///     Strength of the max-margin regularisation, and the margin asked for between siblings.
///     C = 0 is plain BHMC.
/// eta_scale : float
///     Prior scale of the nodes' discriminants.
/// noise_cov : float, vector or matrix, "learn" or "learn-diagonal"
///     Covariance of an item around its component's mean. "learn" is one variance for all dimensions,
///     "learn-diagonal" one for each, with the prior InverseGamma(2, v/4), whose mean is a quarter of
///     the variance v of X (its average over the columns, or that of each).
/// base_cov : float, vector or matrix, "learn", "learn-diagonal" or "data"
///     Covariance of the means around base_mean. Learned variances have the prior InverseGamma(2, v),
///     v the mean square of X around base_mean; "data" is the diagonal of these mean squares, fixed.
/// base_mean : float or vector
/// scheme : {"collapsed", "exact", "paper"}
///     "collapsed" charges a path with the item's own loss; "exact" with all items' and so leaves
///     the regularised posterior invariant; "paper" is the published algorithm.
/// path_move : {None, "gibbs", "mh"}
///     The scheme's own move where None.
/// initial_paths : array of shape (n_items, n_levels), optional
///     The tree to start from, as `paths` gives it; drawn from the prior where absent.
/// seed : int
///     Equal seeds give equal draws, to the bit.
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

/// A run under way.
struct Run<'a> {
    sampler: &'a mut rbhmc_core::Sampler,
    draws: Draws,
    done: u64,
    burn_in: u64,
    thin: u64,
    total: u64,
    /// Where to stop: `total`, or earlier if `progress` asked for it.
    end: u64,
}

impl Run<'_> {
    /// One sweep, if there is one left, and the draw that it completes; whether there are more.
    fn step(&mut self) -> bool {
        if self.done < self.end {
            if self.done == self.burn_in {
                self.sampler.reset_acceptance();
            }
            self.sampler.sweep();
            self.done += 1;
            if self.done > self.burn_in && (self.done - self.burn_in).is_multiple_of(self.thin) {
                self.sampler.record(&mut self.draws);
            }
        }
        self.done < self.end
    }

    /// Stops as soon as no draw is left half-way: what follows can go on from there to the bit.
    fn stop(&mut self) {
        let drawing = self.done.saturating_sub(self.burn_in);
        self.end = self.done - drawing + drawing.next_multiple_of(self.thin);
    }

    fn report(&mut self, py: Python<'_>, progress: &Bound<'_, PyAny>) -> PyResult<()> {
        let now = PyDict::new(py);
        now.set_item("sweeps", self.done)?;
        now.set_item("n_sweeps", self.total)?;
        now.set_item("n_draws", self.draws.len())?;
        now.set_item("rcdll", self.sampler.rcdll())?;
        now.set_item("n_components", self.sampler.state().components.n_components())?;
        now.set_item("n_nodes", self.sampler.state().tree.n_nodes())?;
        if progress.call1((now,))?.is(PyBool::new(py, false)) {
            self.stop();
        }
        Ok(())
    }
}

#[pymethods]
impl Sampler {
    #[new]
    #[pyo3(
        signature = (
            X, *, n_levels=3, alpha=Some(0.35), gamma=Some(1.0), gamma0=Some(0.85), C=1.0, margin=5.0,
            eta_scale=1.0, noise_cov=CovarianceSetting::Given(Covariance::Scalar(1.0)),
            base_mean=vec![0.0], base_cov=CovarianceSetting::Given(Covariance::Scalar(1.0)),
            scheme="collapsed", path_move=None, initial_paths=None, seed=0
        ),
        text_signature = "(X, *, n_levels=3, alpha=0.35, gamma=1.0, gamma0=0.85, C=1.0, margin=5.0, \
                          eta_scale=1.0, noise_cov=1.0, base_mean=0.0, base_cov=1.0, \
                          scheme='collapsed', path_move=None, initial_paths=None, seed=0)"
    )]
    #[allow(clippy::too_many_arguments, non_snake_case)]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = convert::table)] X: Array2<f64>,
        #[pyo3(from_py_with = convert::n_levels)] n_levels: usize,
        #[pyo3(from_py_with = convert::alpha)] alpha: Option<f64>,
        #[pyo3(from_py_with = convert::gamma)] gamma: Option<f64>,
        #[pyo3(from_py_with = convert::gamma0)] gamma0: Option<f64>,
        C: f64,
        margin: f64,
        eta_scale: f64,
        #[pyo3(from_py_with = convert::noise_setting)] noise_cov: CovarianceSetting,
        #[pyo3(from_py_with = convert::base_mean)] base_mean: Vec<f64>,
        #[pyo3(from_py_with = convert::base_setting)] base_cov: CovarianceSetting,
        scheme: &str,
        path_move: Option<&str>,
        initial_paths: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = convert::seed)] seed: u64,
    ) -> PyResult<Self> {
        let start = Config::default();
        let learn = |given: Option<f64>| given.is_none().then(Gamma::default);
        let mut config = Config {
            n_levels,
            alpha: alpha.unwrap_or(start.alpha),
            gamma: gamma.unwrap_or(start.gamma),
            gamma0: gamma0.unwrap_or(start.gamma0),
            C,
            margin,
            eta_scale,
            base_mean,
            scheme: convert::parse(scheme)?,
            path_move: path_move.map(convert::parse).transpose()?,
            priors: Priors {
                alpha: learn(alpha),
                gamma: learn(gamma),
                gamma0: learn(gamma0),
                ..Priors::default()
            },
            ..start
        };
        match noise_cov {
            CovarianceSetting::Given(noise_cov) => config.noise_cov = noise_cov,
            CovarianceSetting::Named(name) => config.set_noise_prior(X.view(), &name).map_err(to_python)?,
        }
        match base_cov {
            CovarianceSetting::Given(base_cov) => config.base_cov = base_cov,
            CovarianceSetting::Named(name) => config.set_base_prior(X.view(), &name).map_err(to_python)?,
        }
        let paths = initial_paths.map(convert::paths).transpose()?;
        let paths = paths.as_ref().map(|paths| paths.view());
        py.detach(|| rbhmc_core::Sampler::new(X.view(), config, paths, seed)).map(Self).map_err(to_python)
    }

    /// Does n sweeps. Ctrl-C stops between two of them and leaves a valid chain that can go on.
    #[pyo3(signature = (n=1))]
    fn sweep(&mut self, py: Python<'_>, #[pyo3(from_py_with = convert::n)] n: u64) -> PyResult<()> {
        let mut left = n;
        interruptible(
            py,
            &mut (&mut self.0, &mut left),
            |(sampler, left)| {
                if **left > 0 {
                    sampler.sweep();
                    **left -= 1;
                }
                **left > 0
            },
            |_| Ok(()),
        )
    }

    /// Does burn_in sweeps, then records n_draws draws, one every `thin` sweeps.
    ///
    /// Returns a dict of arrays: paths (n_draws, n_items, n_levels), components (n_draws, n_items),
    /// cdll, rcdll, loss, n_nodes (n_draws, n_levels), n_components, path_acceptance, eta_acceptance,
    /// move_acceptance (shares accepted since the draw before; NaN if nothing was proposed, 1 for Gibbs paths;
    /// moves split and merge components).
    /// Labels are numbered by first appearance, so that equal trees are equal arrays. What is learned is
    /// there too, by the name of its setting: a number a draw, or a row for a diagonal.
    ///
    /// `progress`, if given, is called about ten times a second with a dict: sweeps (done), n_sweeps
    /// (of this run), n_draws, rcdll, n_components, n_nodes. Where it returns False, the run stops, after
    /// the draw that it is at, and returns what it has. Ctrl-C returns the draws that are complete, with a
    /// RuntimeWarning.
    #[pyo3(signature = (n_draws, *, thin=1, burn_in=0, progress=None))]
    fn run<'py>(
        &mut self,
        py: Python<'py>,
        #[pyo3(from_py_with = convert::n_draws)] n_draws: usize,
        #[pyo3(from_py_with = convert::thin)] thin: u64,
        #[pyo3(from_py_with = convert::burn_in)] burn_in: u64,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let total =
            (n_draws as u64).checked_mul(thin).and_then(|sweeps| sweeps.checked_add(burn_in)).ok_or_else(
                || InvalidInput::new_err("burn_in + n_draws * thin is beyond 2**64; ask for fewer sweeps"),
            )?;
        let mut run = Run {
            draws: Draws::with_capacity(&self.0, n_draws).map_err(to_python)?,
            sampler: &mut self.0,
            done: 0,
            burn_in,
            thin,
            total,
            end: total,
        };
        let outcome = interruptible(py, &mut run, Run::step, |run| match progress {
            Some(progress) => run.report(py, progress),
            None => Ok(()),
        });
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

    /// Applies one kernel alone: items_gibbs, items_mh, paths_paper, components, components_paper,
    /// weights_tables, weights_counts, margins, margins_paper, means, split_merge_components,
    /// and of what is learned alpha, noise_cov, base_cov (gamma and gamma0 go with the weights). For tests and
    /// experiments.
    fn apply(&mut self, py: Python<'_>, kernel: &str) -> PyResult<()> {
        let kernel = convert::parse(kernel)?;
        py.detach(|| self.0.apply(kernel)).map_err(to_python)
    }

    /// Raises AssertionError if the state is inconsistent in any way.
    fn check(&self) -> PyResult<()> {
        self.0.state().check(self.0.model()).map_err(PyAssertionError::new_err)
    }

    /// Labels of the items' nodes, (n_items, n_levels), canonical.
    #[getter]
    fn paths<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i32>> {
        self.0.snapshot().paths.into_pyarray(py)
    }

    /// Labels of the items' components, canonical: row k of `means` is component k.
    #[getter]
    fn components<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        self.0.snapshot().components.into_pyarray(py)
    }

    /// The component means, (n_components, n_dims).
    #[getter]
    fn means<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        self.0.snapshot().means.into_pyarray(py)
    }

    /// The tree as a dict of flat arrays, a row a node: parent (-1 for the root), level, n_items,
    /// weights (the rest last), discriminants (NaN for the root; None where C = 0). The root is row
    /// 0; the nodes of a level follow those of the level above, in the order of their labels.
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
    fn rcdll(&self) -> f64 {
        self.0.rcdll()
    }

    /// The hinge loss of each item; all 0 where C = 0.
    #[getter]
    fn losses<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.0.losses().into_pyarray(py)
    }

    /// The present concentration of the tree.
    #[getter]
    fn alpha(&self) -> f64 {
        self.0.model().config.alpha
    }

    /// The present concentration of the weights below the root.
    #[getter]
    fn gamma(&self) -> f64 {
        self.0.model().config.gamma
    }

    /// The present concentration of the weights at the root.
    #[getter]
    fn gamma0(&self) -> f64 {
        self.0.model().config.gamma0
    }

    /// The present covariance of an item around its component's mean: a number, a vector or a matrix.
    #[getter]
    fn noise_cov<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        convert::from_covariance(py, &self.0.model().config.noise_cov)
    }

    /// The present covariance of the components' means: a number, a vector or a matrix.
    #[getter]
    fn base_cov<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        convert::from_covariance(py, &self.0.model().config.base_cov)
    }

    /// What is learned, by name.
    #[getter]
    fn learned(&self) -> Vec<&'static str> {
        self.0.model().config.learned().map(|learned| learned.name).collect()
    }

    /// Sweeps done since the start of the chain.
    #[getter]
    fn n_sweeps(&self) -> u64 {
        self.0.n_sweeps()
    }

    /// A checkpoint, with a version and a checksum. `Sampler.from_bytes` goes on from it to the bit.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.0.to_bytes()).map_err(to_python)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The chain of a checkpoint.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, b: &[u8]) -> PyResult<Self> {
        py.detach(|| rbhmc_core::Sampler::from_bytes(b)).map(Self).map_err(to_python)
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

/// What a pickled Sampler calls.
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
    out.set_item("move_acceptance", draws.move_acceptance.into_pyarray(py))?;
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
