//! Co-clustering: how often two items share a node, and the posterior expected losses of trees that follow from it.

use std::ops::AddAssign;

use ndarray::{Array2, ArrayView2, ArrayView3, ArrayViewMut2, Axis, s};
use rayon::prelude::*;

use super::groups::Groups;
use crate::numerics::simd;

/// Rows and columns of the matrix that are counted together, so that their counts and labels stay in the cache for
/// all draws.
const BLOCK_ROWS: usize = 16;
const BLOCK_COLUMNS: usize = 512;

/// Trees whose groups are in memory together.
const BLOCK_TREES: usize = 128;

/// Adds to `counts` (item, item), symmetric, the number of draws (draw, item) in which two items have the same label.
/// There are fewer than 2¹⁶ items.
pub fn count_coclustered<T>(draws: ArrayView2<'_, i32>, mut counts: ArrayViewMut2<'_, T>)
where
    T: Copy + AddAssign + From<u16> + Send + Sync,
{
    let n_items = draws.ncols();
    let labels: Vec<u16> = draws.iter().map(|&label| label as u16).collect();
    counts.axis_chunks_iter_mut(Axis(0), BLOCK_ROWS).into_par_iter().enumerate().for_each(
        |(chunk, mut rows)| {
            let mut sums = [[0_u16; BLOCK_COLUMNS]; BLOCK_ROWS];
            let (first, n_rows) = (chunk * BLOCK_ROWS, rows.nrows());
            // Only the upper triangle, with the diagonal.
            for start in (first..n_items).step_by(BLOCK_COLUMNS) {
                let end = n_items.min(start + BLOCK_COLUMNS);
                // The counts of so many draws fit in two bytes.
                for draws in labels.chunks(n_items * usize::from(u16::MAX)) {
                    for draw in draws.chunks_exact(n_items) {
                        count_equal(&draw[first..first + n_rows], &draw[start..end], &mut sums);
                    }
                    for (mut row, sums) in rows.outer_iter_mut().zip(&mut sums) {
                        for (count, sum) in row.slice_mut(s![start..end]).iter_mut().zip(sums) {
                            *count += T::from(std::mem::take(sum));
                        }
                    }
                }
            }
        },
    );
    mirror(counts);
}

simd! {
    /// Counts the equal pairs of a label of a row and a label of a column.
    fn count_equal(rows: &[u16], columns: &[u16], sums: &mut [[u16; BLOCK_COLUMNS]; BLOCK_ROWS]) {
        for (sums, own) in sums.iter_mut().zip(rows) {
            for (sum, label) in sums.iter_mut().zip(columns) {
                *sum += u16::from(label == own);
            }
        }
    }
}

/// Copies the upper triangle to the lower one, block by block.
fn mirror<T: Copy>(mut matrix: ArrayViewMut2<'_, T>) {
    let n = matrix.nrows();
    for above in (0..n).step_by(BLOCK_ROWS) {
        for left in (above..n).step_by(BLOCK_ROWS) {
            for row in above..n.min(above + BLOCK_ROWS) {
                for column in left.max(row + 1)..n.min(left + BLOCK_ROWS) {
                    matrix[(column, row)] = matrix[(row, column)];
                }
            }
        }
    }
}

/// Whether a square matrix equals its transpose.
pub fn is_symmetric(matrix: ArrayView2<'_, u32>) -> bool {
    let n = matrix.nrows();
    (0..n).step_by(BLOCK_ROWS).all(|above| {
        (above..n).step_by(BLOCK_ROWS).all(|left| {
            let rows = above..n.min(above + BLOCK_ROWS);
            rows.into_iter().all(|row| {
                (left..n.min(left + BLOCK_ROWS)).all(|column| matrix[(row, column)] == matrix[(column, row)])
            })
        })
    })
}

/// Adds to `sums` (level, item) the s_i of [`Loss`] for a tree (level, item) over draws (draw, level, item): the number
/// of items that share the item's node in the tree and in the draw. These are the counts of [`count_coclustered`]
/// summed over the item's node, without the matrix of all pairs.
pub fn sum_coclustered(
    tree: ArrayView2<'_, i32>,
    draws: ArrayView3<'_, i32>,
    mut sums: ArrayViewMut2<'_, u64>,
) {
    for (level, labels) in tree.outer_iter().enumerate() {
        let groups = Groups::new(labels);
        let mut sums = sums.row_mut(level);
        // A few groups of draws, each with its own sums: integers, so the order of addition does not matter.
        let n_each = draws.dim().0.div_ceil(rayon::current_num_threads()).max(1);
        let parts: Vec<Vec<u64>> = draws
            .axis_chunks_iter(Axis(0), n_each)
            .into_par_iter()
            .map(|draws| {
                let (mut sums, mut counts) = (vec![0; labels.len()], vec![0_u64; labels.len()]);
                for draw in draws.outer_iter() {
                    let draw = draw.index_axis_move(Axis(0), level);
                    for node in groups.iter() {
                        node.iter().for_each(|&item| counts[draw[item] as usize] += 1);
                        node.iter().for_each(|&item| sums[item] += counts[draw[item] as usize]);
                        node.iter().for_each(|&item| counts[draw[item] as usize] = 0);
                    }
                }
                sums
            })
            .collect();
        for part in parts {
            sums.iter_mut().zip(part).for_each(|(sum, more)| *sum += more);
        }
    }
}

