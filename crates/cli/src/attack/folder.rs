//! Folder for the results of attacks.

use anyhow::{Context as _, Result};
use evaluation::privacy::{AttackResults, PortraitRow};
use evaluation::provenance::{Machine, RunProvenance};
use evaluation::result_file::{ATTACK_CRATES, ResultFile, add_files};
use evaluation::results::{self, PrivacyRow};
use evaluation::sample::{self, Sample};
use std::collections::BTreeSet;
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
    write_provenance(folder, Vec::new())
}

/// Stores the sample of answers, by which results of other code are recognised.
pub(super) fn write_sample(folder: &Path) -> Result<()> {
    let (commit, earlier) = (env!("MESHCLOAK_COMMIT"), ResultFile::read_all(folder)?);
    let entries = sample::keep(folder, commit, &earlier, &Sample::compute()?)?;
    write_provenance(folder, entries)
}

/// States the commits of the attacks, and `more` entries, in the provenance of the folder.
fn write_provenance(folder: &Path, more: Vec<ResultFile>) -> Result<()> {
    let file = folder.join("privacy.csv");
    let rows: Vec<PrivacyRow> = if file.is_file() { results::read(&file)? } else { Vec::new() };
    let commits: BTreeSet<String> = rows.into_iter().map(|row| row.commit).collect();
    let commits: Vec<String> = commits.into_iter().collect();
    let names = ["privacy.csv", "victim.csv"].into_iter();
    let own = names.filter(|name| folder.join(name).is_file());
    let own = own.map(|name| ResultFile::new(name, &commits, &ATTACK_CRATES)).chain(more);
    let head = || {
        let (program, machine) = (crate::evaluate::program(), Machine::detect());
        let commits = commits.clone();
        let title = "Attacks".to_owned();
        RunProvenance { program, machine, title, commits, jobs: 1, ..RunProvenance::default() }
            .to_toml()
    };
    Ok(add_files(folder, head, own.collect())?)
}
