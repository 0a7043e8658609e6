//! Which parameters of the model are learned, and the priors that they then have.
//!
//! Concentrations have gamma priors, variances inverse-gamma ones. Where a covariance is learned, the form
//! of its value says how: a scalar is shared by all dimensions, a diagonal has a variance for each.

use ndarray::{ArrayView1, ArrayView2};
use serde::{Deserialize, Serialize};

use crate::config::{Config, Covariance, SMALLEST, Scheme, check_positive};
use crate::distributions::{gamma, inverse_gamma};
use crate::error::{Error, Result};
use crate::model::Data;
use crate::rng::Rng;

/// Shape of the priors of variances that are tied to the data: a mean, and no variance.
const SHAPE: f64 = 2.0;
/// The prior mean of the noise, as a share of the data's variance.
const NOISE_SHARE: f64 = 0.25;

/// What is learned, by its prior; what has none is fixed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Learn {
    pub alpha: Option<Gamma>,
    pub gamma: Option<Gamma>,
    pub gamma0: Option<Gamma>,
    pub noise_cov: Option<InverseGamma>,
    pub base_cov: Option<InverseGamma>,
}

/// Of a concentration: density ∝ x^{shape−1} e^{−rate·x}. The default has mean 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Gamma {
    pub shape: f64,
    pub rate: f64,
}

impl Default for Gamma {
    fn default() -> Self {
        Self { shape: 1.0, rate: 1.0 }
    }
}

impl Gamma {
    pub fn draw(&self, rng: &mut Rng) -> f64 {
        gamma(rng, self.shape, self.rate)
    }

    /// But for its constant.
    pub(crate) fn ln_density(&self, value: f64) -> f64 {
        (self.shape - 1.0) * value.ln() - self.rate * value
    }
}

/// Of each variance of a covariance: density ∝ v^{−shape−1} e^{−scale/v}, with a scale for each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InverseGamma {
    pub shape: f64,
    pub scale: Vec<f64>,
}

impl InverseGamma {
    /// The posterior given `n` normal variables in each dimension and the sums of their squares:
    /// shape + n/2 and scale_d + squares_d/2, all dimensions together where one variance is shared.
    pub(crate) fn given(&self, n: f64, squares: &[f64]) -> Self {
        if self.scale.len() == 1 {
            return Self {
                shape: self.shape + 0.5 * n * squares.len() as f64,
                scale: vec![self.scale[0] + 0.5 * squares.iter().sum::<f64>()],
            };
        }
        Self {
            shape: self.shape + 0.5 * n,
            scale: self.scale.iter().zip(squares).map(|(scale, squares)| scale + 0.5 * squares).collect(),
        }
    }

    /// A covariance of the form of `like`.
    pub fn draw(&self, rng: &mut Rng, like: &Covariance) -> Covariance {
        let mut variance = |&scale: &f64| inverse_gamma(rng, self.shape, scale);
        match like {
            Covariance::Scalar(_) => Covariance::Scalar(variance(&self.scale[0])),
            _ => Covariance::Diagonal(self.scale.iter().map(variance).collect()),
        }
    }

    /// But for its constant.
    pub(crate) fn ln_density(&self, covariance: &Covariance) -> f64 {
        let terms = variances(covariance).iter().zip(&self.scale);
        terms.map(|(variance, scale)| -(self.shape + 1.0) * variance.ln() - scale / variance).sum()
    }
}

/// The variances that a covariance consists of; none where it is a matrix.
fn variances(covariance: &Covariance) -> &[f64] {
    match covariance {
        Covariance::Scalar(variance) => std::slice::from_ref(variance),
        Covariance::Diagonal(variances) => variances,
        Covariance::Full(_) => &[],
    }
}

/// A learned parameter and its present value: a number, or a vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Learned<'a> {
    pub name: &'static str,
    pub numbers: &'a [f64],
    pub is_vector: bool,
}

