//! Small Cholesky factors, in place: rows are padded to whole lanes, and entries below the diagonal are never read.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{LANES, add_rows, round_up, simd};

simd! {
    /// The upper factor U of a symmetric n × n matrix UᵀU, in place.
    ///
    /// The matrix must be at least `floor` · I: pivots that rounding takes below `floor` are raised to it. If `stop` is
    /// set, the factor is left incomplete.
    pub fn cholesky(matrix: &mut [f64], n: usize, floor: f64, stop: &AtomicBool) {
        let width = round_up(n);
        for i in 0..n {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            let (above, left) = matrix.split_at_mut(i * width);
            // From the start of the diagonal's lane: the entries before the diagonal are never read.
            let start = i - i % LANES;
            let row = &mut left[start..width];
            add_rows(row, above, width, start, |_, above| -above[i]);
            let pivot = row[i - start].max(floor).sqrt();
            let inverse = 1.0 / pivot;
            for entry in row.iter_mut() {
                *entry *= inverse;
            }
            row[i - start] = pivot;
        }
    }
}

/// Solves Uᵀ y = b in place.
pub fn solve_upper_transposed(factor: &[f64], b: &mut [f64]) {
    let n = b.len();
    for (k, row) in factor.chunks_exact(round_up(n)).enumerate() {
        b[k] /= row[k];
        let solved = b[k];
        for (b, entry) in b[k + 1..].iter_mut().zip(&row[k + 1..n]) {
            *b -= entry * solved;
        }
    }
}

/// Solves U y = b in place, for several b at the same time.
pub fn solve_upper<const N: usize>(factor: &[f64], mut b: [&mut [f64]; N]) {
    let n = b[0].len();
    for (i, row) in factor.chunks_exact(round_up(n)).enumerate().rev() {
        let mut sums = [0.0; N];
        for j in i + 1..n {
            for (sum, b) in sums.iter_mut().zip(&b) {
                *sum += row[j] * b[j];
            }
        }
        for (b, sum) in b.iter_mut().zip(sums) {
            b[i] = (b[i] - sum) / row[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_solves_and_pivots_keep_their_floor() {
        // The lower triangle, which is never read, is NaN.
        let full = |i: usize, j: usize| 1.0 / (1 + i + j) as f64 + if i == j { 0.3 } else { 0.0 };
        for n in [1, 3, 4, 5, 9] {
            let width = round_up(n);
            let mut factor = vec![0.0; n * width];
            for (i, row) in factor.chunks_exact_mut(width).enumerate() {
                for (j, entry) in row[..n].iter_mut().enumerate() {
                    *entry = if j < i { f64::NAN } else { full(i, j) };
                }
            }
            cholesky(&mut factor, n, 1e-9, &AtomicBool::new(false));
            let mut b: Vec<f64> = (0..n).map(|i| 1.0 - i as f64).collect();
            solve_upper_transposed(&factor, &mut b);
            solve_upper(&factor, [&mut b]);
            for i in 0..n {
                let got: f64 = (0..n).map(|j| full(i, j) * b[j]).sum();
                assert!((got - (1.0 - i as f64)).abs() < 1e-12);
            }
        }
        let mut singular = [1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
        cholesky(&mut singular, 2, 0.25, &AtomicBool::new(false));
        assert_eq!(singular[5], 0.5);
    }
}
