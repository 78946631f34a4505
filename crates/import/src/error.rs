//! What can be wrong with a file: which file, where in it, and what.

use crate::traces::SkipCounts;
use meshcloak::map::{FrameError, MapError, TablesError};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A file that could not be read as a map or written.
#[derive(Debug, thiserror::Error)]
#[error("{}{location}: {problem}", file.display())]
pub struct ImportError {
    /// The file.
    pub file: PathBuf,
    /// Where in the file.
    pub location: FileLocation,
    /// What is wrong there.
    pub problem: Problem,
}

/// A location in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileLocation {
    /// The file as a whole.
    File,
    /// A line, counted from 1.
    Line(u64),
    /// A byte, counted from 0.
    Byte(u64),
    /// A byte of what is packed in a gzipped file, counted from 0.
    UnpackedByte(u64),
    /// An element by its id: a node or way of OSM.
    Element(&'static str, i64),
}

/// What is wrong.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// There is no such file.
    #[error("no such file")]
    Missing,
    /// It is a directory.
    #[error("is a directory; expected a file")]
    Directory,
    /// It may not be read or written.
    #[error("no permission")]
    PermissionDenied,
    /// There is no room to write it.
    #[error("no room left on the disk")]
    DiskFull,
    /// It lies where nothing can be written.
    #[error("its folder is read-only")]
    ReadOnly,
    /// Reading or writing failed otherwise.
    #[error("{0}")]
    Io(io::Error),
    /// There is nothing in the file.
    #[error("the file is empty; expected a map")]
    Empty,
    /// The content is none of the formats we read.
    #[error("not a map; expected OSM (PBF or XML), Brinkhoff, CSV or a prepared map")]
    UnknownFormat,
    /// The content is none of the traces we read.
    #[error(
        "not a trace; expected Brinkhoff (tab-separated), taxi trips (CSV with `POLYLINE`, or with \
         `shape` and `timestamps`) or GPX"
    )]
    UnknownTrace,
    /// The files of one trace are of different kinds.
    #[error("is another kind of trace than the files before it")]
    MixedTraces,
    /// A trace in which nothing is left.
    #[error("no trip in it: {0}")]
    NoTrip(SkipCounts),
    /// A file of a set whose name does not say where the others are.
    #[error("{what}; name it {name}, so that the files beside it are found")]
    UnexpectedName {
        /// What it is.
        what: &'static str,
        /// What it should be called.
        name: &'static str,
    },
    /// A file to be written whose ending names no format.
    #[error("expected an ending: .csv, .node, .node.txt, .geojson or .meshmap")]
    UnknownTarget,
    /// A file that belongs to this one is not there.
    #[error("`{0}` belongs to it and is missing")]
    MissingCompanion(String),
    /// The file ends in the middle of something.
    #[error("the file ends early, {0}")]
    Truncated(String),
    /// The content contradicts its own format.
    #[error("damaged: {0}")]
    Damaged(String),
    /// A prepared map of another layout.
    #[error(
        "prepared by another version (format {found}); this program reads format {expected}, \
         so prepare the map again"
    )]
    WrongVersion {
        /// Of the file.
        found: u32,
        /// Of this program.
        expected: u32,
    },
    /// The content is valid, and beyond what we read.
    #[error("not supported: {0}")]
    Unsupported(String),
    /// A header lacks a column.
    #[error("column {missing} is missing; found `{found}`")]
    MissingColumn {
        /// What was looked for.
        missing: String,
        /// The header.
        found: String,
    },
    /// A field does not hold what it should.
    #[error("field `{field}` holds `{value}`; expected {expected}")]
    BadField {
        /// Its name.
        field: &'static str,
        /// What it holds.
        value: String,
        /// What it should hold.
        expected: &'static str,
    },
    /// A row has more or fewer fields than the header.
    #[error("found {found} fields; expected {expected} as in the header")]
    FieldCount {
        /// In this row.
        found: usize,
        /// In the header.
        expected: usize,
    },
    /// There is nothing where something is needed.
    #[error("nothing in it; expected {0}")]
    Nothing(&'static str),
    /// The shape of a street does not lead to where the street does.
    #[error(
        "field `shape` {verb} at {shape} but the street at node {node}; \
         expected at most 1 m between them"
    )]
    LooseEnd {
        /// `begins` or `ends`.
        verb: &'static str,
        /// Where the shape begins or ends, in the file's coordinates.
        shape: String,
        /// The node's id and where it lies, in the file's coordinates.
        node: String,
    },
    /// A street names a node that is not there.
    #[error("field `{field}` names node `{value}`, which does not exist")]
    UnknownNode {
        /// `from` or `to`.
        field: &'static str,
        /// The id.
        value: String,
    },
    /// There is a map, but no street on it that the filter lets through.
    #[error("no {0} street in it")]
    NoStreet(&'static str),
    /// What was read makes no valid map.
    #[error("{0}")]
    Map(#[from] MapError),
    /// The tables of a prepared map do not fit together.
    #[error("damaged: {0}")]
    Tables(#[from] TablesError),
    /// Metres and lon/lat do not fit together.
    #[error("{0}")]
    Frame(#[from] FrameError),
    /// Lon/lat are needed, and the map has none.
    #[error("{0} needs lon/lat and the map has none; give `--origin LON,LAT`")]
    NoFrame(&'static str),
    /// A point of the map has no lon/lat, so far from the origin does it lie.
    #[error("`{label}` at {x}, {y} lies too far from the map's origin to have lon/lat")]
    OffEarth {
        /// Of the terminal or point of interest, or `shape`.
        label: String,
        /// Metres to the east.
        x: f64,
        /// Metres to the north.
        y: f64,
    },
    /// Lon/lat are given, and the map has its own.
    #[error("`--origin` is for maps in metres; this one has lon/lat of its own")]
    HasFrame,
}

impl FileLocation {
    /// This location of `file` has a problem.
    pub(crate) fn of(self, file: &Path, problem: impl Into<Problem>) -> ImportError {
        ImportError { file: file.to_owned(), location: self, problem: problem.into() }
    }
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Problem {
        match error.kind() {
            io::ErrorKind::NotFound => Problem::Missing,
            io::ErrorKind::PermissionDenied => Problem::PermissionDenied,
            io::ErrorKind::IsADirectory => Problem::Directory,
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Problem::DiskFull,
            io::ErrorKind::ReadOnlyFilesystem => Problem::ReadOnly,
            io::ErrorKind::UnexpectedEof => Problem::Truncated("in the middle of its data".into()),
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
                Problem::Damaged(error.to_string())
            }
            _ => Problem::Io(error),
        }
    }
}

impl fmt::Display for FileLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileLocation::File => Ok(()),
            FileLocation::Line(line) => write!(f, ", line {line}"),
            FileLocation::Byte(byte) => write!(f, ", byte {byte}"),
            FileLocation::UnpackedByte(byte) => write!(f, ", byte {byte} once unpacked"),
            FileLocation::Element(kind, id) => write!(f, ", {kind} {id}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_machine_refuses_is_said_in_words() {
        let says = |kind: io::ErrorKind| Problem::from(io::Error::from(kind)).to_string();
        assert_eq!(says(io::ErrorKind::NotFound), "no such file");
        assert_eq!(says(io::ErrorKind::PermissionDenied), "no permission");
        assert_eq!(says(io::ErrorKind::IsADirectory), "is a directory; expected a file");
        assert_eq!(says(io::ErrorKind::StorageFull), "no room left on the disk");
        assert_eq!(says(io::ErrorKind::ReadOnlyFilesystem), "its folder is read-only");
        assert!(says(io::ErrorKind::UnexpectedEof).contains("ends early"));
        assert!(says(io::ErrorKind::InvalidData).starts_with("damaged: "));
    }

    #[test]
    fn a_problem_is_told_with_its_file_and_place() {
        let message = |location: FileLocation| {
            location.of(Path::new("a/b.csv"), Problem::Missing).to_string()
        };
        assert_eq!(message(FileLocation::File), "a/b.csv: no such file");
        assert_eq!(message(FileLocation::Line(7)), "a/b.csv, line 7: no such file");
        assert_eq!(message(FileLocation::Byte(7)), "a/b.csv, byte 7: no such file");
        assert_eq!(
            message(FileLocation::UnpackedByte(7)),
            "a/b.csv, byte 7 once unpacked: no such file"
        );
        assert_eq!(message(FileLocation::Element("way", 7)), "a/b.csv, way 7: no such file");
    }
}
