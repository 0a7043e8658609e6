//! The arithmetic of the inner loops.

mod cholesky;
pub mod projection;
pub(crate) mod simd;
mod slot_matrix;

pub use cholesky::{cholesky, solve_upper, solve_upper_transposed};
pub(crate) use simd::simd;
pub use slot_matrix::SlotMatrix;

/// No kernel computes on several cores for fewer items.
pub(crate) const PARALLEL_FROM_ITEMS: usize = 1_024;

/// Whether this thread belongs to a pool of several threads. A chain computes on several cores only then: chains that run at
/// the same time would wait for each other in a pool that they share.
pub(crate) fn in_pool() -> bool {
    rayon::current_thread_index().is_some() && rayon::current_num_threads() > 1
}

/// Rows are padded to a multiple of this, so that sums have one fixed order on every machine.
pub const LANES: usize = 4;

/// Columns whose sums are kept in registers together.
pub const TILE: usize = 16;

pub fn round_up(n: usize) -> usize {
    n.div_ceil(LANES) * LANES
}

/// Σ_i a_i b_i in four interleaved partial sums: the order of additions does not depend on the
/// machine's vector width. The length of both slices is a multiple of [`LANES`].
#[inline]
pub fn dot_lanes(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// out += Σ_j factor(j, row_j) · row_j[first..], in the order of the rows. `rows` have length `width`, and the length of
/// `out` is a multiple of [`LANES`].
#[inline(always)]
pub(crate) fn add_rows(
    out: &mut [f64],
    rows: &[f64],
    width: usize,
    first: usize,
    factor: impl Fn(usize, &[f64]) -> f64,
) {
    add_terms(out, rows, width, first, factor, |factor, value| factor * value);
}

/// [`add_rows`] with `term(factor, value)` in place of the product.
#[inline(always)]
pub(crate) fn add_terms(
    out: &mut [f64],
    rows: &[f64],
    width: usize,
    first: usize,
    factor: impl Fn(usize, &[f64]) -> f64,
    term: impl Fn(f64, f64) -> f64,
) {
    for (tile, out) in out.chunks_mut(TILE).enumerate() {
        let first = first + tile * TILE;
        match out.len() / LANES {
            1 => add_tile::<LANES>(out, rows, width, first, &factor, &term),
            2 => add_tile::<{ 2 * LANES }>(out, rows, width, first, &factor, &term),
            3 => add_tile::<{ 3 * LANES }>(out, rows, width, first, &factor, &term),
            _ => add_tile::<TILE>(out, rows, width, first, &factor, &term),
        }
    }
}

/// [`add_terms`] for N columns, whose sums stay in registers.
#[inline(always)]
fn add_tile<const N: usize>(
    out: &mut [f64],
    rows: &[f64],
    width: usize,
    first: usize,
    factor: impl Fn(usize, &[f64]) -> f64,
    term: impl Fn(f64, f64) -> f64,
) {
    let mut sums = [0.0; N];
    sums.copy_from_slice(out);
    for (j, row) in rows.chunks_exact(width).enumerate() {
        let factor = factor(j, row);
        for (sum, &value) in sums.iter_mut().zip(&row[first..][..N]) {
            *sum += term(factor, value);
        }
    }
    out.copy_from_slice(&sums);
}

simd! {
    /// sums = Σ_j factor_j · row_j, in the order of the rows, which have length `width`.
    pub(crate) fn weighted_sum(rows: &[f64], width: usize, factors: &[f64], sums: &mut [f64]) {
        sums.fill(0.0);
        add_rows(sums, rows, width, 0, |j, _| factors[j]);
    }
}

/// Σ_i a_i b_i in order, for slices of any length.
#[inline]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The larger of two numbers, `b` if one is NaN: one instruction, unlike [`f64::max`].
#[inline(always)]
pub fn fmax(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The smaller of two numbers, `b` if one is NaN.
#[inline(always)]
pub fn fmin(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The two largest scores of siblings; −∞ for those that do not exist.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TwoBest {
    pub(crate) first: f64,
    pub(crate) second: f64,
}

impl TwoBest {
    pub(crate) const NONE: Self = Self { first: f64::NEG_INFINITY, second: f64::NEG_INFINITY };

    #[inline]
    pub(crate) fn of(scores: &[f64]) -> Self {
        let mut best = Self::NONE;
        scores.iter().for_each(|&score| best.add(score));
        best
    }

    #[inline(always)]
    pub(crate) fn add(&mut self, score: f64) {
        self.second = fmax(self.second, fmin(self.first, score));
        self.first = fmax(self.first, score);
    }

    /// The largest score among the siblings of a node with this score. Of two equal best scores each is the other's
    /// rival.
    #[inline(always)]
    pub(crate) fn rival(self, score: f64) -> f64 {
        std::hint::select_unpredictable(score == self.first, self.second, self.first)
    }

    /// ρ = ε_0 − score + rival
    #[inline(always)]
    pub(crate) fn violation(self, margin: f64, score: f64) -> f64 {
        margin - score + self.rival(score)
    }
}

/// Σ_i a_i in four interleaved partial sums; the length is a multiple of [`LANES`].
#[inline]
pub fn sum(values: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    for values in values.chunks_exact(LANES) {
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum += value;
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// The maximum of `first` and all values, in four interleaved partial maxima.
#[inline(always)]
pub fn max(values: &[f64], first: f64) -> f64 {
    let mut lanes = [first; LANES];
    let chunks = values.chunks_exact(LANES);
    let rest = chunks.remainder().iter().copied().fold(first, fmax);
    for values in chunks {
        for (lane, &value) in lanes.iter_mut().zip(values) {
            *lane = fmax(*lane, value);
        }
    }
    fmax(fmax(fmax(lanes[0], lanes[1]), fmax(lanes[2], lanes[3])), rest)
}

/// e^x for x ≤ 0, in place: 0 below −708, within 2 units in the last place above it.
///
/// x = j ln 2 + r with |r| ≤ ln 2 / 2; e^r by its series to r¹³; 2^j through the exponent bits.
/// Without branches and calls, so that the compiler can vectorise it.
#[inline]
pub fn exp_nonpositive(values: &mut [f64]) {
    for value in values {
        *value = exp_scalar(*value);
    }
}

#[inline(always)]
fn exp_scalar(x: f64) -> f64 {
    const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    // Adding 1.5 · 2⁵² rounds to an integer and leaves it in the low bits.
    const ROUNDER: f64 = 6_755_399_441_055_744.0;
    let inside = x > -708.0;
    let x = if inside { x } else { 0.0 };
    let shifted = x * std::f64::consts::LOG2_E + ROUNDER;
    let j = shifted - ROUNDER;
    let r = (x - j * LN_2_HIGH) - j * LN_2_LOW;
    let r2 = r * r;
    let r4 = r2 * r2;
    let low = (1.0 + r) + r2 * (1.0 / 2.0 + r * (1.0 / 6.0));
    let middle = (1.0 / 24.0 + r * (1.0 / 120.0)) + r2 * (1.0 / 720.0 + r * (1.0 / 5_040.0));
    let high = (1.0 / 40_320.0 + r * (1.0 / 362_880.0)) + r2 * (1.0 / 3_628_800.0 + r * (1.0 / 39_916_800.0));
    let top = 1.0 / 479_001_600.0 + r * (1.0 / 6_227_020_800.0);
    let series = low + r4 * (middle + r4 * (high + r4 * top));
    let power = f64::from_bits((shifted.to_bits().wrapping_add(1023)) << 52);
    if inside { series * power } else { 0.0 }
}

/// ln Σ e^{x_i}.
pub fn ln_sum_exp(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let top = values.clone().fold(f64::NEG_INFINITY, f64::max);
    if top == f64::NEG_INFINITY {
        return top;
    }
    top + values.map(|value| (value - top).exp()).sum::<f64>().ln()
}

/// e^x is 0 below this.
const LN_ZERO: f64 = -746.0;

/// ln Σ w_i e^{x_i} of (w_i, x_i), with weights from 0 to 1: x_i bounds a term, so that few logarithms are needed where
/// the x_i are far apart.
pub fn ln_mixture(terms: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let mut top = f64::NEG_INFINITY;
    for (weight, value) in terms.clone() {
        if weight > 0.0 && value > top {
            top = fmax(weight.ln() + value, top);
        }
    }
    if top == f64::NEG_INFINITY {
        return top;
    }
    let mut sum = 0.0;
    for (weight, value) in terms {
        if weight > 0.0 && value - top > LN_ZERO {
            sum += (weight.ln() + value - top).exp();
        }
    }
    top + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_within_two_units_of_the_last_place() {
        for i in 0..200_000 {
            let x = -708.0 * f64::from(i) / 200_000.0;
            let mut got = [x];
            exp_nonpositive(&mut got);
            let want = x.exp();
            assert!((got[0] - want).abs() <= 2.0 * f64::EPSILON * want, "exp({x})");
        }
        let mut ends = [0.0, -709.0, f64::NEG_INFINITY, -1e300];
        exp_nonpositive(&mut ends);
        assert_eq!(ends, [1.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn a_mixture_that_skips_terms_has_the_bits_of_all_terms() {
        let weights = [0.3, 0.0, 1e-300, 0.2, 1.0, 0.0];
        for spread in [0.0, 1.0, 40.0, 700.0, 1e5, 1e12] {
            for shift in 0..6 {
                let values: Vec<f64> =
                    (0..6).map(|i| spread * (f64::from((i + shift) % 6) - 3.0).sin()).collect();
                let terms = || weights.iter().copied().zip(values.iter().copied());
                let all = ln_sum_exp(terms().map(|(weight, value): (f64, f64)| weight.ln() + value));
                assert_eq!(ln_mixture(terms()), all, "{spread}, {shift}");
            }
        }
        assert_eq!(ln_mixture([(0.0, 1.0), (0.5, f64::NEG_INFINITY)].into_iter()), f64::NEG_INFINITY);
    }
}
