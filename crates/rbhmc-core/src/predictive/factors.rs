//! What the margins say of a branch that does not exist yet, its discriminant unknown.

use crate::numerics::exp_nonpositive;

/// A spread below this would make distances overflow; it means none.
const LEAST_SPREAD: f64 = 1e-100;

/// E[exp(−2C max(a, b − g))] with g ~ N(0, s²), a the loss, b the gap, s the spread, as (m, e): it is m · eᵉ, m near 1.
///
/// With d = (b − a)/s, t = 2Cs and u = d − t it is e^{−2Ca} Φ(−d) + e^{−2Cb + t²/2} Φ(u). Let M(v) = e^{v²/2} Φ(−v);
/// since −2Cb + t²/2 − u²/2 = −2Ca − d²/2, that is
///
/// - e^{−2Ca} (1 − e^{−d²/2} (M(−d) − M(−u)))  for d ≤ 0, and so u < 0,
/// - e^{−2Ca − d²/2} (M(d) + M(−u))  for d > 0 and u < 0,
/// - e^{−2Cb + t²/2} (1 − e^{−u²/2} (M(u) − M(d)))  for u ≥ 0, and so d > 0,
///
/// in which nothing large cancels.
#[inline(always)]
pub fn expected_factor(loss: f64, gap: f64, spread: f64, strength: f64) -> (f64, f64) {
    let s = spread.max(LEAST_SPREAD);
    let d = (gap - loss) / s;
    let t = 2.0 * strength * s;
    let u = d - t;
    let (of_d, of_u) = (mills(d.abs()), mills(u.abs()));
    let v = if u < 0.0 { d } else { u };
    let square = -0.5 * v * v;
    let mut small = [square];
    exp_nonpositive(&mut small);
    if u >= 0.0 {
        (1.0 - small[0] * (of_u - of_d), 0.5 * t * t - 2.0 * strength * gap)
    } else if d > 0.0 {
        (of_d + of_u, square - 2.0 * strength * loss)
    } else {
        (1.0 - small[0] * (of_d - of_u), -2.0 * strength * loss)
    }
}

/// M(v) = e^{v²/2} Φ(−v) for v ≥ 0, which is Mills' ratio over √2π, within 2 · 10⁻¹⁴ of its size.
///
/// (v + 3/2) M(v) is smooth in y = (v − 4)/(v + 4), from −1 to 1, and is a series of Chebyshev polynomials of y, fitted
/// to SciPy's `erfcx`.
#[inline(always)]
fn mills(v: f64) -> f64 {
    let y = (v - 4.0) / (v + 4.0);
    // Clenshaw's recurrence.
    let (mut next, mut after) = (0.0, 0.0);
    for &coefficient in SERIES[1..].iter().rev() {
        (next, after) = (coefficient + 2.0 * y * next - after, next);
    }
    (SERIES[0] + y * next - after) / (v + 1.5)
}

const SERIES: [f64; 21] = [
    5.497_307_005_079_949e-1,
    -1.788_160_670_760_477_7e-1,
    2.772_266_794_860_742e-2,
    2.443_962_785_239_238e-3,
    -2.869_422_117_402_647_4e-3,
    8.460_530_964_466_279e-4,
    -1.162_661_919_624_668_7e-4,
    -2.556_595_478_142_79e-6,
    3.552_250_912_685_842e-6,
    -2.651_517_850_329_541e-7,
    -9.511_303_991_938_165e-8,
    1.367_606_085_731_851_2e-8,
    3.033_230_088_722_519_7e-9,
    -5.536_459_683_061_845e-10,
    -1.233_434_925_543_151_2e-10,
    2.055_908_926_497_607_3e-11,
    6.021_763_057_577_951_6e-12,
    -6.419_080_568_466_424e-13,
    -3.171_636_421_342_78e-13,
    8.555_201_322_562_239e-15,
    1.641_472_984_840_582e-14,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mills_is_its_definition() {
        let scale = (2.0 * std::f64::consts::PI).sqrt();
        // For small v by a series that converges everywhere: Φ(−v) = 1/2 − φ(v) (v + v³/3 + v⁵/(3·5) + …).
        for step in 0..400 {
            let v = f64::from(step) * 0.005;
            let (mut term, mut sum) = (v, 0.0);
            for n in 1..200 {
                sum += term;
                term *= v * v / f64::from(2 * n + 1);
            }
            let want = 0.5 * (0.5 * v * v).exp() - sum / scale;
            assert!((mills(v) / want - 1.0).abs() < 1e-13, "{v}: {} against {want}", mills(v));
        }
        // For large v by Laplace's continued fraction.
        for v in [1.5, 2.0, 3.0, 4.0, 5.0, 7.5, 30.0, 1e3, 1e8, 1e160] {
            let fraction = (1..2_000).rev().fold(v, |below, n| v + f64::from(n) / below);
            let want = 1.0 / (fraction * scale);
            assert!((mills(v) / want - 1.0).abs() < 1e-13, "{v}: {} against {want}", mills(v));
        }
    }

    /// By Simpson's rule on both sides of the kink.
    fn integral(a: f64, b: f64, s: f64, c: f64) -> f64 {
        let value = |g: f64| (-2.0 * c * a.max(b - g) - 0.5 * (g / s) * (g / s)).exp();
        let kink = (b - a).clamp(-20.0 * s, 20.0 * s);
        let piece = |from: f64, to: f64| {
            let n = 10_000;
            let h = (to - from) / f64::from(n);
            let sum: f64 = (0..=n)
                .map(|i| {
                    let weight = if i == 0 || i == n { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
                    weight * value(from + h * f64::from(i))
                })
                .sum();
            sum * h / 3.0
        };
        (piece(-20.0 * s, kink) + piece(kink, 20.0 * s)) / (s * (2.0 * std::f64::consts::PI).sqrt())
    }

    #[test]
    fn the_expected_factor_is_its_integral() {
        for a in [0.0, 0.7, 3.0] {
            for b in [-3.0, 0.0, 0.5, 0.7, 4.0, 30.0] {
                for c in [0.2, 1.0, 3.0] {
                    for s in [0.3, 1.0, 2.5] {
                        let (m, e) = expected_factor(a, b, s, c);
                        let want = integral(a, b, s, c);
                        assert!((m * e.exp() / want - 1.0).abs() < 1e-6, "{a} {b} {s} {c}: {m}, {e}; {want}");
                        assert!(m > 0.0 && m <= 1.0);
                    }
                    let (m, e) = expected_factor(a, b, 0.0, c);
                    assert_eq!((m, e), (1.0, -2.0 * c * f64::max(a, b)));
                }
            }
        }
        // However large, it is a number.
        let (m, e) = expected_factor(1e12, 3e12, 1e12, 1.0);
        assert!(m > 0.0 && m <= 1.0 && e.is_finite());
    }
}
