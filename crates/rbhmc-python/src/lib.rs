//! The Python module `rbhmc._core`: conversion of arguments and results, GIL release, signals, errors.

mod arrays;
mod distributions;
mod errors;
mod interrupt;
mod metrics;
mod posterior;
mod predictive;
mod sampler;
mod settings;
mod threads;
mod trees;

use pyo3::prelude::*;

#[cfg(not(panic = "unwind"))]
compile_error!(
    "a panic must reach Python as an exception and not end the process: build with panic = \"unwind\""
);

#[pymodule]
mod _core {
    use pyo3::prelude::*;
    use pyo3::types::PyTuple;

    #[pymodule_export]
    use crate::distributions::{beta, crt, dirichlet, gig, inverse_gamma_above, inverse_gaussian, simulate};
    #[pymodule_export]
    use crate::errors::{InvalidCheckpoint, InvalidInput};
    #[pymodule_export]
    use crate::metrics::{aid_aod, class_agreement, compare_partitions};
    #[pymodule_export]
    use crate::posterior::{
        add_shared_items, average_linkage, best_jaccard, canonical_labels, count_clades, count_coclustered,
        expected_losses, expected_losses_from_sums, frequent_clades, match_nodes, sum_coclustered,
        transfer_distances, vi_cut,
    };
    #[pymodule_export]
    use crate::predictive::{ln_densities, path_probabilities, project};
    #[pymodule_export]
    use crate::sampler::{Sampler, restore};
    #[pymodule_export]
    use crate::settings::check_settings;

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::threads::remember_process();
        module.add("SETTINGS", PyTuple::new(module.py(), crate::settings::names().collect::<Vec<_>>())?)
    }
}
