//! Rows of `skipped.csv`: schemes that could not run on a map.

use super::{ResultsError, WriteError, merge};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// File of the skipped schemes within a results folder.
pub const SKIPPED: &str = "skipped.csv";

/// A row of `skipped.csv`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SkippedRow {
    /// Subcommand that left the scheme out.
    pub command: String,
    /// Name of the map.
    pub map: String,
    /// Canonical name of the scheme.
    pub scheme: String,
    /// Why it cannot run, in one sentence.
    pub reason: String,
    /// Commit of the program.
    pub commit: String,
}

impl SkippedRow {
    /// What was skipped.
    pub fn key(&self) -> (&str, &str, &str) {
        (&self.command, &self.map, &self.scheme)
    }
}

/// Adds rows to the file of a results folder. Rows of the same command, map and scheme are replaced,
/// and so are those of `finished` ones, which ran. Without rows no file is created.
///
/// # Errors
/// If the file is invalid or cannot be written.
pub fn merge_skipped(
    folder: &Path,
    rows: &[SkippedRow],
    finished: impl Fn(&SkippedRow) -> bool,
) -> Result<(), MergeError> {
    let path = folder.join(SKIPPED);
    if rows.is_empty() && !path.is_file() {
        return Ok(());
    }
    let is_replaced =
        |old: &SkippedRow| finished(old) || rows.iter().any(|row| row.key() == old.key());
    merge(&path, rows, is_replaced)
}

/// Why results cannot be merged into a folder.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// An existing file is invalid.
    #[error(transparent)]
    Read(#[from] ResultsError),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results;

    #[test]
    fn rows_are_replaced_and_removed_when_the_scheme_runs() {
        let folder = tempfile::tempdir().unwrap();
        let row = |command: &str, map: &str, reason: &str| SkippedRow {
            command: command.into(),
            map: map.into(),
            scheme: "semantics".into(),
            reason: reason.into(),
            commit: "c".into(),
        };
        let read = || results::read::<SkippedRow>(&folder.path().join(SKIPPED)).unwrap();
        merge_skipped(folder.path(), &[], |_| false).unwrap();
        assert!(!folder.path().join(SKIPPED).exists(), "no file without rows");
        let (paris, porto) = (row("evaluate", "paris", "a"), row("evaluate", "porto", "b"));
        let attack = row("attack", "paris", "c");
        merge_skipped(folder.path(), &[paris, porto, attack.clone()], |_| false).unwrap();
        let newer = row("evaluate", "paris", "d");
        merge_skipped(folder.path(), std::slice::from_ref(&newer), |old| {
            (old.command.as_str(), old.map.as_str()) == ("evaluate", "porto")
        })
        .unwrap();
        assert_eq!(read(), [attack.clone(), newer]);
        merge_skipped(folder.path(), &[], |old| old.command == "evaluate").unwrap();
        assert_eq!(read(), [attack]);
    }
}
