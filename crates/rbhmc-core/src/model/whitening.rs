//! The linear map that makes the noise standard normal and the coordinates of the base measure independent.
//!
//! y = W (x − μ_0) with W Σ Wᵀ = I and W Σ_0 Wᵀ = diag(s). From Σ = A Aᵀ, Σ_0 = A_0 A_0ᵀ (Cholesky) and
//! A⁻¹ A_0 = Q diag(√s) Vᵀ: W = Qᵀ A⁻¹, W⁻¹ = A Q. Log densities of items are then sums of squares,
//! and means are updated one coordinate at a time.

use nalgebra::{Cholesky, DMatrix};
use ndarray::Array1;

use crate::config::{Config, Covariance, MAX_MAGNITUDE, check_positive, is_usable};
use crate::error::{Error, Result};

#[derive(Debug, Clone)]
enum Map {
    Diagonal { scale: Vec<f64> },
    Full { forward: DMatrix<f64>, inverse: DMatrix<f64> },
}

#[derive(Debug, Clone)]
pub struct Whitening {
    base_mean: Vec<f64>,
    map: Map,
    /// s: the variances of the base measure in whitened coordinates.
    pub base_variance: Vec<f64>,
    /// ln(1 + s)
    ln_new_variance: Vec<f64>,
    /// −(D ln 2π + ln |Σ|) / 2
    pub ln_normaliser: f64,
}

impl Whitening {
    pub fn new(config: &Config, n_dims: usize) -> Result<Self> {
        let base_mean = base_mean(&config.base_mean, n_dims)?;
        check_covariance("noise_cov", &config.noise_cov, n_dims)?;
        check_covariance("base_cov", &config.base_cov, n_dims)?;
        let (map, base_variance, ln_determinant) =
            match (diagonal(&config.noise_cov, n_dims), diagonal(&config.base_cov, n_dims)) {
                (Some(noise), Some(base)) => from_diagonals(&noise, &base),
                _ => from_matrices(&matrix(&config.noise_cov, n_dims), &matrix(&config.base_cov, n_dims))?,
            };
        Ok(Self {
            base_mean,
            map,
            ln_new_variance: base_variance.iter().map(|s| s.ln_1p()).collect(),
            base_variance,
            ln_normaliser: -0.5 * (n_dims as f64 * (2.0 * std::f64::consts::PI).ln() + ln_determinant),
        })
    }

    /// μ_0
    pub fn base_mean(&self) -> &[f64] {
        &self.base_mean
    }

    /// W (x − μ_0)
    pub fn whiten(&self, x: &[f64], out: &mut [f64]) {
        match &self.map {
            Map::Diagonal { scale } => {
                for (d, out) in out.iter_mut().enumerate() {
                    *out = (x[d] - self.base_mean[d]) / scale[d];
                }
            }
            Map::Full { forward, .. } => {
                for (i, out) in out.iter_mut().enumerate() {
                    *out = (0..x.len()).map(|j| forward[(i, j)] * (x[j] - self.base_mean[j])).sum();
                }
            }
        }
    }

    /// μ_0 + W⁻¹ y
    pub fn unwhiten(&self, y: &[f64]) -> Array1<f64> {
        let centred = |i: usize| match &self.map {
            Map::Diagonal { scale } => scale[i] * y[i],
            Map::Full { inverse, .. } => (0..y.len()).map(|j| inverse[(i, j)] * y[j]).sum(),
        };
        (0..y.len()).map(|i| self.base_mean[i] + centred(i)).collect()
    }

    /// ln N(y; 0, diag(1 + s)), relative to the normaliser of the noise.
    pub fn ln_new_density(&self, y: &[f64]) -> f64 {
        let variances = self.base_variance.iter().zip(&self.ln_new_variance);
        -0.5 * y.iter().zip(variances).map(|(y, (s, ln))| y * y / (1.0 + s) + ln).sum::<f64>()
    }
}

