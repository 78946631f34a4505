//! Where a map is to be written, and in which format: its ending says so.

use crate::draft::Imported;
use crate::error::{ImportError, Place, Problem};
use meshcloak::map::Extent;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A file or set of files to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    format: TargetFormat,
    /// The file, or the common part of the names of a set.
    path: PathBuf,
    gzipped: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TargetFormat {
    Csv,
    BrinkhoffBinary,
    BrinkhoffText,
    GeoJson,
    Prepared,
}

/// Endings of the files of a set, longest first, and what they stand for.
const SETS: [(&str, TargetFormat); 8] = [
    (".streets.csv", TargetFormat::Csv),
    (".nodes.csv", TargetFormat::Csv),
    (".pois.csv", TargetFormat::Csv),
    (".csv", TargetFormat::Csv),
    (".node.txt", TargetFormat::BrinkhoffText),
    (".edge.txt", TargetFormat::BrinkhoffText),
    (".node", TargetFormat::BrinkhoffBinary),
    (".edge", TargetFormat::BrinkhoffBinary),
];

impl FromStr for Target {
    type Err = ImportError;

    fn from_str(text: &str) -> Result<Target, ImportError> {
        let (plain, gzipped) = text.strip_suffix(".gz").map_or((text, false), |plain| (plain, true));
        let set = SETS.iter().find_map(|(ending, format)| {
            Some((plain.strip_suffix(ending).filter(|stem| !stem.is_empty())?, *format))
        });
        if let Some((stem, format)) = set {
            return Ok(Target { format, path: stem.into(), gzipped });
        }
        let format = match Path::new(plain).extension().and_then(|ending| ending.to_str()) {
            Some("geojson" | "json") => TargetFormat::GeoJson,
            Some("meshmap") if !gzipped => TargetFormat::Prepared,
            _ => return Err(Place::File.of(Path::new(text), Problem::UnknownTarget)),
        };
        Ok(Target { format, path: text.into(), gzipped })
    }
}
