//! Summaries of draws of trees. Trees are arrays (tree, level, item) of canonical labels.

use ndarray::{Array2, ArrayView2, ArrayView3, Axis};
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArray3, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3,
    PyReadwriteArray2, PyReadwriteArray3, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use rbhmc_core::labels;
use rbhmc_core::posterior::clades::{self, ItemSets};
use rbhmc_core::posterior::coclustering::{self, Loss};
use rbhmc_core::posterior::hierarchy::Hierarchy;
use rbhmc_core::posterior::metrics::{self, NodeFilter};
use rbhmc_core::posterior::node_similarity::{self, SampleTree};
use rbhmc_core::posterior::partitions::{Measure, Partitions};
use rbhmc_core::posterior::{cut, jaccard, linkage, transfer};

use crate::errors::InvalidInput;
use crate::interrupt::interruptible;
use crate::threads::detach;

type Pair<'py, A, B> = (Bound<'py, A>, Bound<'py, B>);
type SimilarNodes<'py> = (Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<f64>>);

/// Draws fewer than this can be counted without overflow.
const MAX_DRAWS: u64 = 1 << 24;

/// Converts paths, (draw, item, level), with any labels, to trees, (draw, level, item), whose nodes are numbered from 0
/// by first appearance within each level. With `draws`, an error names the draw that is not a tree.
#[pyfunction]
#[pyo3(signature = (paths, draws=None))]
pub fn canonical_labels<'py>(
    py: Python<'py>,
    paths: PyReadonlyArray3<'py, i64>,
    draws: Option<Vec<usize>>,
) -> PyResult<Bound<'py, PyArray3<i32>>> {
    let paths = paths.as_array();
    let trees = detach(py, || labels::canonical_labels(paths)).map_err(|error| {
        let draw = draws.and_then(|draws| draws.get(error.draw).map(|draw| format!("draw {draw}: ")));
        InvalidInput::new_err(format!("{}{error}", draw.unwrap_or_default()))
    })?;
    Ok(trees.into_pyarray(py))
}

/// Computes the transfer distance of each node of a tree to each draw, (draw, node): the least number of items in which
/// the node differs from a node of the draw or a single item.
///
/// The tree is the parent of each item and then of each node, which comes after its children; the root is last and has
/// −1.
#[pyfunction]
pub fn transfer_distances<'py>(
    py: Python<'py>,
    parents: PyReadonlyArray1<'py, i32>,
    #[pyo3(from_py_with = trees)] trees: PyReadonlyArray3<'py, i32>,
) -> PyResult<Bound<'py, PyArray2<u32>>> {
    let trees = trees.as_array();
    let tree = hierarchy(&parents, trees.dim().2)?;
    Ok(detach(py, || transfer::transfer_distances(&tree, trees)).into_pyarray(py))
}

/// Computes SciPy's linkage matrix, by average linkage of 1 − counts / n_total; clusters that tie are merged at once.
#[pyfunction]
pub fn average_linkage<'py>(
    py: Python<'py>,
    counts: PyReadonlyArray2<'py, u32>,
    n_total: u32,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let counts = counts.as_array();
    check_counts(counts, n_total, counts.nrows())?;
    let merges = detach(py, || linkage::average_linkage(counts.mapv(|count| u64::from(n_total - count))));
    let rows = Array2::from_shape_fn((merges.len(), 4), |(row, column)| {
        let merge = merges[row];
        let height = merge.height / f64::from(n_total);
        [merge.left as f64, merge.right as f64, height, merge.size as f64][column]
    });
    Ok(rows.into_pyarray(py))
}

/// Finds the clusters of a tree, as for `transfer_distances`, of least expected variation of information: whether each
/// item and each node is one. Items are together with probability counts / n_total.
#[pyfunction]
pub fn vi_cut<'py>(
    py: Python<'py>,
    parents: PyReadonlyArray1<'py, i32>,
    counts: PyReadonlyArray2<'py, u32>,
    n_total: u32,
    weight: f64,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let counts = counts.as_array();
    check_counts(counts, n_total, counts.nrows())?;
    if !weight.is_finite() {
        return Err(InvalidInput::new_err(format!("weight is {weight}; it must be finite")));
    }
    let tree = hierarchy(&parents, counts.nrows())?;
    Ok(detach(py, || cut::vi_cut(&tree, counts, n_total.into(), weight)).into_pyarray(py))
}