impl Config {
    /// All that is learned.
    pub fn learned(&self) -> impl Iterator<Item = Learned<'_>> {
        let learn = &self.learn;
        let concentrations = [
            ("alpha", &self.alpha, learn.alpha.is_some()),
            ("gamma", &self.gamma, learn.gamma.is_some()),
            ("gamma0", &self.gamma0, learn.gamma0.is_some()),
        ];
        let covariances = [
            ("noise_cov", &self.noise_cov, learn.noise_cov.is_some()),
            ("base_cov", &self.base_cov, learn.base_cov.is_some()),
        ];
        let concentrations = concentrations
            .into_iter()
            .filter(|given| given.2)
            .map(|(name, value, _)| Learned { name, numbers: std::slice::from_ref(value), is_vector: false });
        concentrations.chain(covariances.into_iter().filter(|given| given.2).map(|(name, value, _)| {
            Learned { name, numbers: variances(value), is_vector: matches!(value, Covariance::Diagonal(_)) }
        }))
    }

    /// Σ as `name` says: "learn" (one variance) or "learn-diagonal" (one for each column). The prior is
    /// InverseGamma(2, v/4), whose mean is a quarter of the data's variance v, and the start is that mean.
    pub fn find_noise_cov(&mut self, x: ArrayView2<'_, f64>, name: &str) -> Result<()> {
        Data::check(x)?;
        let centre: Vec<f64> =
            x.columns().into_iter().map(|column| column.sum() / x.nrows() as f64).collect();
        let variances = mean_squares(x, &centre);
        let variances: Vec<f64> = variances.iter().map(|variance| NOISE_SHARE * variance).collect();
        (self.noise_cov, self.learn.noise_cov) = match name {
            "learn" => shared(&variances),
            "learn-diagonal" => separate(variances),
            _ => return Err(unknown("noise_cov", name, "\"learn\" or \"learn-diagonal\"")),
        };
        Ok(())
    }

    /// Σ_0 as `name` says: "learn", "learn-diagonal", or "data" (fixed). The prior is InverseGamma(2, v),
    /// whose mean is v, the mean square of the data around μ_0, and the start is that mean; "data" is the
    /// diagonal of v.
    pub fn find_base_cov(&mut self, x: ArrayView2<'_, f64>, name: &str) -> Result<()> {
        Data::check(x)?;
        // One entry stands for all dimensions; a wrong number of them is refused later.
        let entry = |d: usize| self.base_mean.get(d).or(self.base_mean.first()).copied().unwrap_or(0.0);
        let centre: Vec<f64> = (0..x.ncols()).map(entry).collect();
        let variances = mean_squares(x, &centre);
        (self.base_cov, self.learn.base_cov) = match name {
            "learn" => shared(&variances),
            "learn-diagonal" => separate(variances),
            "data" => (Covariance::Diagonal(variances), None),
            _ => return Err(unknown("base_cov", name, "\"learn\", \"learn-diagonal\" or \"data\"")),
        };
        Ok(())
    }

    /// Checks that what is learned can be.
    pub(crate) fn check_learned(&self) -> Result<()> {
        let learn = &self.learn;
        let concentrations = [("alpha", learn.alpha), ("gamma", learn.gamma), ("gamma0", learn.gamma0)];
        let covariances = [
            ("noise_cov", &learn.noise_cov, variances(&self.noise_cov)),
            ("base_cov", &learn.base_cov, variances(&self.base_cov)),
        ];
        for (name, prior) in concentrations {
            if let Some(Gamma { shape, rate }) = prior {
                self.check_scheme(name)?;
                check_positive(name, shape)?;
                check_positive(name, rate)?;
            }
        }
        for (name, prior, variances) in covariances {
            if let Some(InverseGamma { shape, scale }) = prior {
                self.check_scheme(name)?;
                check_positive(name, *shape)?;
                scale.iter().try_for_each(|&scale| check_positive(name, scale))?;
                if scale.len() != variances.len() {
                    return Err(Error::BadCovariance {
                        name,
                        problem: format!("a prior of {} variances for {}", scale.len(), variances.len()),
                        expected: "a scalar or a diagonal, with a scale for each variance".to_string(),
                    });
                }
            }
        }
        Ok(())
    }

    fn check_scheme(&self, learned: &'static str) -> Result<()> {
        if self.scheme == Scheme::Paper {
            return Err(Error::parameter(
                learned,
                "\"learn\"",
                "given with scheme=\"paper\" (the published algorithm learns none of these; \
                 use scheme=\"collapsed\" or \"exact\")",
            ));
        }
        Ok(())
    }
}

fn shared(variances: &[f64]) -> (Covariance, Option<InverseGamma>) {
    let mean = variances.iter().sum::<f64>() / variances.len() as f64;
    (Covariance::Scalar(mean), Some(with_means(vec![mean])))
}

fn separate(variances: Vec<f64>) -> (Covariance, Option<InverseGamma>) {
    (Covariance::Diagonal(variances.clone()), Some(with_means(variances)))
}

fn with_means(means: Vec<f64>) -> InverseGamma {
    InverseGamma { shape: SHAPE, scale: means.into_iter().map(|mean| (SHAPE - 1.0) * mean).collect() }
}

/// The mean square of each column around its centre. A column that lies there has the average of the
/// others, and 1 where all do: a variance is positive.
fn mean_squares(x: ArrayView2<'_, f64>, centre: &[f64]) -> Vec<f64> {
    let square = |column: ArrayView1<'_, f64>, centre: f64| {
        column.iter().map(|x| (x - centre).powi(2)).sum::<f64>() / column.len() as f64
    };
    let squares: Vec<f64> =
        x.columns().into_iter().zip(centre).map(|(column, &centre)| square(column, centre)).collect();
    let positive: Vec<f64> = squares.iter().copied().filter(|&square| square >= SMALLEST).collect();
    let average = positive.iter().sum::<f64>() / positive.len() as f64;
    let average = if positive.is_empty() { 1.0 } else { average };
    squares.into_iter().map(|square| if square >= SMALLEST { square } else { average }).collect()
}

fn unknown(parameter: &'static str, name: &str, known: &str) -> Error {
    Error::parameter(parameter, format!("{name:?}"), format!("a number, a vector or a matrix, or {known}"))
}
