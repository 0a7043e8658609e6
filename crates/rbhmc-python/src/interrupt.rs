//! Long computations: without the GIL, and with a check for signals ten times a second.

use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::threads::detach;

const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Calls `step` without the GIL until it returns false. About every 100 ms, between two steps, it checks for
/// signals and calls `report`; an error of either stops the computation.
pub fn interruptible<W: Send>(
    py: Python<'_>,
    work: &mut W,
    step: impl Fn(&mut W) -> bool + Sync,
    mut report: impl FnMut(&mut W) -> PyResult<()>,
) -> PyResult<()> {
    loop {
        let more = detach(py, || {
            let start = Instant::now();
            loop {
                if !step(work) {
                    return false;
                }
                if start.elapsed() >= CHECK_INTERVAL {
                    return true;
                }
            }
        });
        py.check_signals()?;
        report(work)?;
        if !more {
            return Ok(());
        }
    }
}
