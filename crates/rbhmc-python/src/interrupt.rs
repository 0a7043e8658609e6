//! Long computations: without the GIL, and with a check for signals ten times a second.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::threads::{detach, with_live_pool};

const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Calls `step` without the GIL until it returns false. About every 100 ms, between two steps, it checks for
/// signals and calls `report`; an error of either stops the computation.
pub fn interruptible<W: Send>(
    py: Python<'_>,
    work: &mut W,
    step: impl Fn(&mut W) -> bool + Sync,
    mut report: impl FnMut(&mut W) -> PyResult<()>,
) -> PyResult<()> {
    while detach(py, || repeat(work, &step)) {
        py.check_signals()?;
        report(work)?;
    }
    py.check_signals()?;
    report(work)
}

/// As `interruptible`, for steps that may take longer than a user waits. The steps run in a thread of their own; during
/// a long one, this thread checks for signals and calls `poll`. An error, or true of `poll`, sets `stop`, by which the
/// step ends early.
pub fn interruptible_within_steps<W: Send>(
    py: Python<'_>,
    work: &mut W,
    stop: &AtomicBool,
    step: impl Fn(&mut W) -> bool + Sync,
    mut report: impl FnMut(&mut W) -> PyResult<()>,
    mut poll: impl FnMut() -> PyResult<bool>,
) -> PyResult<()> {
    stop.store(false, Ordering::Relaxed);
    let outcome = loop {
        let more = watch(py, stop, || repeat(work, &step), &mut poll);
        let reported = py.check_signals().and_then(|()| report(work));
        match more.and_then(|more| reported.map(|()| more)) {
            Ok(true) => {}
            Ok(false) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    stop.store(false, Ordering::Relaxed);
    outcome
}

/// Does steps for 100 ms, or at least one; returns whether more are left.
fn repeat<W>(work: &mut W, step: impl Fn(&mut W) -> bool) -> bool {
    let start = Instant::now();
    while step(work) {
        if start.elapsed() >= CHECK_INTERVAL {
            return true;
        }
    }
    false
}

fn watch<T: Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    compute: impl FnOnce() -> T + Send,
    mut poll: impl FnMut() -> PyResult<bool>,
) -> PyResult<T> {
    let (this_thread, done) = (std::thread::current(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let result = with_live_pool(compute);
            done.store(true, Ordering::Release);
            this_thread.unpark();
            result
        });
        let mut error = None;
        loop {
            py.detach(|| std::thread::park_timeout(2 * CHECK_INTERVAL));
            // A computation that panics is finished without being done.
            if done.load(Ordering::Acquire) || worker.is_finished() {
                break;
            }
            if !stop.load(Ordering::Relaxed) {
                let asked = py.check_signals().and_then(|()| poll());
                stop.store(!matches!(asked, Ok(false)), Ordering::Relaxed);
                error = asked.err();
            }
        }
        let result = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        error.map_or(Ok(result), Err)
    })
}
