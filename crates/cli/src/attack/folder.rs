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
pub(super) fn write(folder: &Path, rows: &[PrivacyRow], portraits: &[PortraitRow]) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let is_replaced = |old: &PrivacyRow| rows.iter().any(|row| row.run() == old.run());
    results::merge(&folder.join("privacy.csv"), rows, is_replaced)?;
    if !portraits.is_empty() {
        let is_replaced = |old: &PortraitRow| portraits.iter().any(|row| row.scheme == old.scheme);
        results::merge(&folder.join("victim.csv"), portraits, is_replaced)?;
    }
    Ok(())
}
