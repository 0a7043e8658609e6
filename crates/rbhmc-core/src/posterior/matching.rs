//! The nodes of draws under the names of the nodes of one tree.

use ndarray::{Array3, ArrayView1, ArrayView2, ArrayView3, ArrayViewMut1, Axis};
use rayon::prelude::*;

use super::grouping::{in_order, sizes_of};

/// For each draw, level and item, the node of `tree` (level, item) at that level that is most like the item's
/// node in the draw, by Jaccard overlap. Of equally good ones that with the lowest number is taken.
pub fn matched(tree: ArrayView2<'_, i32>, draws: ArrayView3<'_, i32>) -> Array3<i32> {
    let mut matched = Array3::zeros(draws.dim());
    let sizes: Vec<Vec<u32>> = tree.outer_iter().map(sizes_of).collect();
    matched.axis_iter_mut(Axis(0)).into_par_iter().zip(draws.axis_iter(Axis(0))).for_each_init(
        || (Vec::new(), vec![0; draws.dim().2], Vec::new()),
        |(order, counts, met), (mut names, draw)| {
            for (level, labels) in draw.outer_iter().enumerate() {
                in_order(labels, order);
                let mut names = names.row_mut(level);
                for node in order.chunk_by(|&a, &b| labels[a] == labels[b]) {
                    name(node, tree.row(level), &sizes[level], counts, met, &mut names);
                }
            }
        },
    );
    matched
}

/// Gives the items of one node of a draw the name of the most similar node. `counts` is 0 before and after.
fn name(
    node: &[usize],
    tree: ArrayView1<'_, i32>,
    sizes: &[u32],
    counts: &mut [u32],
    met: &mut Vec<i32>,
    names: &mut ArrayViewMut1<'_, i32>,
) {
    met.clear();
    for &item in node {
        let count = &mut counts[tree[item] as usize];
        if *count == 0 {
            met.push(tree[item]);
        }
        *count += 1;
    }
    met.sort_unstable();
    let (mut best, mut most, mut of) = (0, 0, 1);
    for &name in met.iter() {
        let shared = std::mem::take(&mut counts[name as usize]);
        let union = node.len() as u32 + sizes[name as usize] - shared;
        // shared / union, compared without rounding.
        if u64::from(shared) * u64::from(of) > u64::from(most) * u64::from(union) {
            (best, most, of) = (name, shared, union);
        }
    }
    for &item in node {
        names[item] = best;
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn each_node_takes_the_name_of_the_most_alike() {
        let tree = array![[1, 1, 1, 0, 0]];
        // {0,1}: 2 of 3; {2,3}: 1 of 4 against 1 of 3; {4}. Then one node: 3 of 5. Then {0,1,3}, {2,4}.
        let draws = array![[[0, 0, 1, 1, 2]], [[0, 0, 0, 0, 0]], [[0, 0, 1, 0, 1]]];
        let expected = array![[[1, 1, 0, 0, 0]], [[1, 1, 1, 1, 1]], [[1, 1, 0, 1, 0]]];
        assert_eq!(matched(tree.view(), draws.view()), expected);
        // One of two in each: the lower number.
        assert_eq!(matched(array![[1, 0]].view(), array![[[0, 0]]].view()), array![[[0, 0]]]);
    }
}
