//! Losses of new items on the paths of a tree, and the expected factor exp(−2C h) of a new branch, whose
//! discriminant is not known.

use super::Tree;
use super::lanes::{ITEMS, Lanes, ZERO, weighted_sum};
use crate::config::Config;
use crate::numerics::{TwoBest, exp_nonpositive, fmax};

/// A smaller spread is raised to this, so that standardised distances do not overflow.
const MIN_SPREAD: f64 = 1e-100;

/// Scores and losses; each field has one entry for each node.
#[derive(Default)]
pub struct Margins {
    /// η_zᵀx̃
    scores: Vec<Lanes>,
    /// The largest and the second largest score among a node's children; −∞ if there is none.
    pub best: Vec<Lanes>,
    second: Vec<Lanes>,
    /// The loss h on the path from the root to the node.
    pub losses: Vec<Lanes>,
}

impl Margins {
    /// h = max(0, max over the nodes v of the path of ε_0 − η_vᵀx + max over siblings z of η_zᵀx).
    #[inline(always)]
    pub fn fill(&mut self, tree: &Tree, discriminants: &[Vec<f64>], items: &[Lanes], config: &Config) {
        let Config { margin, intercept, .. } = *config;
        let n_nodes = tree.parents.len();
        self.scores.resize(n_nodes, ZERO);
        for (eta, scores) in discriminants.iter().zip(&mut self.scores).skip(1) {
            weighted_sum(eta, items, scores);
            if let Some(weight) = eta.get(items.len()) {
                scores.iter_mut().for_each(|score| *score += weight * intercept);
            }
        }
        for rows in [&mut self.best, &mut self.second] {
            rows.clear();
            rows.resize(n_nodes, [f64::NEG_INFINITY; ITEMS]);
        }
        self.losses.clear();
        self.losses.resize(n_nodes, ZERO);
        for node in 1..n_nodes {
            let parent = tree.parents[node];
            // Copies, so that the compiler sees that they do not overlap.
            let (scores, mut best, mut second) = (self.scores[node], self.best[parent], self.second[parent]);
            for lane in 0..ITEMS {
                let mut two = TwoBest { first: best[lane], second: second[lane] };
                two.add(scores[lane]);
                (best[lane], second[lane]) = (two.first, two.second);
            }
            (self.best[parent], self.second[parent]) = (best, second);
        }
        for node in 1..n_nodes {
            let parent = tree.parents[node];
            let (scores, best, second) = (&self.scores[node], &self.best[parent], &self.second[parent]);
            let mut losses = self.losses[parent];
            for lane in 0..ITEMS {
                let two = TwoBest { first: best[lane], second: second[lane] };
                losses[lane] = fmax(two.violation(margin, scores[lane]), losses[lane]);
            }
            self.losses[node] = losses;
        }
    }
}

