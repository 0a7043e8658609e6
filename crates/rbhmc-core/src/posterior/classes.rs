//! How draws agree with known classes: the F-measure of each level, and dendrogram purity.

use ndarray::{ArrayView1, ArrayView2, ArrayView3, Axis};
use rayon::prelude::*;

use super::grouping::{in_order, sizes_of};

/// How a tree agrees with classes.
#[derive(Debug, Clone, PartialEq)]
pub struct Agreement {
    /// Σ_c n_c/N · max over nodes z of the level of 2 n_zc / (n_z + n_c), for each level.
    pub f_measure: Vec<f64>,
    /// The mean, over pairs of items of a class, of its share of the lowest node that holds both; NaN where no two
    /// items are of one class.
    pub purity: f64,
}

/// Both for each tree (tree, level, item). Classes are numbered from 0, below the number of items.
pub fn agreement(classes: ArrayView1<'_, i32>, trees: ArrayView3<'_, i32>) -> Vec<Agreement> {
    let of_class = sizes_of(classes);
    trees.axis_iter(Axis(0)).into_par_iter().map(|tree| of_tree(classes, &of_class, tree)).collect()
}

fn of_tree(classes: ArrayView1<'_, i32>, of_class: &[u32], tree: ArrayView2<'_, i32>) -> Agreement {
    let n_items = classes.len();
    let class = |item: usize| classes[item] as usize;
    let mut order = Vec::new();
    let mut counts = vec![0_u32; of_class.len()];
    // How many of an item's node are of its class, and what share of it, from the root down.
    let mut like: Vec<u32> = (0..n_items).map(|item| of_class[class(item)]).collect();
    let mut share: Vec<f64> = like.iter().map(|&n| f64::from(n) / n_items as f64).collect();
    let n_partners: f64 = like.iter().map(|&n| f64::from(n - 1)).sum();
    let (mut f_measure, mut total) = (Vec::new(), 0.0);
    for labels in tree.outer_iter() {
        in_order(labels, &mut order);
        let mut best = vec![0.0_f64; of_class.len()];
        for node in order.chunk_by(|&a, &b| labels[a] == labels[b]) {
            for &item in node {
                counts[class(item)] += 1;
            }
            for &item in node {
                let n = counts[class(item)];
                let f = f64::from(2 * n) / (node.len() as f64 + f64::from(of_class[class(item)]));
                best[class(item)] = best[class(item)].max(f);
                // Partners that are not in this node meet the item in the one above.
                total += f64::from(like[item] - n) * share[item];
                like[item] = n;
                share[item] = f64::from(n) / node.len() as f64;
            }
            for &item in node {
                counts[class(item)] = 0;
            }
        }
        let weighed = best.iter().zip(of_class).map(|(f, &n)| f * f64::from(n)).sum::<f64>();
        f_measure.push(weighed / n_items as f64);
    }
    total += like.iter().zip(&share).map(|(&n, share)| f64::from(n - 1) * share).sum::<f64>();
    Agreement { f_measure, purity: if n_partners == 0.0 { f64::NAN } else { (total / n_partners).min(1.0) } }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn agreement_is_that_of_the_definition() {
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
