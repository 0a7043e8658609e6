//! Small Cholesky factors, in place.

/// The lower Cholesky factor of a symmetric n × n matrix (row-major, lower half read), in place.
///
/// The caller knows that the matrix is at least `floor` · I: no pivot is below `floor` but for
/// rounding, and none is let below it.
pub fn cholesky(matrix: &mut [f64], n: usize, floor: f64) {
    for i in 0..n {
        for j in 0..=i {
            let (upper, lower) = matrix.split_at_mut(i * n);
            let row_i = &mut lower[..n];
            let row_j = if j < i { &upper[j * n..j * n + n] } else { &*row_i };
            let mut sum = row_i[j];
            for k in 0..j {
                sum -= row_i[k] * row_j[k];
            }
            row_i[j] = if j < i { sum / row_j[j] } else { sum.max(floor).sqrt() };
        }
    }
}

/// Solves L y = b in place.
pub fn solve_lower(factor: &[f64], n: usize, b: &mut [f64]) {
    for i in 0..n {
        let row = &factor[i * n..i * n + n];
        let mut sum = b[i];
        for k in 0..i {
            sum -= row[k] * b[k];
        }
        b[i] = sum / row[i];
    }
}

/// Solves Lᵀ y = b in place.
pub fn solve_lower_transposed(factor: &[f64], n: usize, b: &mut [f64]) {
    for i in (0..n).rev() {
        b[i] /= factor[i * n + i];
        let solved = b[i];
        for k in 0..i {
            b[k] -= factor[i * n + k] * solved;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cholesky_solves_and_holds_its_floor() {
        let a = [4.0, 0.0, 0.0, 2.0, 5.0, 0.0, 0.6, 1.5, 3.8];
        let mut factor = a;
        cholesky(&mut factor, 3, 1e-9);
        let mut b = [1.0, -2.0, 0.5];
        solve_lower(&factor, 3, &mut b);
        solve_lower_transposed(&factor, 3, &mut b);
        let full = |i: usize, j: usize| a[i.max(j) * 3 + i.min(j)];
        for (i, want) in [1.0, -2.0, 0.5].into_iter().enumerate() {
            let got: f64 = (0..3).map(|j| full(i, j) * b[j]).sum();
            assert!((got - want).abs() < 1e-12);
        }
        let mut singular = [1.0, 0.0, 1.0, 1.0];
        cholesky(&mut singular, 2, 0.25);
        assert_eq!(singular[3], 0.5);
    }
}
