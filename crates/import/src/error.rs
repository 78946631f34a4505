//! Import errors: the file, the location in it, and the problem.

#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)
)]

pub use crate::file_location::FileLocation;
pub(crate) use crate::located_problem::LocatedProblem;
use crate::traces::SkipCounts;
use meshcloak::map::{FrameError, MapError, TablesError};
use std::io;
use std::path::PathBuf;

/// A file that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{}{location}: {problem}", file.display())]
pub struct ImportError {
    /// The file.
    pub file: PathBuf,
    /// Location in the file.
    pub location: FileLocation,
    /// The problem at that location.
    pub problem: Problem,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The file does not exist.
    #[error("no such file")]
    Missing,
    /// The path is a directory.
    #[error("is a directory; expected a file")]
    Directory,
    /// Access to the file is denied.
    #[error("permission denied; check the owner and mode of the file and its folder")]
    PermissionDenied,
    /// The disk or quota is full.
    #[error("the disk is full")]
    DiskFull,
    /// The file system is read-only.
    #[error("the file system is read-only")]
    ReadOnly,
    /// Any other I/O error.
    #[error("{0}")]
    Io(io::Error),
    /// The file is empty.
    #[error("the file is empty; expected a map")]
    Empty,
    /// The content is not in a supported map format.
    #[error(
        "unknown map format; expected OSM (PBF or XML), Brinkhoff, CSV, GraphML, GeoJSON, a \
         shapefile or a prepared map"
    )]
    UnknownFormat,
    /// The content is not in a supported trace format.
    #[error(
        "unknown trace format; expected Brinkhoff (tab-separated), taxi trips (CSV with `POLYLINE`, or with \
         `shape` and `timestamps`) or GPX"
    )]
    UnknownTrace,
    /// The files of one trace have different formats.
    #[error("the trace format differs from that of the files before; convert them separately")]
    MixedTraces,
    /// A trace without a usable trip.
    #[error("no usable trip: {0}")]
    NoTrip(SkipCounts),
    /// A file of a set whose name does not identify the other files.
    #[error(
        "{what} with an unexpected name; rename it to {name} so that its companion files are found"
    )]
    UnexpectedName {
        /// Kind of file.
        what: &'static str,
        /// Expected name.
        name: &'static str,
    },
    /// An output file whose extension is not a map format.
    #[error("unknown file extension; expected .csv, .node, .node.txt, .geojson or .meshmap")]
    UnknownTarget,
    /// A companion file is missing.
    #[error("companion file `{0}` is missing")]
    MissingCompanion(String),
    /// The file ends in the middle of its data.
    #[error("unexpected end of file {0}")]
    Truncated(String),
    /// The content violates its format.
    #[error("damaged: {0}")]
    Damaged(String),
    /// A prepared map of another format version.
    #[error(
        "prepared map has format version {found}; expected {expected}; \
         prepare the map again with this program"
    )]
    WrongVersion {
        /// Version of the file.
        found: u32,
        /// Version of this program.
        expected: u32,
    },
    /// The content is valid but not supported.
    #[error("not supported: {0}")]
    Unsupported(String),
    /// A header lacks a column.
    #[error("column {missing} is missing; found header `{found}`")]
    MissingColumn {
        /// The expected columns.
        missing: String,
        /// The header found.
        found: String,
    },
    /// A field has an invalid value.
    #[error("field `{field}` is `{value}`; expected {expected}")]
    BadField {
        /// Name of the field.
        field: &'static str,
        /// Its value.
        value: String,
        /// The expected values.
        expected: &'static str,
    },
    /// The number of fields differs from the header.
    #[error("row has {found} fields; expected {expected} as in the header")]
    FieldCount {
        /// Number in this row.
        found: usize,
        /// Number in the header.
        expected: usize,
    },
    /// Required content is missing.
    #[error("no content; expected {0}")]
    NoContent(&'static str),
    /// The shape of a street does not begin or end at the street's node.
    #[error(
        "field `shape` {verb} at {shape} but the street {verb} at node {node}; \
         expected a distance of at most 1 m"
    )]
    ShapeEndMismatch {
        /// `begins` or `ends`.
        verb: &'static str,
        /// First or last point of the shape, in the file's coordinates.
        shape: String,
        /// Id and position of the node, in the file's coordinates.
        node: String,
    },
    /// A street refers to an unknown node.
    #[error("field `{field}` refers to unknown node `{value}`")]
    UnknownNode {
        /// Name of the field: `from`, `to` or `nd`.
        field: &'static str,
        /// Id of the node.
        value: String,
    },
    /// No way of the extract passes the street filter.
    #[error("no {0} street in the extract")]
    NoStreet(&'static str),
    /// The content does not form a valid map.
    #[error("{0}")]
    Map(#[from] MapError),
    /// The tables of a prepared map are inconsistent.
    #[error("damaged: {0}")]
    Tables(#[from] TablesError),
    /// Metres and lon/lat are inconsistent.
    #[error("{0}")]
    Frame(#[from] FrameError),
    /// Lon/lat are required but the map has no geographic frame.
    #[error("{0} requires lon/lat but the map has only metres; set `--origin LON,LAT`")]
    NoFrame(&'static str),
    /// A point is too far from the origin to be converted to lon/lat.
    #[error("`{label}` at {x}, {y} is too far from the map's origin to be converted to lon/lat")]
    OffEarth {
        /// Label of the terminal or point of interest, or `shape`.
        label: String,
        /// Metres to the east.
        x: f64,
        /// Metres to the north.
        y: f64,
    },
    /// A Parquet file, and the program was built without support for it.
    #[error(
        "Parquet is not part of this build, as in that of `make run`; use the Debian package or \
         `cargo build --release --bin meshcloak`"
    )]
    NoParquet,
    /// `--origin` was set for a map that already has lon/lat.
    #[error("`--origin` applies only to maps in metres; this map already has lon/lat")]
    HasFrame,
}

impl Problem {
    /// Returns the problem of a field with an invalid value; long values are shortened.
    pub(crate) fn bad_field(field: &'static str, value: &str, expected: &'static str) -> Problem {
        Problem::BadField { field, value: excerpt(value), expected }
    }
}

/// Returns the first 80 characters of a value, for messages.
pub(crate) fn excerpt(value: &str) -> String {
    let mut short: String = value.chars().take(80).collect();
    if short.len() < value.len() {
        short.push('…');
    }
    short
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Problem {
        match error.kind() {
            io::ErrorKind::NotFound => Problem::Missing,
            io::ErrorKind::PermissionDenied => Problem::PermissionDenied,
            io::ErrorKind::IsADirectory => Problem::Directory,
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Problem::DiskFull,
            io::ErrorKind::ReadOnlyFilesystem => Problem::ReadOnly,
            io::ErrorKind::UnexpectedEof => Problem::Truncated("in the middle of the data".into()),
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
                Problem::Damaged(error.to_string())
            }
            _ => Problem::Io(error),
        }
    }
}

impl From<quick_xml::Error> for Problem {
    fn from(error: quick_xml::Error) -> Problem {
        match error {
            quick_xml::Error::Io(error) => io::Error::new(error.kind(), error.to_string()).into(),
            quick_xml::Error::Syntax(error) => {
                Problem::Truncated(format!("or damaged XML: {error}"))
            }
            error => Problem::Damaged(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn io_errors_have_plain_messages() {
        let message = |kind: io::ErrorKind| Problem::from(io::Error::from(kind)).to_string();
        assert_eq!(message(io::ErrorKind::NotFound), "no such file");
        assert_eq!(
            message(io::ErrorKind::PermissionDenied),
            "permission denied; check the owner and mode of the file and its folder"
        );
        assert_eq!(message(io::ErrorKind::IsADirectory), "is a directory; expected a file");
        assert_eq!(message(io::ErrorKind::StorageFull), "the disk is full");
        assert_eq!(message(io::ErrorKind::ReadOnlyFilesystem), "the file system is read-only");
        assert!(message(io::ErrorKind::UnexpectedEof).contains("unexpected end of file"));
        assert!(message(io::ErrorKind::InvalidData).starts_with("damaged: "));
    }
}
