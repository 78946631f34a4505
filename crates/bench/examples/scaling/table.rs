//! The best run of each row, and how the rows compare.

use crate::measurement::Measurement;

/// Measurements of one recording.
#[derive(Default)]
pub struct Table {
    rows: Vec<Row>,
}

/// The fastest run of a guarantee with a number of threads.
struct Row {
    name: &'static str,
    threads: usize,
    /// Whether searches stop at enough members in crowds.
    crowds: bool,
    best: Measurement,
}

impl Table {
    /// Prints the head of the table.
    pub fn print_header() {
        let head = "setting     users guarantee           threads  µs/query  × paper  × one";
        println!("{head}  {}", Measurement::HEADER);
    }

    /// Adds a run.
    pub fn add(&mut self, name: &'static str, threads: usize, crowds: bool, run: Measurement) {
        let mut rows = self.rows.iter_mut();
        match rows.find(|row| (row.name, row.threads, row.crowds) == (name, threads, crowds)) {
            Some(row) if row.best.seconds <= run.seconds => {}
            Some(row) => row.best = run,
            None => self.rows.push(Row { name, threads, crowds, best: run }),
        }
    }

    /// Prints all rows after `label`, with the time of each stage if `with_stages`.
    pub fn print(&self, label: &str, with_stages: bool) {
        for row in &self.rows {
            let to = |name: &str, threads: usize| {
                let key = (name, threads, row.crowds);
                let mut rows = self.rows.iter();
                let other = rows.find(|row| (row.name, row.threads, row.crowds) == key);
                other.map(|other| row.best.seconds / other.best.seconds)
            };
            let text = |ratio: Option<f64>| ratio.map_or("-".into(), |ratio| format!("{ratio:.2}"));
            println!(
                "{label} {:11}{:9} {:6} {:9.3} {:>8} {:>6}  {}",
                row.name,
                if row.crowds { "" } else { "unlimited" },
                row.threads,
                row.best.micros(),
                text(to("paper", row.threads)),
                text(to(row.name, 1).map(|slower| 1.0 / slower)),
                row.best.row()
            );
            if with_stages {
                println!("{:20} {}", "", row.best.stages());
            }
        }
    }
}
