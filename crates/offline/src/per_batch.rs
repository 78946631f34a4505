//! Statistics per batch as CSV (docs/SPEC.md §8).

use crate::error::Result;
use crate::text::{put_thousandths, put_whole};
use evaluation::stopwatch::{STAGES, Spent};
use import::AtomicFile;
use meshcloak::guard::Violation;
use meshcloak::scheme::Stats;
use meshcloak::units::Time;
use std::path::Path;

/// Statistics of a batch.
#[derive(Clone, Copy, Debug)]
pub struct BatchRow {
    /// Time of the batch.
    pub at: Time,
    /// Queries accepted since the last batch. All counts are of queries with a question.
    pub new: usize,
    /// Served queries.
    pub succeeded: usize,
    /// Expired queries.
    pub expired: usize,
    /// Replaced queries.
    pub replaced: usize,
    /// Queries that keep waiting.
    pub waiting: usize,
    /// Waiting presence reports, before publishing.
    pub present: usize,
    /// Size of the constraint graph.
    pub stats: Stats,
    /// Time spent in each stage.
    pub spent: Spent,
}

/// File of batch statistics, visible when it is complete.
#[derive(Debug)]
pub struct BatchFile {
    file: AtomicFile,
    line: Vec<u8>,
}

impl BatchFile {
    /// Creates the file.
    pub fn create(path: &Path) -> Result<BatchFile> {
        let mut file = AtomicFile::create(path)?;
        let stages = STAGES.map(|(_, name)| format!("{name}_ms")).join(",");
        let counts = "time,new,succeeded,expired,waiting,nodes,edges,cliques";
        let rejected = Violation::ALL.map(|violation| format!("rejected_{}", violation.name()));
        let more = format!("replaced,held,idle,{},present", rejected.join(","));
        file.add(format!("{counts},{stages},{more}\n").as_bytes())?;
        Ok(BatchFile { file, line: Vec::new() })
    }

    /// Appends a batch.
    pub fn write(&mut self, row: &BatchRow) -> Result<()> {
        let BatchRow { new, succeeded, expired, replaced, waiting, stats, .. } = *row;
        self.line.clear();
        put_thousandths(&mut self.line, row.at.as_millis());
        for count in [new, succeeded, expired, waiting, stats.nodes, stats.edges, stats.cliques] {
            self.line.push(b',');
            put_whole(&mut self.line, count as u64);
        }
        for spent in row.spent {
            self.line.push(b',');
            put_thousandths(&mut self.line, spent.as_micros() as u64);
        }
        let rejected = Violation::ALL.map(|violation| stats.rejected.count(violation));
        let more = [replaced, stats.held, stats.idle].into_iter();
        for count in more.chain(rejected).chain([row.present]) {
            self.line.push(b',');
            put_whole(&mut self.line, count as u64);
        }
        self.line.push(b'\n');
        Ok(self.file.add(&self.line)?)
    }

    /// Completes the file.
    pub fn finish(self) -> Result<()> {
        Ok(self.file.finish()?)
    }
}
