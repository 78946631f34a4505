//! Partitioned folders of queries: subfolders `KEY=VALUE`, with files at the lowest level.

use anyhow::{Context as _, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// Files of one combination of values.
#[derive(Debug, PartialEq, Eq)]
pub struct Partition {
    /// Keys and values, from the outermost folder to the innermost.
    pub keys: Vec<(String, String)>,
    /// Files in the order of their names.
    pub files: Vec<PathBuf>,
}

/// Largest number of keys.
const MAX_KEYS: usize = 8;

impl Partition {
    /// Finds the partitions of a folder in the order of their names. Names that begin with `_` or
    /// `.` are ignored, as other programs do.
    pub fn find(folder: &Path) -> Result<Vec<Partition>> {
        let mut found = Vec::new();
        search(folder, &mut Vec::new(), &mut found)?;
        if found.is_empty() {
            bail!("{}: no file of queries in this folder", folder.display());
        }
        Ok(found)
    }

    /// Returns the folder names, separated by slashes; `.` for the folder itself.
    pub fn name(&self) -> String {
        let names: Vec<String> =
            self.keys.iter().map(|(key, value)| format!("{key}={value}")).collect();
        if names.is_empty() { ".".to_owned() } else { names.join("/") }
    }

    /// Creates the subfolder of `out` for this partition; returns the path of its outcomes, which
    /// have the format of the queries.
    pub fn create_output(&self, out: &Path) -> Result<PathBuf> {
        let folder = self
            .keys
            .iter()
            .fold(out.to_owned(), |folder, (key, value)| folder.join(format!("{key}={value}")));
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let is_parquet = self.files.iter().any(|file| file.extension() == Some("parquet".as_ref()));
        Ok(folder.join(if is_parquet { "outcomes.parquet" } else { "outcomes.ndjson" }))
    }
}

/// Creates a folder of results, which must not hold files of another run. Empty folders may be left
/// of a run that failed.
pub fn create_empty(folder: &Path, queries: &Path) -> Result<()> {
    let absolute = std::path::absolute(folder).with_context(|| folder.display().to_string())?;
    // The folder itself need not exist.
    let existing = absolute.ancestors().find_map(|path| fs::canonicalize(path).ok());
    let queries = fs::canonicalize(queries).with_context(|| queries.display().to_string())?;
    if existing.is_some_and(|existing| existing.starts_with(&queries)) {
        bail!("{}: this folder is inside that of --queries; choose another", folder.display());
    }
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    if holds_file(folder)? {
        bail!("{}: the folder is not empty; expected a new one", folder.display());
    }
    Ok(())
}

/// Whether there is a file in a folder or below.
fn holds_file(folder: &Path) -> Result<bool> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry.with_context(|| folder.display().to_string())?.path();
        if !path.is_dir() || holds_file(&path)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn search(
    folder: &Path,
    keys: &mut Vec<(String, String)>,
    found: &mut Vec<Partition>,
) -> Result<()> {
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry.with_context(|| folder.display().to_string())?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with(['_', '.']) {
            continue;
        }
        if path.is_dir() { folders.push((name, path)) } else { files.push(path) }
    }
    files.sort();
    folders.sort();
    if !files.is_empty() && !folders.is_empty() {
        bail!("{}: both files and folders; expected files at the lowest level", folder.display());
    }
    if !files.is_empty() {
        found.push(Partition { keys: keys.clone(), files });
    }
    for (name, path) in folders {
        let Some((key, value)) = name.split_once('=').filter(|(key, _)| !key.is_empty()) else {
            bail!("{}: expected a folder name KEY=VALUE", path.display());
        };
        if keys.len() == MAX_KEYS {
            bail!("{}: more than {MAX_KEYS} nested folders", path.display());
        }
        keys.push((key.to_owned(), value.to_owned()));
        search(&path, keys, found)?;
        keys.pop();
    }
    Ok(())
}
