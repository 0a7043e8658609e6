//! Partitions compared through their contingency tables: variation of information, Binder's loss, adjusted Rand index.

use std::sync::OnceLock;

use ndarray::{ArrayView1, ArrayView2};
use rayon::prelude::*;

use super::groups::{Groups, group_sizes};

/// A measure of two partitions of N items, with n_z and n_w items in their clusters and n_zw in both.
///
/// - `Vi`, the variation of information in bits: Σ_zw n_zw/N · log₂(n_z n_w / n_zw²). Compared with a single cluster
///   it is the entropy of a partition.
/// - `Binder`, Binder's loss: the share of pairs of items on which the two disagree, (A + B − 2S)/T with
///   S = Σ_zw n_zw(n_zw − 1)/2, A = Σ_z n_z(n_z − 1)/2, B = Σ_w n_w(n_w − 1)/2 and T = N(N − 1)/2.
/// - `Ari`, the adjusted Rand index: (S − AB/T) / ((A + B)/2 − AB/T), and 1 where that is 0/0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    Vi,
    Binder,
    Ari,
}

/// Sums over the cells n of a contingency table, or over the clusters of a partition.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct CellSums {
    /// Σ n log₂ n
    n_log_n: f64,
    /// Σ n², a whole number below 2⁵³
    squares: f64,
}

impl CellSums {
    #[inline(always)]
    fn add(&mut self, n: u32, n_log_n: &[f64]) {
        self.n_log_n += n_log_n[n as usize];
        self.squares += f64::from(n) * f64::from(n);
    }
}

impl Measure {
    /// The measure, from the sums over both clusterings and over their table.
    fn of(self, n_items: usize, a: CellSums, b: CellSums, both: CellSums) -> f64 {
        let n = n_items as f64;
        // Equal partitions, and only these, have equal whole numbers here.
        let is_equal = both.squares == a.squares && both.squares == b.squares;
        let pairs = |squares: f64| 0.5 * (squares - n);
        let (s, a_pairs, b_pairs) = (pairs(both.squares), pairs(a.squares), pairs(b.squares));
        let all_pairs = pairs(n * n);
        match self {
            Self::Vi | Self::Binder if is_equal => 0.0,
            Self::Ari if is_equal => 1.0,
            Self::Vi => (a.n_log_n + b.n_log_n - 2.0 * both.n_log_n) / n,
            Self::Binder => (a_pairs + b_pairs - 2.0 * s) / all_pairs,
            Self::Ari => {
                let expected = a_pairs * b_pairs / all_pairs;
                (s - expected) / (0.5 * (a_pairs + b_pairs) - expected)
            }
        }
    }
}

/// Partitions of the same items, one in each row, with the sums that every comparison needs.
///
/// Clusters are labelled from 0; a label below 0 is an error of the caller.
#[derive(Debug)]
pub struct Partitions<'a> {
    labels: ArrayView2<'a, i32>,
    n_clusters: Vec<usize>,
    sums: Vec<CellSums>,
    /// n log₂ n for n from 0 to the number of items.
    n_log_n: Vec<f64>,
}

impl<'a> Partitions<'a> {
    pub fn new(labels: ArrayView2<'a, i32>) -> Self {
        let n_log_n = |n: usize| if n == 0 { 0.0 } else { n as f64 * (n as f64).log2() };
        let n_log_n: Vec<f64> = (0..=labels.ncols()).map(n_log_n).collect();
        let (n_clusters, sums) =
            labels.outer_iter().into_par_iter().map(|labels| cluster_sums(labels, &n_log_n)).unzip();
        Self { labels, n_clusters, sums, n_log_n }
    }

    /// The measure of `partition` against each of these, in O(n_items) each.
    pub fn compare(&self, partition: ArrayView1<'_, i32>, measure: Measure) -> Vec<f64> {
        let n_items = partition.len();
        let (n_clusters, own) = cluster_sums(partition, &self.n_log_n);
        let groups = OnceLock::new();
        let others = self.labels.outer_iter().into_par_iter().zip(&self.n_clusters).zip(&self.sums);
        others
            .map_init(Vec::new, |cells, ((other, &n_others), &others)| {
                cells.clear();
                let both = if n_clusters.saturating_mul(n_others) <= (n_items / ITEMS_PER_CELL).max(MIN_CELLS)
                {
                    cells.resize(n_clusters * n_others, 0);
                    self.sum_by_table(partition, other, n_others, cells)
                } else {
                    cells.resize(n_others, 0);
                    self.sum_by_cluster(groups.get_or_init(|| Groups::new(partition)), other, cells)
                };
                measure.of(n_items, own, others, both)
            })
            .collect()
    }