/// E[exp(−2C max(a, b − g))] = m · eᵉ with g ~ N(0, s²), a the loss, b the gap, s the spread, as (m, e) with m in
/// (0, 1].
///
/// With d = (b − a)/s, t = 2Cs and u = d − t the expectation is e^{−2Ca} Φ(−d) + e^{−2Cb + t²/2} Φ(u). Let
/// M(v) = e^{v²/2} Φ(−v). Since −2Cb + t²/2 − u²/2 = −2Ca − d²/2, it equals
///
/// - e^{−2Ca} (1 − e^{−d²/2} (M(−d) − M(−u)))  for d ≤ 0, and so u < 0,
/// - e^{−2Ca − d²/2} (M(d) + M(−u))  for d > 0 and u < 0,
/// - e^{−2Cb + t²/2} (1 − e^{−u²/2} (M(u) − M(d)))  for u ≥ 0, and so d > 0,
///
/// and none of these forms cancels.
#[inline(always)]
pub fn expected_factors(loss: &Lanes, gap: &Lanes, spread: &Lanes, strength: f64) -> (Lanes, Lanes) {
    // One operation at a time for all lanes: the compiler vectorises such loops.
    let (mut d, mut t, mut u, mut square) = (ZERO, ZERO, ZERO, ZERO);
    for lane in 0..ITEMS {
        let s = fmax(spread[lane], MIN_SPREAD);
        d[lane] = (gap[lane] - loss[lane]) / s;
        t[lane] = 2.0 * strength * s;
        u[lane] = d[lane] - t[lane];
        let v = if u[lane] < 0.0 { d[lane] } else { u[lane] };
        square[lane] = -0.5 * v * v;
    }
    let (mut of_d, mut of_u) = (ZERO, ZERO);
    for lane in 0..ITEMS {
        (of_d[lane], of_u[lane]) = (mills(d[lane].abs()), mills(u[lane].abs()));
    }
    let mut small = square;
    exp_nonpositive(&mut small);
    let (mut m, mut e) = (ZERO, ZERO);
    for lane in 0..ITEMS {
        let (below, above) = (u[lane] < 0.0, d[lane] > 0.0);
        let difference = of_d[lane] - of_u[lane];
        let near_one = 1.0 - small[lane] * if below { difference } else { -difference };
        let both = of_d[lane] + of_u[lane];
        m[lane] = if below & above { both } else { near_one };
        let at_loss = -2.0 * strength * loss[lane] + if above { square[lane] } else { 0.0 };
        let at_gap = 0.5 * t[lane] * t[lane] - 2.0 * strength * gap[lane];
        e[lane] = if below { at_loss } else { at_gap };
    }
    (m, e)
}

/// M(v) = e^{v²/2} Φ(−v) for v ≥ 0, which is Mills' ratio over √2π, within 10⁻¹² of its size.
///
/// (v + 2) M(v) is smooth in y = (v − 9/2)/(v + 9/2), from −1 to 1: a polynomial in y, fitted to SciPy's `erfcx` at
/// Chebyshev points.
#[inline(always)]
fn mills(v: f64) -> f64 {
    let y = (v - 4.5) / (v + 4.5);
    MILLS_COEFFICIENTS.iter().rev().fold(0.0, |sum, coefficient| coefficient + y * sum) / (v + 2.0)
}

const MILLS_COEFFICIENTS: [f64; 17] = [
    5.512_220_487_009_578e-1,
    -2.503_999_021_306_398_4e-1,
    1.445_885_510_949_391_2e-1,
    -5.881_004_544_868_674e-2,
    1.012_582_088_676_334_7e-2,
    6.476_988_886_433_405e-3,
    -6.358_326_045_365_658e-3,
    2.436_249_447_294_707e-3,
    -1.769_687_835_382_882_6e-4,
    -2.502_479_690_995_659e-4,
    8.250_802_638_467_269e-5,
    1.946_624_898_705_962_8e-5,
    -1.438_016_727_449_685_4e-5,
    -1.466_257_242_364_927_6e-6,
    2.085_235_862_141_131_6e-6,
    9.742_390_074_598_335e-8,
    -1.987_482_472_511_072_3e-7,
];

#[cfg(test)]
mod tests {
    use super::*;

    fn expected_factor(loss: f64, gap: f64, spread: f64, strength: f64) -> (f64, f64) {
        let (m, e) = expected_factors(&[loss; ITEMS], &[gap; ITEMS], &[spread; ITEMS], strength);
        (m[0], e[0])
    }

    #[test]
    fn the_mills_ratio_is_its_definition() {
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
            assert!((mills(v) / want - 1.0).abs() < 1e-12, "{v}: {} against {want}", mills(v));
        }
        // For large v by Laplace's continued fraction.
        for v in [1.5, 2.0, 3.0, 4.0, 5.0, 7.5, 30.0, 1e3, 1e8, 1e160] {
            let fraction = (1..2_000).rev().fold(v, |below, n| v + f64::from(n) / below);
            let want = 1.0 / (fraction * scale);
            assert!((mills(v) / want - 1.0).abs() < 1e-12, "{v}: {} against {want}", mills(v));
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
        // Large arguments give finite numbers.
        let (m, e) = expected_factor(1e12, 3e12, 1e12, 1.0);
        assert!(m > 0.0 && m <= 1.0 && e.is_finite());
    }
}
