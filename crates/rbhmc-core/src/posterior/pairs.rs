//! How often two items share a node, and what trees cost by it.

use std::ops::AddAssign;

use ndarray::{Array2, ArrayView1, ArrayView2, ArrayView3, ArrayViewMut2, Axis, s};
use rayon::prelude::*;

use super::grouping::{in_order, sizes_of};
use super::loss::Loss;
use crate::numerics::wide;

/// Rows and columns of the matrix that are counted together: their counts and labels stay at hand for all draws.
const ROWS: usize = 16;
const COLUMNS: usize = 512;

/// Adds to `counts` (item, item), symmetric, in how many of the draws (draw, item) two items have one label.
/// There are fewer items than 2¹⁶.
pub fn add_together<T>(draws: ArrayView2<'_, i32>, mut counts: ArrayViewMut2<'_, T>)
where
    T: Copy + AddAssign + From<u16> + Send + Sync,
{
    let n_items = draws.ncols();
    let labels: Vec<u16> = draws.iter().map(|&label| label as u16).collect();
    counts.axis_chunks_iter_mut(Axis(0), ROWS).into_par_iter().enumerate().for_each(|(chunk, mut rows)| {
        let mut sums = [[0_u16; COLUMNS]; ROWS];
        let (first, n_rows) = (chunk * ROWS, rows.nrows());
        // Only the diagonal and what is right of it.
        for start in (first..n_items).step_by(COLUMNS) {
            let end = n_items.min(start + COLUMNS);
            // Counts of so many draws fit two bytes.
            for draws in labels.chunks(n_items * usize::from(u16::MAX)) {
                for draw in draws.chunks_exact(n_items) {
                    count(&draw[first..first + n_rows], &draw[start..end], &mut sums);
                }
                for (mut row, sums) in rows.outer_iter_mut().zip(&mut sums) {
                    for (count, sum) in row.slice_mut(s![start..end]).iter_mut().zip(sums) {
                        *count += T::from(std::mem::take(sum));
                    }
                }
            }
        }
    });
    mirror(counts);
}

wide! {
    /// Counts the pairs of a label of a row and one of a column that are equal.
    fn count(rows: &[u16], columns: &[u16], sums: &mut [[u16; COLUMNS]; ROWS]) {
        for (sums, own) in sums.iter_mut().zip(rows) {
            for (sum, label) in sums.iter_mut().zip(columns) {
                *sum += u16::from(label == own);
            }
        }
    }
}

/// Copies what is right of the diagonal to the left of it, a square at a time.
fn mirror<T: Copy>(mut matrix: ArrayViewMut2<'_, T>) {
    let n = matrix.nrows();
    for above in (0..n).step_by(ROWS) {
        for left in (above..n).step_by(ROWS) {
            for row in above..n.min(above + ROWS) {
                for column in left.max(row + 1)..n.min(left + ROWS) {
                    matrix[(column, row)] = matrix[(row, column)];
                }
            }
        }
    }
}

