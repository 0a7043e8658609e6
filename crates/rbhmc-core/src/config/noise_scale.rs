//! The scale of the noise that a table shows before any fit: the variance within small groups, and the variance of rounding.

use ndarray::{ArrayView1, ArrayView2};

use crate::rng::{self, Stream};

/// The scale of small groups is the distance to this neighbour within a sample of this many items: neighbours among all
/// items would come closer as their number grows.
const NEIGHBOUR: usize = 10;
const NEIGHBOUR_SAMPLE: usize = 200;

/// (median squared distance to the tenth neighbour among the distinct items of a sample of 200)/(2D): the noise variance of
/// groups that hold a few percent of the items; 0 if all items are equal.
pub(super) fn neighbour_variance(x: ArrayView2<'_, f64>) -> f64 {
    let mut items: Vec<u32> = (0..x.nrows() as u32).collect();
    rng::shuffle(&mut rng::stream(0, Stream::Sample), &mut items);
    items.truncate(NEIGHBOUR_SAMPLE);
    let mut rows: Vec<Vec<f64>> = items.iter().map(|&n| x.row(n as usize).to_vec()).collect();
    rows.sort_by(|a, b| a.partial_cmp(b).expect("values are numbers"));
    rows.dedup();
    let squared_distance =
        |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum() };
    let to_neighbour = |row: &Vec<f64>| {
        // The row itself is at distance 0 and comes first.
        let mut squares: Vec<f64> = rows.iter().map(|other| squared_distance(row, other)).collect();
        *squares.select_nth_unstable_by(NEIGHBOUR.min(rows.len() - 1), f64::total_cmp).1
    };
    let mut squares: Vec<f64> = rows.iter().map(to_neighbour).collect();
    let middle = squares.len() / 2;
    *squares.select_nth_unstable_by(middle, f64::total_cmp).1 / (2 * x.ncols()) as f64
}

/// δ²/12, the variance of rounding to multiples of δ, where δ is the smallest difference between two values of a column;
/// 0 for a constant column.
pub(super) fn rounding_variance(column: ArrayView1<'_, f64>) -> f64 {
    let mut values = column.to_vec();
    values.sort_by(f64::total_cmp);
    let range = values[values.len() - 1] - values[0];
    let steps = values.windows(2).map(|pair| pair[1] - pair[0]);
    // Smaller differences are rounding errors of the preparation.
    let step = steps.filter(|&step| step > 1e-7 * range).fold(f64::INFINITY, f64::min);
    if step.is_finite() { step * step / 12.0 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array, concatenate, s};

    use super::*;
    use crate::rng::{Rng, standard_normal, stream};

    /// Seven groups at corners far apart, with the standard deviation 0.3 in each of three columns.
    fn groups(rng: &mut Rng, n_items: usize) -> Array2<f64> {
        Array2::from_shape_fn((n_items, 3), |(n, d)| {
            let corner = f64::from(u8::try_from((n + 3 * d) % 7).unwrap());
            20.0 * corner + 0.3 * standard_normal(rng)
        })
    }

    #[test]
    fn the_scale_of_small_groups_does_not_depend_on_the_number_of_items() {
        let mut rng = stream(1, Stream::Simulation);
        // The median over five tables of each size.
        let [few, many] = [200, 20_000].map(|n_items| {
            let mut scales: Vec<f64> =
                (0..5).map(|_| neighbour_variance(groups(&mut rng, n_items).view())).collect();
            scales.sort_by(f64::total_cmp);
            scales[2]
        });
        assert!((many / few - 1.0).abs() < 0.2, "{few} and {many}");
        // It is the variance within groups, 0.09, to a factor of 10; the variance between them is above 1,000.
        assert!((0.009..0.9).contains(&many), "{many}");
        // Control: neighbours among all of 20,000 items are far closer than among 200.
        let x = groups(&mut rng, 20_000);
        let first = x.row(0);
        let mut squares: Vec<f64> = x
            .rows()
            .into_iter()
            .map(|row| row.iter().zip(first).map(|(a, b)| (a - b).powi(2)).sum::<f64>())
            .collect();
        squares.sort_by(f64::total_cmp);
        assert!(squares[NEIGHBOUR] / 6.0 < 0.5 * few, "{}", squares[NEIGHBOUR] / 6.0);
    }

    #[test]
    fn duplicated_items_count_once() {
        let x = groups(&mut stream(2, Stream::Simulation), 60);
        let twice = concatenate![ndarray::Axis(0), x, x, x];
        let (once, often) = (neighbour_variance(x.view()), neighbour_variance(twice.view()));
        assert!((once - often).abs() < 1e-12 * once, "{once} and {often}");
    }

    #[test]
    fn few_items_have_the_scale_of_their_distances() {
        assert_eq!(neighbour_variance(array![[3.0, 4.0]].view()), 0.0);
        assert_eq!(neighbour_variance(array![[3.0, 4.0], [3.0, 4.0]].view()), 0.0);
        // ‖(3, 4)‖²/(2·2)
        assert_eq!(neighbour_variance(array![[0.0, 0.0], [3.0, 4.0]].view()), 6.25);
        assert_eq!(neighbour_variance(array![[0.0], [2.0], [2.0], [0.0]].view()), 2.0);
    }

    #[test]
    fn the_result_does_not_change_from_call_to_call() {
        let x = groups(&mut stream(3, Stream::Simulation), 1_000);
        assert_eq!(neighbour_variance(x.view()), neighbour_variance(x.view()));
        // At most 200 items are drawn: of more, they are not the first ones.
        assert_ne!(neighbour_variance(x.view()), neighbour_variance(x.slice(s![..200, ..])));
    }

    #[test]
    fn rounding_has_the_variance_of_its_steps() {
        let variance = |values: &[f64]| rounding_variance(ArrayView1::from(values));
        assert_eq!(variance(&[5.0]), 0.0);
        assert_eq!(variance(&[5.0, 5.0, 5.0]), 0.0);
        assert_eq!(variance(&[0.0, 1.0, 1.0, 0.0]), 1.0 / 12.0);
        assert_eq!(variance(&[7.0, -1.0, 2.5, 2.0]), 0.25 / 12.0);
        // Differences that preparation leaves between equal values are not steps.
        let prepared = variance(&[0.0, 1.0, 1.0 + 1e-15, 1e-15, 0.0]);
        assert!((12.0 * prepared - 1.0).abs() < 1e-12, "{prepared}");
    }
}
