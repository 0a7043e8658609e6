//! Trees, counts and sets of items as arguments: converted, and refused in words if they are not valid.

use ndarray::ArrayView2;
use numpy::{PyReadonlyArray1, PyReadonlyArray3};
use pyo3::prelude::*;
use rbhmc_core::posterior::clades::ItemSets;
use rbhmc_core::posterior::coclustering;
use rbhmc_core::posterior::hierarchy::Hierarchy;

use crate::errors::InvalidInput;

/// Trees, (tree, level, item), with canonical labels.
pub fn trees<'py>(given: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArray3<'py, i32>> {
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
pub fn hierarchy(parents: &PyReadonlyArray1<'_, i32>, n_items: usize) -> PyResult<Hierarchy> {
    Hierarchy::new(&parents.as_array().to_vec(), n_items).ok_or_else(|| {
        InvalidInput::new_err(format!(
            "parents, of length {}, is not a tree of {n_items} items; it must hold the parent of each item and then \
             of each node, a later node with at least one child, and -1 for the last entry, the root",
            parents.as_array().len()
        ))
    })
}

/// Refuses counts, (item, item), of another shape, above n_total, or not symmetric.
pub fn check_counts(counts: ArrayView2<'_, u32>, n_total: u32, n_items: usize) -> PyResult<()> {
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
pub fn indices(name: &str, given: &PyReadonlyArray1<'_, i64>, n: usize) -> PyResult<Vec<usize>> {
    let index = |&given: &i64| usize::try_from(given).ok().filter(|&index| index < n);
    given.as_array().iter().map(index).collect::<Option<_>>().ok_or_else(|| {
        InvalidInput::new_err(format!("{name} holds an index that is not from 0 to {}", n.saturating_sub(1)))
    })
}

/// Refuses labels, (level, item), of another shape, or that are not from 0 to the number of items less 1.
pub fn check_labels(
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
    pub fn of_items(&self, n_items: usize) -> PyResult<ItemSets<'_>> {
        if let Some(item) = self.items.iter().find(|&&item| item as usize >= n_items) {
            return Err(InvalidInput::new_err(format!(
                "a set holds item {item}; items must be from 0 to {}",
                n_items.saturating_sub(1)
            )));
        }
        Ok(ItemSets { items: &self.items, ends: &self.ends })
    }
}

pub fn item_sets(given: &Bound<'_, PyAny>) -> PyResult<Sets> {
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
