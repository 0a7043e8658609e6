//! The generalised inverse Gaussian GIG(p, a, b), density ∝ x^{p−1} exp(−(a x + b / x) / 2) for x > 0, and the
//! inverse Gaussian.
//!
//! Domain: a > 0 and b > 0 with any p; or b = 0 with p > 0 (a gamma); or a = 0 with p < 0 (an inverse
//! gamma). With ω = √(ab), ln x is drawn by the rejection method of Devroye, "Random variate
//! generation for the generalized inverse Gaussian distribution" (Statistics and Computing 24, 2014),
//! whose acceptance is bounded below for all p and ω.

use rand::RngExt;

use super::gamma::scaled_gamma;
use crate::error::{Error, Result};
use crate::rng::{Rng, standard_normal, uniform};

/// GIG(p, a, b), with valid parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gig {
    p: f64,
    a: f64,
    b: f64,
}

impl Gig {
    pub fn new(p: f64, a: f64, b: f64) -> Result<Self> {
        let range = |value: f64| (1e-100..=1e100).contains(&value);
        let valid = p.abs() <= 1e100
            && match (a == 0.0, b == 0.0) {
                (false, false) => range(a) && range(b),
                (false, true) => range(a) && p > 0.0,
                (true, false) => range(b) && p < 0.0,
                (true, true) => false,
            };
        if valid {
            return Ok(Self { p, a, b });
        }
        Err(Error::parameter(
            "(p, a, b)",
            format!("({p}, {a}, {b})"),
            "a > 0 and b > 0 with any p, or b = 0 with p > 0, or a = 0 with p < 0, none above 1e100 in size",
        ))
    }

    pub fn sample(self, rng: &mut Rng) -> f64 {
        let Self { p, a, b } = self;
        if b == 0.0 {
            let (g, e) = scaled_gamma(rng, p);
            return g * e.exp() * (2.0 / a);
        }
        if a == 0.0 {
            let (g, e) = scaled_gamma(rng, -p);
            return 0.5 * b / g * (-e).exp();
        }
        let standard = draw_standard(rng, p.abs(), a.sqrt() * b.sqrt());
        let scale = b.sqrt() / a.sqrt();
        if p < 0.0 { scale / standard } else { scale * standard }
    }
}

/// A draw from the density ∝ x^{λ−1} exp(−ω (x + 1/x) / 2), λ ≥ 0.
///
/// X = ln x − ln(λ/ω + √(1 + λ²/ω²)) has log density ψ(x) = −α (cosh x − 1) − λ (eˣ − x − 1) with
/// α = √(ω² + λ²) − λ; its hat is flat between −s' and t' and exponential outside.
fn draw_standard(rng: &mut Rng, lambda: f64, omega: f64) -> f64 {
    let hypot = omega.hypot(lambda);
    // √(ω² + λ²) − λ without cancellation.
    let alpha = omega * (omega / (hypot + lambda));
    let psi = |x: f64| -alpha * cosh_m1(x) - lambda * exp_m1_less_x(x);
    let slope = |x: f64| -alpha * x.sinh() - lambda * x.exp_m1();

    let t = match -psi(1.0) {
        drop if drop > 2.0 => (2.0 / (alpha + lambda)).sqrt(),
        drop if drop < 0.5 => (4.0 / (alpha + 2.0 * lambda)).ln(),
        _ => 1.0,
    };
    let s = match -psi(-1.0) {
        drop if drop > 2.0 => (4.0 / (alpha * 1.0_f64.cosh() + lambda)).sqrt(),
        drop if drop < 0.5 => {
            // ln(1 + 1/α + √(1/α² + 2/α)), which is ln(2/α) long before 1/α² overflows.
            let inverse = 1.0 / alpha;
            let bound = if inverse < 1e100 {
                (inverse + (inverse * (inverse + 2.0)).sqrt()).ln_1p()
            } else {
                std::f64::consts::LN_2 - alpha.ln()
            };
            (1.0 / lambda).min(bound)
        }
        _ => 1.0,
    };
    let (eta, zeta) = (-psi(t), -slope(t));
    let (theta, xi) = (-psi(-s), slope(-s));
    let (p, r) = (1.0 / xi, 1.0 / zeta);
    let t_flat = t - r * eta;
    let s_flat = s - p * theta;
    let q = t_flat + s_flat;

    let x = loop {
        let u = uniform(rng) * (p + q + r);
        let v: f64 = rng.sample(rand_distr::OpenClosed01);
        let w = uniform(rng);
        let (x, ln_hat) = if u < q {
            (-s_flat + q * v, 0.0)
        } else if u < q + r {
            let x = t_flat - r * v.ln();
            (x, -eta - zeta * (x - t))
        } else {
            let x = -s_flat + p * v.ln();
            (x, -theta + xi * (x + s))
        };
        if w * ln_hat.exp() <= psi(x).exp() {
            break x;
        }
    };
    (lambda / omega + (lambda / omega).hypot(1.0)) * x.exp()
}

/// cosh x − 1 without cancellation.
fn cosh_m1(x: f64) -> f64 {
    let half = (0.5 * x).sinh();
    2.0 * half * half
}

/// eˣ − 1 − x without cancellation: by its series if x is small.
fn exp_m1_less_x(x: f64) -> f64 {
    if x.abs() > 0.01 {
        return x.exp_m1() - x;
    }
    0.5 * x * x * (1.0 + x / 3.0 * (1.0 + x / 4.0 * (1.0 + x / 5.0 * (1.0 + x / 6.0))))
}

/// InverseGaussian(μ, 1): density √(1/2πx³) exp(−(x − μ)² / (2μ²x)), x > 0.
///
/// Michael, Schucany and Haas (1976): with y the square of a normal and w = μy/2, the smaller root
/// is x = μ / (1 + w + √(w² + 2w)), a form free of cancellation for large μ; x is returned with
/// probability μ/(μ + x), else μ²/x.
pub fn inverse_gaussian(rng: &mut Rng, mean: f64) -> f64 {
    let normal = standard_normal(rng);
    let w = 0.5 * mean * normal * normal;
    let x = mean / (1.0 + w + (w * (w + 2.0)).sqrt());
    if uniform(rng) * (mean + x) <= mean { x } else { mean * (mean / x) }
}
