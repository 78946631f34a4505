//! Shows the progress of an evaluation on the console.

use super::format_duration;
use crate::progress::Console;
use crate::stop;
use baselines::SchemeError;
use evaluation::evaluate::CellProgress;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

/// Shows the progress of an evaluation.
pub(super) struct ConsoleProgress<'a> {
    console: &'a Console,
    /// Notes that were shown, each once.
    notes: Mutex<BTreeSet<String>>,
}

impl<'a> ConsoleProgress<'a> {
    pub(super) fn new(console: &'a Console) -> ConsoleProgress<'a> {
        ConsoleProgress { console, notes: Mutex::default() }
    }
}

impl CellProgress for ConsoleProgress<'_> {
    fn progress(&self, done: usize, of: usize, left: Option<Duration>) {
        if left.is_none() {
            self.console.begin_cells(of as u64);
        }
        let message = left.map_or("evaluating".to_owned(), |left| {
            format!("about {} left", format_duration(left))
        });
        self.console.set_progress(done as u64, message);
    }

    fn is_stopped(&self) -> bool {
        stop::is_requested()
    }

    fn skipped(&self, map: &str, problem: &SchemeError) {
        self.note(&format!("{map}: {problem}"));
    }

    fn note(&self, text: &str) {
        if self.notes.lock().is_ok_and(|mut notes| notes.insert(text.to_owned())) {
            self.console.note(text);
        }
    }
}
