//! Folder for the results of attacks.

use anyhow::{Context as _, Result};
use evaluation::privacy::{AttackResults, PortraitRow};
use evaluation::results::{self, PrivacyRow};
use std::path::Path;

/// Returns the rows of the drawing of one target.
pub(super) fn portrait(found: &AttackResults) -> Vec<PortraitRow> {
    found.portrait.as_ref().map_or(Vec::new(), |portrait| portrait.rows(&found.scheme))
}

/// Writes the rows to a folder of results; replaces rows of the same run and keeps all others.
pub(super) fn write(folder: &Path, rows: &[PrivacyRow], portraits: Vec<PortraitRow>) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let path = folder.join("privacy.csv");
    let mut all: Vec<PrivacyRow> = if path.is_file() { results::read(&path)? } else { Vec::new() };
    all.retain(|old| !rows.iter().any(|row| row.run() == old.run()));
    all.extend_from_slice(rows);
    results::write(&path, &all)?;
    if !portraits.is_empty() {
        let path = folder.join("victim.csv");
        let mut all: Vec<PortraitRow> =
            if path.is_file() { results::read(&path)? } else { Vec::new() };
        all.retain(|old| !portraits.iter().any(|row| row.scheme == old.scheme));
        all.extend(portraits);
        results::write(&path, &all)?;
    }
    Ok(())
}
