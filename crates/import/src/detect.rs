//! Which format a file has, by its content; and which files belong to it, by their names.

use crate::brinkhoff::{self, Encoding};
use crate::csv_map::{self, CsvFiles, TableKind};
use crate::error::{FileLocation, ImportError, Problem};
use crate::input::Input;
use crate::osm::OsmKind;
use crate::prepared;
use std::fs;
use std::path::{Path, PathBuf};

/// A map on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MapFormat {
    Osm(PathBuf, OsmKind),
    Brinkhoff { node: PathBuf, edge: PathBuf },
    Csv(CsvFiles),
    Prepared(PathBuf),
}

/// Names of the files of a set: the endings of the one that has the points, then of the others.
const BRINKHOFF_BINARY: [&str; 2] = [".node", ".edge"];
const BRINKHOFF_TEXT: [&str; 2] = [".node.txt", ".edge.txt"];
const CSV: [&str; 3] = [".nodes.csv", ".streets.csv", ".pois.csv"];

/// The map that `path` names: one file, one of a set, or a set's name without endings.
pub(crate) fn detect(path: &Path) -> Result<MapFormat, ImportError> {
    if path.is_dir() {
        return Err(FileLocation::File.of(path, Problem::Directory));
    }
    if let Err(error) = fs::metadata(path) {
        return set_named(path).unwrap_or_else(|| Err(FileLocation::File.of(path, error)));
    }
    let mut input = Input::open(path, &())?;
    let beginning = input.peek()?;
    if beginning.starts_with(prepared::MAGIC) {
        Ok(MapFormat::Prepared(path.to_owned()))
    } else if let Some(kind) = OsmKind::of(beginning) {
        Ok(MapFormat::Osm(path.to_owned(), kind))
    } else {
        let problem =
            if beginning.is_empty() { Problem::Empty } else { unexpected_name(beginning) };
        let name = path.as_os_str().to_string_lossy();
        set_of(&name).unwrap_or_else(|| Err(FileLocation::File.of(path, problem)))
    }
}

/// What is wrong with a file whose name is not that of a file of a set: it may still be one.
fn unexpected_name(beginning: &[u8]) -> Problem {
    let (what, name) = match (csv_map::looks_like(beginning), beginning) {
        (Some(TableKind::Nodes), _) => ("a CSV table of nodes", "X.nodes.csv"),
        (Some(TableKind::Streets), _) => ("a CSV table of streets", "X.streets.csv"),
        (Some(TableKind::Pois), _) => ("a CSV table of points of interest", "X.pois.csv"),
        // A line of edges could be read as one of nodes, so edges are tried first.
        (None, start) => match brinkhoff::looks_like_edges(start) {
            Some(Encoding::Binary) => ("a Brinkhoff file of edges", "X.edge"),
            Some(Encoding::Text) => ("a Brinkhoff file of edges", "X.edge.txt"),
            None => match brinkhoff::looks_like_nodes(start) {
                Some(Encoding::Binary) => ("a Brinkhoff file of nodes", "X.node"),
                Some(Encoding::Text) => ("a Brinkhoff file of nodes", "X.node.txt"),
                None => return Problem::UnknownFormat,
            },
        },
    };
    Problem::UnexpectedName { what, name }
}

/// The set that a file with one of the known endings belongs to.
fn set_of(name: &str) -> Option<Result<MapFormat, ImportError>> {
    let plain = name.strip_suffix(".gz").unwrap_or(name);
    let sets: [&[&str]; 3] = [&CSV, &BRINKHOFF_TEXT, &BRINKHOFF_BINARY];
    sets.into_iter().find_map(|endings| {
        let stem = endings.iter().find_map(|ending| plain.strip_suffix(ending))?;
        Some(set(Path::new(stem), endings, Path::new(name)))
    })
}

/// The first set of which a file exists under the name `stem`.
fn set_named(stem: &Path) -> Option<Result<MapFormat, ImportError>> {
    let sets: [&[&str]; 3] = [&CSV, &BRINKHOFF_BINARY, &BRINKHOFF_TEXT];
    let there =
        sets.into_iter().find(|endings| endings[..2].iter().any(|e| find(stem, e).is_some()));
    there.map(|endings| set(stem, endings, stem))
}