/// Adds to sums, (target, node), the number of items of a node of a tree that share a node of a draw with the target,
/// over all draws and levels, (draw, level, item).
///
/// The tree is over a sample of the items: their leaves, and the parent of each node, which comes before it.
#[pyfunction]
pub fn add_shared_items<'py>(
    py: Python<'py>,
    tree: (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>),
    targets: PyReadonlyArray1<'py, i64>,
    #[pyo3(from_py_with = trees)] draws: PyReadonlyArray3<'py, i32>,
    mut sums: PyReadwriteArray2<'py, u32>,
) -> PyResult<()> {
    let (draws, mut sums) = (draws.as_array(), sums.as_array_mut());
    let n_items = draws.dim().2;
    let n_nodes = tree.2.as_array().len();
    let sample = indices("the sample", &tree.0, n_items)?;
    let leaves = indices("leaves", &tree.1, n_nodes)?;
    let parents = indices("parents", &tree.2, n_nodes)?;
    let targets = indices("targets", &targets, n_items)?;
    let is_ordered = parents.iter().enumerate().skip(1).all(|(node, &parent)| parent < node);
    if !is_ordered || sample.len() != leaves.len() || sums.dim() != (targets.len(), n_nodes) {
        return Err(InvalidInput::new_err(format!(
            "there are {} leaves for a sample of {}, and sums has shape {:?}; there must be a leaf for each item of \
             the sample, a row for each of {} targets, a column for each of {n_nodes} nodes, and parents before \
             their children",
            leaves.len(),
            sample.len(),
            sums.dim(),
            targets.len()
        )));
    }
    let tree = SampleTree { sample: &sample, leaves: &leaves, parents: &parents };
    let mut work = draws.outer_iter();
    interruptible(
        py,
        &mut (&mut work, &mut sums),
        |(work, sums)| {
            let next = work.next();
            let is_some = next.is_some();
            if let Some(draw) = next {
                node_similarity::add_shared_items(tree, &targets, draw, sums.view_mut());
            }
            is_some
        },
        |_| Ok(()),
    )
}

/// Counts the draws in which each set of items is a node. Sets are the items of all sets and where each ends.
#[pyfunction]
pub fn count_clades<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = item_sets)] sets: Sets,
    #[pyo3(from_py_with = trees)] trees: PyReadonlyArray3<'py, i32>,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let trees = trees.as_array();
    let sets = sets.of_items(trees.dim().2)?;
    Ok(detach(py, || clades::count_clades(sets, trees)).into_pyarray(py))
}

/// Finds the sets of items, other than all of them, that are nodes in at least min_draws of the draws: one row for
/// each, with the draw, the level and the first item of its first occurrence.
#[pyfunction]
pub fn frequent_clades<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = trees)] trees: PyReadonlyArray3<'py, i32>,
    min_draws: u64,
) -> Bound<'py, PyArray2<u64>> {
    let trees = trees.as_array();
    let firsts = detach(py, || clades::frequent_clades(trees, min_draws));
    let rows = Array2::from_shape_fn((firsts.len(), 3), |(row, column)| {
        let first = firsts[row];
        [first.draw, first.level, first.item][column] as u64
    });
    rows.into_pyarray(py)
}

/// Finds the node of each draw with the largest Jaccard index with each set of items: its level, one of its items, and
/// the index, (draw, set) each.
#[pyfunction]
pub fn best_jaccard<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = item_sets)] sets: Sets,
    #[pyo3(from_py_with = trees)] trees: PyReadonlyArray3<'py, i32>,
) -> PyResult<SimilarNodes<'py>> {
    let trees = trees.as_array();
    let sets = sets.of_items(trees.dim().2)?;
    let nodes = detach(py, || jaccard::best_jaccard(sets, trees));
    Ok((
        nodes.mapv(|node| i64::from(node.level)).into_pyarray(py),
        nodes.mapv(|node| i64::from(node.item)).into_pyarray(py),
        nodes.mapv(|node| f64::from(node.shared) / f64::from(node.union)).into_pyarray(py),
    ))
}

/// Gives each node of the draws the label of the most similar node of a tree, (level, item), at its level.
#[pyfunction]
pub fn match_nodes<'py>(
    py: Python<'py>,
    tree: PyReadonlyArray2<'py, i32>,
    #[pyo3(from_py_with = trees)] trees: PyReadonlyArray3<'py, i32>,
) -> PyResult<Bound<'py, PyArray3<i32>>> {
    let (tree, trees) = (tree.as_array(), trees.as_array());
    check_labels("tree", tree, (trees.dim().1, trees.dim().2))?;
    Ok(detach(py, || jaccard::match_nodes(tree, trees)).into_pyarray(py))
}