/// A posterior expected loss, up to a factor and a constant that depend on the draws only.
///
/// With n_i the number of items in the node of item i, and s_i the sum, over these items, of the number of draws in
/// which they share a node with i, the loss is a sum over items of
///
/// - `Vi`: log₂ n_i − 2 log₂ s_i. The mean over items is a lower bound of the expected variation of information, by
///   Jensen's inequality (Wade and Ghahramani 2018, equation 13);
/// - `Binder`: n_draws · n_i − 2 s_i, proportional to the expected Binder loss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Loss {
    Vi,
    Binder { n_draws: f64 },
}

impl Loss {
    /// Factors multiplied before one logarithm is taken: each is below 2³⁶, so their product cannot overflow.
    const FACTORS: usize = 16;

    /// The terms of the items of one node, given their s_i.
    fn of_node(self, n_items: usize, sums: impl Iterator<Item = f64>) -> f64 {
        let n = n_items as f64;
        match self {
            Self::Vi => {
                let (mut total, mut product) = (0.0, 1.0);
                for (index, sum) in sums.enumerate() {
                    product *= sum;
                    if index % Self::FACTORS == Self::FACTORS - 1 {
                        total += f64::log2(product);
                        product = 1.0;
                    }
                }
                n * n.log2() - 2.0 * (total + product.log2())
            }
            Self::Binder { n_draws } => n_draws * n * n - 2.0 * sums.sum::<f64>(),
        }
    }

    fn of_level(self, groups: &Groups, sum: impl Fn(usize) -> f64) -> f64 {
        groups.iter().map(|node| self.of_node(node.len(), node.iter().map(|&item| sum(item)))).sum()
    }
}

/// The expected loss of each tree (tree, level, item), summed over levels, from the counts (level, item, item) of
/// [`count_coclustered`].
pub fn expected_losses(trees: ArrayView3<'_, i32>, counts: ArrayView3<'_, u32>, loss: Loss) -> Vec<f64> {
    let mut losses = vec![0.0; trees.dim().0];
    for (losses, trees) in losses.chunks_mut(BLOCK_TREES).zip(trees.axis_chunks_iter(Axis(0), BLOCK_TREES)) {
        for (level, counts) in counts.outer_iter().enumerate() {
            let trees = trees.index_axis(Axis(1), level);
            let groups: Vec<Groups> = trees.outer_iter().into_par_iter().map(Groups::new).collect();
            let mut sums = Array2::zeros((counts.nrows(), groups.len()));
            // Item by item, so that its row of counts stays in the cache for all trees.
            sums.axis_iter_mut(Axis(0)).into_par_iter().enumerate().for_each(|(item, mut sums)| {
                let row = counts.index_axis(Axis(0), item);
                let row = row.to_slice().expect("counts are in row-major order");
                let total = row.iter().map(|&count| u64::from(count)).sum();
                for ((sum, groups), labels) in sums.iter_mut().zip(&groups).zip(trees.outer_iter()) {
                    *sum = sum_over_group(groups, labels[item] as usize, row, total) as f64;
                }
            });
            for (tree, (total, groups)) in losses.iter_mut().zip(&groups).enumerate() {
                *total += loss.of_level(groups, |item| sums[(item, tree)]);
            }
        }
    }
    losses
}

/// The expected loss of each tree (tree, level, item), summed over levels, from the sums (tree, level, item) of
/// [`sum_coclustered`].
pub fn expected_losses_from_sums(
    trees: ArrayView3<'_, i32>,
    sums: ArrayView3<'_, u64>,
    loss: Loss,
) -> Vec<f64> {
    let trees = trees.outer_iter().into_par_iter().zip(sums.outer_iter());
    trees
        .map(|(tree, sums)| {
            let levels = tree.outer_iter().zip(sums.outer_iter());
            levels.map(|(labels, sums)| loss.of_level(&Groups::new(labels), |item| sums[item] as f64)).sum()
        })
        .collect()
}

