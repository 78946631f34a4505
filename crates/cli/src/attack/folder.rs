//! Folder for the results of attacks.

use crate::provenance_file::state_commits;
use anyhow::{Context as _, Result};
use evaluation::privacy::{AttackResults, PortraitRow};
use evaluation::result_file::ResultFile;
use evaluation::results::{self, PrivacyRow};
use evaluation::sample::{self, Sample};
use evaluation::stated_commits::{ATTACKS, VICTIM};
use std::path::Path;

/// Title of a folder that begins with attacks.
pub(super) const TITLE: &str = "Attacks";

/// Returns the rows of the drawing of one target.
pub(super) fn portrait(found: &AttackResults) -> Vec<PortraitRow> {
    found.portrait.as_ref().map_or(Vec::new(), |portrait| portrait.rows(&found.scheme))
}

/// Writes the rows to a folder of results; replaces rows of the same run and keeps all others.
pub(super) fn write(folder: &Path, rows: &[PrivacyRow], portraits: &[PortraitRow]) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let is_replaced = |old: &PrivacyRow| rows.iter().any(|row| row.run() == old.run());
    results::merge(&folder.join(ATTACKS), rows, is_replaced)?;
    if !portraits.is_empty() {
        let is_replaced = |old: &PortraitRow| portraits.iter().any(|row| row.scheme == old.scheme);
        results::merge(&folder.join(VICTIM), portraits, is_replaced)?;
    }
    let drawing = (!portraits.is_empty()).then_some(VICTIM);
    state_commits(folder, TITLE, drawing, Vec::new())
}

/// Stores the sample of answers, by which results of other code are recognised.
pub(super) fn write_sample(folder: &Path) -> Result<()> {
    let (commit, earlier) = (env!("MESHCLOAK_COMMIT"), ResultFile::read_all(folder)?);
    let entries = sample::keep(folder, commit, &earlier, &Sample::compute()?)?;
    state_commits(folder, TITLE, None, entries)
}
