//! Sets of items, one after the other, and how often each is a node of a draw.

use ndarray::{ArrayView2, ArrayView3, Axis};
use rayon::prelude::*;

/// Sets of items, none of them empty: `items` in a row, and where each set ends.
#[derive(Debug, Clone, Copy)]
pub struct Sets<'a> {
    pub items: &'a [u32],
    pub ends: &'a [usize],
}

impl<'a> Sets<'a> {
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

/// In how many draws a set is exactly a node: at any level, and at one of its own levels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    pub anywhere: u64,
    pub at_level: u64,
}

/// Counts each set over the draws. `spans` are the first and the last of its own levels; the root is level 0.
pub fn counts(sets: Sets<'_>, spans: &[(usize, usize)], trees: ArrayView3<'_, i32>) -> Vec<Count> {
    let none = || vec![Count::default(); sets.len()];
    trees
        .axis_iter(Axis(0))
        .into_par_iter()
        .fold(
            || (none(), Vec::new()),
            |(mut counts, mut sizes), tree| {
                node_sizes(tree, &mut sizes);
                for ((count, set), &span) in counts.iter_mut().zip(sets.iter()).zip(spans) {
                    let (anywhere, at_level) = found(set, span, tree, &sizes);
                    count.anywhere += u64::from(anywhere);
                    count.at_level += u64::from(at_level);
                }
                (counts, sizes)
            },
        )
        .map(|(counts, _)| counts)
        .reduce(none, |mut left, right| {
            for (count, more) in left.iter_mut().zip(right) {
                count.anywhere += more.anywhere;
                count.at_level += more.at_level;
            }
            left
        })
}

/// The number of items of each node: of (level, node) at `level * n_items + node`.
pub(super) fn node_sizes(tree: ArrayView2<'_, i32>, sizes: &mut Vec<u32>) {
    let (n_levels, n_items) = tree.dim();
    sizes.clear();
    sizes.resize(n_levels * n_items, 0);
    for (level, labels) in tree.outer_iter().enumerate() {
        for &label in labels {
            sizes[level * n_items + label as usize] += 1;
        }
    }
}

fn found(set: &[u32], (from, to): (usize, usize), tree: ArrayView2<'_, i32>, sizes: &[u32]) -> (bool, bool) {
    let n_items = tree.ncols();
    let root = set.len() == n_items;
    let mut found = (root, root && from == 0);
    for (above, labels) in tree.outer_iter().enumerate() {
        let node = labels[set[0] as usize];
        // Few nodes have the size of the set, so that its items are seldom looked at.
        if sizes[above * n_items + node as usize] as usize == set.len()
            && set.iter().all(|&item| labels[item as usize] == node)
        {
            found.0 = true;
            found.1 |= (from..=to).contains(&(above + 1));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn a_set_is_found_at_its_levels() {
        // {0,1},{2,3} then {0},{1},{2,3}; one node, then {0,1},{2},{3}.
        let trees = array![[[0, 0, 1, 1], [0, 1, 2, 2]], [[0, 0, 0, 0], [0, 0, 1, 2]]];
        let sets = Sets { items: &[0, 1, 2, 3, 0, 1, 2, 3, 0, 2], ends: &[2, 4, 8, 10] };
        let spans = [(1, 1), (1, 2), (0, 0), (1, 2)];
        let expected = [(2, 1), (1, 1), (2, 2), (0, 0)];
        let expected = expected.map(|(anywhere, at_level)| Count { anywhere, at_level });
        assert_eq!(counts(sets, &spans, trees.view()), expected);
    }
}
