//! The one place that all sampling goes through: no GIL while it works, signals ten times a second.

use std::time::{Duration, Instant};

use pyo3::prelude::*;

const PATIENCE: Duration = Duration::from_millis(100);

/// Calls `step` without the GIL until it says that there is no more to do. About every 100 ms, between
/// two steps, signals are looked at and `report` is called; an error of either ends the work there.
pub fn interruptible<W: Send>(
    py: Python<'_>,
    work: &mut W,
    step: impl Fn(&mut W) -> bool + Sync,
    mut report: impl FnMut(&mut W) -> PyResult<()>,
) -> PyResult<()> {
    loop {
        let more = py.detach(|| {
            let start = Instant::now();
            loop {
                if !step(work) {
                    return false;
                }
                if start.elapsed() >= PATIENCE {
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