/// Σ over the items of a group of their counts; of a large group, the total less the sum over all others.
fn sum_over_group(groups: &Groups, label: usize, row: &[u32], total: u64) -> u64 {
    let [before, group, after] = groups.split_at_group(label);
    let sum = |items: &[usize]| items.iter().map(|&other| u64::from(row[other])).sum::<u64>();
    if 2 * group.len() <= row.len() { sum(group) } else { total - sum(before) - sum(after) }
}

#[cfg(test)]
mod tests {
    use ndarray::Array3;

    use super::*;

    fn draws(n_draws: usize, n_items: usize) -> Array2<i32> {
        Array2::from_shape_fn((n_draws, n_items), |(draw, item)| {
            ((item * (draw + 2)) % (draw % 5 + 2)) as i32
        })
    }

    #[test]
    fn pairs_are_counted() {
        // Across the borders of blocks of rows and columns.
        for n_items in [1, 37, BLOCK_ROWS + BLOCK_COLUMNS + 3] {
            let draws = draws(30, n_items);
            let mut counts = Array2::<f64>::zeros((n_items, n_items));
            count_coclustered(draws.slice(s![..10, ..]), counts.view_mut());
            count_coclustered(draws.slice(s![10.., ..]), counts.view_mut());
            for ((i, j), &count) in counts.indexed_iter() {
                let expected = draws.outer_iter().filter(|draw| draw[i] == draw[j]).count();
                assert_eq!(count, expected as f64);
            }
        }
    }

    #[test]
    fn more_draws_are_counted_than_fit_in_two_bytes() {
        let mut counts = Array2::<u32>::zeros((2, 2));
        count_coclustered(Array2::zeros((70_000, 2)).view(), counts.view_mut());
        assert_eq!(counts, Array2::from_elem((2, 2), 70_000));
    }

    #[test]
    fn sums_equal_the_counts_summed_over_nodes() {
        let draws = draws(40, 23);
        let mut counts = Array3::<u32>::zeros((1, 23, 23));
        count_coclustered(draws.view(), counts.index_axis_mut(Axis(0), 0));
        for tree in draws.outer_iter() {
            let mut sums = Array2::zeros((1, 23));
            sum_coclustered(tree.insert_axis(Axis(0)), draws.view().insert_axis(Axis(1)), sums.view_mut());
            for (i, &sum) in sums.iter().enumerate() {
                let node = (0..23).filter(|&j| tree[i] == tree[j]);
                assert_eq!(sum, node.map(|j| u64::from(counts[(0, i, j)])).sum::<u64>());
            }
            let trees = tree.insert_axis(Axis(0)).insert_axis(Axis(0));
            for loss in [Loss::Vi, Loss::Binder { n_draws: 40.0 }] {
                let from_counts = expected_losses(trees, counts.view(), loss);
                let sums = sums.view().insert_axis(Axis(0));
                assert_eq!(expected_losses_from_sums(trees, sums, loss), from_counts);
            }
        }
    }

    #[test]
    fn expected_binder_losses_are_mean_distances_to_the_draws() {
        // Binder: Σ over ordered pairs and draws of [together in the tree] − 2 [together in both].
        let draws = draws(20, 11);
        let mut counts = Array3::zeros((1, 11, 11));
        count_coclustered(draws.view(), counts.index_axis_mut(Axis(0), 0));
        let trees = draws.view().insert_axis(Axis(1));
        let found = expected_losses(trees, counts.view(), Loss::Binder { n_draws: 20.0 });
        for (tree, loss) in draws.outer_iter().zip(found) {
            let mut expected = 0;
            for draw in draws.outer_iter() {
                for i in 0..11 {
                    for j in 0..11 {
                        let (here, there) = (i32::from(tree[i] == tree[j]), i32::from(draw[i] == draw[j]));
                        expected += here - 2 * here * there;
                    }
                }
            }
            assert_eq!(loss, f64::from(expected));
        }
    }

    #[test]
    fn the_loss_of_a_node_is_its_definition() {
        let sums: Vec<f64> = (0..40).map(|n| f64::from(3 + n * n)).collect();
        let vi: f64 = sums.iter().map(|s| 40_f64.log2() - 2.0 * s.log2()).sum();
        assert!((Loss::Vi.of_node(40, sums.iter().copied()) - vi).abs() < 1e-9);
        let binder: f64 = sums.iter().map(|s| 7.0 * 40.0 - 2.0 * s).sum();
        assert_eq!(Loss::Binder { n_draws: 7.0 }.of_node(40, sums.iter().copied()), binder);
        let largest = f64::exp2(36.0);
        assert_eq!(Loss::Vi.of_node(16, std::iter::repeat_n(largest, 16)), 64.0 - 2.0 * 16.0 * 36.0);
    }
}
