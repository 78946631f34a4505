//! Which format a file has, by its content; and which files belong to it, by their names.

use crate::error::{ImportError, Place, Problem};
use crate::input::Input;
use crate::prepared;
use std::path::{Path, PathBuf};

/// A map on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    OsmPbf(PathBuf),
    OsmXml(PathBuf),
    Brinkhoff { node: PathBuf, edge: PathBuf },
    Csv { nodes: PathBuf, streets: PathBuf, pois: Option<PathBuf> },
    Prepared(PathBuf),
}

/// Names of the files of a set: the endings of the one that has the points, then of the others.
const BRINKHOFF_BINARY: [&str; 2] = [".node", ".edge"];
const BRINKHOFF_TEXT: [&str; 2] = [".node.txt", ".edge.txt"];
const CSV: [&str; 3] = [".nodes.csv", ".streets.csv", ".pois.csv"];

/// The map that `path` names: one file, one of a set, or a set's name without endings.
pub(crate) fn detect(path: &Path) -> Result<Format, ImportError> {
    if path.is_dir() {
        return Err(Place::File.of(path, Problem::Directory));
    }
    if !path.exists() {
        return set_named(path).unwrap_or_else(|| Err(Place::File.of(path, Problem::Missing)));
    }
    let mut input = Input::open(path, &())?;
    let head = input.peek()?;
    if head.starts_with(prepared::MAGIC) {
        Ok(Format::Prepared(path.to_owned()))
    } else if head.get(4..15).is_some_and(|header| header == b"\x0a\x09OSMHeader") {
        Ok(Format::OsmPbf(path.to_owned()))
    } else if starts_xml(head) {
        Ok(Format::OsmXml(path.to_owned()))
    } else {
        let name = path.as_os_str().to_string_lossy();
        set_of(&name).unwrap_or_else(|| Err(Place::File.of(path, Problem::UnknownFormat)))
    }
}

fn starts_xml(head: &[u8]) -> bool {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    text.starts_with(b"<?xml") || text.starts_with(b"<osm")
}

/// The set that a file with one of the known endings belongs to.
fn set_of(name: &str) -> Option<Result<Format, ImportError>> {
    let plain = name.strip_suffix(".gz").unwrap_or(name);
    let sets: [&[&str]; 3] = [&CSV, &BRINKHOFF_TEXT, &BRINKHOFF_BINARY];
    sets.into_iter().find_map(|endings| {
        let stem = endings.iter().find_map(|ending| plain.strip_suffix(ending))?;
        Some(set(Path::new(stem), endings, Path::new(name)))
    })
}

/// The first set of which a file exists under the name `stem`.
fn set_named(stem: &Path) -> Option<Result<Format, ImportError>> {
    let sets: [&[&str]; 3] = [&CSV, &BRINKHOFF_BINARY, &BRINKHOFF_TEXT];
    let there = sets.into_iter().find(|endings| endings[..2].iter().any(|e| find(stem, e).is_some()));
    there.map(|endings| set(stem, endings, stem))
}

fn set(stem: &Path, endings: &[&str], named: &Path) -> Result<Format, ImportError> {
    let need = |ending: &str| {
        let missing = with_ending(stem, ending).display().to_string();
        find(stem, ending)
            .ok_or_else(|| Place::File.of(named, Problem::MissingCompanion(missing)))
    };
    let (first, second) = (need(endings[0])?, need(endings[1])?);
    Ok(match endings.get(2) {
        Some(pois) => Format::Csv { nodes: first, streets: second, pois: find(stem, pois) },
        None => Format::Brinkhoff { node: first, edge: second },
    })
}

/// The file `stem` + `ending`, plain or gzipped.
fn find(stem: &Path, ending: &str) -> Option<PathBuf> {
    let plain = with_ending(stem, ending);
    [with_ending(&plain, ".gz"), plain].into_iter().rev().find(|path| path.is_file())
}

pub(crate) fn with_ending(stem: &Path, ending: &str) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
