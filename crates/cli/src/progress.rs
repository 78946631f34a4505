//! What people see while they wait: a bar for whatever takes longer than a moment, and notes.
//!
//! All of it goes to standard error, so that results can be piped.

use import::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::{Mutex, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Standard error, unless nobody wants to hear.
pub struct Console {
    quiet: bool,
    stage: Mutex<Option<Stage>>,
}

/// A stage of the work, and the thread that shows it once it has taken long enough. The stage need
/// not report anything for that: some have nothing to count.
struct Stage {
    bar: ProgressBar,
    over: mpsc::Sender<()>,
    shower: Option<JoinHandle<()>>,
}

/// A stage that is done sooner than this never shows a bar.
const PATIENCE: Duration = Duration::from_millis(400);

/// How often a bar that is shown moves.
const BEAT: Duration = Duration::from_millis(100);

impl Console {
    /// A console that says nothing if `quiet`.
    pub fn new(quiet: bool) -> Console {
        Console { quiet, stage: Mutex::new(None) }
    }

    /// Says something worth knowing.
    pub fn note(&self, note: &str) {
        if !self.quiet {
            eprintln!("note: {note}");
        }
    }

    /// Begins a stage that is told how far it is, rather than how much was added.
    pub fn begin_cells(&self, total: u64) {
        self.begin("evaluating", total);
        if let Some(stage) = self.lock().as_ref()
            && let Ok(style) = ProgressStyle::with_template("{msg:32} {wide_bar} {pos}/{len}")
        {
            stage.bar.set_style(style);
        }
    }

    /// How far a stage is, in the words of whoever knows.
    pub fn reach(&self, position: u64, message: String) {
        if let Some(stage) = self.lock().as_ref() {
            stage.bar.set_position(position);
            stage.bar.set_message(message);
        }
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        if let Some(stage) = self.lock().take() {
            stage.end();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Stage>> {
        self.stage.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Progress for Console {
    fn begin(&self, stage: &'static str, total: u64) {
        self.clear();
        if !self.quiet && std::io::stderr().is_terminal() {
            *self.lock() = Some(Stage::begin(stage, total));
        }
    }

    fn advance(&self, amount: u64) {
        if let Some(stage) = self.lock().as_ref() {
            stage.bar.inc(amount);
        }
    }
}

impl Stage {
    fn begin(name: &'static str, total: u64) -> Stage {
        let total = (total > 0).then_some(total);
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        let template = if total.is_some() {
            "{msg:24} {wide_bar} {percent:>3} %  {eta:>4} left"
        } else {
            "{msg:24} {spinner} {elapsed}"
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(name);
        let (over, ended) = mpsc::channel();
        let shown = bar.clone();
        let shower = thread::Builder::new().spawn(move || {
            if ended.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(BEAT);
            }
        });
        // Where no thread can be had, the work goes on without a bar.
        Stage { bar, over, shower: shower.ok() }
    }

    fn end(self) {
        drop(self.over);
        // Shown after it was taken away, a bar would stay.
        if let Some(Ok(())) = self.shower.map(JoinHandle::join) {
            self.bar.finish_and_clear();
        }
    }
}
