//! The settings of a model: one table, by which keywords are parsed and current values are returned.

use ndarray::ArrayView2;
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use rbhmc_core::config::Gamma;
use rbhmc_core::{Config, Covariance, Scheme};

use crate::arrays::{covariance, display, integer, table, vector};
use crate::errors::{InvalidInput, to_python};
use crate::threads::detach;

/// One setting: how a value is parsed, and how the current value is returned.
struct Setting {
    name: &'static str,
    parse: fn(&mut Settings, &str, &Bound<'_, PyAny>) -> PyResult<()>,
    value: for<'py> fn(&Config, Python<'py>) -> PyResult<Bound<'py, PyAny>>,
}

/// A new setting is a field of [`Config`], with its default and its check, and an entry here.
const SETTINGS: [Setting; 14] = [
    Setting {
        name: "n_levels",
        parse: |settings, name, given| {
            let n_levels = integer(given, name, 1)?;
            // Too large a number is refused with the other settings.
            settings.config.n_levels = usize::try_from(n_levels).unwrap_or(usize::MAX);
            Ok(())
        },
        value: |config, py| Ok(config.n_levels.into_pyobject(py)?.into_any()),
    },
    Setting {
        name: "alpha",
        parse: |Settings { config, .. }, name, given| {
            set_concentration(name, given, &mut config.alpha, &mut config.priors.alpha)
        },
        value: |config, py| from_number(config.alpha, py),
    },
    Setting {
        name: "gamma",
        parse: |Settings { config, .. }, name, given| {
            set_concentration(name, given, &mut config.gamma, &mut config.priors.gamma)
        },
        value: |config, py| from_number(config.gamma, py),
    },
    Setting {
        name: "gamma0",
        parse: |Settings { config, .. }, name, given| {
            set_concentration(name, given, &mut config.gamma0, &mut config.priors.gamma0)
        },
        value: |config, py| from_number(config.gamma0, py),
    },
    Setting {
        name: "C",
        parse: |settings, name, given| set_number(name, given, &mut settings.config.C),
        value: |config, py| from_number(config.C, py),
    },
    Setting {
        name: "margin",
        parse: |settings, name, given| set_number(name, given, &mut settings.config.margin),
        value: |config, py| from_number(config.margin, py),
    },
    Setting {
        name: "eta_scale",
        parse: |settings, name, given| {
            set_number_or_auto(name, given, &mut settings.config.eta_scale, &mut settings.auto_eta_scale)
        },
        value: |config, py| from_number(config.eta_scale, py),
    },
    Setting {
        name: "intercept",
        parse: |settings, name, given| {
            set_number_or_auto(name, given, &mut settings.config.intercept, &mut settings.auto_intercept)
        },
        value: |config, py| from_number(config.intercept, py),
    },
    Setting {
        name: "noise_cov",
        parse: |settings, name, given| {
            set_covariance(name, given, &mut settings.config.noise_cov, &mut settings.noise_form)
        },
        value: |config, py| from_covariance(&config.noise_cov, py),
    },
    Setting {
        name: "noise_warmup",
        parse: |settings, name, given| {
            settings.config.noise_warmup = integer(given, name, 0)?;
            Ok(())
        },
        value: |config, py| Ok(config.noise_warmup.into_pyobject(py)?.into_any()),
    },
    Setting {
        name: "base_mean",
        parse: |settings, name, given| {
            settings.config.base_mean = vector(given, name)?;
            Ok(())
        },
        value: |config, py| match config.base_mean[..] {
            [mean] => from_number(mean, py),
            ref means => Ok(PyArray1::from_slice(py, means).into_any()),
        },
    },
    Setting {
        name: "base_cov",
        parse: |settings, name, given| {
            set_covariance(name, given, &mut settings.config.base_cov, &mut settings.base_form)
        },
        value: |config, py| from_covariance(&config.base_cov, py),
    },
    Setting {
        name: "scheme",
        parse: |settings, name, given| {
            settings.config.scheme = text(name, given)?.parse().map_err(to_python)?;
            Ok(())
        },
        value: |config, py| Ok(config.scheme.name().into_pyobject(py)?.into_any()),
    },
    Setting {
        name: "path_move",
        parse: |settings, name, given| {
            settings.config.path_move = match given.is_none() {
                true => None,
                false => Some(text(name, given)?.parse().map_err(to_python)?),
            };
            Ok(())
        },
        value: |config, py| {
            Ok(config.path_move.map(|path_move| path_move.name()).into_pyobject(py)?.into_any())
        },
    },
];

