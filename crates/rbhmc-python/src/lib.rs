//! The Python module `rbhmc._core`: conversion, GIL release, signals, errors, and nothing else.

mod clades;
mod convert;
mod distributions;
mod errors;
mod interrupt;
mod measures;
mod pairs;
mod partitions;
mod predictive;
mod sampler;
mod simulate;
mod trees;

use pyo3::prelude::*;

#[cfg(not(panic = "unwind"))]
compile_error!("a panic must reach Python as an exception, and not end it: build with panic = \"unwind\"");

#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::clades::{clade_counts, frequent_clades, matched_nodes, nearest_nodes, numbered};
    #[pymodule_export]
    use crate::distributions::{beta, crt, dirichlet, gig, inverse_gaussian};
    #[pymodule_export]
    use crate::errors::{InvalidCheckpoint, InvalidInput};
    #[pymodule_export]
    use crate::measures::{tree_agreement, tree_distances};
    #[pymodule_export]
    use crate::pairs::{add_shared, add_together, tree_costs};
    #[pymodule_export]
    use crate::partitions::overlaps;
    #[pymodule_export]
    use crate::predictive::{path_probabilities, project};
    #[pymodule_export]
    use crate::sampler::{Sampler, restore};
    #[pymodule_export]
    use crate::simulate::simulate;

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
