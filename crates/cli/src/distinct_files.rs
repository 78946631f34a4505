//! Check that no output replaces an input or another output.

use anyhow::{Result, bail};
use import::MapSource;
use std::fs;
use std::path::{Path, PathBuf};

/// A file of a command line.
#[derive(Clone, Copy, Debug)]
pub struct NamedFile<'a> {
    /// The option that names it.
    pub option: &'static str,
    /// Its path.
    pub path: &'a Path,
}

impl<'a> NamedFile<'a> {
    /// Returns the file of a map; `None` for a built-in city.
    pub fn of_map(map: Option<&'a MapSource>) -> Option<NamedFile<'a>> {
        match map {
            Some(MapSource::File(path)) => Some(NamedFile { option: "the map", path }),
            _ => None,
        }
    }

    /// Returns the files of the options that are given.
    pub fn given(options: &[(&'static str, &'a Option<PathBuf>)]) -> Vec<NamedFile<'a>> {
        let file = |&(option, path): &(&'static str, &'a Option<PathBuf>)| {
            path.as_deref().map(|path| NamedFile { option, path })
        };
        options.iter().filter_map(file).collect()
    }
}

/// Refuses outputs that would replace one of the inputs or each other.
pub fn check(inputs: &[NamedFile<'_>], outputs: &[NamedFile<'_>]) -> Result<()> {
    for (number, output) in outputs.iter().enumerate() {
        let Some(path) = replaced_path(output.path) else { continue };
        let earlier = inputs.iter().chain(&outputs[..number]);
        let is_same = |other: &&NamedFile<'_>| replaced_path(other.path).as_ref() == Some(&path);
        if let Some(other) = earlier.into_iter().find(is_same) {
            bail!(
                "{} {} would overwrite the file of {}; choose another name",
                output.option,
                output.path.display(),
                other.option
            );
        }
    }
    Ok(())
}

/// Returns the path, without links, of the file that is replaced by writing; `None` for devices and
/// pipes.
fn replaced_path(path: &Path) -> Option<PathBuf> {
    if let Ok(found) = fs::canonicalize(path) {
        return found.is_file().then_some(found);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
    Some(folder.join(path.file_name()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_compared_without_links_and_devices_may_repeat() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("in"), "").unwrap();
        std::os::unix::fs::symlink(path("in"), path("link")).unwrap();
        let named = |option, path: &'static str| (option, PathBuf::from(path));
        let fails = |input: PathBuf, outputs: [(&'static str, PathBuf); 2]| {
            let outputs = outputs.each_ref().map(|(option, path)| NamedFile { option, path });
            check(&[NamedFile { option: "--queries", path: &input }], &outputs).is_err()
        };
        assert!(fails(path("in"), [("--out", path("link")), ("--disclosures", path("d"))]));
        assert!(fails(path("in"), [("--out", path("./in")), ("--disclosures", path("d"))]));
        assert!(fails(path("in"), [("--out", path("new")), ("--disclosures", path("./new"))]));
        assert!(!fails(path("in"), [("--out", path("new")), ("--disclosures", path("d"))]));
        let null = || named("--out", "/dev/null");
        assert!(!fails(path("in"), [null(), null()]));
    }
}