fn base_mean(given: &[f64], n_dims: usize) -> Result<Vec<f64>> {
    if given.len() != n_dims && given.len() != 1 {
        return Err(Error::parameter(
            "base_mean",
            format!("of length {}", given.len()),
            format!("one number, or {n_dims} (one for each column of X)"),
        ));
    }
    if let Some(bad) = given.iter().find(|&&value| !is_usable(value)) {
        return Err(Error::number(
            "base_mean",
            *bad,
            format!("finite and at most {MAX_MAGNITUDE:e} in size"),
        ));
    }
    Ok(if given.len() == n_dims { given.to_vec() } else { vec![given[0]; n_dims] })
}

fn check_covariance(name: &'static str, covariance: &Covariance, n_dims: usize) -> Result<()> {
    let bad = |problem: String, expected: &str| {
        Err(Error::BadCovariance { name, problem, expected: expected.to_string() })
    };
    match covariance {
        Covariance::Scalar(variance) => check_positive(name, *variance),
        Covariance::Diagonal(variances) => {
            if variances.len() != n_dims {
                return bad(
                    format!("a vector of {} variances for {n_dims} dimensions", variances.len()),
                    "one variance for each column of X",
                );
            }
            variances.iter().try_for_each(|&variance| check_positive(name, variance))
        }
        Covariance::Full(matrix) => {
            if matrix.dim() != (n_dims, n_dims) {
                return bad(
                    format!("a matrix of shape {:?} for {n_dims} dimensions", matrix.dim()),
                    "square, with as many rows as X has columns",
                );
            }
            for ((i, j), &value) in matrix.indexed_iter() {
                if !is_usable(value) {
                    return bad(format!("entry [{i}, {j}] is {value}"), "finite");
                }
                let size = (matrix[(i, i)] * matrix[(j, j)]).abs().sqrt();
                if (value - matrix[(j, i)]).abs() > 1e-8 * size {
                    return bad(
                        format!("entries [{i}, {j}] and [{j}, {i}] differ"),
                        "symmetric and positive definite",
                    );
                }
            }
            Ok(())
        }
    }
}

fn diagonal(covariance: &Covariance, n_dims: usize) -> Option<Vec<f64>> {
    match covariance {
        Covariance::Scalar(variance) => Some(vec![*variance; n_dims]),
        Covariance::Diagonal(variances) => Some(variances.clone()),
        Covariance::Full(_) => None,
    }
}

fn matrix(covariance: &Covariance, n_dims: usize) -> DMatrix<f64> {
    match covariance {
        Covariance::Full(full) => {
            DMatrix::from_fn(n_dims, n_dims, |i, j| 0.5 * (full[(i, j)] + full[(j, i)]))
        }
        other => {
            let variances = diagonal(other, n_dims).unwrap_or_default();
            DMatrix::from_fn(n_dims, n_dims, |i, j| if i == j { variances[i] } else { 0.0 })
        }
    }
}

fn from_diagonals(noise: &[f64], base: &[f64]) -> (Map, Vec<f64>, f64) {
    let scale = noise.iter().map(|variance| variance.sqrt()).collect();
    let base_variance = base.iter().zip(noise).map(|(base, noise)| base / noise).collect();
    let ln_determinant = noise.iter().map(|variance| variance.ln()).sum();
    (Map::Diagonal { scale }, base_variance, ln_determinant)
}

