//! Long calls: the work runs in a thread without the interpreter lock, while the calling thread waits,
//! handles signals and reports progress.
//!
//! After Ctrl-C the caller gets `KeyboardInterrupt` at once. The thread unwinds at the next
//! [`Reports::check`]: rows, batches, blocks of a file and publications of targets have one. What it
//! has computed until then is dropped.

use evaluation::Checkpoint;
use import::Progress;
use parking_lot::{Condvar, Mutex};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Time between two looks at signals and progress.
const POLL: Duration = Duration::from_millis(50);

/// Progress of a call, and whether it is cancelled.
#[derive(Default)]
pub(crate) struct Reports {
    stage: Mutex<&'static str>,
    total: AtomicU64,
    done: AtomicU64,
    cancelled: AtomicBool,
}

impl Reports {
    /// Ends the work by unwinding if the caller was interrupted. The caller has its exception already,
    /// so that nothing is printed or returned.
    pub(crate) fn check(&self) {
        if self.cancelled.load(Relaxed) {
            resume_unwind(Box::new("interrupted"));
        }
    }

    /// Returns [`Reports::check`] as a callback.
    pub(crate) fn checkpoint(self: &Arc<Reports>) -> Checkpoint {
        let reports = Arc::clone(self);
        Checkpoint::new(move || reports.check())
    }

    /// Sets the units of work that are done.
    pub(crate) fn set_done(&self, done: u64) {
        self.done.store(done, Relaxed);
    }
}

impl Progress for Reports {
    fn begin(&self, stage: &'static str, total: u64) {
        self.check();
        *self.stage.lock() = stage;
        self.total.store(total, Relaxed);
        self.done.store(0, Relaxed);
    }

    fn advance(&self, amount: u64) {
        self.check();
        self.done.fetch_add(amount, Relaxed);
    }
}

/// A value that one thread sets and another awaits.
struct Slot<T> {
    value: Mutex<Option<std::thread::Result<T>>>,
    is_set: Condvar,
}

/// Calls `progress` with stage, total and done, in a thread of its own: Ctrl-C raises an exception in
/// the main thread only, and within tqdm it would leave a lock taken.
fn show(py: Python<'_>, progress: Option<&Bound<'_, PyAny>>, reports: &Reports) -> PyResult<()> {
    let Some(progress) = progress.map(|progress| progress.clone().unbind()) else { return Ok(()) };
    let stage = *reports.stage.lock();
    let (total, done) = (reports.total.load(Relaxed), reports.done.load(Relaxed));
    let call = move || Python::attach(|py| progress.call1(py, (stage, total, done)).map(drop));
    let called = py.detach(|| std::thread::scope(|scope| scope.spawn(call).join()));
    called.unwrap_or_else(|_| Err(PyRuntimeError::new_err("a defect: the native code panicked")))
}

/// Runs `work` in a thread; `progress` is called with stage, total and done, or is `None`.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Arc<Reports>) -> PyResult<T> + Send + 'static,
) -> PyResult<T> {
    let reports = Arc::new(Reports::default());
    let slot = Arc::new(Slot { value: Mutex::new(None), is_set: Condvar::new() });
    let worker = {
        let (reports, slot) = (Arc::clone(&reports), Arc::clone(&slot));
        move || {
            let result = catch_unwind(AssertUnwindSafe(|| work(&reports)));
            *slot.value.lock() = Some(result);
            slot.is_set.notify_one();
        }
    };
    std::thread::Builder::new().name("meshcloak".into()).spawn(worker)?;
    loop {
        let result = py.detach(|| {
            let mut value = slot.value.lock();
            if value.is_none() {
                slot.is_set.wait_for(&mut value, POLL);
            }
            value.take()
        });
        match result {
            Some(Ok(result)) => return result,
            Some(Err(_)) => {
                return Err(PyRuntimeError::new_err("a defect: the native code panicked"));
            }
            None => {
                let shown = py.check_signals().and_then(|()| show(py, progress, &reports));
                if let Err(interrupt) = shown {
                    reports.cancelled.store(true, Relaxed);
                    return Err(interrupt);
                }
            }
        }
    }
}
