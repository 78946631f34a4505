//! Times of all programs by task, and the files that the tasks share.

use std::path::PathBuf;
use std::time::Instant;

/// Times of all programs.
pub struct Table {
    data: PathBuf,
    rows: Vec<Row>,
}

/// Time of one program for a task.
struct Row {
    task: String,
    program: String,
    seconds: f64,
    answer: f64,
}

/// Name of this project in the table; the first row of each task.
const OWN: &str = "MeshCloak";

/// Largest relative difference of answers that count as equal. Some programs compute in single precision.
const TOLERANCE: f64 = 1e-4;

/// Programs whose answers differ, by the start of task and program: they compute something else.
const DIFFERENT: [(&str, &str, &str); 1] =
    [("nearest street", "scipy, k-d tree", "distances to samples of the streets")];

/// Seconds after which a run is not repeated.
const LONG: f64 = 5.0;

/// Note of a program that should have given the answer of MeshCloak.
const UNEXPECTED: &str = "differs";

impl Row {
    /// Returns why the answer differs from `own`; `None` if it does not.
    fn difference(&self, own: &Row) -> Option<&'static str> {
        if (self.answer - own.answer).abs() <= TOLERANCE * own.answer.abs() {
            return None;
        }
        let known = DIFFERENT.iter().find(|(task, program, _)| {
            self.task.starts_with(task) && self.program.starts_with(program)
        });
        Some(known.map_or(UNEXPECTED, |(.., why)| why))
    }
}

impl Table {
    pub fn new(data: PathBuf) -> Table {
        Table { data, rows: Vec::new() }
    }

    /// Measures a task of MeshCloak.
    pub fn measure(&mut self, task: &str, run: impl FnMut() -> f64) {
        self.measure_peer(task, OWN, run);
    }

    /// Measures a task of another program: best of three. `run` returns the answer.
    pub fn measure_peer(&mut self, task: &str, program: &str, mut run: impl FnMut() -> f64) {
        let (mut best, mut answer) = (f64::INFINITY, 0.0);
        for _ in 0..3 {
            let start = Instant::now();
            answer = run();
            best = best.min(start.elapsed().as_secs_f64());
            if best > LONG {
                break;
            }
        }
        self.add(task, program, best, answer);
    }

    fn add(&mut self, task: &str, program: &str, seconds: f64, answer: f64) {
        let (task, program) = (task.to_owned(), program.to_owned());
        self.rows.push(Row { task, program, seconds, answer });
    }

    /// Writes an input of a task as a flat array, little-endian.
    pub fn write<const N: usize>(&self, file: &str, values: impl Iterator<Item = [u8; N]>) {
        let bytes: Vec<u8> = values.flatten().collect();
        std::fs::write(self.data.join(file), bytes).expect("the input can be written");
    }

    /// Adds the lines of `peers.py`: task, program, seconds and answer, separated by tabs.
    pub fn read(&mut self, lines: &str) {
        for line in lines.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let [task, program, seconds, answer] = fields[..] else {
                panic!("peers.py printed `{line}`, expected four fields");
            };
            let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("`{text}` in {line}"));
            self.add(task, program, number(seconds), number(answer));
        }
    }

    /// Prints the tasks. The ratio is the time of a program divided by that of MeshCloak.
    ///
    /// # Panics
    /// If an answer differs from that of MeshCloak, except for [`DIFFERENT`] programs.
    pub fn print(&self) {
        println!("{:48} {:34} {:>11} {:>8}  answer", "task", "program", "ms", "ratio");
        for own in self.rows.iter().filter(|row| row.program == OWN) {
            let mut name = own.task.as_str();
            for row in self.rows.iter().filter(|row| row.task == own.task) {
                let (ms, ratio) = (row.seconds * 1e3, row.seconds / own.seconds);
                let note = row.difference(own).map_or(String::new(), |why| format!("  ({why})"));
                println!(
                    "{name:48} {:34} {ms:11.2} {ratio:8.2}  {}{note}",
                    row.program, row.answer
                );
                name = "";
            }
        }
        let pairs = self.rows.iter().filter_map(|row| Some((row, self.own(&row.task)?)));
        let wrong: Vec<&Row> = pairs
            .filter(|(row, own)| row.difference(own) == Some(UNEXPECTED))
            .map(|(row, _)| row)
            .collect();
        let name = |row: &&Row| format!("{}: {} ({})", row.task, row.program, row.answer);
        assert!(
            wrong.is_empty(),
            "other answers: {:?}",
            wrong.iter().map(name).collect::<Vec<_>>()
        );
    }

    fn own(&self, task: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.task == task && row.program == OWN)
    }
}
