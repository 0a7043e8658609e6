//! The priors of the parameters that are learned.
//!
//! Concentrations have gamma priors, variances inverse-gamma priors. A learned covariance keeps its form: a
//! scalar is one variance shared by all dimensions, a diagonal has one variance for each.

use ndarray::{ArrayView1, ArrayView2};
use serde::{Deserialize, Serialize};

use super::noise_scale::{neighbour_variance, rounding_variance};
use super::settings::{Config, Covariance, MIN_POSITIVE, Scheme, check_positive};
use crate::distributions::{gamma, inverse_gamma, inverse_gamma_above};
use crate::error::{Error, Result};
use crate::model::Data;
use crate::rng::Rng;

/// Shape of the priors of variances: their mean is finite, their variance is not.
const VARIANCE_SHAPE: f64 = 2.0;
/// The least noise variance, as a share of the variance of the data.
const NOISE_FLOOR: f64 = 1e-4;

/// The prior of each learned parameter; a parameter without a prior is fixed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Priors {
    pub alpha: Option<Gamma>,
    pub gamma: Option<Gamma>,
    pub gamma0: Option<Gamma>,
    pub noise_cov: Option<InverseGamma>,
    pub base_cov: Option<InverseGamma>,
}

/// The prior of a concentration: density ∝ x^{shape−1} e^{−rate·x}. The default has mean 1.
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

    /// The log density, up to a constant.
    pub(crate) fn ln_density(&self, value: f64) -> f64 {
        (self.shape - 1.0) * value.ln() - self.rate * value
    }
}

/// The prior of the variances of a covariance: density ∝ v^{−shape−1} e^{−scale/v} for v ≥ floor, with one scale and one
/// floor for each variance. Without floors, the noise of a column with few distinct values tends to 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InverseGamma {
    pub shape: f64,
    pub scale: Vec<f64>,
    /// Empty for no floors.
    pub floor: Vec<f64>,
}

impl InverseGamma {
    /// The posterior given `n` normal variables in each dimension and the sums of their squares:
    /// shape + n/2 and scale_d + squares_d/2; a shared variance takes all dimensions together.
    pub(crate) fn given(&self, n: f64, squares: &[f64]) -> Self {
        if self.scale.len() == 1 {
            return Self {
                shape: self.shape + 0.5 * n * squares.len() as f64,
                scale: vec![self.scale[0] + 0.5 * squares.iter().sum::<f64>()],
                floor: self.floor.clone(),
            };
        }
        Self {
            shape: self.shape + 0.5 * n,
            scale: self.scale.iter().zip(squares).map(|(scale, squares)| scale + 0.5 * squares).collect(),
            floor: self.floor.clone(),
        }
    }

    /// A draw of a covariance in the form of `like`.
    pub fn draw(&self, rng: &mut Rng, like: &Covariance) -> Covariance {
        let mut variance = |(d, &scale): (usize, &f64)| match self.floor.get(d) {
            Some(&floor) => inverse_gamma_above(rng, self.shape, scale, floor),
            None => inverse_gamma(rng, self.shape, scale),
        };
        match like {
            Covariance::Scalar(_) => Covariance::Scalar(variance((0, &self.scale[0]))),
            _ => Covariance::Diagonal(self.scale.iter().enumerate().map(variance).collect()),
        }
    }

    /// The log density, up to a constant.
    pub(crate) fn ln_density(&self, covariance: &Covariance) -> f64 {
        let variances = variances(covariance);
        if variances.iter().zip(&self.floor).any(|(variance, floor)| variance < floor) {
            return f64::NEG_INFINITY;
        }
        let terms = variances.iter().zip(&self.scale);
        terms.map(|(variance, scale)| -(self.shape + 1.0) * variance.ln() - scale / variance).sum()
    }
}

/// The variances of a scalar or diagonal covariance; none of a matrix.
fn variances(covariance: &Covariance) -> &[f64] {
    match covariance {
        Covariance::Scalar(variance) => std::slice::from_ref(variance),
        Covariance::Diagonal(variances) => variances,
        Covariance::Full(_) => &[],
    }
}

