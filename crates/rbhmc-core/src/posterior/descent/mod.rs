//! From a tree downhill to one of less expected loss, which need not be among the draws.

mod merging;
mod moving;
mod splitting;
mod state;

use ndarray::{Array2, ArrayView2, ArrayView3};

use super::loss::Loss;
use state::State;

/// What a move must save to be made; rounding stays far below it.
const LEAST: f64 = 1e-6;

/// A tree that becomes better move by move.
#[derive(Debug)]
pub struct Descent<'a>(State<'a>);

impl<'a> Descent<'a> {
    /// Starts from a tree (level, item), for the `counts` (level, item, item) that [`super::pairs`] explains.
    pub fn new(tree: ArrayView2<'_, i32>, counts: ArrayView3<'a, u32>, loss: Loss) -> Self {
        Self(State::new(tree, counts, loss))
    }

    /// Tries every move once, and makes those that save something; false where none did.
    ///
    /// - An item leaves its path for the best one, new branches included.
    /// - A node with all that is below it does so: to another parent at its level, or split off on a branch of its
    ///   own.
    /// - Two siblings become one.
    /// - A leaf becomes two.
    pub fn sweep(&mut self) -> bool {
        let state = &mut self.0;
        let mut moved = false;
        for item in 0..state.n_items() {
            moved |= moving::item(state, item);
        }
        for level in (2..=state.n_levels()).rev() {
            for node in state.nodes_at(level) {
                moved |= moving::node(state, node);
            }
        }
        for level in 0..state.n_levels() {
            for parent in state.nodes_at(level) {
                moved |= merging::children(state, parent);
            }
        }
        for leaf in state.nodes_at(state.n_levels()) {
            moved |= splitting::leaf(state, leaf);
        }
        moved
    }

    /// What the tree costs over all levels; as [`super::pairs::costs`].
    pub fn cost(&self) -> f64 {
        (1..=self.0.n_levels())
            .flat_map(|level| self.0.nodes_at(level))
            .map(|node| self.0.nodes[node].cost)
            .sum()
    }

    /// The tree (level, item), its nodes with numbers that mean nothing.
    pub fn tree(&self) -> Array2<i32> {
        let state = &self.0;
        Array2::from_shape_fn((state.n_levels(), state.n_items()), |(above, item)| {
            state.at[above + 1][item] as i32
        })
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array3, Axis, array};

    use super::super::pairs::{add_together, costs};
    use super::*;

    fn counted(draws: &Array3<i32>) -> Array3<u32> {
        let (_, n_levels, n_items) = draws.dim();
        let mut counts = Array3::zeros((n_levels, n_items, n_items));
        for level in 0..n_levels {
            add_together(draws.index_axis(Axis(1), level), counts.index_axis_mut(Axis(0), level));
        }
        counts
    }

    /// Draws that differ from one tree by an item or two each.
    fn noisy(n_draws: usize, n_items: usize) -> Array3<i32> {
        let mut draws = Array3::from_shape_fn((n_draws, 3, n_items), |(_, level, item)| match level {
            0 => (item % 2) as i32,
            1 => (item % 4) as i32,
            _ => (item % 8) as i32,
        });
        for draw in 0..n_draws {
            let item = (7 * draw) % n_items;
            let other = (item + 1 + draw % 7) % n_items;
            for level in draw % 3..3 {
                draws[(draw, level, item)] = (n_items - 1) as i32;
            }
            if draw % 2 == 0 {
                for level in 0..3 {
                    draws[(draw, level, item)] = draws[(draw, level, other)];
                }
            }
        }
        draws
    }

    /// The tree as a draw, with numbers below the number of items.
    fn compact(mut tree: Array2<i32>) -> Array3<i32> {
        for mut labels in tree.outer_iter_mut() {
            let known: Vec<i32> = labels.to_vec();
            labels.mapv_inplace(|label| known.iter().position(|&other| other == label).unwrap() as i32);
        }
        tree.insert_axis(Axis(0))
    }

    fn losses(n_draws: usize) -> [Loss; 2] {
        [Loss::Vi, Loss::Binder { n_draws: n_draws as f64 }]
    }

    #[test]
    fn the_cost_of_a_tree_is_followed_and_falls() {
        let draws = noisy(50, 40);
        let counts = counted(&draws);
        for loss in losses(50) {
            for start in draws.outer_iter() {
                let mut descent = Descent::new(start, counts.view(), loss);
                let mut before = descent.cost();
                while descent.sweep() {
                    assert!(descent.cost() < before);
                    before = descent.cost();
                    descent.0.check();
                }
                descent.0.check();
                let tree = compact(descent.tree());
                assert!((costs(tree.view(), counts.view(), loss)[0] - before).abs() < 1e-8);
            }
        }
    }

    #[test]
    fn the_tree_behind_the_draws_is_found_from_any_start() {
        let draws = noisy(200, 40);
        let counts = counted(&draws);
        let truth = Array3::from_shape_fn((1, 3, 40), |(_, level, item)| (item % (2 << level)) as i32);
        let starts = [
            Array2::zeros((3, 40)),
            Array2::from_shape_fn((3, 40), |(_, item)| item as i32),
            Array2::from_shape_fn((3, 40), |(_, item)| (item / 10) as i32),
        ];
        for loss in losses(200) {
            let least = costs(truth.view(), counts.view(), loss)[0];
            for start in &starts {
                let mut descent = Descent::new(start.view(), counts.view(), loss);
                while descent.sweep() {}
                assert!(descent.cost() <= least + 1e-9, "{} against {least}, {loss:?}", descent.cost());
            }
        }
    }

    #[test]
    fn a_subtree_moves_and_a_chain_merges() {
        // Items 0 to 3 stand under the wrong parent: no single item gains by moving.
        let truth = array![[[0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 2]]];
        let start = array![[1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 2]];
        let apart = array![[0, 0, 2, 2, 0, 0, 1, 1, 1, 1, 1], [0, 0, 3, 3, 1, 1, 2, 2, 2, 2, 2]];
        let counts = counted(&truth);
        for loss in losses(1) {
            let least = costs(truth.view(), counts.view(), loss)[0];
            for start in [&start, &apart] {
                let mut descent = Descent::new(start.view(), counts.view(), loss);
                while descent.sweep() {}
                assert_eq!(descent.cost(), least);
            }
        }
    }
}
