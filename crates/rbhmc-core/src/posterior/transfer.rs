//! Transfer distances: how many items must move before a set of items is a node of a draw (Lemoine et al. 2018).
//!
//! The distance of a set A to a draw is min_B |A Δ B|, with B over the nodes of the draw, its root, and the single
//! items. Since |A Δ B| = |A| − (2 |A ∩ B| − |B|), it takes the maximum of 2 |A ∩ B| − |B|. This number grows with A,
//! and an item that enters A changes it for one B at each level only. So A takes over the counts |A ∩ B| and the maximum
//! of its largest child, and adds the items of the others: an item is added at most log₂ N times.

use ndarray::{Array2, ArrayView2, ArrayView3, ArrayViewMut1, Axis};
use rayon::prelude::*;

use super::hierarchy::Hierarchy;

/// The transfer distance of each node of a tree to each draw: (draw, node).
pub fn transfer_distances(tree: &Hierarchy, draws: ArrayView3<'_, i32>) -> Array2<u32> {
    let n_nodes = tree.n_entries() - tree.n_items();
    let mut distances = Array2::zeros((draws.dim().0, n_nodes));
    let rows = distances.axis_iter_mut(Axis(0)).into_par_iter();
    rows.zip(draws.axis_iter(Axis(0))).for_each_init(Workspace::default, |work, (row, draw)| {
        work.read(tree, draw);
        work.measure(tree, row);
    });
    distances
}

/// One draw, its items in the order of the tree. Node `label` of `level` is entry `level * n_items + label`.
#[derive(Debug, Default)]
struct Workspace {
    n_levels: usize,
    /// The node of each item: (place, level).
    nodes: Vec<usize>,
    /// |B| of each node.
    sizes: Vec<i64>,
    /// |A ∩ B| of each node; 0 between two sets.
    shared: Vec<i64>,
}

impl Workspace {
    fn read(&mut self, tree: &Hierarchy, draw: ArrayView2<'_, i32>) {
        let (n_levels, n_items) = draw.dim();
        self.n_levels = n_levels;
        self.shared.resize(n_levels * n_items, 0);
        self.nodes.clear();
        self.sizes.clear();
        self.sizes.resize(n_levels * n_items, 0);
        for &item in &tree.order {
            for level in 0..n_levels {
                let node = level * n_items + draw[(level, item)] as usize;
                self.nodes.push(node);
                self.sizes[node] += 1;
            }
        }
    }

    fn measure(&mut self, tree: &Hierarchy, mut distances: ArrayViewMut1<'_, u32>) {
        let n_items = tree.n_items();
        for item in 0..n_items {
            // From the item upwards, as long as the set is the largest child of its parent.
            let mut entry = item;
            if tree.heavy_parent(entry).is_none() {
                continue;
            }
            // A single item has 2 · 1 − 1.
            let mut best = self.add(tree.range(entry), 1);
            while let Some(parent) = tree.heavy_parent(entry) {
                let (inner, outer) = (tree.range(entry), tree.range(parent));
                best = self.add(outer.start..inner.start, best);
                best = self.add(inner.end..outer.end, best);
                let size = outer.len() as i64;
                let with_root = best.max(2 * size - n_items as i64);
                distances[parent - n_items] = (size - with_root) as u32;
                entry = parent;
            }
            for &node in &self.nodes[self.labels_of(tree.range(entry))] {
                self.shared[node] = 0;
            }
        }
    }

    /// Adds items to the set; the largest 2 |A ∩ B| − |B| afterwards.
    fn add(&mut self, places: std::ops::Range<usize>, mut best: i64) -> i64 {
        for &node in &self.nodes[self.labels_of(places)] {
            self.shared[node] += 1;
            best = best.max(2 * self.shared[node] - self.sizes[node]);
        }
        best
    }

    fn labels_of(&self, places: std::ops::Range<usize>) -> std::ops::Range<usize> {
        places.start * self.n_levels..places.end * self.n_levels
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn distances_by_hand() {
        // {0,1,2},{3,4} then {0,1},{2},{3,4}; one node, then {0,3},{1,2,4}.
        let draws = array![[[0, 0, 0, 1, 1], [0, 0, 1, 2, 2]], [[0, 0, 0, 0, 0], [0, 1, 1, 0, 1]]];
        // 5 = {0,1}, 6 = {3,4}, 7 = {0,1,2}, 8 = {0,1,2,3,4}.
        let tree = Hierarchy::new(&[5, 5, 7, 6, 6, 7, 8, 8, -1], 5).unwrap();
        // {0,1,2}: {1,2,4} has 2 others, the root too. Pairs: a single item.
        assert_eq!(transfer_distances(&tree, draws.view()), array![[0, 0, 0, 0], [1, 1, 2, 0]]);
    }
}
