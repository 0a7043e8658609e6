//! The cut of a tree of least expected variation of information.
//!
//! A cut is a set of entries (nodes or single items) that covers every item once. With π_ij the probability that items
//! i and j are together, its clusters A cost
//!
//! ```text
//! Σ_A Σ_{i in A} [w log₂ |A| − 2 log₂ Σ_{j in A} π_ij],
//! ```
//!
//! which for w = 1 is Wade and Ghahramani's bound of the expected variation of information (2018, equation 13), up to a
//! factor and a constant; smaller w favours fewer clusters (Dahl et al. 2022). The cost is a sum over clusters, so the
//! best cut of a node is the node itself or the best cuts of its children. Each pair is read once, at the node that
//! joins it: O(N²) in all.

use ndarray::ArrayView2;

use super::hierarchy::Hierarchy;

/// Costs per item that differ by less are equal: the coarser cut is taken.
const TOLERANCE: f64 = 1e-12;

/// Whether each entry of a tree is a cluster of the best cut. `counts` (item, item), symmetric, are numbers out of
/// `n_total`; their diagonal is not read.
pub fn vi_cut(tree: &Hierarchy, counts: ArrayView2<'_, u32>, n_total: u64, weight: f64) -> Vec<bool> {
    let (n_items, n_entries) = (tree.n_items(), tree.n_entries());
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); n_entries - n_items];
    // By place in the order of the tree: Σ over the items of the entry of π_ij · n_total.
    let mut sums = vec![n_total; n_items];
    // A single item costs nothing.
    let mut best = vec![0.0; n_entries];
    let mut is_whole = vec![true; n_entries];
    for entry in 0..n_entries {
        if let Some(parent) = tree.parent(entry) {
            children[parent - n_items].push(entry);
        }
        if entry < n_items {
            continue;
        }
        let (own, below) = (tree.range(entry), &children[entry - n_items]);
        for &child in below {
            let inner = tree.range(child);
            let (left, right) = (&tree.order[own.start..inner.start], &tree.order[inner.end..own.end]);
            for place in inner {
                let row = counts.row(tree.order[place]);
                let others = left.iter().chain(right);
                sums[place] += others.map(|&other| u64::from(row[other])).sum::<u64>();
            }
        }
        let size = own.len() as f64;
        let logs: f64 = sums[own].iter().map(|&sum| (sum as f64 / n_total as f64).log2()).sum();
        let together = size * weight * size.log2() - 2.0 * logs;
        let apart: f64 = below.iter().map(|&child| best[child]).sum();
        is_whole[entry] = together <= apart + TOLERANCE * size;
        best[entry] = if is_whole[entry] { together } else { apart };
    }
    // From the root down: an entry is a cluster if it is the uppermost whole one.
    let mut is_covered = vec![false; n_entries];
    for entry in (0..n_entries).rev() {
        if let Some(parent) = tree.parent(entry) {
            is_covered[entry] = is_covered[parent] || is_whole[parent];
        }
    }
    (0..n_entries).map(|entry| is_whole[entry] && !is_covered[entry]).collect()
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array};

    use super::*;

    #[test]
    fn items_that_are_together_in_most_draws_are_a_cluster() {
        let mut counts = Array2::from_elem((4, 4), 1);
        for (i, j) in [(0, 1), (1, 0), (2, 3), (3, 2)] {
            counts[(i, j)] = 9;
        }
        let tree = Hierarchy::new(&[4, 4, 5, 5, 6, 6, -1], 4).unwrap();
        let cut = |weight| vi_cut(&tree, counts.view(), 10, weight);
        assert_eq!(cut(1.0), [false, false, false, false, true, true, false]);
        assert_eq!(cut(0.0), [false, false, false, false, false, false, true]);
        assert_eq!(cut(9.0), [true, true, true, true, false, false, false]);
    }

    #[test]
    fn of_equal_cuts_the_coarser_is_taken() {
        // Together with probability √2 − 1: both cost nothing, up to rounding of the count.
        let counts = array![[0, 1], [1, 0]];
        let tree = Hierarchy::new(&[2, 2, -1], 2).unwrap();
        // 2 (w − 2 log₂ 1.5) = 0.
        let weight = 2.0 * 1.5_f64.log2();
        assert_eq!(vi_cut(&tree, counts.view(), 2, weight), [false, false, true]);
    }
}
