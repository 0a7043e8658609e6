//! What the user sets, checked once.

use std::str::FromStr;

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::learn::Learn;

/// Values and parameters beyond this size (and positive ones below its inverse) are refused: their
/// products would leave the range of a double.
pub const LARGEST: f64 = 1e30;
pub(crate) const SMALLEST: f64 = 1e-30;
const MOST_LEVELS: usize = 255;

/// A covariance as a user may give it: σ² I, diag(σ²_d), or a matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Covariance {
    Scalar(f64),
    Diagonal(Vec<f64>),
    Full(Array2<f64>),
}

/// Which kernels make a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scheme {
    /// Collapsed Gibbs paths charged with the item's own loss; the default.
    Collapsed,
    /// As `Collapsed`, but the path step charges the losses of all items: leaves (Q) invariant.
    Exact,
    /// The published algorithm.
    Paper,
}

/// How an item's path is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PathMove {
    Gibbs,
    Mh,
}

impl FromStr for Scheme {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "collapsed" => Ok(Self::Collapsed),
            "exact" => Ok(Self::Exact),
            "paper" => Ok(Self::Paper),
            _ => {
                Err(Error::parameter("scheme", format!("{name:?}"), "\"collapsed\", \"exact\" or \"paper\""))
            }
        }
    }
}

impl FromStr for PathMove {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "gibbs" => Ok(Self::Gibbs),
            "mh" => Ok(Self::Mh),
            _ => Err(Error::parameter("path_move", format!("{name:?}"), "\"gibbs\" or \"mh\", or left out")),
        }
    }
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
    /// ε_0: the margin asked for.
    pub margin: f64,
    /// ν_0: prior scale of the discriminants.
    pub eta_scale: f64,
    /// Σ
    pub noise_cov: Covariance,
    /// μ_0; one entry stands for all dimensions.
    pub base_mean: Vec<f64>,
    /// Σ_0
    pub base_cov: Covariance,
    pub scheme: Scheme,
    /// The scheme's own move where absent.
    pub path_move: Option<PathMove>,
    /// Which of the parameters above are learned; their fields hold the present values.
    pub learn: Learn,
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
            noise_cov: Covariance::Scalar(1.0),
            base_mean: vec![0.0],
            base_cov: Covariance::Scalar(1.0),
            scheme: Scheme::Collapsed,
            path_move: None,
            learn: Learn::default(),
        }
    }
}

impl Config {
    /// Checks everything that does not depend on the data.
    pub fn check(&self) -> Result<()> {
        if !(1..=MOST_LEVELS).contains(&self.n_levels) {
            return Err(Error::parameter(
                "n_levels",
                self.n_levels,
                format!("a whole number from 1 to {MOST_LEVELS}"),
            ));
        }
        check_positive("alpha", self.alpha)?;
        check_positive("gamma", self.gamma)?;
        check_positive("gamma0", self.gamma0)?;
        check_positive("eta_scale", self.eta_scale)?;
        check_nonnegative("C", self.C)?;
        check_nonnegative("margin", self.margin)?;
        if self.scheme == Scheme::Paper && self.path_move == Some(PathMove::Gibbs) {
            return Err(Error::parameter(
                "path_move",
                "\"gibbs\"",
                "\"mh\" or left out with scheme=\"paper\" (the published algorithm has no Gibbs move; \
                 use scheme=\"collapsed\" for it)",
            ));
        }
        self.check_learned()
    }

    pub fn path_move(&self) -> PathMove {
        self.path_move.unwrap_or(match self.scheme {
            Scheme::Collapsed | Scheme::Exact => PathMove::Gibbs,
            Scheme::Paper => PathMove::Mh,
        })
    }
}

/// Whether a value is finite and no larger than products of such values allow.
pub(crate) fn is_usable(value: f64) -> bool {
    (-LARGEST..=LARGEST).contains(&value)
}

pub(crate) fn check_positive(name: &'static str, value: f64) -> Result<()> {
    if (SMALLEST..=LARGEST).contains(&value) {
        return Ok(());
    }
    Err(Error::number(name, value, format!("a number above 0 (from {SMALLEST:e} to {LARGEST:e})")))
}

fn check_nonnegative(name: &'static str, value: f64) -> Result<()> {
    if value == 0.0 || (SMALLEST..=LARGEST).contains(&value) {
        return Ok(());
    }
    Err(Error::number(name, value, format!("0, or a number from {SMALLEST:e} to {LARGEST:e}")))
}
