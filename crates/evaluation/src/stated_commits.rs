//! Provenance of result files whose rows state their commits: attacks, costs, other architectures and
//! skipped schemes. Their drawings have no commits; they belong to the rows of the same scheme or
//! system.

use crate::distinct::sorted_distinct;
use crate::neighbours::{DRAWINGS, DrawingRow, MEASURES, MeasureRow};
use crate::privacy::PortraitRow;
use crate::result_file::{ATTACK_CRATES, ResultFile, joined};
use crate::results::{self, COSTS, CostRow, PrivacyRow, ResultsError, SKIPPED, SkippedRow};
use crate::store::StoreError;
use serde::de::DeserializeOwned;
use std::path::Path;

/// File of the attacks within a results folder.
pub const ATTACKS: &str = "privacy.csv";

/// File of the drawing of one target.
pub const VICTIM: &str = "victim.csv";

/// Crates whose code decides the costs.
const COST_CRATES: [&str; 7] =
    ["meshcloak", "import", "traffic", "baselines", "gateway", "evaluation", "cli"];

/// Crates whose code decides the measures of other architectures.
const NEIGHBOUR_CRATES: [&str; 6] =
    ["meshcloak", "import", "traffic", "neighbours", "evaluation", "cli"];

/// Returns the entries of all files of a folder whose rows state their commits, and of drawings that
/// have no entry yet. A file with a row without commit has none.
///
/// # Errors
/// If a file is invalid.
pub fn stated_files(folder: &Path) -> Result<Vec<ResultFile>, StoreError> {
    let attacks: Vec<PrivacyRow> = rows(folder, ATTACKS)?;
    let skipped: Vec<SkippedRow> = rows(folder, SKIPPED)?;
    let costs: Vec<CostRow> = rows(folder, COSTS)?;
    let measures: Vec<MeasureRow> = rows(folder, MEASURES)?;
    let mut files = Vec::new();
    files.extend(entry(ATTACKS, &ATTACK_CRATES, attacks.iter().map(|row| &row.commit)));
    files.extend(entry(SKIPPED, &ATTACK_CRATES, skipped.iter().map(|row| &row.commit)));
    files.extend(entry(COSTS, &COST_CRATES, costs.iter().map(|row| &row.commit)));
    files.extend(entry(MEASURES, &NEIGHBOUR_CRATES, measures.iter().map(|row| &row.commit)));
    let known = ResultFile::read_all(folder)?;
    let is_unknown = |name: &str| !known.iter().any(|file| file.name == name);
    if is_unknown(VICTIM) {
        let drawn: Vec<PortraitRow> = rows(folder, VICTIM)?;
        let is_drawn = |row: &&PrivacyRow| drawn.iter().any(|one| one.scheme == row.scheme);
        let commits = attacks.iter().filter(is_drawn).map(|row| &row.commit);
        files.extend(entry(VICTIM, &ATTACK_CRATES, commits));
    }
    if is_unknown(DRAWINGS) {
        let drawn: Vec<DrawingRow> = rows(folder, DRAWINGS)?;
        let is_drawn = |row: &&MeasureRow| drawn.iter().any(|one| one.system == row.system);
        let commits = measures.iter().filter(is_drawn).map(|row| &row.commit);
        files.extend(entry(DRAWINGS, &NEIGHBOUR_CRATES, commits));
    }
    Ok(files)
}

/// Returns the entry of a file of drawings to which the program of `commit` has added.
///
/// # Errors
/// If the provenance of the folder is invalid.
pub fn drawn_file(folder: &Path, name: &str, commit: &str) -> Result<ResultFile, StoreError> {
    let crates: &[&str] = if name == VICTIM { &ATTACK_CRATES } else { &NEIGHBOUR_CRATES };
    let earlier = ResultFile::commits_of(&ResultFile::read_all(folder)?, name);
    Ok(ResultFile::new(name, &joined(earlier, commit), crates))
}

fn rows<R: DeserializeOwned>(folder: &Path, name: &str) -> Result<Vec<R>, StoreError> {
    let path = folder.join(name);
    let read = |path: &Path| -> Result<Vec<R>, ResultsError> {
        if path.is_file() { results::read(path) } else { Ok(Vec::new()) }
    };
    read(&path).map_err(|error| StoreError::Write(error.into()))
}

fn entry<'a>(
    name: &str,
    crates: &[&str],
    commits: impl Iterator<Item = &'a String>,
) -> Option<ResultFile> {
    let commits: Vec<String> = sorted_distinct(commits.cloned());
    let is_stated = !commits.is_empty() && commits.iter().all(|commit| !commit.is_empty());
    is_stated.then(|| ResultFile::new(name, &commits, crates))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result_file::add_files;

    #[test]
    fn files_are_named_with_the_commits_of_their_rows() {
        let folder = tempfile::tempdir().unwrap();
        let of = |scheme: &str, commit: &str| PrivacyRow {
            scheme: scheme.into(),
            commit: commit.into(),
            ..PrivacyRow::default()
        };
        let (one, two) = (of("casper", "b"), of("xstar", "a"));
        results::write(&folder.path().join(ATTACKS), &[one, two]).unwrap();
        let portrait = PortraitRow { scheme: "casper".into(), ..PortraitRow::default() };
        results::write(&folder.path().join(VICTIM), &[portrait]).unwrap();
        let cost = |commit: &str| CostRow { commit: commit.into(), ..CostRow::default() };
        results::write(&folder.path().join(COSTS), &[cost("c"), cost("")]).unwrap();
        let files = stated_files(folder.path()).unwrap();
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, [ATTACKS, VICTIM], "a row of the costs states no commit");
        assert_eq!(
            (&*files[0].commits, &*files[1].commits),
            (&["a".into(), "b".into()][..], &["b".into()][..])
        );
        // A later drawing adds its commit; without one the entry stays.
        add_files(folder.path(), String::new, files).unwrap();
        let names =
            |files: Vec<ResultFile>| files.into_iter().map(|file| file.name).collect::<Vec<_>>();
        assert_eq!(names(stated_files(folder.path()).unwrap()), [ATTACKS]);
        assert_eq!(drawn_file(folder.path(), VICTIM, "d").unwrap().commits, ["b", "d"]);
    }
}