    fn sum_by_table(
        &self,
        partition: ArrayView1<'_, i32>,
        other: ArrayView1<'_, i32>,
        n_others: usize,
        cells: &mut [u32],
    ) -> CellSums {
        for (&cluster, &own) in partition.iter().zip(other) {
            cells[cluster as usize * n_others + own as usize] += 1;
        }
        let mut sums = CellSums::default();
        cells.iter().for_each(|&n| sums.add(n, &self.n_log_n));
        sums
    }

    /// Cluster by cluster, with room for one row of the table; `counts` is 0 before and after.
    fn sum_by_cluster(&self, groups: &Groups, other: ArrayView1<'_, i32>, counts: &mut [u32]) -> CellSums {
        let mut sums = CellSums::default();
        for cluster in groups.iter() {
            for &item in cluster {
                counts[other[item] as usize] += 1;
            }
            for &item in cluster {
                // The first item of a cell takes all of it.
                sums.add(std::mem::take(&mut counts[other[item] as usize]), &self.n_log_n);
            }
        }
        sums
    }
}

/// The whole contingency table is filled if it has at most one cell for so many items, or this many cells.
const ITEMS_PER_CELL: usize = 2;
const MIN_CELLS: usize = 1024;

/// The number of clusters, and the sums over them.
fn cluster_sums(labels: ArrayView1<'_, i32>, n_log_n: &[f64]) -> (usize, CellSums) {
    let sizes = group_sizes(labels);
    let mut sums = CellSums::default();
    sizes.iter().for_each(|&n| sums.add(n, n_log_n));
    (sizes.len(), sums)
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2, array};

    use super::*;

    /// All three by their definitions.
    fn slowly(a: ArrayView1<'_, i32>, b: ArrayView1<'_, i32>) -> [f64; 3] {
        let n = a.len();
        let n_where = |holds: &dyn Fn(usize) -> bool| (0..n).filter(|&item| holds(item)).count() as f64;
        let mut vi = 0.0;
        for item in 0..n {
            let in_a = n_where(&|other| a[other] == a[item]);
            let in_b = n_where(&|other| b[other] == b[item]);
            let in_both = n_where(&|other| a[other] == a[item] && b[other] == b[item]);
            vi += (in_a * in_b / (in_both * in_both)).log2() / n as f64;
        }
        let (mut s, mut together_a, mut together_b, mut all) = (0.0, 0.0, 0.0, 0.0);
        for i in 0..n {
            for j in 0..i {
                let (in_a, in_b) = (a[i] == a[j], b[i] == b[j]);
                s += f64::from(in_a && in_b);
                together_a += f64::from(in_a);
                together_b += f64::from(in_b);
                all += 1.0;
            }
        }
        let expected = together_a * together_b / all;
        let ari = (s - expected) / (0.5 * (together_a + together_b) - expected);
        [vi, (together_a + together_b - 2.0 * s) / all, ari]
    }

    const MEASURES: [Measure; 3] = [Measure::Vi, Measure::Binder, Measure::Ari];

    #[test]
    fn measures_are_their_definitions() {
        // Few clusters, for a table; many, for one row of it at a time.
        for (n_clusters, step) in [(7, 2), (60, 1), (1_500, 600)] {
            let partition = Array1::from_iter((0..1_500).map(|n| (n * n) % n_clusters));
            let others = Array2::from_shape_fn((3, 1_500), |(row, n)| {
                ((n * (row + 3)) % (step * (row + 1) + 1)) as i32
            });
            let partitions = Partitions::new(others.view());
            let found = MEASURES.map(|measure| partitions.compare(partition.view(), measure));
            for (row, other) in others.outer_iter().enumerate() {
                for (found, expected) in found.iter().zip(slowly(partition.view(), other)) {
                    assert!((found[row] - expected).abs() < 1e-11, "{} against {expected}", found[row]);
                }
            }
        }
    }

    #[test]
    fn equal_partitions_differ_by_nothing() {
        let labels = Array2::from_shape_fn((2, 700), |(row, n)| ((n % 13) as i32 + 5 * row as i32) % 13);
        let partitions = Partitions::new(labels.view());
        for (measure, expected) in MEASURES.into_iter().zip([0.0, 0.0, 1.0]) {
            assert_eq!(partitions.compare(labels.row(0), measure), [expected; 2]);
        }
        // One item, or none: there are no pairs.
        for n_items in [0, 1] {
            let labels = Array2::zeros((1, n_items));
            let partitions = Partitions::new(labels.view());
            for (measure, expected) in MEASURES.into_iter().zip([0.0, 0.0, 1.0]) {
                assert_eq!(partitions.compare(labels.row(0), measure), [expected]);
            }
        }
    }

    #[test]
    fn labels_may_be_missing() {
        let others = array![[0, 9, 9]];
        let found = Partitions::new(others.view()).compare(array![4, 0, 4].view(), Measure::Binder);
        assert_eq!(found, [2.0 / 3.0]);
    }
}
