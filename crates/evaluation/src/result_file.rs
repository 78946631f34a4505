//! Entries `[[file]]` of `provenance.toml`: commits and crates of one result file each.
//!
//! Several commands write to one folder. Each replaces the entries of its own files and keeps the
//! others.

use crate::distinct::distinct;
use crate::provenance::quoted;
use crate::store::StoreError;
use std::fmt::Write as _;
use std::path::Path;

/// File of the provenance within a results folder.
pub const PROVENANCE: &str = "provenance.toml";

/// Crates whose code decides the content of the result files of an evaluation.
pub const RUN_CRATES: [&str; 5] = ["meshcloak", "import", "traffic", "baselines", "evaluation"];

/// Crates whose code decides the results of attacks.
pub const ATTACK_CRATES: [&str; 6] =
    ["meshcloak", "import", "traffic", "baselines", "attacks", "evaluation"];

/// Provenance of one result file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResultFile {
    /// Name within the folder.
    pub name: String,
    /// Commits of the programs that computed its rows.
    pub commits: Vec<String>,
    /// Crates whose code decides its content.
    pub crates: Vec<String>,
}

/// Start of an entry.
const ENTRY: &str = "\n[[file]]\n";

impl ResultFile {
    /// Creates an entry.
    pub fn new(name: &str, commits: &[String], crates: &[&str]) -> ResultFile {
        let crates = crates.iter().map(|&name| name.to_owned()).collect();
        ResultFile { name: name.to_owned(), commits: commits.to_vec(), crates }
    }

    /// Formats the entry as TOML.
    pub fn to_toml(&self) -> String {
        let list = |values: &[String]| {
            let quoted: Vec<String> = values.iter().map(|value| quoted(value)).collect();
            format!("[{}]", quoted.join(", "))
        };
        let ResultFile { name, commits, crates } = self;
        let (commits, crates) = (list(commits), list(crates));
        format!("{ENTRY}name = {}\ncommits = {commits}\ncrates = {crates}\n", quoted(name))
    }

    /// Reads the entries of a folder; none if it has no provenance.
    ///
    /// # Errors
    /// If the file is unreadable or invalid.
    pub fn read_all(folder: &Path) -> Result<Vec<ResultFile>, StoreError> {
        let path = folder.join(PROVENANCE);
        if !path.is_file() {
            return Ok(Vec::new());
        }
        let text = std::fs::read_to_string(&path)
            .map_err(|source| StoreError::Io { path: path.clone(), source })?;
        let table: toml::Table = toml::from_str(&text).map_err(|error| StoreError::Provenance {
            path: path.clone(),
            problem: error.to_string(),
        })?;
        let entries = table.get("file").and_then(toml::Value::as_array);
        Ok(entries.into_iter().flatten().map(ResultFile::parse).collect())
    }

    fn parse(entry: &toml::Value) -> ResultFile {
        let list = |name: &str| {
            let values = entry.get(name).and_then(toml::Value::as_array).into_iter().flatten();
            values.filter_map(|value| value.as_str().map(str::to_owned)).collect()
        };
        let name = entry.get("name").and_then(toml::Value::as_str).unwrap_or("");
        ResultFile { name: name.to_owned(), commits: list("commits"), crates: list("crates") }
    }

    /// Returns the commits of a file among `entries`; none if it is not listed.
    pub fn commits_of(entries: &[ResultFile], name: &str) -> Vec<String> {
        entries.iter().find(|entry| entry.name == name).map_or(Vec::new(), |e| e.commits.clone())
    }
}

/// Returns `own` entries, then those of `earlier` that are not replaced and whose file exists.
pub(crate) fn merged(
    own: Vec<ResultFile>,
    earlier: Vec<ResultFile>,
    folder: &Path,
) -> Vec<ResultFile> {
    let is_kept = |entry: &ResultFile| {
        !own.iter().any(|own| own.name == entry.name) && folder.join(&entry.name).is_file()
    };
    let kept: Vec<ResultFile> = earlier.into_iter().filter(is_kept).collect();
    own.into_iter().chain(kept).collect()
}

/// Adds entries to the provenance of a folder and replaces those of the same name. Without a file,
/// `head` is its beginning.
///
/// # Errors
/// If the file is invalid or cannot be written.
pub fn add_files(
    folder: &Path,
    head: impl FnOnce() -> String,
    own: Vec<ResultFile>,
) -> Result<(), StoreError> {
    let path = folder.join(PROVENANCE);
    let earlier = ResultFile::read_all(folder)?;
    let mut text = match path.is_file() {
        true => std::fs::read_to_string(&path)
            .map_err(|source| StoreError::Io { path: path.clone(), source })?,
        false => head(),
    };
    text.truncate(text.find(ENTRY).unwrap_or(text.len()));
    for entry in merged(own, earlier, folder) {
        let _ = write!(text, "{}", entry.to_toml());
    }
    Ok(import::write_file(&path, text.as_bytes())?)
}

/// Returns the commits of `earlier` and `newer`, each once.
pub fn joined(earlier: Vec<String>, newer: &str) -> Vec<String> {
    distinct(earlier.into_iter().chain([newer.to_owned()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_other_commands_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, commit: &str| {
            std::fs::write(folder.path().join(name), "").unwrap();
            ResultFile::new(name, &[commit.to_owned()], &RUN_CRATES)
        };
        let (runs, old) = (file("runs.csv", "a"), file("privacy.csv", "a"));
        let head = || "title = \"t\"\n".to_owned();
        add_files(folder.path(), head, vec![runs.clone(), old]).unwrap();
        let newer = file("privacy.csv", "b");
        add_files(folder.path(), || unreachable!(), vec![newer.clone()]).unwrap();
        assert_eq!(ResultFile::read_all(folder.path()).unwrap(), [newer, runs]);
        let text = std::fs::read_to_string(folder.path().join(PROVENANCE)).unwrap();
        assert_eq!(text.matches("title").count(), 1, "{text}");
        std::fs::remove_file(folder.path().join("runs.csv")).unwrap();
        add_files(folder.path(), head, Vec::new()).unwrap();
        assert_eq!(ResultFile::read_all(folder.path()).unwrap().len(), 1, "the file is gone");
    }
}
