//! Output files of a run: outcomes, disclosures, statistics per batch.

use crate::disclosures::DisclosureFile;
use crate::error::Result;
use crate::outcomes::{Meshes, OutcomeFile};
use crate::per_batch::BatchFile;
use std::path::Path;

/// Requested output files; they become visible when the run is complete.
#[derive(Debug)]
pub struct OutputFiles {
    /// Outcome of each query.
    pub outcomes: OutcomeFile,
    /// Disclosures to the service.
    pub disclosures: Option<DisclosureFile>,
    /// Statistics per batch.
    pub per_batch: Option<BatchFile>,
    /// How often the region of a set is written.
    pub meshes: Meshes,
}

impl OutputFiles {
    /// Creates the files.
    pub fn create(
        outcomes: &Path,
        disclosures: Option<&Path>,
        per_batch: Option<&Path>,
    ) -> Result<OutputFiles> {
        Ok(OutputFiles {
            outcomes: OutcomeFile::create(outcomes)?,
            disclosures: disclosures.map(DisclosureFile::create).transpose()?,
            per_batch: per_batch.map(BatchFile::create).transpose()?,
            meshes: Meshes::Each,
        })
    }

    /// Completes the files.
    pub fn finish(self) -> Result<()> {
        self.outcomes.finish()?;
        self.disclosures.map_or(Ok(()), DisclosureFile::finish)?;
        self.per_batch.map_or(Ok(()), BatchFile::finish)
    }
}
