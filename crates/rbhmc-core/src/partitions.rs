//! What one partition of the items shares with many others: the sums that distances are made of.

use ndarray::{ArrayView1, ArrayView2};
use rayon::prelude::*;

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
    let (order, ends) = by_cluster(partition);
    let growth: Vec<f64> = (0..n_items).map(|n| n_log_n(n + 1) - n_log_n(n)).collect();
    others
        .outer_iter()
        .into_par_iter()
        .map_init(Vec::new, |counts, other| {
            let n_clusters = other.iter().max().map_or(0, |&last| last as usize + 1);
            counts.clear();
            counts.resize(n_clusters, 0_u32);
            overlap(&order, &ends, other, counts, &growth)
        })
        .collect()
}

fn overlap(
    order: &[u32],
    ends: &[usize],
    other: ArrayView1<'_, i32>,
    counts: &mut [u32],
    growth: &[f64],
) -> Overlap {
    let mut sums = Overlap::default();
    let mut start = 0;
    for &end in ends {
        for &item in &order[start..end] {
            let count = &mut counts[other[item as usize] as usize];
            sums.n_log_n += growth[*count as usize];
            // (n+1)² − n²
            sums.squares += f64::from(2 * *count + 1);
            *count += 1;
        }
        for &item in &order[start..end] {
            counts[other[item as usize] as usize] = 0;
        }
        start = end;
    }
    sums
}

/// The items in the order of their clusters, and where each cluster ends.
fn by_cluster(partition: ArrayView1<'_, i32>) -> (Vec<u32>, Vec<usize>) {
    let n_clusters = partition.iter().max().map_or(0, |&last| last as usize + 1);
    let mut next = vec![0_usize; n_clusters + 1];
    for &cluster in partition {
        next[cluster as usize + 1] += 1;
    }
    for cluster in 0..n_clusters {
        next[cluster + 1] += next[cluster];
    }
    let ends = next[1..].to_vec();
    let mut order = vec![0_u32; partition.len()];
    for (item, &cluster) in partition.iter().enumerate() {
        order[next[cluster as usize]] = item as u32;
        next[cluster as usize] += 1;
    }
    (order, ends)
}

fn n_log_n(n: usize) -> f64 {
    if n == 0 { 0.0 } else { n as f64 * (n as f64).log2() }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2, array};

    use super::*;

    fn slowly(a: ArrayView1<'_, i32>, b: ArrayView1<'_, i32>) -> Overlap {
        let mut sums = Overlap::default();
        for z in 0..=*a.iter().max().unwrap() {
            for w in 0..=*b.iter().max().unwrap() {
                let n = a.iter().zip(b).filter(|&(&x, &y)| x == z && y == w).count();
                sums.n_log_n += n_log_n(n);
                sums.squares += (n * n) as f64;
            }
        }
        sums
    }

    #[test]
    fn overlaps_are_those_of_the_definition() {
        let partition = Array1::from_iter((0..60).map(|n| (n * n) % 7));
        let others = Array2::from_shape_fn((5, 60), |(row, n)| ((n * (row + 3)) % (row + 2)) as i32);
        let found = overlaps(partition.view(), others.view());
        for (row, sums) in others.outer_iter().zip(found) {
            let expected = slowly(partition.view(), row);
            assert!((sums.n_log_n - expected.n_log_n).abs() < 1e-9);
            assert_eq!(sums.squares, expected.squares);
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
