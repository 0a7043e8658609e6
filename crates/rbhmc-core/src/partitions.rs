//! What one partition of the items shares with many others: the sums that distances are made of.

use std::sync::OnceLock;

use ndarray::{ArrayView1, ArrayView2};
use rayon::prelude::*;

use crate::posterior::grouping::in_order;

/// Σ n_zw log₂ n_zw and Σ n_zw² over clusters z of one partition and w of another that share n_zw items.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Overlap {
    pub n_log_n: f64,
    pub squares: f64,
}

/// The overlap of `partition` with each row of `others`, in O(n_items) each. Clusters are numbered from 0;
/// a number below 0 is an error of the caller.
pub fn overlaps(partition: ArrayView1<'_, i32>, others: ArrayView2<'_, i32>) -> Vec<Overlap> {
    let n_items = partition.len();
    let counts = |labels: ArrayView1<'_, i32>| labels.iter().max().map_or(0, |&last| last as usize + 1);
    let n_clusters = counts(partition);
    let of_size: Vec<f64> = (0..=n_items).map(n_log_n).collect();
    let order = OnceLock::new();
    others
        .outer_iter()
        .into_par_iter()
        .map_init(Vec::new, |cells, other| {
            let n_others = counts(other);
            cells.clear();
            if n_clusters.saturating_mul(n_others) <= (n_items / FEW).max(LEAST) {
                cells.resize(n_clusters * n_others, 0_u32);
                by_table(partition, other, n_others, cells, &of_size)
            } else {
                cells.resize(n_others, 0_u32);
                by_cluster(
                    order.get_or_init(|| {
                        let mut order = Vec::new();
                        in_order(partition, &mut order);
                        order
                    }),
                    partition,
                    other,
                    cells,
                    &of_size,
                )
            }
        })
        .collect()
}

/// A table of all pairs of clusters is used where it has at most one cell for so many items, or this many.
const FEW: usize = 2;
const LEAST: usize = 1024;

fn by_table(
    partition: ArrayView1<'_, i32>,
    other: ArrayView1<'_, i32>,
    n_others: usize,
    cells: &mut [u32],
    of_size: &[f64],
) -> Overlap {
    for (&cluster, &own) in partition.iter().zip(other) {
        cells[cluster as usize * n_others + own as usize] += 1;
    }
    let mut sums = Overlap::default();
    for &n in cells.iter() {
        sums.n_log_n += of_size[n as usize];
        sums.squares += f64::from(n) * f64::from(n);
    }
    sums
}

/// Cluster by cluster, with room for one row of the table; `counts` is 0 before and after.
fn by_cluster(
    order: &[usize],
    partition: ArrayView1<'_, i32>,
    other: ArrayView1<'_, i32>,
    counts: &mut [u32],
    of_size: &[f64],
) -> Overlap {
    let mut sums = Overlap::default();
    for cluster in order.chunk_by(|&a, &b| partition[a] == partition[b]) {
        for &item in cluster {
            counts[other[item] as usize] += 1;
        }
        for &item in cluster {
            // The first that meets a cell takes all of it.
            let n = std::mem::take(&mut counts[other[item] as usize]);
            sums.n_log_n += of_size[n as usize];
            sums.squares += f64::from(n) * f64::from(n);
        }
    }
    sums
}

fn n_log_n(n: usize) -> f64 {
    if n == 0 { 0.0 } else { n as f64 * (n as f64).log2() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ndarray::{Array1, Array2, array};

    use super::*;

    fn slowly(a: ArrayView1<'_, i32>, b: ArrayView1<'_, i32>) -> Overlap {
        let mut cells = BTreeMap::new();
        for pair in a.iter().zip(b) {
            *cells.entry(pair).or_insert(0_usize) += 1;
        }
        Overlap {
            n_log_n: cells.values().map(|&n| n_log_n(n)).sum(),
            squares: cells.values().map(|&n| (n * n) as f64).sum(),
        }
    }

    #[test]
    fn overlaps_are_those_of_the_definition() {
        // Few clusters, for a table; many, one row of it at a time.
        for (n_clusters, step) in [(7, 2), (60, 1), (1_500, 600)] {
            let partition = Array1::from_iter((0..1_500).map(|n| (n * n) % n_clusters));
            let others = Array2::from_shape_fn((3, 1_500), |(row, n)| {
                ((n * (row + 3)) % (step * (row + 1) + 1)) as i32
            });
            let found = overlaps(partition.view(), others.view());
            for (row, sums) in others.outer_iter().zip(found) {
                let expected = slowly(partition.view(), row);
                assert!((sums.n_log_n - expected.n_log_n).abs() < 1e-9);
                assert_eq!(sums.squares, expected.squares);
            }
        }
    }

    #[test]
    fn clusters_may_be_empty_and_items_none() {
        let found = overlaps(array![4, 0, 4].view(), array![[0, 9, 9]].view());
        assert_eq!(found, [Overlap { n_log_n: 0.0, squares: 3.0 }]);
        let none = Array2::zeros((2, 0));
        assert_eq!(overlaps(Array1::zeros(0).view(), none.view()), [Overlap::default(); 2]);
    }
}
