//! Trees, sets of items and counts of pairs, as the core wants them.

use ndarray::{ArrayView2, ArrayView3};
use numpy::{PyReadonlyArray1, PyReadonlyArray3, PyUntypedArrayMethods};
use pyo3::prelude::*;
use rbhmc_core::posterior::loss::Loss;
use rbhmc_core::posterior::sets;

use crate::errors::InvalidInput;

/// Trees, (tree, level, item), whose nodes are numbered as `numbered` does it.
pub fn trees<'py>(given: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArray3<'py, i32>> {
    let trees: PyReadonlyArray3<'py, i32> = given.extract()?;
    for labels in trees.as_array().rows() {
        let mut next = 0;
        for &label in labels {
            if label < 0 || label > next {
                return Err(InvalidInput::new_err("trees must be as numbered() makes them"));
            }
            next += i32::from(label == next);
        }
    }
    Ok(trees)
}

/// Refuses a tree, (level, item), of another shape, or with numbers that are not below the number of items.
pub fn check_tree(tree: ArrayView2<'_, i32>, n_levels: usize, n_items: usize) -> PyResult<()> {
    let fits = |&label: &i32| usize::try_from(label).is_ok_and(|label| label < n_items);
    if tree.dim() == (n_levels, n_items) && tree.iter().all(fits) {
        return Ok(());
    }
    Err(InvalidInput::new_err(format!(
        "tree must have the shape ({n_levels}, {n_items}), and numbers from 0 to {n_items} - 1"
    )))
}

/// Sets of items: their items in a row, and where each ends.
pub struct Sets {
    items: Vec<u32>,
    ends: Vec<usize>,
}

impl Sets {
    pub fn of(&self, n_items: usize) -> PyResult<sets::Sets<'_>> {
        if self.items.iter().any(|&item| item as usize >= n_items) {
            return Err(InvalidInput::new_err(format!("items must be from 0 to {n_items} - 1")));
        }
        Ok(sets::Sets { items: &self.items, ends: &self.ends })
    }
}

pub fn sets(given: &Bound<'_, PyAny>) -> PyResult<Sets> {
    let (items, ends): (PyReadonlyArray1<'_, u32>, PyReadonlyArray1<'_, u64>) = given.extract()?;
    let items = items.as_array().to_vec();
    let ends: Vec<usize> = ends.as_array().iter().map(|&end| end as usize).collect();
    let rises = ends.first().is_none_or(|&end| end > 0) && ends.is_sorted_by(|a, b| a < b);
    if !rises || ends.last().is_some_and(|&end| end != items.len()) {
        return Err(InvalidInput::new_err(
            "ends must rise, from 1 or more to the number of items in all sets",
        ));
    }
    Ok(Sets { items, ends })
}

/// How often two items were together, (level, item, item).
pub fn counts<'py>(given: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArray3<'py, u32>> {
    let counts: PyReadonlyArray3<'py, u32> = given.extract()?;
    if counts.shape()[1] == counts.shape()[2] && counts.is_c_contiguous() {
        return Ok(counts);
    }
    Err(InvalidInput::new_err("counts must have a square for each level, and be laid out by rows"))
}

/// Refuses counts of other levels or items than a tree has.
pub fn check_counts(counts: ArrayView3<'_, u32>, n_levels: usize, n_items: usize) -> PyResult<()> {
    if counts.dim() == (n_levels, n_items, n_items) {
        return Ok(());
    }
    Err(InvalidInput::new_err(format!("counts must have the shape ({n_levels}, {n_items}, {n_items})")))
}

pub fn loss_of(name: &str, n_draws: u64) -> PyResult<Loss> {
    if n_draws >= 1 << 24 {
        return Err(InvalidInput::new_err(format!("there are {n_draws} draws; 2**24 - 1 can be counted")));
    }
    match name {
        "vi" => Ok(Loss::Vi),
        "binder" => Ok(Loss::Binder { n_draws: n_draws as f64 }),
        _ => Err(InvalidInput::new_err(format!("loss is {name:?}; it must be \"vi\" or \"binder\""))),
    }
}
