//! Progress of a stage as lines, for output that is not a terminal. A thread prints a line at each
//! interval, also while the stage reports nothing. With an interval of zero each step is a line.

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A stage that prints lines until it ends.
pub struct ProgressLines {
    progress: Arc<Mutex<StageProgress>>,
    begun: Instant,
    /// Prints each step; instead of the thread.
    print_step: Option<Box<dyn Fn(String) + Send + Sync>>,
    /// Dropping it tells the thread that the stage has ended.
    running: mpsc::Sender<()>,
    thread: Option<JoinHandle<()>>,
}

/// How far a stage is.
struct StageProgress {
    message: String,
    position: u64,
    /// 0 if unknown.
    total: u64,
    /// Whether positions are shown as numbers, not as a percentage.
    is_counted: bool,
}

impl ProgressLines {
    /// Begins a stage; `print` receives a line after each interval, or at each step if that is zero.
    pub fn begin(
        name: &'static str,
        total: u64,
        interval: Duration,
        print: impl Fn(String) + Send + Sync + 'static,
    ) -> ProgressLines {
        let progress =
            StageProgress { message: name.to_owned(), position: 0, total, is_counted: false };
        let progress = Arc::new(Mutex::new(progress));
        let shown = Arc::clone(&progress);
        let begun = Instant::now();
        let (running, ended) = mpsc::channel();
        if interval.is_zero() {
            let print_step: Option<Box<dyn Fn(String) + Send + Sync>> = Some(Box::new(print));
            return ProgressLines { progress, begun, print_step, running, thread: None };
        }
        let thread = thread::Builder::new().spawn(move || {
            while ended.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                let line = shown.lock().line(begun.elapsed());
                print(line);
            }
        });
        // Without a thread the work continues without lines.
        ProgressLines { progress, begun, print_step: None, running, thread: thread.ok() }
    }

    /// Sets position and message of a stage that counts.
    pub fn set(&self, position: u64, message: String) {
        let mut progress = self.progress.lock();
        (progress.position, progress.message, progress.is_counted) = (position, message, true);
        if let Some(print) = &self.print_step {
            print(progress.line(self.begun.elapsed()));
        }
    }

    /// Adds to the position.
    pub fn advance(&self, amount: u64) {
        self.progress.lock().position += amount;
    }

    /// Ends the stage; no line is printed afterwards.
    pub fn end(self) {
        drop(self.running);
        if let Some(thread) = self.thread {
            // A thread that panicked prints no line either.
            let _ = thread.join();
        }
    }
}

impl StageProgress {
    fn line(&self, elapsed: Duration) -> String {
        let StageProgress { message, position, total, is_counted } = self;
        let seconds = elapsed.as_secs();
        match (is_counted, total) {
            (true, _) => format!("{position}/{total}: {message}, {seconds} s"),
            (false, 0) => format!("{message}, {seconds} s"),
            (false, total) => {
                format!("{message}: {} %, {seconds} s", position.saturating_mul(100) / total)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_prints_lines_without_reports_until_it_ends() {
        let (send, lines) = mpsc::channel();
        let print = move |line| drop(send.send(line));
        let stage = ProgressLines::begin("attacking", 0, Duration::from_millis(1), print);
        let next = || lines.recv_timeout(Duration::from_secs(60)).expect("a line in a minute");
        assert!(next().starts_with("attacking, "));
        assert!(next().starts_with("attacking, "));
        stage.set(0, "meshcloak/paper".to_owned());
        while !next().starts_with("0/0: meshcloak/paper, ") {}
        stage.end();
        // The thread has ended and dropped its sender, so the lines end.
        assert!(lines.iter().all(|line| line.starts_with("0/0: ")));
    }

    #[test]
    fn without_an_interval_each_step_is_a_line() {
        let (send, lines) = mpsc::channel();
        let print = move |line| drop(send.send(line));
        let stage = ProgressLines::begin("attacking", 2, Duration::ZERO, print);
        stage.set(0, "casper".to_owned());
        stage.set(1, "xstar".to_owned());
        stage.end();
        let steps: Vec<String> = lines.iter().collect();
        assert!(steps[0].starts_with("0/2: casper, "), "{steps:?}");
        assert!(steps.len() == 2 && steps[1].starts_with("1/2: xstar, "), "{steps:?}");
    }

    #[test]
    fn lines_show_a_share_or_a_count_and_the_time() {
        let stage = |position, total, is_counted| StageProgress {
            message: "reading".to_owned(),
            position,
            total,
            is_counted,
        };
        let line = |stage: StageProgress| stage.line(Duration::from_millis(20_900));
        assert_eq!(line(stage(0, 0, false)), "reading, 20 s");
        assert_eq!(line(stage(1, 3, false)), "reading: 33 %, 20 s");
        assert_eq!(line(stage(1, 3, true)), "1/3: reading, 20 s");
    }
}
