//! How often two items share a node and what trees cost by it.

use numpy::{
    IntoPyArray, PyArray1, PyReadonlyArray2, PyReadonlyArray3, PyReadwriteArray2, PyReadwriteArray3,
};
use pyo3::prelude::*;
use rbhmc_core::posterior::pairs;

use crate::errors::InvalidInput;
use crate::interrupt::interruptible;
use crate::trees::{self, check_counts, loss_of};

/// A matrix of whole numbers, (item, item), in one of two types.
#[derive(FromPyObject)]
pub enum Matrix<'py> {
    Small(PyReadwriteArray2<'py, u32>),
    Large(PyReadwriteArray2<'py, f64>),
}

/// Adds to counts, (item, item), in how many draws, (draw, item), two items have the same number.
#[pyfunction]
pub fn add_together<'py>(
    py: Python<'py>,
    draws: PyReadonlyArray2<'py, i32>,
    counts: Matrix<'py>,
) -> PyResult<()> {
    let draws = draws.as_array();
    let n_items = draws.ncols();
    let check = |dim: (usize, usize)| {
        if dim == (n_items, n_items) && n_items <= usize::from(u16::MAX) {
            return Ok(());
        }
        Err(InvalidInput::new_err("counts must be square, with a row for each of at most 65535 items"))
    };
    match counts {
        Matrix::Small(mut counts) => {
            let counts = counts.as_array_mut();
            check(counts.dim())?;
            py.detach(|| pairs::add_together(draws, counts));
        }
        Matrix::Large(mut counts) => {
            let counts = counts.as_array_mut();
            check(counts.dim())?;
            py.detach(|| pairs::add_together(draws, counts));
        }
    }
    Ok(())
}

/// Adds to sums, (tree, level, item), how many items share the node of an item in a tree, and in a draw as well, over
/// all draws, (draw, level, item): the row of its counts, summed over its node, without the counts.
#[pyfunction]
pub fn add_shared<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = trees::trees)] trees: PyReadonlyArray3<'py, i32>,
    #[pyo3(from_py_with = trees::trees)] draws: PyReadonlyArray3<'py, i32>,
    mut sums: PyReadwriteArray3<'py, u64>,
) -> PyResult<()> {
    let (trees, draws, mut sums) = (trees.as_array(), draws.as_array(), sums.as_array_mut());
    if sums.dim() != trees.dim() || trees.shape()[1..] != draws.shape()[1..] {
        return Err(InvalidInput::new_err(
            "sums must have the shape of trees, and draws as many levels and items",
        ));
    }
    let mut work = trees.outer_iter().zip(sums.outer_iter_mut());
    interruptible(
        py,
        &mut work,
        |work| {
            let tree = work.next();
            let more = tree.is_some();
            if let Some((tree, sums)) = tree {
                pairs::add_shared(tree, draws, sums);
            }
            more
        },
        |_| Ok(()),
    )
}

/// Computes what trees cost, by how often two items were together over so many draws: counts (level, item, item).
#[pyfunction]
pub fn tree_costs<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = trees::trees)] trees: PyReadonlyArray3<'py, i32>,
    #[pyo3(from_py_with = trees::counts)] counts: PyReadonlyArray3<'py, u32>,
    n_draws: u64,
    loss: &str,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (trees, counts, loss) = (trees.as_array(), counts.as_array(), loss_of(loss, n_draws)?);
    check_counts(counts, trees.dim().1, trees.dim().2)?;
    Ok(py.detach(|| pairs::costs(trees, counts, loss)).into_pyarray(py))
}