/// A matrix of whole numbers, (item, item), in one of two types.
#[derive(FromPyObject)]
pub enum CountMatrix<'py> {
    Integers(PyReadwriteArray2<'py, u32>),
    Floats(PyReadwriteArray2<'py, f64>),
}

/// Adds to counts, (item, item), the number of draws, (draw, item), in which two items have the same label.
#[pyfunction]
pub fn count_coclustered<'py>(
    py: Python<'py>,
    draws: PyReadonlyArray2<'py, i32>,
    counts: CountMatrix<'py>,
) -> PyResult<()> {
    let draws = draws.as_array();
    let n_items = draws.ncols();
    let check = |shape: (usize, usize)| {
        if shape == (n_items, n_items) && n_items <= usize::from(u16::MAX) {
            return Ok(());
        }
        Err(InvalidInput::new_err(format!(
            "counts has shape {shape:?} for {n_items} items; it must have a row and a column for each of at most \
             65535 items"
        )))
    };
    match counts {
        CountMatrix::Integers(mut counts) => {
            let counts = counts.as_array_mut();
            check(counts.dim())?;
            detach(py, || coclustering::count_coclustered(draws, counts));
        }
        CountMatrix::Floats(mut counts) => {
            let counts = counts.as_array_mut();
            check(counts.dim())?;
            detach(py, || coclustering::count_coclustered(draws, counts));
        }
    }
    Ok(())
}

/// Adds to sums, (tree, level, item), the number of items that share an item's node both in the tree and in a draw,
/// over all draws: its row of co-clustering counts, summed over its node, without the matrix of counts.
#[pyfunction]
pub fn sum_coclustered<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = trees)] trees: PyReadonlyArray3<'py, i32>,
    #[pyo3(from_py_with = trees)] draws: PyReadonlyArray3<'py, i32>,
    mut sums: PyReadwriteArray3<'py, u64>,
) -> PyResult<()> {
    let (trees, draws, mut sums) = (trees.as_array(), draws.as_array(), sums.as_array_mut());
    if sums.dim() != trees.dim() || trees.shape()[1..] != draws.shape()[1..] {
        return Err(InvalidInput::new_err(format!(
            "sums has shape {:?} and draws {:?}; sums must have the shape of trees, {:?}, and draws as many levels \
             and items",
            sums.dim(),
            draws.dim(),
            trees.dim()
        )));
    }
    let mut work = trees.outer_iter().zip(sums.outer_iter_mut());
    interruptible(
        py,
        &mut work,
        |work| {
            let next = work.next();
            let is_some = next.is_some();
            if let Some((tree, sums)) = next {
                coclustering::sum_coclustered(tree, draws, sums);
            }
            is_some
        },
        |_| Ok(()),
    )
}

/// Computes the expected loss of trees from co-clustering counts, (level, item, item), over n_draws draws: summed over
/// items and levels, up to a constant of the draws.
#[pyfunction]
pub fn expected_losses<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = trees)] trees: PyReadonlyArray3<'py, i32>,
    counts: PyReadonlyArray3<'py, u32>,
    n_draws: u64,
    loss: &str,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let loss = parse_loss(loss, n_draws)?;
    let (_, n_levels, n_items) = trees.as_array().dim();
    if counts.as_array().dim() != (n_levels, n_items, n_items) || !counts.is_c_contiguous() {
        return Err(InvalidInput::new_err(format!(
            "counts has shape {:?}; it must be ({n_levels}, {n_items}, {n_items}), in row-major order",
            counts.as_array().dim()
        )));
    }
    let (trees, counts) = (trees.as_array(), counts.as_array());
    Ok(detach(py, || coclustering::expected_losses(trees, counts, loss)).into_pyarray(py))
}

/// Computes what `expected_losses` does, from the sums of `sum_coclustered`.
#[pyfunction]
pub fn expected_losses_from_sums<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = trees)] trees: PyReadonlyArray3<'py, i32>,
    sums: PyReadonlyArray3<'py, u64>,
    n_draws: u64,
    loss: &str,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let loss = parse_loss(loss, n_draws)?;
    let (trees, sums): (_, ArrayView3<'_, u64>) = (trees.as_array(), sums.as_array());
    if sums.dim() != trees.dim() {
        return Err(InvalidInput::new_err(format!(
            "sums has shape {:?}; it must have the shape of trees, {:?}",
            sums.dim(),
            trees.dim()
        )));
    }
    Ok(detach(py, || coclustering::expected_losses_from_sums(trees, sums, loss)).into_pyarray(py))
}