/// Adds to `sums` (level, item) the s of [`Loss`] for each item of a tree (level, item), over draws (draw, level,
/// item): the items that share its node in the tree and in the draw. What [`add_together`] counts, summed over the
/// item's node, without a matrix of all pairs.
pub fn add_shared(tree: ArrayView2<'_, i32>, draws: ArrayView3<'_, i32>, mut sums: ArrayViewMut2<'_, u64>) {
    for (level, labels) in tree.outer_iter().enumerate() {
        let mut order = Vec::new();
        in_order(labels, &mut order);
        let mut sums = sums.row_mut(level);
        // Draws in a few groups, each with sums of its own: whole numbers, so that their order is all the same.
        let n_each = draws.dim().0.div_ceil(rayon::current_num_threads()).max(1);
        let parts: Vec<Vec<u64>> = draws
            .axis_chunks_iter(Axis(0), n_each)
            .into_par_iter()
            .map(|draws| {
                let (mut sums, mut counts) = (vec![0; labels.len()], vec![0_u64; labels.len()]);
                for draw in draws.outer_iter() {
                    let draw = draw.index_axis_move(Axis(0), level);
                    for node in order.chunk_by(|&a, &b| labels[a] == labels[b]) {
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

/// What each tree (tree, level, item) costs over all levels. `counts` (level, item, item) are those of
/// [`add_together`].
pub fn costs(trees: ArrayView3<'_, i32>, counts: ArrayView3<'_, u32>, loss: Loss) -> Vec<f64> {
    let mut costs = vec![0.0; trees.dim().0];
    for (costs, trees) in costs.chunks_mut(TREES).zip(trees.axis_chunks_iter(Axis(0), TREES)) {
        for (level, counts) in counts.outer_iter().enumerate() {
            let nodes: Vec<Nodes> =
                trees.index_axis(Axis(1), level).outer_iter().into_par_iter().map(Nodes::new).collect();
            let mut sums = Array2::zeros((counts.nrows(), nodes.len()));
            // Item by item, so that its row of counts is at hand for all trees.
            sums.axis_iter_mut(Axis(0)).into_par_iter().enumerate().for_each(|(item, mut sums)| {
                let row = counts.index_axis(Axis(0), item);
                let row = row.to_slice().expect("counts are laid out by rows");
                let total = row.iter().map(|&count| u64::from(count)).sum();
                for (sum, nodes) in sums.iter_mut().zip(&nodes) {
                    *sum = nodes.sum_with(item, row, total) as f64;
                }
            });
            for (tree, (cost, nodes)) in costs.iter_mut().zip(&nodes).enumerate() {
                for node in nodes.order.chunk_by(|&a, &b| nodes.node_of[a] == nodes.node_of[b]) {
                    *cost += loss.of_node(node.len(), node.iter().map(|&item| sums[(item, tree)]));
                }
            }
        }
    }
    costs
}

/// Trees whose nodes are at hand together.
const TREES: usize = 128;

/// The items of one level of a tree, node by node.
struct Nodes {
    node_of: Vec<usize>,
    order: Vec<usize>,
    /// Where each node starts, and where the last one ends.
    starts: Vec<usize>,
}

impl Nodes {
    fn new(labels: ArrayView1<'_, i32>) -> Self {
        let mut order = Vec::new();
        in_order(labels, &mut order);
        let mut starts = vec![0];
        starts.extend(sizes_of(labels).iter().scan(0, |end, &size| {
            *end += size as usize;
            Some(*end)
        }));
        Self { node_of: labels.iter().map(|&label| label as usize).collect(), order, starts }
    }

    /// Σ over the items of an item's node of its counts; of a large node by what is outside.
    fn sum_with(&self, item: usize, row: &[u32], total: u64) -> u64 {
        let node = self.node_of[item];
        let (start, end) = (self.starts[node], self.starts[node + 1]);
        let sum = |items: &[usize]| items.iter().map(|&other| u64::from(row[other])).sum::<u64>();
        if 2 * (end - start) <= row.len() {
            sum(&self.order[start..end])
        } else {
            total - sum(&self.order[..start]) - sum(&self.order[end..])
        }
    }
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
        for n_items in [1, 37, ROWS + COLUMNS + 3] {
            let draws = draws(30, n_items);
            let mut counts = Array2::<f64>::zeros((n_items, n_items));
            add_together(draws.slice(s![..10, ..]), counts.view_mut());
            add_together(draws.slice(s![10.., ..]), counts.view_mut());
            for ((i, j), &count) in counts.indexed_iter() {
                let expected = draws.outer_iter().filter(|draw| draw[i] == draw[j]).count();
                assert_eq!(count, expected as f64);
            }
        }
    }

    #[test]
    fn more_draws_than_two_bytes_count() {
        let mut counts = Array2::<u32>::zeros((2, 2));
        add_together(Array2::zeros((70_000, 2)).view(), counts.view_mut());
        assert_eq!(counts, Array2::from_elem((2, 2), 70_000));
    }

    #[test]
    fn what_items_share_needs_no_pairs() {
        let draws = draws(40, 23);
        let mut counts = Array2::<u32>::zeros((23, 23));
        add_together(draws.view(), counts.view_mut());
        for tree in draws.outer_iter() {
            let mut sums = Array2::zeros((1, 23));
            add_shared(tree.insert_axis(Axis(0)), draws.view().insert_axis(Axis(1)), sums.view_mut());
            for (i, &sum) in sums.iter().enumerate() {
                let of_node = (0..23).filter(|&j| tree[i] == tree[j]);
                assert_eq!(sum, of_node.map(|j| u64::from(counts[(i, j)])).sum::<u64>());
            }
        }
    }

    #[test]
    fn trees_cost_the_mean_distance_to_the_draws() {
        // Binder: Σ over ordered pairs and draws of [together in the tree] − 2 [together in both].
        let draws = draws(20, 11);
        let mut counts = Array3::zeros((1, 11, 11));
        add_together(draws.view(), counts.index_axis_mut(Axis(0), 0));
        let trees = draws.view().insert_axis(Axis(1));
        let found = costs(trees, counts.view(), Loss::Binder { n_draws: 20.0 });
        for (tree, cost) in draws.outer_iter().zip(found) {
            let mut expected = 0;
            for draw in draws.outer_iter() {
                for i in 0..11 {
                    for j in 0..11 {
                        let (here, there) = (i32::from(tree[i] == tree[j]), i32::from(draw[i] == draw[j]));
                        expected += here - 2 * here * there;
                    }
                }
            }
            assert_eq!(cost, f64::from(expected));
        }
    }
}
