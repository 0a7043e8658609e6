//! How tight the nodes of draws are, and how far apart siblings: AID and AOD.

use ndarray::{ArrayView1, ArrayView2, ArrayView3, Axis};
use rayon::prelude::*;

/// Means over the nodes, and over the pairs of siblings, of a tree; NaN where there is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distances {
    /// The mean squared distance between two items of a node, 0 for a node of one item.
    pub inner: f64,
    /// The squared distance between the means of two siblings.
    pub outer: f64,
}

/// Which nodes count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counted {
    /// Those of one level, from 0 for the first below the root; of all levels where absent.
    pub level: Option<usize>,
    /// Only those of two items or more.
    pub pairs_only: bool,
}

/// Both for each tree (tree, level, item), with the items as rows of `x`.
pub fn distances(x: ArrayView2<'_, f64>, trees: ArrayView3<'_, i32>, counted: Counted) -> Vec<Distances> {
    trees.axis_iter(Axis(0)).into_par_iter().map(|tree| of_tree(x, tree, counted)).collect()
}

#[derive(Default)]
struct Mean {
    total: f64,
    n: f64,
}

impl Mean {
    fn add(&mut self, value: f64, n: f64) {
        self.total += value;
        self.n += n;
    }

    fn value(&self) -> f64 {
        if self.n == 0.0 { f64::NAN } else { self.total / self.n }
    }
}

fn of_tree(x: ArrayView2<'_, f64>, tree: ArrayView2<'_, i32>, counted: Counted) -> Distances {
    let (mut inner, mut outer) = (Mean::default(), Mean::default());
    for (level, labels) in tree.outer_iter().enumerate() {
        if counted.level.is_some_and(|only| only != level) {
            continue;
        }
        let nodes = Groups::new(x, labels);
        let counts = |size: f64| !counted.pairs_only || size > 1.0;
        for (squares, &size) in nodes.squares(x, labels).iter().zip(&nodes.sizes) {
            if counts(size) {
                // Σ over pairs of ‖x_i − x_j‖² is n times the squares around the mean.
                inner.add(2.0 * squares / (size - 1.0).max(1.0), 1.0);
            }
        }
        // So it is for the means of siblings: their rows, and their parents as labels.
        let mut parents = vec![0; nodes.sizes.len()];
        if level > 0 {
            for (&label, &parent) in labels.iter().zip(tree.row(level - 1)) {
                parents[label as usize] = parent;
            }
        }
        let of_node = nodes.centres.chunks_exact(x.ncols()).zip(&parents).zip(&nodes.sizes);
        let (mut centres, mut above) = (Vec::new(), Vec::new());
        for ((centre, &parent), _) in of_node.filter(|&(_, &size)| counts(size)) {
            centres.extend_from_slice(centre);
            above.push(parent);
        }
        let centres = ArrayView2::from_shape((above.len(), x.ncols()), &centres).expect("a row a node");
        let above = ArrayView1::from(&above);
        let siblings = Groups::new(centres, above);
        for (squares, &n) in siblings.squares(centres, above).iter().zip(&siblings.sizes) {
            outer.add(n * squares, 0.5 * n * (n - 1.0));
        }
    }
    Distances { inner: inner.value(), outer: outer.value() }
}

/// Rows of a table by label: how many, and their mean.
struct Groups {
    sizes: Vec<f64>,
    centres: Vec<f64>,
}

impl Groups {
    fn new(x: ArrayView2<'_, f64>, labels: ArrayView1<'_, i32>) -> Self {
        let n_dims = x.ncols();
        let n_groups = labels.iter().max().map_or(0, |&last| last as usize + 1);
        let mut groups = Self { sizes: vec![0.0; n_groups], centres: vec![0.0; n_groups * n_dims] };
        for (row, &label) in x.outer_iter().zip(labels) {
            groups.sizes[label as usize] += 1.0;
            for (sum, value) in groups.centres[label as usize * n_dims..].iter_mut().zip(row) {
                *sum += value;
            }
        }
        for (centre, size) in groups.centres.chunks_exact_mut(n_dims).zip(&groups.sizes) {
            centre.iter_mut().for_each(|sum| *sum /= size);
        }
        groups
    }

    /// Σ of squared distances from the mean.
    fn squares(&self, x: ArrayView2<'_, f64>, labels: ArrayView1<'_, i32>) -> Vec<f64> {
        let mut squares = vec![0.0; self.sizes.len()];
        for (row, &label) in x.outer_iter().zip(labels) {
            let centre = &self.centres[label as usize * x.ncols()..];
            squares[label as usize] += row.iter().zip(centre).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        }
        squares
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn distances_are_those_of_the_definition() {
        let x = array![[0.0], [1.0], [10.0], [14.0], [30.0]];
        // Level 1: {0,1}, {2,3,4}. Level 2: {0}, {1}, {2,3}, {4}.
        let trees = array![[[0, 0, 1, 1, 1], [0, 1, 2, 2, 3]], [[0, 0, 0, 0, 0], [0, 0, 0, 0, 0]]];
        let found = |level, pairs_only| distances(x.view(), trees.view(), Counted { level, pairs_only });
        let near = |got: f64, want: f64| assert!((got - want).abs() < 1e-9, "{got} against {want}");
        let first = (16.0 + 400.0 + 256.0) / 3.0;
        near(found(None, false)[0].inner, (1.0 + first + 0.0 + 0.0 + 16.0 + 0.0) / 6.0);
        near(found(None, false)[0].outer, (17.5_f64.powi(2) + 1.0 + 18.0_f64.powi(2)) / 3.0);
        near(found(Some(0), false)[0].inner, (1.0 + first) / 2.0);
        near(found(Some(1), false)[0].outer, (1.0 + 18.0_f64.powi(2)) / 2.0);
        near(found(None, true)[0].inner, (1.0 + first + 16.0) / 3.0);
        near(found(None, true)[0].outer, 17.5_f64.powi(2));
        assert!(found(Some(1), true)[0].outer.is_nan());
        assert!(found(None, false)[1].outer.is_nan());
    }
}
