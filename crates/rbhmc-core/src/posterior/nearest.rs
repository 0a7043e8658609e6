//! The node of each draw that is most like a set of items.

use ndarray::{Array2, ArrayView2, ArrayView3, Axis};
use rayon::prelude::*;

use super::sets::{Sets, node_sizes};

/// A node of a draw: its level (0 is the root), an item in it, and how many items it shares with a set and has
/// together with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nearest {
    pub level: u32,
    pub item: u32,
    pub shared: u32,
    pub union: u32,
}

/// The node with the largest Jaccard overlap with each set, of each draw: (draw, set). Of equally good ones the
/// uppermost is taken, and of these the one that holds the earliest item of the set.
pub fn nearest(sets: Sets<'_>, trees: ArrayView3<'_, i32>) -> Array2<Nearest> {
    let rows: Vec<Nearest> = trees
        .axis_iter(Axis(0))
        .into_par_iter()
        .map_init(
            || (Vec::new(), vec![0; trees.dim().2], Vec::new()),
            |(sizes, counts, met), tree| {
                node_sizes(tree, sizes);
                sets.iter().map(|set| best(set, tree, sizes, counts, met)).collect::<Vec<_>>()
            },
        )
        .flatten_iter()
        .collect();
    Array2::from_shape_vec((trees.dim().0, sets.len()), rows).expect("one for each draw and set")
}

fn best(
    set: &[u32],
    tree: ArrayView2<'_, i32>,
    sizes: &[u32],
    counts: &mut [u32],
    met: &mut Vec<(i32, u32)>,
) -> Nearest {
    let n_items = tree.ncols();
    let size = set.len() as u32;
    let mut best = Nearest { level: 0, item: set[0], shared: size, union: n_items as u32 };
    for (above, labels) in tree.outer_iter().enumerate() {
        met.clear();
        for &item in set {
            let node = labels[item as usize];
            if counts[node as usize] == 0 {
                met.push((node, item));
            }
            counts[node as usize] += 1;
        }
        for &(node, item) in met.iter() {
            let shared = std::mem::take(&mut counts[node as usize]);
            let union = size + sizes[above * n_items + node as usize] - shared;
            // shared / union, compared without rounding.
            if u64::from(shared) * u64::from(best.union) > u64::from(best.shared) * u64::from(union) {
                best = Nearest { level: above as u32 + 1, item, shared, union };
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn the_most_alike_node_is_found() {
        let trees = array![[[0, 0, 1, 1, 1], [0, 1, 2, 3, 3]], [[0, 0, 0, 0, 0], [0, 0, 0, 0, 0]]];
        let sets = Sets { items: &[0, 1, 1, 2, 4, 0, 1, 2, 3, 2, 3], ends: &[2, 5, 9, 11] };
        let found = nearest(sets, trees.view());
        let node = |level, item, shared, union| Nearest { level, item, shared, union };
        // {1,2,4} shares 2 of 4 with {2,3,4}, but 3 of 5 with the root.
        let first = [node(1, 0, 2, 2), node(0, 1, 3, 5), node(0, 0, 4, 5), node(1, 2, 2, 3)];
        assert_eq!(found.row(0).to_vec(), first);
        let second = [node(0, 0, 2, 5), node(0, 1, 3, 5), node(0, 0, 4, 5), node(0, 2, 2, 5)];
        assert_eq!(found.row(1).to_vec(), second);
    }
}
