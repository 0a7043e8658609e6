//! The Python module `rbhmc._core`: conversion, GIL release, signals, errors, and nothing else.

mod convert;
mod distributions;
mod errors;
mod interrupt;
mod posterior;
mod predictive;
mod sampler;
mod simulate;

use pyo3::prelude::*;

#[cfg(not(panic = "unwind"))]
compile_error!("a panic must reach Python as an exception, and not end it: build with panic = \"unwind\"");

#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::distributions::{beta, crt, dirichlet, gig, inverse_gaussian};
    #[pymodule_export]
    use crate::errors::{InvalidCheckpoint, InvalidInput};
    #[pymodule_export]
    use crate::posterior::{
        aid_aod, best_jaccard, canonical_labels, class_agreement, compare_partitions, count_clades,
        count_coclustered, expected_losses, expected_losses_from_sums, frequent_clades, match_nodes,
        sum_coclustered,
    };
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