/// Compares each row of a with each row of b, both partitions of the same items with labels from 0 up: (row of a, row
/// of b). The measure is "vi" (bits), "binder" or "ari".
#[pyfunction]
pub fn compare_partitions<'py>(
    py: Python<'py>,
    a: PyReadonlyArray2<'py, i32>,
    b: PyReadonlyArray2<'py, i32>,
    measure: &str,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let measure = match measure {
        "vi" => Measure::Vi,
        "binder" => Measure::Binder,
        "ari" => Measure::Ari,
        _ => {
            return Err(InvalidInput::new_err(format!(
                "measure is {measure:?}; it must be \"vi\", \"binder\" or \"ari\""
            )));
        }
    };
    let (a, b) = (a.as_array(), b.as_array());
    if a.ncols() != b.ncols() || a.iter().chain(&b).any(|&label| label < 0) {
        return Err(InvalidInput::new_err(format!(
            "a has {} columns and b {}; both must have a column for each item, and labels from 0 up",
            a.ncols(),
            b.ncols()
        )));
    }
    let partitions = detach(py, || Partitions::new(b));
    let mut work = (Array2::zeros((a.nrows(), b.nrows())), 0);
    interruptible(
        py,
        &mut work,
        |(values, row)| {
            if *row < a.nrows() {
                let compared = partitions.compare(a.row(*row), measure);
                values.row_mut(*row).iter_mut().zip(compared).for_each(|(value, new)| *value = new);
                *row += 1;
            }
            *row < a.nrows()
        },
        |_| Ok(()),
    )?;
    Ok(work.0.into_pyarray(py))
}

/// Computes AID and AOD of trees of the items x, (item, dimension), over all levels, or over one, 0 for the first;
/// with skip_singletons, over nodes of two items or more.
#[pyfunction]
#[pyo3(signature = (x, trees, level=None, skip_singletons=false))]
pub fn aid_aod<'py>(
    py: Python<'py>,
    x: PyReadonlyArray2<'py, f64>,
    #[pyo3(from_py_with = trees)] trees: PyReadonlyArray3<'py, i32>,
    level: Option<usize>,
    skip_singletons: bool,
) -> PyResult<Pair<'py, PyArray1<f64>, PyArray1<f64>>> {
    let (x, trees) = (x.as_array(), trees.as_array());
    if x.nrows() != trees.dim().2 || x.ncols() == 0 {
        return Err(InvalidInput::new_err(format!(
            "x has shape {:?}; it must have a row for each of {} items, and at least one column",
            x.dim(),
            trees.dim().2
        )));
    }
    let distances = detach(py, || metrics::distances(x, trees, NodeFilter { level, skip_singletons }));
    let (aid, aod): (Vec<f64>, Vec<f64>) = distances.iter().map(|each| (each.inner, each.outer)).unzip();
    Ok((aid.into_pyarray(py), aod.into_pyarray(py)))
}

/// Compares trees with classes, numbered from 0: the F-measure of each tree and level, and the dendrogram purity of
/// each tree.
#[pyfunction]
pub fn class_agreement<'py>(
    py: Python<'py>,
    classes: PyReadonlyArray1<'py, i32>,
    #[pyo3(from_py_with = trees)] trees: PyReadonlyArray3<'py, i32>,
) -> PyResult<Pair<'py, PyArray2<f64>, PyArray1<f64>>> {
    let (classes, trees) = (classes.as_array(), trees.as_array());
    let (n_trees, n_levels, n_items) = trees.dim();
    check_labels("classes", classes.insert_axis(Axis(0)), (1, n_items))?;
    let agreement = detach(py, || metrics::agreement(classes, trees));
    let f_measure =
        Array2::from_shape_fn((n_trees, n_levels), |(tree, level)| agreement[tree].f_measure[level]);
    let purity: Vec<f64> = agreement.iter().map(|each| each.purity).collect();
    Ok((f_measure.into_pyarray(py), purity.into_pyarray(py)))
}

/// Trees, (tree, level, item), with canonical labels.
fn trees<'py>(given: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArray3<'py, i32>> {
    let trees: PyReadonlyArray3<'py, i32> = given.extract()?;
    for labels in trees.as_array().rows() {
        let mut next = 0;
        for &label in labels {
            if label < 0 || label > next {
                return Err(InvalidInput::new_err(
                    "trees must have canonical labels; make them by canonical_labels()",
                ));
            }
            next += i32::from(label == next);
        }
    }
    Ok(trees)
}

