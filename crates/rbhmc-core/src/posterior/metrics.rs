//! Metrics of trees: AID and AOD by the items' distances, the F-measure and dendrogram purity by known classes.

use ndarray::{ArrayView1, ArrayView2, ArrayView3, Axis};
use rayon::prelude::*;

use super::groups::{Groups, group_sizes};

/// AID and AOD of a tree; NaN if there is no node, or no pair of siblings, to average over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distances {
    /// The mean over nodes of the mean squared distance between two of their items, 0 for a node of one item.
    pub inner: f64,
    /// The mean over pairs of siblings of the squared distance between their means.
    pub outer: f64,
}

/// The nodes that are averaged over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NodeFilter {
    /// Only the nodes of one level, 0 for the first below the root.
    pub level: Option<usize>,
    /// Only nodes of two items or more.
    pub skip_singletons: bool,
}

/// AID and AOD of each tree (tree, level, item); the items are rows of `x`.
pub fn distances(x: ArrayView2<'_, f64>, trees: ArrayView3<'_, i32>, filter: NodeFilter) -> Vec<Distances> {
    trees.axis_iter(Axis(0)).into_par_iter().map(|tree| distances_of_tree(x, tree, filter)).collect()
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

fn distances_of_tree(x: ArrayView2<'_, f64>, tree: ArrayView2<'_, i32>, filter: NodeFilter) -> Distances {
    let (mut inner, mut outer) = (Mean::default(), Mean::default());
    for (level, labels) in tree.outer_iter().enumerate() {
        if filter.level.is_some_and(|only| only != level) {
            continue;
        }
        let nodes = Centres::new(x, labels);
        let counts = |size: f64| !filter.skip_singletons || size > 1.0;
        for (squares, &size) in nodes.squares(x, labels).iter().zip(&nodes.sizes) {
            if counts(size) {
                // Σ over pairs of ‖x_i − x_j‖² is n times the sum of squares around the mean.
                inner.add(2.0 * squares / (size - 1.0).max(1.0), 1.0);
            }
        }
        // The same identity for the means of siblings, grouped by parent.
        let mut parents = vec![0; nodes.sizes.len()];
        if level > 0 {
            for (&label, &parent) in labels.iter().zip(tree.row(level - 1)) {
                parents[label as usize] = parent;
            }
        }
        let (mut centres, mut above) = (Vec::new(), Vec::new());
        let each = nodes.centres.chunks_exact(x.ncols()).zip(&parents).zip(&nodes.sizes);
        for ((centre, &parent), _) in each.filter(|&(_, &size)| counts(size)) {
            centres.extend_from_slice(centre);
            above.push(parent);
        }
        let centres =
            ArrayView2::from_shape((above.len(), x.ncols()), &centres).expect("one row for each node");
        let above = ArrayView1::from(&above);
        let siblings = Centres::new(centres, above);
        for (squares, &n) in siblings.squares(centres, above).iter().zip(&siblings.sizes) {
            outer.add(n * squares, 0.5 * n * (n - 1.0));
        }
    }
    Distances { inner: inner.value(), outer: outer.value() }
}

/// The rows of a table with each label: their number and their mean.
struct Centres {
    sizes: Vec<f64>,
    centres: Vec<f64>,
}

impl Centres {
    fn new(x: ArrayView2<'_, f64>, labels: ArrayView1<'_, i32>) -> Self {
        let n_dims = x.ncols();
        let sizes: Vec<f64> = group_sizes(labels).into_iter().map(f64::from).collect();
        let mut centres = vec![0.0; sizes.len() * n_dims];
        for (row, &label) in x.outer_iter().zip(labels) {
            for (sum, value) in centres[label as usize * n_dims..].iter_mut().zip(row) {
                *sum += value;
            }
        }
        for (centre, size) in centres.chunks_exact_mut(n_dims).zip(&sizes) {
            centre.iter_mut().for_each(|sum| *sum /= size);
        }
        Self { sizes, centres }
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

/// How well a tree agrees with known classes.
#[derive(Debug, Clone, PartialEq)]
pub struct Agreement {
    /// Σ_c n_c/N · max over nodes z of the level of 2 n_zc / (n_z + n_c), for each level.
    pub f_measure: Vec<f64>,
    /// Dendrogram purity: the mean, over pairs of items of one class, of the share of that class in the lowest node
    /// that holds both; NaN if no two items are of one class.
    pub purity: f64,
}

/// The agreement of each tree (tree, level, item). Classes are numbered from 0, below the number of items.
pub fn agreement(classes: ArrayView1<'_, i32>, trees: ArrayView3<'_, i32>) -> Vec<Agreement> {
    let class_sizes = group_sizes(classes);
    trees
        .axis_iter(Axis(0))
        .into_par_iter()
        .map(|tree| agreement_of_tree(classes, &class_sizes, tree))
        .collect()
}

fn agreement_of_tree(
    classes: ArrayView1<'_, i32>,
    class_sizes: &[u32],
    tree: ArrayView2<'_, i32>,
) -> Agreement {
    let n_items = classes.len();
    let class = |item: usize| classes[item] as usize;
    let mut groups = Groups::default();
    let mut counts = vec![0_u32; class_sizes.len()];
    // The number and the share of items of its class in each item's node, from the root down.
    let mut alike: Vec<u32> = (0..n_items).map(|item| class_sizes[class(item)]).collect();
    let mut share: Vec<f64> = alike.iter().map(|&n| f64::from(n) / n_items as f64).collect();
    let n_partners: f64 = alike.iter().map(|&n| f64::from(n - 1)).sum();
    let (mut f_measure, mut total) = (Vec::new(), 0.0);
    for labels in tree.outer_iter() {
        groups.fill(labels);
        let mut best = vec![0.0_f64; class_sizes.len()];
        for node in groups.iter() {
            for &item in node {
                counts[class(item)] += 1;
            }
            for &item in node {
                let n = counts[class(item)];
                let f = f64::from(2 * n) / (node.len() as f64 + f64::from(class_sizes[class(item)]));
                best[class(item)] = best[class(item)].max(f);
                // Partners that are not in this node meet the item in the node above.
                total += f64::from(alike[item] - n) * share[item];
                alike[item] = n;
                share[item] = f64::from(n) / node.len() as f64;
            }
            for &item in node {
                counts[class(item)] = 0;
            }
        }
        let weighted = best.iter().zip(class_sizes).map(|(f, &n)| f * f64::from(n)).sum::<f64>();
        f_measure.push(weighted / n_items as f64);
    }
    total += alike.iter().zip(&share).map(|(&n, share)| f64::from(n - 1) * share).sum::<f64>();
    Agreement { f_measure, purity: if n_partners == 0.0 { f64::NAN } else { (total / n_partners).min(1.0) } }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn distances_are_their_definitions() {
        let x = array![[0.0], [1.0], [10.0], [14.0], [30.0]];
        // Level 1: {0,1}, {2,3,4}. Level 2: {0}, {1}, {2,3}, {4}.
        let trees = array![[[0, 0, 1, 1, 1], [0, 1, 2, 2, 3]], [[0, 0, 0, 0, 0], [0, 0, 0, 0, 0]]];
        let found =
            |level, skip_singletons| distances(x.view(), trees.view(), NodeFilter { level, skip_singletons });
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

    #[test]
    fn agreement_is_its_definition() {
        let trees = array![[[0, 0, 0, 1, 1], [0, 0, 1, 2, 2]]];
        let found = agreement(array![0, 0, 1, 2, 2].view(), trees.view());
        // Level 1: F1 of the classes 4/5, 2/4 and 1.
        assert!((found[0].f_measure[0] - (2.0 * 0.8 + 0.5 + 2.0) / 5.0).abs() < 1e-12);
        assert_eq!(found[0].f_measure[1], 1.0);
        assert_eq!(found[0].purity, 1.0);
        let mixed = agreement(array![0, 0, 1, 1, 0].view(), trees.view());
        // Pairs of class 0: {0,1} pure, {0,4} and {1,4} at the root, 3/5; of class 1: {2,3} at the root, 2/5.
        assert!((mixed[0].purity - (1.0 + 0.6 + 0.6 + 0.4) / 4.0).abs() < 1e-12);
        let different = agreement(array![0, 1, 2, 3, 4].view(), trees.view());
        assert!(different[0].purity.is_nan());
    }
}
