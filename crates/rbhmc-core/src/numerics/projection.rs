//! Projection of the rows of a table on given axes.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;

use super::{dot_lanes, round_up};

/// W (x − c) of each row x, (row, axis), for axes W (axis, column) and a centre c.
///
/// Unlike a matrix product by BLAS, a row is the same to the bit for any number of rows.
pub fn project(
    x: ArrayView2<'_, f64>,
    centre: ArrayView1<'_, f64>,
    axes: ArrayView2<'_, f64>,
) -> Array2<f64> {
    let n_columns = round_up(x.ncols());
    let padded: Vec<Vec<f64>> = axes
        .outer_iter()
        .map(|axis| {
            let mut axis = axis.to_vec();
            axis.resize(n_columns, 0.0);
            axis
        })
        .collect();
    let mut projected = Array2::zeros((x.nrows(), axes.nrows()));
    projected.axis_iter_mut(Axis(0)).into_par_iter().zip(x.axis_iter(Axis(0))).for_each_init(
        || vec![0.0; n_columns],
        |centred, (mut out, row)| {
            for ((centred, value), centre) in centred.iter_mut().zip(row).zip(centre) {
                *centred = value - centre;
            }
            for (out, axis) in out.iter_mut().zip(&padded) {
                *out = dot_lanes(axis, centred);
            }
        },
    );
    projected
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, array, s};

    use super::*;

    #[test]
    fn a_row_does_not_depend_on_the_others() {
        let found = project(
            array![[3.0, 1.0]].view(),
            array![1.0, 2.0].view(),
            array![[1.0, 5.0], [0.5, 0.0]].view(),
        );
        assert_eq!(found, array![[-3.0, 1.0]]);
        let x = Array2::from_shape_fn((50, 7), |(row, column)| ((row * 31 + column * 17) % 13) as f64 / 7.0);
        let axes =
            Array2::from_shape_fn((3, 7), |(axis, column)| ((axis * 5 + column * 3) % 11) as f64 / 9.0);
        let centre = Array1::from_elem(7, 0.3);
        let together = project(x.view(), centre.view(), axes.view());
        for row in 0..50 {
            let alone = project(x.slice(s![row..row + 1, ..]), centre.view(), axes.view());
            assert_eq!(alone.row(0), together.row(row));
        }
    }
}
