//! Ctrl-C. A command that can end early with partial results announces it; the first signal then asks
//! it to end, the second ends the process.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the running command ends by itself when asked.
static ENDS_EARLY: AtomicBool = AtomicBool::new(false);

/// Whether the command is asked to end.
static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Exit code of an interrupted command.
pub const INTERRUPTED: u8 = 130;

/// Announces that the running command polls [`is_requested`].
pub fn announce() {
    ENDS_EARLY.store(true, Ordering::Relaxed);
}

/// Whether the command is asked to end.
pub fn is_requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

/// Handles a signal.
pub fn handle_signal() {
    if ENDS_EARLY.load(Ordering::Relaxed) && !REQUESTED.swap(true, Ordering::Relaxed) {
        eprintln!(
            "note: ends after the current run with partial results; Ctrl-C again ends at once"
        );
        return;
    }
    // Removes temporary files.
    import::discard_unfinished();
    std::process::exit(INTERRUPTED.into());
}
