//! New items in a given tree: path probabilities and densities, averaged over draws of its parameters.
//!
//! The order of operations for an item does not depend on the other items or on the number of threads: its
//! probabilities are the same to the bit in any table.

mod draw;
mod lanes;
mod margins;

use ndarray::{ArrayView2, ArrayViewMut1, ArrayViewMut2, Axis};
use rayon::prelude::*;

pub use draw::Parameters;
use draw::{Draw, Workspace};
use lanes::{ITEMS, Items, ZERO};

use crate::error::{Error, Result};
use crate::kernels::paths::ncrp::reach_factor;
use crate::numerics::ln_sum_exp;

/// The nodes of a tree, the root first and parents before their children.
#[derive(Debug)]
pub struct Tree {
    parents: Vec<usize>,
    sizes: Vec<f64>,
    is_inner: Vec<bool>,
}

impl Tree {
    /// A tree from the parent of each node (not read for the root) and the number of its items.
    pub fn new(parents: &[i32], n_items: &[i32]) -> Result<Self> {
        if parents.is_empty() || parents.len() != n_items.len() || n_items.iter().any(|&n| n < 1) {
            return Err(Error::parameter(
                "n_items",
                format!("{n_items:?} for {} nodes", parents.len()),
                "1 or more for each of at least one node",
            ));
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
                _ => {
                    return Err(Error::parameter(
                        "parent",
                        format!("{parent} for node {node}"),
                        "an earlier node: parents come before their children",
                    ));
                }
            }
        }
        Ok(tree)
    }

    /// ln of the nCRP probability of a leaf, or of a new branch at an inner node.
    fn ln_prior(&self, alpha: f64) -> Vec<f64> {
        let mut ln_reach: Vec<f64> = Vec::with_capacity(self.parents.len());
        let mut ln_prior = Vec::with_capacity(self.parents.len());
        for (node, (&parent, &size)) in self.parents.iter().zip(&self.sizes).enumerate() {
            let above = if node == 0 { 0.0 } else { ln_reach[parent] };
            ln_reach.push(above + reach_factor(size, alpha, node == 0).ln());
            ln_prior.push(match (self.is_inner[node], node) {
                (true, _) => ln_reach[node] + alpha.ln(),
                (false, 0) => 0.0,
                (false, _) => above + size.ln(),
            });
        }
        ln_prior
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
    /// `columns` gives the column of the result to which each node adds its probability: a leaf that its path is
    /// taken, an inner node that a new branch starts there.
    pub fn new(tree: Tree, columns: &[usize], draws: &[Parameters<'_>], n_dims: usize) -> Result<Self> {
        if columns.len() != tree.parents.len() || draws.is_empty() {
            return Err(Error::parameter(
                "columns",
                format!(
                    "{} columns for {} nodes and {} draws",
                    columns.len(),
                    tree.parents.len(),
                    draws.len()
                ),
                "one for each node, with at least one draw",
            ));
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
            .for_each_init(Workspace::default, |workspace, (x, out)| self.place_block(x, out, workspace));
    }

    fn place_block(
        &self,
        x: ArrayView2<'_, f64>,
        mut out: ArrayViewMut2<'_, f64>,
        workspace: &mut Workspace,
    ) {
        let items = Items::new(x);
        let mut sums = vec![ZERO; self.columns.len()];
        for draw in &self.draws {
            draw::add_probabilities(draw, &self.tree, &items, workspace, &mut sums);
        }
        out.fill(0.0);
        for (item, mut out) in out.outer_iter_mut().enumerate() {
            for (&column, sums) in self.columns.iter().zip(&sums) {
                out[column] += sums[item] / self.draws.len() as f64;
            }
        }
    }

    /// Writes the log density of each item, averaged over the draws: ln (1/S Σ_s p_s(x)).
    pub fn ln_densities(&self, x: ArrayView2<'_, f64>, mut out: ArrayViewMut1<'_, f64>) {
        x.axis_iter(Axis(0)).into_par_iter().zip(out.axis_iter_mut(Axis(0))).for_each(|(x, mut out)| {
            let x = x.to_vec();
            let each: Vec<f64> = self.draws.iter().map(|draw| draw.ln_density(&x)).collect();
            out.fill(ln_sum_exp(each.iter().copied()) - (each.len() as f64).ln());
        });
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
    fn an_item_is_placed_alike_in_any_table() {
        // Distant items are placed by logarithms.
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
    fn the_paths_and_new_branches_have_probability_one() {
        let tree = Tree::new(&[-1, 0, 0, 1, 1, 2], &[7, 5, 2, 3, 2, 2]).unwrap();
        let root = Tree::new(&[-1], &[7]).unwrap();
        for (tree, alpha) in [(&tree, 1e-9), (&tree, 0.7), (&tree, 30.0), (&root, 0.7)] {
            let total: f64 = tree.ln_prior(alpha).iter().map(|ln_prior| ln_prior.exp()).sum();
            assert!((total - 1.0).abs() < 1e-12, "{total}");
        }
    }

    #[test]
    fn trees_and_draws_that_do_not_fit_are_refused() {
        assert!(Tree::new(&[-1, 0], &[2]).is_err());
        assert!(Tree::new(&[-1, 2, 0], &[2, 1, 1]).is_err());
        assert!(Tree::new(&[-1, 0], &[2, 0]).is_err());
        let tree = Tree::new(&[-1, 0], &[2, 2]).unwrap();
        assert!(Predictive::new(tree, &[0, 1], &[], 1).is_err());
    }
}