/// The names of all settings.
pub fn names() -> impl Iterator<Item = &'static str> {
    SETTINGS.iter().map(|setting| setting.name)
}

/// The current values of all settings, by name.
pub fn to_dict<'py>(config: &Config, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for setting in &SETTINGS {
        dict.set_item(setting.name, (setting.value)(config, py)?)?;
    }
    Ok(dict)
}

/// Settings as a user gives them: the covariances may be words that the data give a meaning to.
#[derive(Default)]
pub struct Settings {
    config: Config,
    noise_form: Option<String>,
    base_form: Option<String>,
    auto_eta_scale: bool,
    auto_intercept: bool,
}

impl Settings {
    /// Parses keywords; a setting that is not given has its default.
    pub fn parse(given: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut settings = Self::default();
        for (name, value) in given.into_iter().flatten() {
            let name: String = name.extract()?;
            settings.set(&name, &value)?;
        }
        Ok(settings)
    }

    pub fn set(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let setting = SETTINGS.iter().find(|setting| setting.name == name).ok_or_else(|| {
            let names: Vec<&str> = names().collect();
            PyTypeError::new_err(format!("{name} is not a setting; the settings are {}", names.join(", ")))
        })?;
        (setting.parse)(self, name, value)
    }

    /// The configuration of a model of the items `x`.
    pub fn with_data(self, x: ArrayView2<'_, f64>) -> PyResult<Config> {
        let mut config = self.config;
        // The published algorithm has unit parameters, which are the defaults, and no intercept.
        let is_published = config.scheme == Scheme::Paper;
        if self.auto_eta_scale && !is_published {
            config.set_auto_eta_scale(x);
        }
        if self.auto_intercept && !is_published {
            config.set_auto_intercept(x);
        }
        let meaning = |form: String, auto: &str| match form.as_str() {
            "auto" if is_published => None,
            "auto" => Some(auto.to_string()),
            _ => Some(form),
        };
        if let Some(form) = self.noise_form.and_then(|form| meaning(form, "learn-diagonal")) {
            config.set_noise_prior(x, &form).map_err(to_python)?;
        }
        if let Some(form) = self.base_form.and_then(|form| meaning(form, "data")) {
            config.set_base_prior(x, &form).map_err(to_python)?;
        }
        Ok(config)
    }

    /// The configuration without data: every parameter must have a value.
    pub fn without_data(self) -> PyResult<Config> {
        if let Some(learned) = self.config.learned().next() {
            let message = format!("{} is \"learn\"; it must be a number if there are no data", learned.name);
            return Err(InvalidInput::new_err(message));
        }
        for (name, auto) in [("eta_scale", self.auto_eta_scale), ("intercept", self.auto_intercept)] {
            if auto {
                let message = format!("{name} is \"auto\"; it must be a number if there are no data");
                return Err(InvalidInput::new_err(message));
            }
        }
        for (name, form) in [("noise_cov", self.noise_form), ("base_cov", self.base_form)] {
            if let Some(form) = form {
                return Err(InvalidInput::new_err(format!(
                    "{name} is {form:?}; it must be a number, a vector or a matrix if there are no data"
                )));
            }
        }
        Ok(self.config)
    }
}