fn from_matrices(noise: &DMatrix<f64>, base: &DMatrix<f64>) -> Result<(Map, Vec<f64>, f64)> {
    let not_definite = |name| Error::BadCovariance {
        name,
        problem: "the matrix is not positive definite".to_string(),
        expected: "symmetric and positive definite".to_string(),
    };
    let cholesky = |matrix: &DMatrix<f64>, name| {
        let factor = Cholesky::new(matrix.clone()).ok_or_else(|| not_definite(name))?.l();
        // Pivots have the same bounds as variances that are given.
        let positive = factor.diagonal().iter().all(|pivot| check_positive(name, pivot * pivot).is_ok());
        if positive { Ok(factor) } else { Err(not_definite(name)) }
    };
    let factor = cholesky(noise, "noise_cov")?;
    let base_factor = cholesky(base, "base_cov")?;
    let identity = DMatrix::identity(noise.nrows(), noise.nrows());
    let inverse_factor = factor.solve_lower_triangular(&identity).ok_or_else(|| not_definite("noise_cov"))?;
    // The singular values of A⁻¹ A_0 are √s, with twice the digits that an eigendecomposition gives.
    let ill_conditioned = || Error::BadCovariance {
        name: "noise_cov and base_cov",
        problem: "the two differ too much in scale".to_string(),
        expected: "better conditioned".to_string(),
    };
    let svd = (&inverse_factor * base_factor)
        .try_svd(true, false, f64::EPSILON, 10_000)
        .ok_or_else(ill_conditioned)?;
    let rotation = svd.u.ok_or_else(ill_conditioned)?;
    let base_variance: Vec<f64> =
        svd.singular_values.iter().map(|root| (root * root).max(f64::MIN_POSITIVE)).collect();
    if !base_variance.iter().chain(rotation.iter()).all(|value| value.is_finite()) {
        return Err(ill_conditioned());
    }
    let ln_determinant = 2.0 * factor.diagonal().iter().map(|pivot| pivot.ln()).sum::<f64>();
    Ok((
        Map::Full { forward: rotation.transpose() * &inverse_factor, inverse: &factor * &rotation },
        base_variance,
        ln_determinant,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    /// ln N(x; μ, Σ) through an explicit inverse.
    fn ln_normal(x: &[f64], mean: &[f64], covariance: &Array2<f64>) -> f64 {
        let sigma = matrix(&Covariance::Full(covariance.clone()), x.len());
        let difference = DMatrix::from_fn(x.len(), 1, |i, _| x[i] - mean[i]);
        let inverse = sigma.clone().try_inverse().unwrap();
        let square = (difference.transpose() * inverse * &difference)[(0, 0)];
        -0.5 * (square + sigma.determinant().ln() + x.len() as f64 * (2.0 * std::f64::consts::PI).ln())
    }

    #[test]
    fn densities_equal_normal_densities_with_full_matrices() {
        let noise = array![[2.0, 0.3, 0.1], [0.3, 1.0, -0.2], [0.1, -0.2, 0.5]];
        let base = array![[4.0, -1.0, 0.0], [-1.0, 3.0, 0.5], [0.0, 0.5, 6.0]];
        let config = Config {
            noise_cov: Covariance::Full(noise.clone()),
            base_cov: Covariance::Full(base.clone()),
            base_mean: vec![1.0, -2.0, 0.5],
            ..Config::default()
        };
        let whitening = Whitening::new(&config, 3).unwrap();
        let (x, theta) = ([0.3, 0.7, -1.1], [1.4, -0.2, 0.9]);
        let (mut y, mut white_theta) = ([0.0; 3], [0.0; 3]);
        whitening.whiten(&x, &mut y);
        whitening.whiten(&theta, &mut white_theta);
        let squares: f64 = y.iter().zip(&white_theta).map(|(a, b)| (a - b) * (a - b)).sum();
        let got = whitening.ln_normaliser - 0.5 * squares;
        assert!((got - ln_normal(&x, &theta, &noise)).abs() < 1e-10);
        let got = whitening.ln_normaliser + whitening.ln_new_density(&y);
        assert!((got - ln_normal(&x, &config.base_mean, &(&noise + &base))).abs() < 1e-10);
        for (got, want) in whitening.unwhiten(&white_theta).iter().zip(theta) {
            assert!((got - want).abs() < 1e-12);
        }
    }

    #[test]
    fn an_indefinite_matrix_is_refused_by_name() {
        let config =
            Config { base_cov: Covariance::Full(array![[1.0, 2.0], [2.0, 1.0]]), ..Config::default() };
        let message = Whitening::new(&config, 2).unwrap_err().to_string();
        assert!(message.contains("base_cov") && message.contains("positive definite"));
    }
}
