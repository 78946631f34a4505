//! What leaves for the service, as NDJSON (SPEC §9): for each published set when, and which
//! streets. No id, no user, no k, no size; the order depends on the regions alone.

use super::text::{Labels, put_thousandths};
use anyhow::Result;
use import::GrowingFile;
use meshcloak::scheme::Published;
use meshcloak::units::Time;
use std::path::Path;

/// The file on its way.
#[derive(Debug)]
pub struct Disclosures {
    file: GrowingFile,
    line: Vec<u8>,
    sets: Vec<u32>,
}

impl Disclosures {
    /// Begins the file.
    pub fn create(path: &Path) -> Result<Disclosures> {
        let file = GrowingFile::create(path)?;
        Ok(Disclosures { file, line: Vec::new(), sets: Vec::new() })
    }

    /// Writes one request for each set of a batch, also if a scheme lists a set once for each
    /// member: how often it asks would tell how many they are.
    pub fn write(&mut self, labels: &Labels, published: &Published, at: Time) -> Result<()> {
        let key = |set: &u32| {
            let set = published.set(*set);
            (set.mesh, set.members)
        };
        self.sets.clear();
        self.sets.extend(0..published.set_count() as u32);
        self.sets.sort_unstable_by(|a, b| key(a).cmp(&key(b)));
        self.sets.dedup_by(|a, b| key(a).1 == key(b).1);
        for &set in &self.sets {
            self.line.clear();
            self.line.extend_from_slice(b"{\"at\":");
            put_thousandths(&mut self.line, at.as_millis());
            self.line.extend_from_slice(b",\"mesh\":");
            labels.put(&mut self.line, published.set(set).mesh);
            self.line.extend_from_slice(b"}\n");
            self.file.add(&self.line)?;
        }
        Ok(())
    }

    /// Gives the file its name.
    pub fn finish(self) -> Result<()> {
        Ok(self.file.finish()?)
    }
}
