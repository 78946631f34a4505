//! Detects the format of a file from its content and its companion files from its name.

#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)
)]

use crate::brinkhoff::{self, Encoding};
use crate::csv_map::{self, CsvFiles, TableKind};
use crate::error::{FileLocation, ImportError, Problem};
use crate::geojson_map;
use crate::graphml;
use crate::input::Input;
use crate::osm::OsmKind;
use crate::prepared;
use crate::shapefile_map::{self, ShapeFiles};
use std::fs;
use std::path::{Path, PathBuf};

/// Format and files of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MapFormat {
    Osm(PathBuf, OsmKind),
    Brinkhoff { node: PathBuf, edge: PathBuf },
    Csv(CsvFiles),
    GraphMl(PathBuf),
    GeoJson(PathBuf),
    Shapefile(ShapeFiles),
    Prepared(PathBuf),
}

impl MapFormat {
    /// Returns the files of a map in a format that can also be written.
    pub(crate) fn writable_files(self) -> Vec<PathBuf> {
        match self {
            MapFormat::Csv(CsvFiles { nodes, streets, pois }) => {
                [Some(nodes), Some(streets), pois].into_iter().flatten().collect()
            }
            MapFormat::Brinkhoff { node, edge } => vec![node, edge],
            MapFormat::GeoJson(path) | MapFormat::Prepared(path) => vec![path],
            MapFormat::Osm(..) | MapFormat::GraphMl(_) | MapFormat::Shapefile(_) => Vec::new(),
        }
    }
}

/// Extensions of the files of a set.
#[derive(Clone, Copy)]
struct Extensions {
    nodes: &'static str,
    streets: &'static str,
    /// Only CSV maps have points of interest.
    pois: Option<&'static str>,
}

const BRINKHOFF_BINARY: Extensions = Extensions { nodes: ".node", streets: ".edge", pois: None };
const BRINKHOFF_TEXT: Extensions =
    Extensions { nodes: ".node.txt", streets: ".edge.txt", pois: None };
const CSV: Extensions =
    Extensions { nodes: ".nodes.csv", streets: ".streets.csv", pois: Some(".pois.csv") };

/// Returns the map at `path`: one file, a file of a set, or the common stem of a set.
pub(crate) fn detect(path: &Path) -> Result<MapFormat, ImportError> {
    if path.is_dir() {
        return Err(FileLocation::File.of(path, Problem::Directory));
    }
    if let Err(error) = fs::metadata(path) {
        if with_extension(path, ".shp").is_file() {
            return ShapeFiles::of(&with_extension(path, ".shp")).map(MapFormat::Shapefile);
        }
        return set_of_stem(path).unwrap_or_else(|| Err(FileLocation::File.of(path, error)));
    }
    let mut input = Input::open(path, &())?;
    let beginning = input.peek()?;
    if beginning.starts_with(prepared::MAGIC) {
        Ok(MapFormat::Prepared(path.to_owned()))
    } else if graphml::is_graphml(beginning) {
        Ok(MapFormat::GraphMl(path.to_owned()))
    } else if geojson_map::is_geojson(beginning) {
        Ok(MapFormat::GeoJson(path.to_owned()))
    } else if shapefile_map::is_shapefile(beginning) {
        ShapeFiles::of(path).map(MapFormat::Shapefile)
    } else if let Some(kind) = OsmKind::of(beginning) {
        Ok(MapFormat::Osm(path.to_owned(), kind))
    } else {
        let problem =
            if beginning.is_empty() { Problem::Empty } else { unexpected_name(beginning) };
        let name = path.as_os_str().to_string_lossy();
        set_of(&name).unwrap_or_else(|| Err(FileLocation::File.of(path, problem)))
    }
}

/// Returns the problem of a file without a known extension: a file of a set or an unknown format.
fn unexpected_name(beginning: &[u8]) -> Problem {
    let (what, name) = match (csv_map::detect_table(beginning), beginning) {
        (Some(TableKind::Nodes), _) => ("a CSV table of nodes", "X.nodes.csv"),
        (Some(TableKind::Streets), _) => ("a CSV table of streets", "X.streets.csv"),
        (Some(TableKind::Pois), _) => ("a CSV table of points of interest", "X.pois.csv"),
        // A line of edges is also a valid line of nodes, so edges are tested first.
        (None, start) => match brinkhoff::detect_edges(start) {
            Some(Encoding::Binary) => ("a Brinkhoff file of edges", "X.edge"),
            Some(Encoding::Text) => ("a Brinkhoff file of edges", "X.edge.txt"),
            None => match brinkhoff::detect_nodes(start) {
                Some(Encoding::Binary) => ("a Brinkhoff file of nodes", "X.node"),
                Some(Encoding::Text) => ("a Brinkhoff file of nodes", "X.node.txt"),
                None => return Problem::UnknownFormat,
            },
        },
    };
    Problem::UnexpectedName { what, name }
}

