//! The Python module `rbhmc._core`: conversion, GIL release, signals, errors, and nothing else.

mod clades;
mod convert;
mod distributions;
mod errors;
mod interrupt;
mod partitions;
mod sampler;
mod simulate;

use pyo3::prelude::*;

#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::clades::{
        add_together, clade_counts, descend, frequent_clades, matched_nodes, nearest_nodes, numbered,
        tree_agreement, tree_costs, tree_distances,
    };
    #[pymodule_export]
    use crate::distributions::{beta, crt, dirichlet, gig, inverse_gaussian};
    #[pymodule_export]
    use crate::errors::{InvalidCheckpoint, InvalidInput};
    #[pymodule_export]
    use crate::partitions::overlaps;
    #[pymodule_export]
    use crate::sampler::{Sampler, restore};
    #[pymodule_export]
    use crate::simulate::simulate;

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
