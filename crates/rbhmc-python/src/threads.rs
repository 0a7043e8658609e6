//! Computations without the GIL, also in a process that was forked.
//!
//! The threads of rayon's pool do not survive a fork: in the child, a computation that used the pool would wait for
//! them for ever.

use std::sync::OnceLock;

use pyo3::marker::Ungil;
use pyo3::prelude::*;
use rayon::ThreadPoolBuilder;

/// The process that imported the module.
static IMPORTED_BY: OnceLock<u32> = OnceLock::new();

pub fn remember_process() {
    IMPORTED_BY.get_or_init(std::process::id);
}

/// Calls `compute` without the GIL.
pub fn detach<T: Ungil + Send>(py: Python<'_>, compute: impl FnOnce() -> T + Ungil + Send) -> T {
    py.detach(|| with_live_pool(compute))
}

/// Calls `compute` where rayon has threads: in a forked process, in one thread of its own.
pub fn with_live_pool<T: Send>(compute: impl FnOnce() -> T + Send) -> T {
    if IMPORTED_BY.get() == Some(&std::process::id()) {
        return compute();
    }
    // The pool ends with this call, and so does not have to survive the next fork.
    let pool = ThreadPoolBuilder::new().num_threads(1).build().expect("the system starts a thread");
    pool.install(compute)
}
