//! A callback between units of work, by which a caller ends work that it no longer wants.

use std::fmt;
use std::sync::Arc;

/// Called between units of work: rows, batches, publications of targets. A caller ends the work by
/// unwinding from it ([`std::panic::resume_unwind`]) and catching the unwinding outside. Several threads
/// call it.
#[derive(Clone, Default)]
pub struct Checkpoint(Option<Arc<dyn Fn() + Send + Sync>>);

impl Checkpoint {
    /// Returns a checkpoint that calls `check`.
    pub fn new(check: impl Fn() + Send + Sync + 'static) -> Checkpoint {
        Checkpoint(Some(Arc::new(check)))
    }

    /// Calls the callback, if there is one.
    pub(crate) fn pass(&self) {
        if let Some(check) = &self.0 {
            check();
        }
    }
}

impl fmt::Debug for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Checkpoint(…)")
    }
}

/// No result depends on a checkpoint: all are equal.
impl PartialEq for Checkpoint {
    fn eq(&self, _: &Checkpoint) -> bool {
        true
    }
}

impl Eq for Checkpoint {}

/// Runs work whose checkpoint unwinds at the `last` call; returns the number of calls, and whether the
/// work went on to its end.
#[cfg(test)]
pub(crate) fn interrupted(last: usize, work: impl FnOnce(Checkpoint)) -> (usize, bool) {
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let checkpoint = Checkpoint::new(move || {
        if counted.fetch_add(1, Ordering::SeqCst) + 1 == last {
            resume_unwind(Box::new("interrupted"));
        }
    });
    let result = catch_unwind(AssertUnwindSafe(|| work(checkpoint)));
    (calls.load(Ordering::SeqCst), result.is_ok())
}
