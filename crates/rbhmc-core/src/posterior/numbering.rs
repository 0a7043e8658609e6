//! Draws of trees in one form: level by level, nodes numbered by first appearance.

use std::collections::HashMap;

use ndarray::{Array3, ArrayView2, ArrayView3, ArrayViewMut2, Axis};
use rayon::prelude::*;
use thiserror::Error;

/// What makes labels no tree, and in which draw.
#[derive(Debug, Clone, PartialEq, Error)]
#[error(
    "items {first} and {item} share node {label} at level {level} but not its parent; labels must be unique within a \
     level"
)]
pub struct Astray {
    pub draw: usize,
    pub first: usize,
    pub item: usize,
    pub level: usize,
    pub label: i64,
}

/// Draws of shape (draw, item, level), with any labels, as (draw, level, item) with the nodes of a level numbered from
/// 0 by first appearance.
pub fn numbered(paths: ArrayView3<'_, i64>) -> Result<Array3<i32>, Astray> {
    let (n_draws, n_items, n_levels) = paths.dim();
    let mut trees = Array3::zeros((n_draws, n_levels, n_items));
    let wrong: Vec<Option<Astray>> = trees
        .axis_iter_mut(Axis(0))
        .into_par_iter()
        .zip(paths.axis_iter(Axis(0)))
        .enumerate()
        .map_init(Firsts::default, |firsts, (draw, (tree, path))| number(path, tree, firsts, draw).err())
        .collect();
    wrong.into_iter().flatten().next().map_or(Ok(trees), Err)
}

fn number(
    path: ArrayView2<'_, i64>,
    mut tree: ArrayViewMut2<'_, i32>,
    firsts: &mut Firsts,
    draw: usize,
) -> Result<(), Astray> {
    let (n_items, n_levels) = path.dim();
    for level in 0..n_levels {
        firsts.clear(n_items);
        let mut n_nodes = 0;
        for item in 0..n_items {
            let label = path[(item, level)];
            let first = firsts.of(label, item);
            if first == item {
                tree[(level, item)] = n_nodes;
                n_nodes += 1;
            } else {
                tree[(level, item)] = tree[(level, first)];
                if level > 0 && tree[(level - 1, item)] != tree[(level - 1, first)] {
                    return Err(Astray { draw, first, item, level: level + 1, label });
                }
            }
        }
    }
    Ok(())
}

/// The first item of each label: of those below the number of items in a row, of others, which are rare, in a map.
#[derive(Default)]
struct Firsts {
    low: Vec<usize>,
    others: HashMap<i64, usize>,
}

const NONE: usize = usize::MAX;

impl Firsts {
    fn clear(&mut self, n_items: usize) {
        self.low.clear();
        self.low.resize(n_items, NONE);
        self.others.clear();
    }

    /// The first item that has a label: this one, if none had it before.
    fn of(&mut self, label: i64, item: usize) -> usize {
        match usize::try_from(label).ok().and_then(|label| self.low.get_mut(label)) {
            Some(first) => {
                if *first == NONE {
                    *first = item;
                }
                *first
            }
            None => *self.others.entry(label).or_insert(item),
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn nodes_are_numbered_by_first_appearance() {
        let paths = array![[[3, 1], [0, 3], [3, 0], [0, 3]], [[1, 1], [1, 1], [1, 1], [1, 0]]];
        let trees = numbered(paths.view()).unwrap();
        assert_eq!(trees, array![[[0, 1, 0, 1], [0, 1, 2, 1]], [[0, 0, 0, 0], [0, 0, 0, 1]]]);
    }

    #[test]
    fn labels_may_be_any_numbers() {
        let paths = array![[[-7, 1], [i64::MAX, 4], [-7, i64::MIN], [i64::MAX, 4], [2, 5]]];
        assert_eq!(numbered(paths.view()).unwrap(), array![[[0, 1, 0, 1, 2], [0, 1, 2, 1, 3]]]);
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        let shared = array![[[0, 0], [0, 0]], [[0, 9], [1, 9]]];
        let expected = Astray { draw: 1, first: 0, item: 1, level: 2, label: 9 };
        assert_eq!(numbered(shared.view()), Err(expected));
    }
}
