//! Where new items go in a given tree: path probabilities averaged over draws of its parameters.
//!
//! An item's probabilities are computed by themselves, in an order of their own: they are the same to the bit whatever
//! other items there are, and for any number of threads.

mod draw;
mod factors;
mod items;
mod lanes;
mod margins;

use ndarray::{ArrayView2, ArrayViewMut2, Axis};
use rayon::prelude::*;

pub use draw::Parameters;
use draw::{Draw, Work};
use items::Items;
use lanes::{ITEMS, ZERO};

use crate::error::{Error, Result};

/// A tree by its nodes, parents before their children, the root first.
#[derive(Debug)]
pub struct Tree {
    parents: Vec<usize>,
    sizes: Vec<f64>,
    is_inner: Vec<bool>,
}

impl Tree {
    /// Of the parent of each node (not read for the root), and the number of its items.
    pub fn new(parents: &[i32], n_items: &[i32]) -> Result<Self> {
        let wrong = |expected| Err(Error::parameter("the tree", "no tree", expected));
        if parents.is_empty() || parents.len() != n_items.len() || n_items.iter().any(|&n| n < 1) {
            return wrong("of one node at least, each with a parent and one item or more");
        }
        let mut tree = Self {
            parents: vec![0; parents.len()],
            sizes: n_items.iter().map(|&n| f64::from(n)).collect(),
            is_inner: vec![false; parents.len()],
        };
        for (node, &parent) in parents.iter().enumerate().skip(1) {
            match usize::try_from(parent) {
                Ok(parent) if parent < node => {
                    tree.parents[node] = parent;
                    tree.is_inner[parent] = true;
                }
                _ => return wrong("in an order in which parents come before their children"),
            }
        }
        Ok(tree)
    }

    /// ln of the nCRP probability of a leaf, or of a new branch at an inner node.
    fn ln_prior(&self, alpha: f64) -> Vec<f64> {
        let mut reach = vec![0.0; self.parents.len()];
        for node in 1..reach.len() {
            let parent = self.parents[node];
            reach[node] = reach[parent] + (self.sizes[node] / (self.sizes[parent] + alpha)).ln();
        }
        let here =
            |node: usize| if self.is_inner[node] { (alpha / (self.sizes[node] + alpha)).ln() } else { 0.0 };
        reach.iter().enumerate().map(|(node, reach)| reach + here(node)).collect()
    }
}

/// A tree and draws of its parameters.
#[derive(Debug)]
pub struct Predictive {
    tree: Tree,
    draws: Vec<Draw>,
    columns: Vec<usize>,
    n_dims: usize,
}

impl Predictive {
    /// `columns` says in which column of the answer the probability of each node goes: a leaf's is that of its path, an
    /// inner node's that of a new branch there.
    pub fn new(tree: Tree, columns: &[usize], draws: &[Parameters<'_>], n_dims: usize) -> Result<Self> {
        if columns.len() != tree.parents.len() || draws.is_empty() {
            let expected = "a column for each node, and one draw at least";
            return Err(Error::parameter("the columns or the draws", "missing", expected));
        }
        let draws = draws.iter().map(|given| Draw::new(&tree, given, n_dims)).collect::<Result<_>>()?;
        Ok(Self { tree, draws, columns: columns.to_vec(), n_dims })
    }

    pub fn n_dims(&self) -> usize {
        self.n_dims
    }

    pub fn n_columns(&self) -> usize {
        self.columns.iter().max().map_or(0, |&last| last + 1)
    }

    /// Writes the probabilities (item, column) of items (item, dimension).
    pub fn probabilities(&self, x: ArrayView2<'_, f64>, mut out: ArrayViewMut2<'_, f64>) {
        x.axis_chunks_iter(Axis(0), ITEMS)
            .into_par_iter()
            .zip(out.axis_chunks_iter_mut(Axis(0), ITEMS))
            .for_each_init(Work::default, |work, (x, out)| self.block(x, out, work));
    }

    fn block(&self, x: ArrayView2<'_, f64>, mut out: ArrayViewMut2<'_, f64>, work: &mut Work) {
        let items = Items::new(x);
        let mut sums = vec![ZERO; self.columns.len()];
        for draw in &self.draws {
            draw::add(draw, &self.tree, &items, work, &mut sums);
        }
        out.fill(0.0);
        for (item, mut out) in out.outer_iter_mut().enumerate() {
            for (&column, sums) in self.columns.iter().zip(&sums) {
                out[column] += sums[item] / self.draws.len() as f64;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array, s};

    use super::*;
    use crate::config::{Config, Covariance};

    /// The root, two inner nodes, three leaves, and two draws.
    fn example(discriminants: bool) -> Predictive {
        let tree = Tree::new(&[-1, 0, 0, 1, 1, 2], &[7, 5, 2, 3, 2, 2]).unwrap();
        let config = Config {
            noise_cov: Covariance::Full(array![[0.8, 0.2], [0.2, 0.5]]),
            base_cov: Covariance::Scalar(4.0),
            ..Config::default()
        };
        let weights = Array2::from_shape_fn((6, 3), |(node, k)| [0.2, 0.5, 0.3][(node + k) % 3]);
        let means = array![[0.0, 1.0], [4.0, -2.0]];
        let eta = Array2::from_shape_fn((6, 2), |(node, d)| (node as f64 - 2.5) * (d as f64 - 0.3));
        let draw = |alpha| Parameters {
            config: Config { alpha, ..config.clone() },
            weights: weights.view(),
            means: means.view(),
            discriminants: discriminants.then_some(eta.view()),
        };
        Predictive::new(tree, &[3, 4, 4, 0, 1, 2], &[draw(0.3), draw(1.1)], 2).unwrap()
    }

    fn placed(predictive: &Predictive, x: ArrayView2<'_, f64>) -> Array2<f64> {
        let mut out = Array2::from_elem((x.nrows(), predictive.n_columns()), f64::NAN);
        predictive.probabilities(x, out.view_mut());
        out
    }

    #[test]
    fn an_item_is_placed_alike_in_any_company() {
        // Far ones take the way of logarithms.
        let x = Array2::from_shape_fn((ITEMS + 9, 2), |(n, d)| {
            let far = if n % 7 == 0 { 1e6 } else { 1.0 };
            far * ((n * 37 + d * 11) % 23) as f64 / 3.0 - 2.0
        });
        for discriminants in [false, true] {
            let predictive = example(discriminants);
            let together = placed(&predictive, x.view());
            for (row, total) in together.sum_axis(Axis(1)).iter().enumerate() {
                assert!((total - 1.0).abs() < 1e-12, "row {row}: {total}");
            }
            for size in [1, 5, ITEMS, ITEMS + 1] {
                for start in (0..x.nrows()).step_by(size) {
                    let rows = start..x.nrows().min(start + size);
                    let alone = placed(&predictive, x.slice(s![rows.clone(), ..]));
                    assert_eq!(alone, together.slice(s![rows, ..]));
                }
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(Tree::new(&[-1, 0], &[2]).is_err());
        assert!(Tree::new(&[-1, 2, 0], &[2, 1, 1]).is_err());
        assert!(Tree::new(&[-1, 0], &[2, 0]).is_err());
        let tree = Tree::new(&[-1, 0], &[2, 2]).unwrap();
        assert!(Predictive::new(tree, &[0, 1], &[], 1).is_err());
    }
}