/// Returns the set that a file with a known extension belongs to.
fn set_of(name: &str) -> Option<Result<MapFormat, ImportError>> {
    if Path::new(name).extension().is_some_and(|e| e.eq_ignore_ascii_case("dbf")) {
        return Some(ShapeFiles::of(Path::new(name)).map(MapFormat::Shapefile));
    }
    let plain = name.strip_suffix(".gz").unwrap_or(name);
    [CSV, BRINKHOFF_TEXT, BRINKHOFF_BINARY].into_iter().find_map(|extensions| {
        let Extensions { nodes, streets, pois } = extensions;
        let mut all = [nodes, streets].into_iter().chain(pois);
        let stem = all.find_map(|extension| plain.strip_suffix(extension))?;
        Some(set(Path::new(stem), extensions, Path::new(name)))
    })
}

/// Returns the first set with an existing file for `stem`.
fn set_of_stem(stem: &Path) -> Option<Result<MapFormat, ImportError>> {
    let exists = |extension: &str| find(stem, extension).is_some();
    let existing = [CSV, BRINKHOFF_BINARY, BRINKHOFF_TEXT]
        .into_iter()
        .find(|extensions| exists(extensions.nodes) || exists(extensions.streets));
    existing.map(|extensions| set(stem, extensions, stem))
}

fn set(stem: &Path, extensions: Extensions, named: &Path) -> Result<MapFormat, ImportError> {
    let need = |extension: &str| {
        let missing = with_extension(stem, extension).display().to_string();
        find(stem, extension)
            .ok_or_else(|| FileLocation::File.of(named, Problem::MissingCompanion(missing)))
    };
    let (first, second) = (need(extensions.nodes)?, need(extensions.streets)?);
    Ok(match extensions.pois {
        Some(pois) => {
            MapFormat::Csv(CsvFiles { nodes: first, streets: second, pois: find(stem, pois) })
        }
        None => MapFormat::Brinkhoff { node: first, edge: second },
    })
}

/// Returns the existing file `stem` + `extension`, plain or gzipped.
fn find(stem: &Path, extension: &str) -> Option<PathBuf> {
    let plain = with_extension(stem, extension);
    [with_extension(&plain, ".gz"), plain].into_iter().rev().find(|path| path.is_file())
}

/// Appends `extension` to a path.
pub(crate) fn with_extension(stem: &Path, extension: &str) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    name.push(extension);
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
    fn a_set_is_found_by_any_of_its_files_or_their_common_stem() {
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
    fn a_format_is_detected_by_content_not_by_name() {
        let folder = folder(&[
            ("x.txt", b"<?xml version='1.0'?><osm/>"),
            ("y.png", b"\0\0\0\x0d\x0a\x09OSMHeader\x18\x01"),
            ("z.csv", b"MeshMap\x1a"),
            ("g.xml", b"<?xml version='1.0'?>\n<graphml xmlns='http://x'/>"),
        ]);
        let path = |name: &str| folder.path().join(name);
        assert_eq!(detect(&path("x.txt")).unwrap(), MapFormat::Osm(path("x.txt"), OsmKind::Xml));
        assert_eq!(detect(&path("y.png")).unwrap(), MapFormat::Osm(path("y.png"), OsmKind::Pbf));
        assert_eq!(detect(&path("z.csv")).unwrap(), MapFormat::Prepared(path("z.csv")));
        assert_eq!(detect(&path("g.xml")).unwrap(), MapFormat::GraphMl(path("g.xml")));
    }

    #[test]
    fn missing_and_misnamed_files_are_reported() {
        let folder = folder(&[
            ("a.nodes.csv", b"id,x,y\n"),
            ("streets", b"id,from,to\n1,a,b\n"),
            ("tune.mp3", b"ID3\x04\0"),
            ("empty", b""),
        ]);
        let message = |name: &str| detect(&folder.path().join(name)).unwrap_err().to_string();
        assert!(message("a").ends_with("a.streets.csv` is missing"));
        assert!(message("streets").contains(
            "a CSV table of streets with an unexpected name; rename it to X.streets.csv"
        ));
        assert!(message("tune.mp3").contains("tune.mp3: unknown map format; expected OSM"));
        assert!(message("empty").ends_with("empty: the file is empty; expected a map"));
        assert!(message("nothing").ends_with("nothing: no such file"));
        assert!(message("").ends_with("is a directory; expected a file"));
    }
}
