//! The most similar node by the Jaccard index |A ∩ B| / |A ∪ B|: in each draw for a set of items, and in one tree for
//! each node of a draw.

use ndarray::{Array2, Array3, ArrayView1, ArrayView2, ArrayView3, Axis};
use rayon::prelude::*;

use super::clades::{ItemSets, fill_node_sizes};
use super::groups::{Groups, group_sizes};

/// A node of a draw: its level (0 is the root), one of its items, and the sizes of its intersection and union with a
/// set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SimilarNode {
    pub level: u32,
    pub item: u32,
    pub shared: u32,
    pub union: u32,
}

/// The node of each draw with the largest Jaccard index with each set: (draw, set). Of equally similar nodes the
/// uppermost is taken, and of these the one that holds the earliest item of the set.
pub fn best_jaccard(sets: ItemSets<'_>, trees: ArrayView3<'_, i32>) -> Array2<SimilarNode> {
    let (n_draws, _, n_items) = trees.dim();
    let nodes: Vec<SimilarNode> = trees
        .axis_iter(Axis(0))
        .into_par_iter()
        .map_init(
            || (Vec::new(), Intersections::new(n_items)),
            |(sizes, intersections), tree| {
                fill_node_sizes(tree, sizes);
                sets.iter().map(|set| most_similar(set, tree, sizes, intersections)).collect::<Vec<_>>()
            },
        )
        .flatten_iter()
        .collect();
    Array2::from_shape_vec((n_draws, sets.len()), nodes).expect("one node for each draw and set")
}

fn most_similar(
    set: &[u32],
    tree: ArrayView2<'_, i32>,
    sizes: &[u32],
    intersections: &mut Intersections,
) -> SimilarNode {
    let n_items = tree.ncols();
    let size = set.len() as u32;
    let mut best = SimilarNode { level: 0, item: set[0], shared: size, union: n_items as u32 };
    for (above, labels) in tree.outer_iter().enumerate() {
        intersections.count(set.iter().map(|&item| item as usize), labels);
        intersections.drain(|label, item, shared| {
            let union = size + sizes[above * n_items + label as usize] - shared;
            if is_larger((shared, union), (best.shared, best.union)) {
                best = SimilarNode { level: above as u32 + 1, item: item as u32, shared, union };
            }
        });
    }
    best
}

/// For each draw, level and item, the label of the node of `tree` (level, item) at that level that is most similar to
/// the item's node in the draw: (draw, level, item). Of equally similar nodes the lowest label is taken.
pub fn match_nodes(tree: ArrayView2<'_, i32>, draws: ArrayView3<'_, i32>) -> Array3<i32> {
    let mut matched = Array3::zeros(draws.dim());
    let sizes: Vec<Vec<u32>> = tree.outer_iter().map(group_sizes).collect();
    matched.axis_iter_mut(Axis(0)).into_par_iter().zip(draws.axis_iter(Axis(0))).for_each_init(
        || (Groups::default(), Intersections::new(draws.dim().2)),
        |(groups, intersections), (mut matched, draw)| {
            for (level, labels) in draw.outer_iter().enumerate() {
                groups.fill(labels);
                for node in groups.iter() {
                    intersections.count(node.iter().copied(), tree.row(level));
                    intersections.sort();
                    let (mut best, mut ratio) = (0, (0, 1));
                    intersections.drain(|label, _, shared| {
                        let union = node.len() as u32 + sizes[level][label as usize] - shared;
                        if is_larger((shared, union), ratio) {
                            (best, ratio) = (label, (shared, union));
                        }
                    });
                    node.iter().for_each(|&item| matched[(level, item)] = best);
                }
            }
        },
    );
    matched
}

/// Whether one ratio is larger than another, without rounding.
fn is_larger((shared, union): (u32, u32), (best_shared, best_union): (u32, u32)) -> bool {
    u64::from(shared) * u64::from(best_union) > u64::from(best_shared) * u64::from(union)
}

/// The sizes of the intersections of a set with the nodes of a level.
struct Intersections {
    /// By label; 0 between two sets.
    counts: Vec<u32>,
    /// The label of each node that the set meets, and the first of its items in the set.
    nodes: Vec<(i32, usize)>,
}

impl Intersections {
    fn new(n_labels: usize) -> Self {
        Self { counts: vec![0; n_labels], nodes: Vec::new() }
    }

    fn count(&mut self, items: impl Iterator<Item = usize>, labels: ArrayView1<'_, i32>) {
        for item in items {
            let count = &mut self.counts[labels[item] as usize];
            if *count == 0 {
                self.nodes.push((labels[item], item));
            }
            *count += 1;
        }
    }

    /// Orders the nodes by label.
    fn sort(&mut self) {
        self.nodes.sort_unstable();
    }

    /// Calls `visit` with the label, the first item and the size of each intersection, and forgets it.
    fn drain(&mut self, mut visit: impl FnMut(i32, usize, u32)) {
        for (label, item) in self.nodes.drain(..) {
            visit(label, item, std::mem::take(&mut self.counts[label as usize]));
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn the_most_similar_node_is_found() {
        let trees = array![[[0, 0, 1, 1, 1], [0, 1, 2, 3, 3]], [[0, 0, 0, 0, 0], [0, 0, 0, 0, 0]]];
        let sets = ItemSets { items: &[0, 1, 1, 2, 4, 0, 1, 2, 3, 2, 3], ends: &[2, 5, 9, 11] };
        let found = best_jaccard(sets, trees.view());
        let node = |level, item, shared, union| SimilarNode { level, item, shared, union };
        // {1,2,4} shares 2 of 4 with {2,3,4}, but 3 of 5 with the root.
        let first = [node(1, 0, 2, 2), node(0, 1, 3, 5), node(0, 0, 4, 5), node(1, 2, 2, 3)];
        assert_eq!(found.row(0).to_vec(), first);
        let second = [node(0, 0, 2, 5), node(0, 1, 3, 5), node(0, 0, 4, 5), node(0, 2, 2, 5)];
        assert_eq!(found.row(1).to_vec(), second);
    }

    #[test]
    fn each_node_takes_the_label_of_the_most_similar() {
        let tree = array![[1, 1, 1, 0, 0]];
        // {0,1}: 2 of 3; {2,3}: 1 of 4 against 1 of 3; {4}. Then one node: 3 of 5. Then {0,1,3}, {2,4}.
        let draws = array![[[0, 0, 1, 1, 2]], [[0, 0, 0, 0, 0]], [[0, 0, 1, 0, 1]]];
        let expected = array![[[1, 1, 0, 0, 0]], [[1, 1, 1, 1, 1]], [[1, 1, 0, 1, 0]]];
        assert_eq!(match_nodes(tree.view(), draws.view()), expected);
        // One of two in each: the lower label.
        assert_eq!(match_nodes(array![[1, 0]].view(), array![[[0, 0]]].view()), array![[[0, 0]]]);
    }
}
