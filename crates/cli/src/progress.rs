//! Progress bars and notes on standard error; standard output carries only results. If standard error
//! is not a terminal, long stages print lines instead of a bar.

use crate::progress_lines::ProgressLines;
use import::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use parking_lot::Mutex;
use std::io::{self, IsTerminal, Write as _};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Standard error, silenced by `--quiet`.
pub struct Console {
    quiet: bool,
    /// Time between two progress lines; shorter stages print none. Zero: a line at each step.
    interval: Duration,
    stage: Mutex<Option<ProgressStage>>,
    /// Stage without a bar.
    lines: Mutex<Option<ProgressLines>>,
}

/// A stage of the work and the thread that shows its bar after [`SHOW_DELAY`], also if the stage
/// reports no progress.
struct ProgressStage {
    bar: ProgressBar,
    /// Dropping it tells the thread that the stage has ended.
    running: mpsc::Sender<()>,
    thread: Option<JoinHandle<()>>,
}

/// Stages shorter than this show no bar.
const SHOW_DELAY: Duration = Duration::from_millis(400);

/// Interval between two redraws of a bar.
const REDRAW_INTERVAL: Duration = Duration::from_millis(100);

impl Console {
    /// Builds a console; a quiet one prints neither notes nor progress.
    pub fn new(quiet: bool, interval: Duration) -> Console {
        Console { quiet, interval, stage: Mutex::new(None), lines: Mutex::new(None) }
    }

    /// Prints a note.
    pub fn note(&self, note: &str) {
        if !self.quiet {
            eprintln!("note: {note}");
        }
    }

    /// Begins a stage that reports absolute positions by [`Console::set_progress`].
    pub fn begin_cells(&self, total: u64) {
        self.begin("evaluating", total);
        if let Some(stage) = self.stage.lock().as_ref()
            && let Ok(style) = ProgressStyle::with_template("{msg:32} {wide_bar} {pos}/{len}")
        {
            stage.bar.set_style(style);
        }
    }

    /// Sets the position and the message of the current stage.
    pub fn set_progress(&self, position: u64, message: String) {
        if let Some(stage) = self.stage.lock().as_ref() {
            stage.bar.set_position(position);
            stage.bar.set_message(message);
        } else if let Some(lines) = self.lines.lock().as_ref() {
            lines.set(position, message);
        }
    }

    /// Ends the current stage and removes its bar.
    pub fn clear(&self) {
        if let Some(lines) = self.lines.lock().take() {
            lines.end();
        }
        if let Some(stage) = self.stage.lock().take() {
            stage.end();
        }
    }
}

impl Progress for Console {
    fn begin(&self, stage: &'static str, total: u64) {
        self.clear();
        if self.quiet {
            return;
        }
        if io::stderr().is_terminal() {
            *self.stage.lock() = Some(ProgressStage::begin(stage, total));
        } else {
            // A closed standard error does not end the work.
            let print = |line: String| drop(writeln!(io::stderr(), "{line}"));
            *self.lines.lock() = Some(ProgressLines::begin(stage, total, self.interval, print));
        }
    }

    fn advance(&self, amount: u64) {
        if let Some(stage) = self.stage.lock().as_ref() {
            stage.bar.inc(amount);
        } else if let Some(lines) = self.lines.lock().as_ref() {
            lines.advance(amount);
        }
    }
}

impl ProgressStage {
    fn begin(name: &'static str, total: u64) -> ProgressStage {
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
        let (running, ended) = mpsc::channel();
        let visible_bar = bar.clone();
        let thread = thread::Builder::new().spawn(move || {
            if ended.recv_timeout(SHOW_DELAY) == Err(mpsc::RecvTimeoutError::Timeout) {
                visible_bar.set_draw_target(ProgressDrawTarget::stderr());
                visible_bar.enable_steady_tick(REDRAW_INTERVAL);
            }
        });
        // Without a thread the work continues without a bar.
        ProgressStage { bar, running, thread: thread.ok() }
    }

    fn end(self) {
        drop(self.running);
        // Joins first: a bar that the thread shows after the removal would stay on the screen.
        if let Some(Ok(())) = self.thread.map(JoinHandle::join) {
            self.bar.finish_and_clear();
        }
    }
}