fn set(stem: &Path, endings: &[&str], named: &Path) -> Result<MapFormat, ImportError> {
    let need = |ending: &str| {
        let missing = with_ending(stem, ending).display().to_string();
        find(stem, ending)
            .ok_or_else(|| FileLocation::File.of(named, Problem::MissingCompanion(missing)))
    };
    let (first, second) = (need(endings[0])?, need(endings[1])?);
    Ok(match endings.get(2) {
        Some(pois) => {
            MapFormat::Csv(CsvFiles { nodes: first, streets: second, pois: find(stem, pois) })
        }
        None => MapFormat::Brinkhoff { node: first, edge: second },
    })
}

/// The file `stem` + `ending`, plain or gzipped.
fn find(stem: &Path, ending: &str) -> Option<PathBuf> {
    let plain = with_ending(stem, ending);
    [with_ending(&plain, ".gz"), plain].into_iter().rev().find(|path| path.is_file())
}

fn with_ending(stem: &Path, ending: &str) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            fs::write(folder.path().join(name), content).unwrap();
        }
        folder
    }

    #[test]
    fn a_set_is_named_by_any_of_its_files_or_by_what_they_share() {
        let folder = folder(&[
            ("a.nodes.csv", b"id,x,y\n"),
            ("a.streets.csv.gz", b""),
            ("a.pois.csv", b"x,y,cat\n"),
            ("b.node", b""),
            ("b.edge", b""),
            ("b.node.txt", b""),
            ("b.edge.txt", b""),
        ]);
        let path = |name: &str| folder.path().join(name);
        let csv = MapFormat::Csv(CsvFiles {
            nodes: path("a.nodes.csv"),
            streets: path("a.streets.csv.gz"),
            pois: Some(path("a.pois.csv")),
        });
        for name in ["a", "a.nodes.csv", "a.streets.csv.gz", "a.pois.csv"] {
            assert_eq!(detect(&path(name)).unwrap(), csv, "{name}");
        }
        let binary = MapFormat::Brinkhoff { node: path("b.node"), edge: path("b.edge") };
        for name in ["b", "b.node", "b.edge"] {
            assert_eq!(detect(&path(name)).unwrap(), binary, "{name}");
        }
        let text = MapFormat::Brinkhoff { node: path("b.node.txt"), edge: path("b.edge.txt") };
        assert_eq!(detect(&path("b.edge.txt")).unwrap(), text);
    }

    #[test]
    fn a_format_is_recognised_by_content_not_by_name() {
        let folder = folder(&[
            ("x.txt", b"<?xml version='1.0'?><osm/>"),
            ("y.png", b"\0\0\0\x0d\x0a\x09OSMHeader\x18\x01"),
            ("z.csv", b"MeshMap\x1a"),
        ]);
        let path = |name: &str| folder.path().join(name);
        assert_eq!(detect(&path("x.txt")).unwrap(), MapFormat::Osm(path("x.txt"), OsmKind::Xml));
        assert_eq!(detect(&path("y.png")).unwrap(), MapFormat::Osm(path("y.png"), OsmKind::Pbf));
        assert_eq!(detect(&path("z.csv")).unwrap(), MapFormat::Prepared(path("z.csv")));
    }

    #[test]
    fn what_is_missing_or_misnamed_is_said() {
        let folder = folder(&[
            ("a.nodes.csv", b"id,x,y\n"),
            ("streets", b"id,from,to\n1,a,b\n"),
            ("tune.mp3", b"ID3\x04\0"),
            ("empty", b""),
        ]);
        let message = |name: &str| detect(&folder.path().join(name)).unwrap_err().to_string();
        assert!(message("a").ends_with("a.streets.csv` belongs to it and is missing"));
        assert!(message("streets").contains("a CSV table of streets; name it X.streets.csv"));
        assert!(message("tune.mp3").contains("tune.mp3: not a map; expected OSM"));
        assert!(message("empty").ends_with("empty: the file is empty; expected a map"));
        assert!(message("nothing").ends_with("nothing: no such file"));
        assert!(message("").ends_with("is a directory; expected a file"));
    }
}
