//! Clades: sets of items that are nodes of draws, how often each of them occurs, and which ones occur often.

use std::collections::HashMap;

use ndarray::{ArrayView2, ArrayView3, Axis};
use rand::RngExt;
use rayon::prelude::*;

use crate::rng::{Stream, stream};

/// Non-empty sets of items in compressed form: the items of all sets, and where each set ends.
#[derive(Debug, Clone, Copy)]
pub struct ItemSets<'a> {
    pub items: &'a [u32],
    pub ends: &'a [usize],
}

impl<'a> ItemSets<'a> {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &'a [u32]> + use<'a> {
        let (items, ends) = (self.items, self.ends);
        (0..ends.len()).map(move |set| &items[if set == 0 { 0 } else { ends[set - 1] }..ends[set]])
    }
}

/// The number of draws in which each set is exactly a node, at any level.
pub fn count_clades(sets: ItemSets<'_>, trees: ArrayView3<'_, i32>) -> Vec<u64> {
    let zeros = || vec![0; sets.len()];
    trees
        .axis_iter(Axis(0))
        .into_par_iter()
        .fold(
            || (zeros(), Vec::new()),
            |(mut counts, mut sizes), tree| {
                fill_node_sizes(tree, &mut sizes);
                for (count, set) in counts.iter_mut().zip(sets.iter()) {
                    *count += u64::from(is_clade(set, tree, &sizes));
                }
                (counts, sizes)
            },
        )
        .map(|(counts, _)| counts)
        .reduce(zeros, |mut left, right| {
            left.iter_mut().zip(right).for_each(|(count, more)| *count += more);
            left
        })
}

/// The number of items of each node: node `label` of `level` is entry `level * n_items + label`.
pub(super) fn fill_node_sizes(tree: ArrayView2<'_, i32>, sizes: &mut Vec<u32>) {
    let (n_levels, n_items) = tree.dim();
    sizes.clear();
    sizes.resize(n_levels * n_items, 0);
    for (level, labels) in tree.outer_iter().enumerate() {
        for &label in labels {
            sizes[level * n_items + label as usize] += 1;
        }
    }
}

/// Whether a set is a node of a tree.
fn is_clade(set: &[u32], tree: ArrayView2<'_, i32>, sizes: &[u32]) -> bool {
    let n_items = tree.ncols();
    set.len() == n_items
        || tree.outer_iter().enumerate().any(|(above, labels)| {
            let node = labels[set[0] as usize];
            // Sizes first: few nodes have the size of the set, so its items are seldom read.
            sizes[above * n_items + node as usize] as usize == set.len()
                && set.iter().all(|&item| labels[item as usize] == node)
        })
}

/// A node of a draw: its level, from 1, and its first item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    pub draw: usize,
    pub level: usize,
    pub item: usize,
}

/// The first occurrence of each clade that is in at least `min_draws` of the draws. The root is not a clade, and a
/// clade that is a node at several levels of a draw counts once there.
pub fn frequent_clades(trees: ArrayView3<'_, i32>, min_draws: u64) -> Vec<Occurrence> {
    let n_items = trees.dim().2;
    // A set is hashed to the sum of random numbers of its items: two among a billion sets collide with probability
    // 10⁻²¹.
    let mut rng = stream(0, Stream::Distribution);
    let codes: Vec<u128> = (0..n_items).map(|_| rng.random()).collect();
    let clades: Vec<Vec<(u128, usize, usize)>> =
        trees.axis_iter(Axis(0)).into_par_iter().map(|tree| hash_clades(tree, &codes)).collect();
    let mut counts: HashMap<u128, u64> = HashMap::new();
    let mut firsts = Vec::new();
    for (draw, clades) in clades.into_iter().enumerate() {
        for (hash, level, item) in clades {
            *counts.entry(hash).or_insert_with(|| {
                firsts.push((hash, Occurrence { draw, level, item }));
                0
            }) += 1;
        }
    }
    firsts.into_iter().filter(|(hash, _)| counts[hash] >= min_draws).map(|(_, first)| first).collect()
}

/// Hash, level and first item of each different clade of a draw.
fn hash_clades(tree: ArrayView2<'_, i32>, codes: &[u128]) -> Vec<(u128, usize, usize)> {
    let n_items = tree.ncols();
    let mut clades = Vec::new();
    // Hash, first item and size of each node of a level; the level above the first is the root.
    let mut above: Vec<(u128, usize, usize)> = vec![(0, 0, n_items)];
    for (level, labels) in tree.outer_iter().enumerate() {
        let mut nodes: Vec<(u128, usize, usize)> = Vec::new();
        for (item, &label) in labels.iter().enumerate() {
            // Labels are canonical: a new one is the number of nodes so far.
            if label as usize == nodes.len() {
                nodes.push((0, item, 0));
            }
            let (hash, _, size) = &mut nodes[label as usize];
            *hash = hash.wrapping_add(codes[item]);
            *size += 1;
        }
        for &(hash, item, size) in &nodes {
            let parent = if level == 0 { 0 } else { tree[(level - 1, item)] as usize };
            if size < above[parent].2 {
                clades.push((hash, level + 1, item));
            }
        }
        above = nodes;
    }
    clades
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn sets_are_counted() {
        // {0,1},{2,3} then {0},{1},{2,3}; one node, then {0,1},{2},{3}.
        let trees = array![[[0, 0, 1, 1], [0, 1, 2, 2]], [[0, 0, 0, 0], [0, 0, 1, 2]]];
        let sets = ItemSets { items: &[0, 1, 2, 3, 0, 1, 2, 3, 0, 2], ends: &[2, 4, 8, 10] };
        assert_eq!(count_clades(sets, trees.view()), [2, 1, 2, 0]);
    }

    #[test]
    fn a_clade_counts_once_in_each_draw() {
        let trees =
            array![[[0, 0, 1, 1], [0, 0, 1, 2]], [[0, 1, 2, 2], [0, 1, 2, 2]], [[0, 0, 0, 0], [0, 0, 1, 1]],];
        let firsts = |min_draws| -> Vec<(usize, usize, usize)> {
            let clades = frequent_clades(trees.view(), min_draws);
            clades.iter().map(|first| (first.draw, first.level, first.item)).collect()
        };
        // {0,1} in draws 0 and 2, {2,3} in all; {2} and {3} in draw 0, {0} and {1} in draw 1.
        assert_eq!(firsts(3), [(0, 1, 2)]);
        assert_eq!(firsts(2), [(0, 1, 0), (0, 1, 2)]);
        assert_eq!(firsts(1), [(0, 1, 0), (0, 1, 2), (0, 2, 2), (0, 2, 3), (1, 1, 0), (1, 1, 1)]);
        assert_eq!(firsts(4), []);
    }
}
