//! Locations in files, for errors.

use crate::error::{ImportError, LocatedProblem, Problem};
use std::fmt;
use std::path::Path;

/// A location in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileLocation {
    /// The file as a whole.
    File,
    /// Line number, from 1.
    Line(u64),
    /// Row number of a table, from 1.
    Row(u64),
    /// Byte offset, from 0.
    Byte(u64),
    /// Byte offset in the decompressed content of a gzipped file, from 0.
    DecompressedByte(u64),
    /// An OSM element: `node` or `way`, and its id.
    Element(&'static str, i64),
}

impl FileLocation {
    /// Returns a problem at this location.
    pub(crate) fn with(self, problem: impl Into<Problem>) -> LocatedProblem {
        LocatedProblem { location: self, problem: problem.into() }
    }

    /// Returns the error for a problem at this location of `file`.
    pub(crate) fn of(self, file: &Path, problem: impl Into<Problem>) -> ImportError {
        ImportError { file: file.to_owned(), location: self, problem: problem.into() }
    }
}

impl fmt::Display for FileLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileLocation::File => Ok(()),
            FileLocation::Line(line) => write!(f, ", line {line}"),
            FileLocation::Row(row) => write!(f, ", row {row}"),
            FileLocation::Byte(byte) => write!(f, ", byte {byte}"),
            FileLocation::DecompressedByte(byte) => write!(f, ", byte {byte} after decompression"),
            FileLocation::Element(kind, id) => write!(f, ", {kind} {id}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_begins_with_file_and_location() {
        let message = |location: FileLocation| {
            location.of(Path::new("a/b.csv"), Problem::Missing).to_string()
        };
        assert_eq!(message(FileLocation::File), "a/b.csv: no such file");
        assert_eq!(message(FileLocation::Line(7)), "a/b.csv, line 7: no such file");
        assert_eq!(message(FileLocation::Row(7)), "a/b.csv, row 7: no such file");
        assert_eq!(message(FileLocation::Byte(7)), "a/b.csv, byte 7: no such file");
        assert_eq!(
            message(FileLocation::DecompressedByte(7)),
            "a/b.csv, byte 7 after decompression: no such file"
        );
        assert_eq!(message(FileLocation::Element("way", 7)), "a/b.csv, way 7: no such file");
    }
}
