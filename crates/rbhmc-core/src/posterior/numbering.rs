//! Draws of trees in one form: level by level, nodes numbered by first appearance.

use ndarray::{Array3, ArrayView2, ArrayView3, ArrayViewMut2, Axis};
use rayon::prelude::*;
use thiserror::Error;

/// What makes labels no tree, and in which draw.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Astray {
    #[error(
        "draw {draw}: item {item} has label {label} at level {level}; labels must be from 0 to {n_items} - 1"
    )]
    Label { draw: usize, item: usize, level: usize, label: i32, n_items: usize },

    #[error(
        "draw {draw}: items {first} and {item} share a node at level {level}, but not its parent; labels must be \
         unique within a level"
    )]
    Parents { draw: usize, first: usize, item: usize, level: usize },
}

/// Draws of shape (draw, item, level), with any labels below the number of items, as (draw, level, item) with
/// the nodes of a level numbered from 0 by first appearance. Messages count draws from `first` on, by
/// `step`.
pub fn numbered(paths: ArrayView3<'_, i32>, first: usize, step: usize) -> Result<Array3<i32>, Astray> {
    let (n_draws, n_items, n_levels) = paths.dim();
    let mut trees = Array3::zeros((n_draws, n_levels, n_items));
    let wrong: Vec<Option<Astray>> = trees
        .axis_iter_mut(Axis(0))
        .into_par_iter()
        .zip(paths.axis_iter(Axis(0)))
        .enumerate()
        .map_init(Vec::new, |firsts, (draw, (tree, path))| {
            number(path, tree, firsts, first + step * draw).err()
        })
        .collect();
    wrong.into_iter().flatten().next().map_or(Ok(trees), Err)
}

const NONE: usize = usize::MAX;

fn number(
    path: ArrayView2<'_, i32>,
    mut tree: ArrayViewMut2<'_, i32>,
    firsts: &mut Vec<usize>,
    draw: usize,
) -> Result<(), Astray> {
    let (n_items, n_levels) = path.dim();
    for level in 0..n_levels {
        // The first item of each label.
        firsts.clear();
        firsts.resize(n_items, NONE);
        let mut n_nodes = 0;
        for item in 0..n_items {
            let label = path[(item, level)];
            let Some(first) = usize::try_from(label).ok().and_then(|label| firsts.get_mut(label)) else {
                return Err(Astray::Label { draw, item, level: level + 1, label, n_items });
            };
            if *first == NONE {
                *first = item;
                tree[(level, item)] = n_nodes;
                n_nodes += 1;
            } else {
                tree[(level, item)] = tree[(level, *first)];
                if level > 0 && tree[(level - 1, item)] != tree[(level - 1, *first)] {
                    return Err(Astray::Parents { draw, first: *first, item, level: level + 1 });
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn nodes_are_numbered_by_first_appearance() {
        let paths = array![[[3, 1], [0, 3], [3, 0], [0, 3]], [[1, 1], [1, 1], [1, 1], [1, 0]]];
        let trees = numbered(paths.view(), 0, 1).unwrap();
        assert_eq!(trees, array![[[0, 1, 0, 1], [0, 1, 2, 1]], [[0, 0, 0, 0], [0, 0, 0, 1]]]);
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        let shared = array![[[0, 0], [0, 0]], [[0, 1], [1, 1]]];
        let expected = Astray::Parents { draw: 10, first: 0, item: 1, level: 2 };
        assert_eq!(numbered(shared.view(), 7, 3), Err(expected));
        for label in [-1, 2] {
            let paths = array![[[0, 0], [0, label]]];
            let expected = Astray::Label { draw: 0, item: 1, level: 2, label, n_items: 2 };
            assert_eq!(numbered(paths.view(), 0, 1), Err(expected));
        }
    }
}
