//! What people see while they wait: a bar for whatever takes longer than a moment, and notes.
//!
//! All of it goes to standard error, so that results can be piped.

use import::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Standard error, unless nobody wants to hear.
pub struct Console {
    quiet: bool,
    bar: Mutex<Option<Bar>>,
}

struct Bar {
    bar: ProgressBar,
    begun: Instant,
}

/// A stage that is done sooner than this never shows a bar.
const PATIENCE: Duration = Duration::from_millis(400);

impl Console {
    /// A console that says nothing if `quiet`.
    pub fn new(quiet: bool) -> Console {
        Console { quiet, bar: Mutex::new(None) }
    }

    /// Says something worth knowing.
    pub fn note(&self, note: &str) {
        if !self.quiet {
            eprintln!("note: {note}");
        }
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        if let Some(bar) = self.lock().take() {
            bar.bar.finish_and_clear();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Bar>> {
        self.bar.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Progress for Console {
    fn begin(&self, stage: &'static str, total: u64) {
        self.clear();
        if self.quiet || !std::io::stderr().is_terminal() {
            return;
        }
        let bar = ProgressBar::with_draw_target(
            (total > 0).then_some(total),
            ProgressDrawTarget::hidden(),
        );
        let template = if total > 0 {
            "{msg:24} {wide_bar} {percent:>3} %  {eta:>4} left"
        } else {
            "{msg:24} {spinner} {elapsed}"
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(stage);
        *self.lock() = Some(Bar { bar, begun: Instant::now() });
    }

    fn advance(&self, amount: u64) {
        if let Some(bar) = self.lock().as_ref() {
            if bar.bar.is_hidden() && bar.begun.elapsed() > PATIENCE {
                bar.bar.set_draw_target(ProgressDrawTarget::stderr());
            }
            bar.bar.inc(amount);
        }
    }
}
