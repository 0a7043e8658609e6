//! The settings of a model and its sampler, checked once.

use std::str::FromStr;

use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use super::priors::Priors;
use crate::error::{Error, Result};

/// The largest magnitude of a value or parameter, and the smallest positive parameter: products of a few
/// of them stay within the range of a double.
pub const MAX_MAGNITUDE: f64 = 1e30;
pub(crate) const MIN_POSITIVE: f64 = 1e-30;
const MAX_LEVELS: usize = 255;
/// The automatic ν_0 times √N.
const ETA_SCALE: f64 = 4.2;
/// The automatic κ in units of the root mean square norm of the items.
const INTERCEPT: f64 = 0.5;

/// A covariance: σ² I, diag(σ²_d), or a matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Covariance {
    Scalar(f64),
    Diagonal(Vec<f64>),
    Full(Array2<f64>),
}

/// The kernels of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scheme {
    /// Collapsed Gibbs paths that count the item's own loss only; the default.
    Collapsed,
    /// As `Collapsed`, but the path step counts the losses of all items: it leaves (Q) invariant.
    Exact,
    /// The published algorithm.
    Paper,
}

/// The path step: collapsed Gibbs or Metropolis–Hastings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PathMove {
    Gibbs,
    Mh,
}

impl Scheme {
    const NAMES: [(&str, Self); 3] =
        [("collapsed", Self::Collapsed), ("exact", Self::Exact), ("paper", Self::Paper)];

    pub fn name(self) -> &'static str {
        name_of(&Self::NAMES, self)
    }
}

impl FromStr for Scheme {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        from_name("scheme", &Self::NAMES, name)
    }
}

impl PathMove {
    const NAMES: [(&str, Self); 2] = [("gibbs", Self::Gibbs), ("mh", Self::Mh)];

    pub fn name(self) -> &'static str {
        name_of(&Self::NAMES, self)
    }
}

impl FromStr for PathMove {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        from_name("path_move", &Self::NAMES, name)
    }
}