/// A learned parameter and its current value, a number or a vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LearnedParameter<'a> {
    pub name: &'static str,
    pub values: &'a [f64],
    pub is_vector: bool,
}

impl Config {
    /// All parameters that are learned.
    pub fn learned(&self) -> impl Iterator<Item = LearnedParameter<'_>> {
        let priors = &self.priors;
        let concentrations = [
            ("alpha", &self.alpha, priors.alpha.is_some()),
            ("gamma", &self.gamma, priors.gamma.is_some()),
            ("gamma0", &self.gamma0, priors.gamma0.is_some()),
        ];
        let covariances = [
            ("noise_cov", &self.noise_cov, priors.noise_cov.is_some()),
            ("base_cov", &self.base_cov, priors.base_cov.is_some()),
        ];
        let concentrations = concentrations.into_iter().filter(|given| given.2).map(|(name, value, _)| {
            LearnedParameter { name, values: std::slice::from_ref(value), is_vector: false }
        });
        concentrations.chain(covariances.into_iter().filter(|given| given.2).map(|(name, value, _)| {
            LearnedParameter {
                name,
                values: variances(value),
                is_vector: matches!(value, Covariance::Diagonal(_)),
            }
        }))
    }

    /// Learns Σ in the form "learn" (one variance) or "learn-diagonal" (one for each column). The prior is
    /// InverseGamma(2, s) above a floor, the larger of v/10,000 and the variance of rounding, where v is the variance of the
    /// data and s the variance within small groups ([`neighbour_variance`]), between the floor and v. Σ starts at s: from
    /// there a chain finds small groups, while one that starts with a large noise has no reason to split them.
    pub fn set_noise_prior(&mut self, x: ArrayView2<'_, f64>, form: &str) -> Result<()> {
        Data::check(x)?;
        let centre: Vec<f64> =
            x.columns().into_iter().map(|column| column.sum() / x.nrows() as f64).collect();
        let variances = mean_squares(x, &centre);
        let rounding = x.columns().into_iter().map(rounding_variance);
        let floors: Vec<f64> = variances
            .iter()
            .zip(rounding)
            .map(|(variance, rounding)| rounding.max(NOISE_FLOOR * variance))
            .collect();
        let within = neighbour_variance(x);
        let bounds = floors.iter().zip(&variances);
        let starts: Vec<f64> = bounds.map(|(&floor, &variance)| within.min(variance).max(floor)).collect();
        (self.noise_cov, self.priors.noise_cov) = match form {
            "learn" => shared(&starts),
            "learn-diagonal" => separate(starts),
            _ => return Err(unknown_form("noise_cov", form, "\"auto\", \"learn\" or \"learn-diagonal\"")),
        };
        if let Some(prior) = &mut self.priors.noise_cov {
            prior.floor = if prior.scale.len() == 1 { vec![mean(&floors)] } else { floors };
        }
        Ok(())
    }

    /// Learns Σ_0 in the form "learn" or "learn-diagonal", or fixes it by "data". The prior is InverseGamma(2, v),
    /// whose mean v is the mean square of the data around μ_0; Σ_0 starts there. "data" is the diagonal of v.
    pub fn set_base_prior(&mut self, x: ArrayView2<'_, f64>, form: &str) -> Result<()> {
        Data::check(x)?;
        // One entry stands for all dimensions; a wrong number of entries is refused later.
        let entry = |d: usize| self.base_mean.get(d).or(self.base_mean.first()).copied().unwrap_or(0.0);
        let centre: Vec<f64> = (0..x.ncols()).map(entry).collect();
        let variances = mean_squares(x, &centre);
        (self.base_cov, self.priors.base_cov) = match form {
            "learn" => shared(&variances),
            "learn-diagonal" => separate(variances),
            "data" => (Covariance::Diagonal(variances), None),
            _ => {
                return Err(unknown_form(
                    "base_cov",
                    form,
                    "\"auto\", \"learn\", \"learn-diagonal\" or \"data\"",
                ));
            }
        };
        Ok(())
    }

    /// Checks the priors, and that the scheme can learn parameters.
    pub(super) fn check_priors(&self) -> Result<()> {
        let priors = &self.priors;
        let concentrations = [("alpha", priors.alpha), ("gamma", priors.gamma), ("gamma0", priors.gamma0)];
        let covariances = [
            ("noise_cov", &priors.noise_cov, variances(&self.noise_cov)),
            ("base_cov", &priors.base_cov, variances(&self.base_cov)),
        ];
        for (name, prior) in concentrations {
            if let Some(Gamma { shape, rate }) = prior {
                self.check_scheme(name)?;
                check_positive(name, shape)?;
                check_positive(name, rate)?;
            }
        }
        for (name, prior, variances) in covariances {
            if let Some(InverseGamma { shape, scale, floor }) = prior {
                self.check_scheme(name)?;
                check_positive(name, *shape)?;
                scale.iter().chain(floor).try_for_each(|&value| check_positive(name, value))?;
                if !floor.is_empty() && (floor.len() != scale.len() || *shape <= 1.0) {
                    return Err(Error::BadCovariance {
                        name,
                        problem: format!(
                            "the prior of shape {shape} has {} floors for {} scales",
                            floor.len(),
                            scale.len()
                        ),
                        expected: "a shape above 1 and one floor for each scale, or no floors".to_string(),
                    });
                }
                if scale.len() != variances.len() {
                    return Err(Error::BadCovariance {
                        name,
                        problem: format!(
                            "the prior has {} scales for {} variances",
                            scale.len(),
                            variances.len()
                        ),
                        expected: "a scalar or a diagonal, with one scale for each variance".to_string(),
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
                "a fixed value with scheme=\"paper\" (the published algorithm does not learn it; \
                 use scheme=\"collapsed\" or \"exact\")",
            ));
        }
        Ok(())
    }
}

/// One variance for all dimensions, and its prior.
fn shared(variances: &[f64]) -> (Covariance, Option<InverseGamma>) {
    let mean = mean(variances);
    (Covariance::Scalar(mean), Some(prior_with_means(vec![mean])))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// One variance for each dimension, and their prior.
fn separate(variances: Vec<f64>) -> (Covariance, Option<InverseGamma>) {
    (Covariance::Diagonal(variances.clone()), Some(prior_with_means(variances)))
}

fn prior_with_means(means: Vec<f64>) -> InverseGamma {
    InverseGamma {
        shape: VARIANCE_SHAPE,
        scale: means.into_iter().map(|mean| (VARIANCE_SHAPE - 1.0) * mean).collect(),
        floor: Vec::new(),
    }
}

/// The mean square of each column around its centre. A column with none takes the average of the
/// others, or 1 if all columns have none: a variance is positive.
fn mean_squares(x: ArrayView2<'_, f64>, centre: &[f64]) -> Vec<f64> {
    let square = |column: ArrayView1<'_, f64>, centre: f64| {
        column.iter().map(|x| (x - centre).powi(2)).sum::<f64>() / column.len() as f64
    };
    let squares: Vec<f64> =
        x.columns().into_iter().zip(centre).map(|(column, &centre)| square(column, centre)).collect();
    let positive: Vec<f64> = squares.iter().copied().filter(|&square| square >= MIN_POSITIVE).collect();
    let average = positive.iter().sum::<f64>() / positive.len() as f64;
    let average = if positive.is_empty() { 1.0 } else { average };
    squares.into_iter().map(|square| if square >= MIN_POSITIVE { square } else { average }).collect()
}

fn unknown_form(parameter: &'static str, form: &str, known: &str) -> Error {
    Error::parameter(parameter, format!("{form:?}"), format!("a number, a vector or a matrix, or {known}"))
}
