//! The similarity of items to the nodes of a tree over some of them, by one contingency table for each level of a draw.
//!
//! The mean similarity of item i to a node A is the mean over j in A, over draws and levels, of the indicator that i and
//! j share a node. With B the node of i this is |A ∩ B| / |A|. The numbers |A ∩ B| of all A and B of a level are a
//! table; the sum of its rows over draws and levels is exact.

use ndarray::{Array2, ArrayView1, ArrayView2, ArrayViewMut2, Axis};
use rayon::prelude::*;

/// A tree over a sample of the items: the sample, the leaf of each of its items, and the parent of each node, which
/// comes before it (the root is node 0).
#[derive(Debug, Clone, Copy)]
pub struct SampleTree<'a> {
    pub sample: &'a [usize],
    pub leaves: &'a [usize],
    pub parents: &'a [usize],
}

/// Items that a thread takes at once.
const BLOCK_ITEMS: usize = 256;

/// Adds |A ∩ B| to `sums` (target, node), over the levels of a draw (level, item): A is the node, B holds the target.
pub fn add_shared_items(
    tree: SampleTree<'_>,
    targets: &[usize],
    draw: ArrayView2<'_, i32>,
    mut sums: ArrayViewMut2<'_, u32>,
) {
    for labels in draw.outer_iter() {
        let (rows, table) = contingency(tree, labels);
        sums.axis_chunks_iter_mut(Axis(0), BLOCK_ITEMS)
            .into_par_iter()
            .zip(targets.par_chunks(BLOCK_ITEMS))
            .for_each(|(mut sums, targets)| {
                for (mut sums, &item) in sums.outer_iter_mut().zip(targets) {
                    if let Some(&Some(row)) = rows.get(labels[item] as usize) {
                        sums += &table.row(row);
                    }
                }
            });
    }
}

/// The table (row, node), and the row of each label that the sample has.
fn contingency(tree: SampleTree<'_>, labels: ArrayView1<'_, i32>) -> (Vec<Option<usize>>, Array2<u32>) {
    let mut rows: Vec<Option<usize>> = Vec::new();
    let mut n_rows = 0;
    for &item in tree.sample {
        let label = labels[item] as usize;
        if rows.len() <= label {
            rows.resize(label + 1, None);
        }
        rows[label].get_or_insert_with(|| {
            n_rows += 1;
            n_rows - 1
        });
    }
    let mut table = Array2::zeros((n_rows, tree.parents.len()));
    for (&item, &leaf) in tree.sample.iter().zip(tree.leaves) {
        let row = rows[labels[item] as usize].expect("a label of the sample");
        table[(row, leaf)] += 1;
    }
    for mut row in table.outer_iter_mut() {
        for node in (1..tree.parents.len()).rev() {
            row[tree.parents[node]] += row[node];
        }
    }
    (rows, table)
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn shared_items_are_counted() {
        // Nodes: 0 all, 1 = {0, 2}, 2 = {4}; targets 1 and 3.
        let tree = SampleTree { sample: &[0, 2, 4], leaves: &[1, 1, 2], parents: &[0, 0, 0] };
        let draw = array![[0, 0, 0, 1, 1], [0, 0, 1, 2, 3]];
        let mut sums = Array2::zeros((2, 3));
        add_shared_items(tree, &[1, 3], draw.view(), sums.view_mut());
        // Level 1: item 1 with 0 and 2, item 3 with 4; level 2: item 1 with 0, item 3 alone.
        assert_eq!(sums, array![[3, 3, 0], [1, 0, 1]]);
    }
}
