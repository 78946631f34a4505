//! Scratch buffers shared by the threads that compute rows on demand.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Idle scratch buffers: at most one per thread that was inside [`Pool::with`] at the same time.
pub(super) struct Pool<T>(Mutex<Vec<T>>);

impl<T: Default> Pool<T> {
    /// Calls `work` with a buffer that no other thread uses. The lock is not held meanwhile.
    pub(super) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let idle = self.lock().pop();
        let mut scratch = idle.unwrap_or_default();
        let result = work(&mut scratch);
        self.lock().push(scratch);
        result
    }

    fn lock(&self) -> MutexGuard<'_, Vec<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Default for Pool<T> {
    fn default() -> Pool<T> {
        Pool(Mutex::new(Vec::new()))
    }
}

/// A copy starts without buffers.
impl<T> Clone for Pool<T> {
    fn clone(&self) -> Pool<T> {
        Pool::default()
    }
}

impl<T> fmt::Debug for Pool<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pool(…)")
    }
}