/// Checks a table and settings as `Sampler` does, without starting a chain.
///
/// Parameters
/// ----------
/// X : array of shape (n_items, n_dims)
///     The items, one in each row.
/// initial_paths : array of shape (n_items, n_levels), optional
///     The tree to start from.
/// **settings
///     The settings of `Sampler`.
///
/// Raises
/// ------
/// InvalidInput
///     If a `Sampler` would refuse them, with the same message.
///
/// Examples
/// --------
/// >>> from rbhmc._core import check_settings
/// >>> check_settings([[0.0], [1.0]], alpha=-1.0)
/// Traceback (most recent call last):
/// ...
/// rbhmc.InvalidInput: alpha is -1; it must be a number above 0 (from 1e-30 to 1e30)
#[pyfunction]
#[pyo3(signature = (X, *, initial_paths=None, **settings))]
#[allow(non_snake_case)]
pub fn check_settings(
    py: Python<'_>,
    #[pyo3(from_py_with = table)] X: ndarray::Array2<f64>,
    initial_paths: Option<&Bound<'_, PyAny>>,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    let config = Settings::parse(settings)?.with_data(X.view())?;
    let paths = initial_paths.map(crate::arrays::paths).transpose()?;
    let paths = paths.as_ref().map(|paths| paths.view());
    detach(py, || rbhmc_core::Sampler::check(X.view(), &config, paths)).map_err(to_python)
}

fn set_number(name: &str, given: &Bound<'_, PyAny>, value: &mut f64) -> PyResult<()> {
    *value = given
        .extract()
        .map_err(|_| PyTypeError::new_err(format!("{name} is {}; it must be a number", display(given))))?;
    Ok(())
}

/// A number, or "auto" for one that depends on the data.
fn set_number_or_auto(
    name: &str,
    given: &Bound<'_, PyAny>,
    value: &mut f64,
    auto: &mut bool,
) -> PyResult<()> {
    *auto = given.cast::<PyString>().is_ok_and(|text| text == "auto");
    if *auto {
        return Ok(());
    }
    *value = given.extract().map_err(|_| {
        PyTypeError::new_err(format!("{name} is {}; it must be a number, or \"auto\"", display(given)))
    })?;
    Ok(())
}

/// A number, or "learn" with the default prior.
fn set_concentration(
    name: &str,
    given: &Bound<'_, PyAny>,
    value: &mut f64,
    prior: &mut Option<Gamma>,
) -> PyResult<()> {
    if given.cast::<PyString>().is_ok_and(|text| text == "learn") {
        *prior = Some(Gamma::default());
        return Ok(());
    }
    *value = given.extract().map_err(|_| {
        PyTypeError::new_err(format!(
            "{name} is {}; it must be a number above 0, or \"learn\"",
            display(given)
        ))
    })?;
    Ok(())
}

/// A covariance, or a word that the data give a meaning to.
fn set_covariance(
    name: &str,
    given: &Bound<'_, PyAny>,
    value: &mut Covariance,
    form: &mut Option<String>,
) -> PyResult<()> {
    match given.cast::<PyString>() {
        Ok(word) => *form = Some(word.to_string()),
        Err(_) => *value = covariance(given, name)?,
    }
    Ok(())
}

fn text(name: &str, given: &Bound<'_, PyAny>) -> PyResult<String> {
    given
        .extract()
        .map_err(|_| PyTypeError::new_err(format!("{name} is {}; it must be a string", display(given))))
}

fn from_number(value: f64, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    Ok(value.into_pyobject(py)?.into_any())
}

/// A number, a vector or a matrix.
fn from_covariance<'py>(covariance: &Covariance, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
    match covariance {
        Covariance::Scalar(variance) => from_number(*variance, py),
        Covariance::Diagonal(variances) => Ok(PyArray1::from_slice(py, variances).into_any()),
        Covariance::Full(matrix) => Ok(PyArray2::from_array(py, matrix).into_any()),
    }
}
