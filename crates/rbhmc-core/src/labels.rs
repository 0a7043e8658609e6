//! Canonical labels: the nodes of a level are numbered 0, 1, … in the order in which they first appear.

use std::collections::HashMap;

use ndarray::{Array3, ArrayView2, ArrayView3, ArrayViewMut2, Axis};
use rayon::prelude::*;
use thiserror::Error;

/// Two items that share a node, but not its parent.
#[derive(Debug, Clone, PartialEq, Error)]
#[error(
    "items {first} and {item} share node {label} at level {level} but not its parent at level {}; in a tree, \
     labels are unique within a level",
    level - 1
)]
pub struct NotATree {
    pub draw: usize,
    pub first: usize,
    pub item: usize,
    pub level: usize,
    pub label: i64,
}

/// Turns paths (draw, item, level) with any labels into trees (draw, level, item) with canonical labels: equal trees
/// are then equal arrays.
pub fn canonical_labels(paths: ArrayView3<'_, i64>) -> Result<Array3<i32>, NotATree> {
    let (n_draws, n_items, n_levels) = paths.dim();
    let mut trees = Array3::zeros((n_draws, n_levels, n_items));
    let errors: Vec<Option<NotATree>> = trees
        .axis_iter_mut(Axis(0))
        .into_par_iter()
        .zip(paths.axis_iter(Axis(0)))
        .enumerate()
        .map_init(FirstAppearance::default, |numbers, (draw, (tree, path))| {
            relabel_tree(path, tree, numbers, draw).err()
        })
        .collect();
    errors.into_iter().flatten().next().map_or(Ok(trees), Err)
}

fn relabel_tree(
    path: ArrayView2<'_, i64>,
    mut tree: ArrayViewMut2<'_, i32>,
    numbers: &mut FirstAppearance,
    draw: usize,
) -> Result<(), NotATree> {
    let (n_items, n_levels) = path.dim();
    let mut firsts = Vec::new();
    for level in 0..n_levels {
        numbers.clear(n_items);
        firsts.clear();
        for item in 0..n_items {
            let label = path[(item, level)];
            let number = numbers.number(label);
            tree[(level, item)] = number;
            if number as usize == firsts.len() {
                firsts.push(item);
            }
            let first = firsts[number as usize];
            if level > 0 && tree[(level - 1, item)] != tree[(level - 1, first)] {
                return Err(NotATree { draw, first, item, level: level + 1, label });
            }
        }
    }
    Ok(())
}

/// Numbers labels 0, 1, … in the order in which they first appear.
#[derive(Debug, Clone, Default)]
pub(crate) struct FirstAppearance {
    n_labels: i32,
    /// The numbers of the labels from 0 to `n_dense` − 1; −1 for a label that has not appeared.
    dense: Vec<i32>,
    /// The numbers of all other labels, which are rare.
    sparse: HashMap<i64, i32>,
}

impl FirstAppearance {
    /// Forgets all labels, and makes room for those below `n_dense`.
    pub(crate) fn clear(&mut self, n_dense: usize) {
        self.n_labels = 0;
        self.dense.clear();
        self.dense.resize(n_dense, -1);
        self.sparse.clear();
    }

    pub(crate) fn number(&mut self, label: i64) -> i32 {
        let dense = usize::try_from(label).ok().and_then(|label| self.dense.get_mut(label));
        let number = dense.unwrap_or_else(|| self.sparse.entry(label).or_insert(-1));
        if *number < 0 {
            *number = self.n_labels;
            self.n_labels += 1;
        }
        *number
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn nodes_are_numbered_by_first_appearance() {
        let paths = array![[[3, 1], [0, 3], [3, 0], [0, 3]], [[1, 1], [1, 1], [1, 1], [1, 0]]];
        let trees = canonical_labels(paths.view()).unwrap();
        assert_eq!(trees, array![[[0, 1, 0, 1], [0, 1, 2, 1]], [[0, 0, 0, 0], [0, 0, 0, 1]]]);
    }

    #[test]
    fn labels_may_be_any_integers() {
        let paths = array![[[-7, 1], [i64::MAX, 4], [-7, i64::MIN], [i64::MAX, 4], [2, 5]]];
        assert_eq!(canonical_labels(paths.view()).unwrap(), array![[[0, 1, 0, 1, 2], [0, 1, 2, 1, 3]]]);
    }

    #[test]
    fn a_node_with_two_parents_is_refused() {
        let shared = array![[[0, 0], [0, 0]], [[0, 9], [1, 9]]];
        let expected = NotATree { draw: 1, first: 0, item: 1, level: 2, label: 9 };
        assert_eq!(canonical_labels(shared.view()), Err(expected));
    }
}
