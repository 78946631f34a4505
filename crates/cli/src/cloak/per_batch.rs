//! A row for each batch, as CSV (SPEC §8).

use super::text::{put_thousandths, put_whole};
use anyhow::Result;
use evaluation::stopwatch::{STAGES, Spent};
use import::AtomicFile;
use meshcloak::scheme::Stats;
use meshcloak::units::Time;
use std::path::Path;

/// What happened in a batch.
#[derive(Clone, Copy, Debug)]
pub struct BatchRow {
    /// The time of the batch.
    pub at: Time,
    /// Queries accepted since the last one.
    pub new: usize,
    /// Who was served.
    pub succeeded: usize,
    /// Whose patience was over.
    pub expired: usize,
    /// Who still waits.
    pub waiting: usize,
    /// What the constraint graph looked like.
    pub stats: Stats,
    /// How long it took.
    pub spent: Spent,
}

/// The file on its way.
#[derive(Debug)]
pub struct PerBatch {
    file: AtomicFile,
    line: Vec<u8>,
}

impl PerBatch {
    /// Begins the file.
    pub fn create(path: &Path) -> Result<PerBatch> {
        let mut file = AtomicFile::create(path)?;
        let stages = STAGES.map(|(_, name)| format!("{name}_ms")).join(",");
        let counts = "time,new,succeeded,expired,waiting,nodes,edges,cliques";
        file.add(format!("{counts},{stages}\n").as_bytes())?;
        Ok(PerBatch { file, line: Vec::new() })
    }

    /// Adds a batch.
    pub fn write(&mut self, row: &BatchRow) -> Result<()> {
        let BatchRow { new, succeeded, expired, waiting, stats, .. } = *row;
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
        self.line.push(b'\n');
        Ok(self.file.add(&self.line)?)
    }

    /// Gives the file its name.
    pub fn finish(self) -> Result<()> {
        Ok(self.file.finish()?)
    }
}