fn name_of<T: Copy + PartialEq>(names: &[(&'static str, T)], value: T) -> &'static str {
    names.iter().find(|(_, named)| *named == value).map_or("", |(name, _)| name)
}

fn from_name<T: Copy>(setting: &'static str, names: &[(&str, T)], given: &str) -> Result<T> {
    names.iter().find(|(name, _)| *name == given).map(|&(_, value)| value).ok_or_else(|| {
        let names: Vec<String> = names.iter().map(|(name, _)| format!("{name:?}")).collect();
        let (last, first) = names.split_last().expect("at least one name");
        Error::parameter(setting, format!("{given:?}"), format!("{} or {last}", first.join(", ")))
    })
}

/// The settings of a model and its sampler, named as in the specification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(non_snake_case)]
pub struct Config {
    /// L: levels below the root.
    pub n_levels: usize,
    /// α: concentration of the nCRP.
    pub alpha: f64,
    /// γ: concentration of the weights below the root.
    pub gamma: f64,
    /// γ_0: concentration of the weights at the root.
    pub gamma0: f64,
    /// Strength of the regularisation; 0 is plain BHMC.
    pub C: f64,
    /// ε_0: the required margin.
    pub margin: f64,
    /// ν_0: prior standard deviation of the discriminants.
    pub eta_scale: f64,
    /// κ: the constant last entry of every x̃ = (x, κ) in the margins; 0 for no intercept.
    pub intercept: f64,
    /// Σ
    pub noise_cov: Covariance,
    /// μ_0; one entry stands for all dimensions.
    pub base_mean: Vec<f64>,
    /// Σ_0
    pub base_cov: Covariance,
    pub scheme: Scheme,
    /// `None` for the default of the scheme.
    pub path_move: Option<PathMove>,
    /// The number of sweeps at the start of a chain during which a learned Σ stays as it is.
    pub noise_warmup: u64,
    /// The priors of the parameters that are learned; the fields above hold their current values.
    pub priors: Priors,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            n_levels: 3,
            alpha: 0.35,
            gamma: 1.0,
            gamma0: 0.85,
            C: 1.0,
            margin: 5.0,
            eta_scale: 1.0,
            intercept: 0.0,
            noise_cov: Covariance::Scalar(1.0),
            base_mean: vec![0.0],
            base_cov: Covariance::Scalar(1.0),
            scheme: Scheme::Collapsed,
            path_move: None,
            noise_warmup: 0,
            priors: Priors::default(),
        }
    }
}

impl Config {
    /// Checks all settings that do not depend on the data.
    pub fn check(&self) -> Result<()> {
        if !(1..=MAX_LEVELS).contains(&self.n_levels) {
            return Err(Error::parameter(
                "n_levels",
                self.n_levels,
                format!("a whole number from 1 to {MAX_LEVELS}"),
            ));
        }
        check_positive("alpha", self.alpha)?;
        check_positive("gamma", self.gamma)?;
        check_positive("gamma0", self.gamma0)?;
        check_positive("eta_scale", self.eta_scale)?;
        check_nonnegative("C", self.C)?;
        check_nonnegative("margin", self.margin)?;
        check_nonnegative("intercept", self.intercept)?;
        if self.scheme == Scheme::Paper && self.intercept > 0.0 {
            return Err(Error::number(
                "intercept",
                self.intercept,
                "0 with scheme=\"paper\" (the published margins have no intercept; use scheme=\"collapsed\" or \
                 \"exact\")"
                    .to_string(),
            ));
        }
        if self.scheme == Scheme::Paper && self.path_move == Some(PathMove::Gibbs) {
            return Err(Error::parameter(
                "path_move",
                "\"gibbs\"",
                "\"mh\" or None with scheme=\"paper\" (the published algorithm has no Gibbs step; \
                 use scheme=\"collapsed\" for it)",
            ));
        }
        self.check_priors()
    }

    /// ν_0 = 4.2/√N: Σ_n h_n grows with the number of items and ln p(η) does not, so a fixed prior would lose its
    /// weight.
    pub fn set_auto_eta_scale(&mut self, x: ArrayView2<'_, f64>) {
        self.eta_scale = ETA_SCALE / (x.nrows() as f64).sqrt();
    }

    /// κ = ½ · the root mean square norm of the items; 0 if they are all 0.
    pub fn set_auto_intercept(&mut self, x: ArrayView2<'_, f64>) {
        let norm = x.iter().map(|x| x * x).sum::<f64>() / x.nrows() as f64;
        self.intercept = INTERCEPT * norm.sqrt();
    }

    pub fn path_move(&self) -> PathMove {
        self.path_move.unwrap_or(match self.scheme {
            Scheme::Collapsed | Scheme::Exact => PathMove::Gibbs,
            Scheme::Paper => PathMove::Mh,
        })
    }
}

/// Whether a value is finite, and its magnitude at most [`MAX_MAGNITUDE`].
pub(crate) fn is_usable(value: f64) -> bool {
    (-MAX_MAGNITUDE..=MAX_MAGNITUDE).contains(&value)
}

pub(crate) fn check_positive(name: &'static str, value: f64) -> Result<()> {
    if (MIN_POSITIVE..=MAX_MAGNITUDE).contains(&value) {
        return Ok(());
    }
    Err(Error::number(name, value, format!("a number above 0 (from {MIN_POSITIVE:e} to {MAX_MAGNITUDE:e})")))
}

fn check_nonnegative(name: &'static str, value: f64) -> Result<()> {
    if value == 0.0 || (MIN_POSITIVE..=MAX_MAGNITUDE).contains(&value) {
        return Ok(());
    }
    Err(Error::number(name, value, format!("0, or a number from {MIN_POSITIVE:e} to {MAX_MAGNITUDE:e}")))
}
