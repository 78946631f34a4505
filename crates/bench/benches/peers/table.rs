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

/// Seconds after which a run is not repeated.
const LONG: f64 = 5.0;

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
    pub fn print(&self) {
        println!("{:48} {:34} {:>11} {:>8}  answer", "task", "program", "ms", "ratio");
        for own in self.rows.iter().filter(|row| row.program == OWN) {
            let mut name = own.task.as_str();
            for row in self.rows.iter().filter(|row| row.task == own.task) {
                let (ms, ratio) = (row.seconds * 1e3, row.seconds / own.seconds);
                let differs = (row.answer - own.answer).abs() > TOLERANCE * own.answer.abs();
                let note = if differs { "  (differs)" } else { "" };
                println!(
                    "{name:48} {:34} {ms:11.2} {ratio:8.2}  {}{note}",
                    row.program, row.answer
                );
                name = "";
            }
        }
    }
}
