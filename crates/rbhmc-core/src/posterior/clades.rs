//! The different sets of items that are nodes of draws, and those that are so in many.

use std::collections::HashMap;

use ndarray::{ArrayView2, ArrayView3, Axis};
use rand::RngExt;
use rayon::prelude::*;

use crate::rng::{Stream, stream};

/// A node of a draw: its level, from 1, and its first item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub draw: usize,
    pub level: usize,
    pub item: usize,
}

/// Where each clade that is in at least `least` of the draws is first seen, in that order. The root is no clade,
/// and a clade that has several levels of a draw to itself counts once there.
pub fn frequent(trees: ArrayView3<'_, i32>, least: u64) -> Vec<Place> {
    let n_items = trees.dim().2;
    // A set is known by the sum of its items' numbers: two among a billion sets agree with probability 10⁻²¹.
    let mut rng = stream(0, Stream::Distribution);
    let numbers: Vec<u128> = (0..n_items).map(|_| rng.random()).collect();
    let seen: Vec<Vec<(u128, usize, usize)>> =
        trees.axis_iter(Axis(0)).into_par_iter().map(|tree| clades(tree, &numbers)).collect();
    let mut counts: HashMap<u128, u64> = HashMap::new();
    let mut places = Vec::new();
    for (draw, clades) in seen.into_iter().enumerate() {
        for (sum, level, item) in clades {
            *counts.entry(sum).or_insert_with(|| {
                places.push((sum, Place { draw, level, item }));
                0
            }) += 1;
        }
    }
    places.into_iter().filter(|(sum, _)| counts[sum] >= least).map(|(_, place)| place).collect()
}

/// Sum, level and first item of each different clade of a draw.
fn clades(tree: ArrayView2<'_, i32>, numbers: &[u128]) -> Vec<(u128, usize, usize)> {
    let n_items = tree.ncols();
    let mut found = Vec::new();
    // Sum, first item and size of each node of a level; the level above starts as the root.
    let mut above: Vec<(u128, usize, usize)> = vec![(0, 0, n_items)];
    for (level, labels) in tree.outer_iter().enumerate() {
        let mut nodes: Vec<(u128, usize, usize)> = Vec::new();
        for (item, &label) in labels.iter().enumerate() {
            // Numbered by first appearance: a node is met before those with higher numbers.
            if label as usize == nodes.len() {
                nodes.push((0, item, 0));
            }
            let (sum, _, size) = &mut nodes[label as usize];
            *sum = sum.wrapping_add(numbers[item]);
            *size += 1;
        }
        for &(sum, item, size) in &nodes {
            let parent = if level == 0 { 0 } else { tree[(level - 1, item)] as usize };
            if size < above[parent].2 {
                found.push((sum, level + 1, item));
            }
        }
        above = nodes;
    }
    found
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn clades_are_counted_once_a_draw() {
        let trees =
            array![[[0, 0, 1, 1], [0, 0, 1, 2]], [[0, 1, 2, 2], [0, 1, 2, 2]], [[0, 0, 0, 0], [0, 0, 1, 1]],];
        let places = |least| -> Vec<(usize, usize, usize)> {
            frequent(trees.view(), least).iter().map(|place| (place.draw, place.level, place.item)).collect()
        };
        // {0,1} in draws 0 and 2, {2,3} in all; {2} and {3} in draw 0, {0} and {1} in draw 1.
        assert_eq!(places(3), [(0, 1, 2)]);
        assert_eq!(places(2), [(0, 1, 0), (0, 1, 2)]);
        assert_eq!(places(1), [(0, 1, 0), (0, 1, 2), (0, 2, 2), (0, 2, 3), (1, 1, 0), (1, 1, 1)]);
        assert_eq!(places(4), []);
    }
}
