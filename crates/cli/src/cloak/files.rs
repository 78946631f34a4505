//! The files a run fills as it goes: outcomes, disclosures, a row for each batch.

use super::disclosures::Disclosures;
use super::outcomes::Outcomes;
use super::per_batch::PerBatch;
use anyhow::Result;
use std::path::Path;

/// Those of the files that were asked for; none appears before the run is over.
#[derive(Debug)]
pub struct Files {
    /// What became of every query.
    pub outcomes: Outcomes,
    /// What leaves for the service.
    pub disclosures: Option<Disclosures>,
    /// A row for each batch.
    pub per_batch: Option<PerBatch>,
}

impl Files {
    /// Begins them.
    pub fn create(
        outcomes: &Path,
        disclosures: Option<&Path>,
        per_batch: Option<&Path>,
    ) -> Result<Files> {
        Ok(Files {
            outcomes: Outcomes::create(outcomes)?,
            disclosures: disclosures.map(Disclosures::create).transpose()?,
            per_batch: per_batch.map(PerBatch::create).transpose()?,
        })
    }

    /// Gives them their names.
    pub fn finish(self) -> Result<()> {
        self.outcomes.finish()?;
        self.disclosures.map_or(Ok(()), Disclosures::finish)?;
        self.per_batch.map_or(Ok(()), PerBatch::finish)
    }
}
