//! The arithmetic of the inner loops.

mod cholesky;
mod columns;
pub(crate) mod wide;

pub use cholesky::{cholesky, solve_upper, solve_upper_transposed};
pub use columns::Columns;
pub(crate) use wide::wide;

/// Rows of components are padded to this many lanes, so that sums have one fixed order.
pub const LANES: usize = 4;

/// Columns that are summed side by side, in registers.
pub const TILE: usize = 16;

pub fn round_up(n: usize) -> usize {
    n.div_ceil(LANES) * LANES
}

/// Σ_i a_i b_i in four interleaved partial sums: the order of additions does not depend on the
/// machine's vector width. Both slices are a multiple of [`LANES`] long.
#[inline]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// out += Σ_j factor(j, row_j) · row_j[first..], rows in order; rows of `width`, whole lanes of `out`.
#[inline(always)]
pub(crate) fn add_rows(
    out: &mut [f64],
    rows: &[f64],
    width: usize,
    first: usize,
    factor: impl Fn(usize, &[f64]) -> f64,
) {
    for (tile, out) in out.chunks_mut(TILE).enumerate() {
        let first = first + tile * TILE;
        match out.len() / LANES {
            1 => add_tile::<LANES>(out, rows, width, first, &factor),
            2 => add_tile::<{ 2 * LANES }>(out, rows, width, first, &factor),
            3 => add_tile::<{ 3 * LANES }>(out, rows, width, first, &factor),
            _ => add_tile::<TILE>(out, rows, width, first, &factor),
        }
    }
}

/// [`add_rows`] for N lanes, in registers.
#[inline(always)]
fn add_tile<const N: usize>(
    out: &mut [f64],
    rows: &[f64],
    width: usize,
    first: usize,
    factor: impl Fn(usize, &[f64]) -> f64,
) {
    let mut sums = [0.0; N];
    sums.copy_from_slice(out);
    for (j, row) in rows.chunks_exact(width).enumerate() {
        let factor = factor(j, row);
        for (sum, value) in sums.iter_mut().zip(&row[first..][..N]) {
            *sum += factor * value;
        }
    }
    out.copy_from_slice(&sums);
}

/// Σ_i a_i b_i in order, of slices of any length.
#[inline]
pub fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The larger of two numbers, `b` where they cannot be compared: one instruction, unlike [`f64::max`].
#[inline(always)]
pub fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The smaller of two numbers, `b` where they cannot be compared.
#[inline(always)]
pub fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// Σ_i a_i in four interleaved partial sums, of a multiple of [`LANES`].
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

/// The best of `first` and all values, `better` being [`larger`] or [`smaller`]: lane by lane, which changes
/// nothing but the time.
#[inline(always)]
pub fn best(values: &[f64], first: f64, better: impl Fn(f64, f64) -> f64) -> f64 {
    let mut lanes = [first; LANES];
    let chunks = values.chunks_exact(LANES);
    let rest = chunks.remainder().iter().copied().fold(first, &better);
    for values in chunks {
        for (lane, &value) in lanes.iter_mut().zip(values) {
            *lane = better(*lane, value);
        }
    }
    better(better(better(lanes[0], lanes[1]), better(lanes[2], lanes[3])), rest)
}

/// e^x for x ≤ 0, in place: 0 below −708, within 2 units in the last place above it.
///
/// x = j ln 2 + r with |r| ≤ ln 2 / 2; e^r by its series to r¹³; 2^j through the exponent bits.
/// Free of branches and calls, so that the compiler can widen it.
#[inline]
pub fn exp_nonpositive(values: &mut [f64]) {
    for value in values {
        *value = exp_one(*value);
    }
}

#[inline(always)]
fn exp_one(x: f64) -> f64 {
    const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    // Adding 1.5 · 2⁵² rounds to a whole number and leaves it in the low bits.
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
}