/// A tree by the parents of its items and nodes.
fn hierarchy(parents: &PyReadonlyArray1<'_, i32>, n_items: usize) -> PyResult<Hierarchy> {
    Hierarchy::new(&parents.as_array().to_vec(), n_items).ok_or_else(|| {
        InvalidInput::new_err(format!(
            "parents, of length {}, is not a tree of {n_items} items; it must hold the parent of each item and then \
             of each node, a later node with at least one child, and -1 for the last entry, the root",
            parents.as_array().len()
        ))
    })
}

/// Refuses counts, (item, item), of another shape, above n_total, or not symmetric.
fn check_counts(counts: ArrayView2<'_, u32>, n_total: u32, n_items: usize) -> PyResult<()> {
    let fits = n_total > 0 && counts.dim() == (n_items, n_items) && n_items > 0;
    if fits && counts.iter().all(|&count| count <= n_total) && coclustering::is_symmetric(counts) {
        return Ok(());
    }
    Err(InvalidInput::new_err(format!(
        "counts has shape {:?}; it must be symmetric, with counts from 0 to n_total, {n_total}",
        counts.dim()
    )))
}

/// Indices from 0 to n − 1.
fn indices(name: &str, given: &PyReadonlyArray1<'_, i64>, n: usize) -> PyResult<Vec<usize>> {
    let index = |&given: &i64| usize::try_from(given).ok().filter(|&index| index < n);
    given.as_array().iter().map(index).collect::<Option<_>>().ok_or_else(|| {
        InvalidInput::new_err(format!("{name} holds an index that is not from 0 to {}", n.saturating_sub(1)))
    })
}

/// Refuses labels, (level, item), of another shape, or that are not from 0 to the number of items less 1.
fn check_labels(
    name: &str,
    labels: ArrayView2<'_, i32>,
    (n_levels, n_items): (usize, usize),
) -> PyResult<()> {
    let fits = |&label: &i32| usize::try_from(label).is_ok_and(|label| label < n_items);
    if labels.dim() == (n_levels, n_items) && labels.iter().all(fits) {
        return Ok(());
    }
    Err(InvalidInput::new_err(format!(
        "{name} has shape {:?}; it must be ({n_levels}, {n_items}), with labels from 0 to {}",
        labels.dim(),
        n_items.saturating_sub(1)
    )))
}

/// Sets of items: the items of all sets, and where each set ends.
pub struct Sets {
    items: Vec<u32>,
    ends: Vec<usize>,
}

impl Sets {
    fn of_items(&self, n_items: usize) -> PyResult<ItemSets<'_>> {
        if let Some(item) = self.items.iter().find(|&&item| item as usize >= n_items) {
            return Err(InvalidInput::new_err(format!(
                "a set holds item {item}; items must be from 0 to {}",
                n_items.saturating_sub(1)
            )));
        }
        Ok(ItemSets { items: &self.items, ends: &self.ends })
    }
}

fn item_sets(given: &Bound<'_, PyAny>) -> PyResult<Sets> {
    let (items, ends): (PyReadonlyArray1<'_, u32>, PyReadonlyArray1<'_, u64>) = given.extract()?;
    let items = items.as_array().to_vec();
    let ends: Vec<usize> = ends.as_array().iter().map(|&end| end as usize).collect();
    let is_increasing = ends.first().is_none_or(|&end| end > 0) && ends.is_sorted_by(|a, b| a < b);
    if !is_increasing || ends.last().is_some_and(|&end| end != items.len()) {
        return Err(InvalidInput::new_err(format!(
            "the ends of sets must increase, from at least 1 to the number of their items, {}",
            items.len()
        )));
    }
    Ok(Sets { items, ends })
}

fn parse_loss(name: &str, n_draws: u64) -> PyResult<Loss> {
    if n_draws >= MAX_DRAWS {
        return Err(InvalidInput::new_err(format!("n_draws is {n_draws}; it must be below 2**24")));
    }
    match name {
        "vi" => Ok(Loss::Vi),
        "binder" => Ok(Loss::Binder { n_draws: n_draws as f64 }),
        _ => Err(InvalidInput::new_err(format!("loss is {name:?}; it must be \"vi\" or \"binder\""))),
    }
}
