//! Output file or files of a map; the extension determines the format.

use crate::brinkhoff::{self, BrinkhoffFiles, Encoding};
use crate::csv_map::{self, CsvFiles};
use crate::draft::Imported;
use crate::error::{FileLocation, ImportError, Problem};
use crate::output::write_file;
use crate::{geojson, prepared};
use meshcloak::map::Extent;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Output file or set of files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapTarget {
    format: TargetFormat,
    /// The file, or the common stem of a set.
    path: PathBuf,
    gzipped: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TargetFormat {
    Csv,
    Brinkhoff(Encoding),
    GeoJson,
    Prepared,
}

/// Extensions of sets of files and their formats, longest first.
const SET_EXTENSIONS: [(&str, TargetFormat); 8] = [
    (".streets.csv", TargetFormat::Csv),
    (".nodes.csv", TargetFormat::Csv),
    (".pois.csv", TargetFormat::Csv),
    (".csv", TargetFormat::Csv),
    (".node.txt", TargetFormat::Brinkhoff(Encoding::Text)),
    (".edge.txt", TargetFormat::Brinkhoff(Encoding::Text)),
    (".node", TargetFormat::Brinkhoff(Encoding::Binary)),
    (".edge", TargetFormat::Brinkhoff(Encoding::Binary)),
];

impl FromStr for MapTarget {
    type Err = ImportError;

    fn from_str(text: &str) -> Result<MapTarget, ImportError> {
        let (plain, gzipped) =
            text.strip_suffix(".gz").map_or((text, false), |plain| (plain, true));
        let set = SET_EXTENSIONS.iter().find_map(|(ending, format)| {
            Some((plain.strip_suffix(ending).filter(|stem| !stem.is_empty())?, *format))
        });
        if let Some((stem, format)) = set {
            return Ok(MapTarget { format, path: stem.into(), gzipped });
        }
        let format = match Path::new(plain).extension().and_then(|ending| ending.to_str()) {
            Some("geojson" | "json") => TargetFormat::GeoJson,
            Some("meshmap") if !gzipped => TargetFormat::Prepared,
            _ => return Err(FileLocation::File.of(Path::new(text), Problem::UnknownTarget)),
        };
        Ok(MapTarget { format, path: text.into(), gzipped })
    }
}

impl MapTarget {
    /// Returns the files that are written.
    pub fn files(&self) -> Vec<PathBuf> {
        let MapTarget { format, path, gzipped } = self;
        let ending = if *gzipped { ".gz" } else { "" };
        match *format {
            TargetFormat::Csv => {
                let CsvFiles { nodes, streets, pois } = CsvFiles::of_stem(path, ending);
                [Some(nodes), Some(streets), pois].into_iter().flatten().collect()
            }
            TargetFormat::Brinkhoff(encoding) => {
                let BrinkhoffFiles { nodes, edges } =
                    BrinkhoffFiles::of_stem(path, encoding, ending);
                vec![nodes, edges]
            }
            TargetFormat::GeoJson | TargetFormat::Prepared => vec![path.clone()],
        }
    }
}

/// Writes a map; `extent` is the extent it was read with. Either all files of the target are
/// written or none.
///
/// Returns notes about data that the format cannot represent.
pub fn write_map(
    imported: &Imported,
    extent: Extent,
    target: &MapTarget,
) -> Result<Vec<String>, ImportError> {
    let MapTarget { format, path, gzipped } = target;
    let ending = if *gzipped { ".gz" } else { "" };
    let map = &imported.map;
    match *format {
        TargetFormat::Csv => csv_map::write(map, &CsvFiles::of_stem(path, ending))?,
        TargetFormat::Brinkhoff(encoding) => {
            return brinkhoff::write(
                map,
                &BrinkhoffFiles::of_stem(path, encoding, ending),
                encoding,
            );
        }
        TargetFormat::GeoJson => geojson::write(map, path)?,
        TargetFormat::Prepared => write_file(path, &prepared::encode(imported, extent))?,
    }
    Ok(Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(text: &str) -> (TargetFormat, String, bool) {
        let MapTarget { format, path, gzipped } = text.parse().unwrap();
        (format, path.display().to_string(), gzipped)
    }

    #[test]
    fn the_extension_determines_the_format() {
        assert_eq!(target("a/b.csv"), (TargetFormat::Csv, "a/b".into(), false));
        assert_eq!(target("b.streets.csv.gz"), (TargetFormat::Csv, "b".into(), true));
        assert_eq!(
            target("b.edge"),
            (TargetFormat::Brinkhoff(Encoding::Binary), "b".into(), false)
        );
        assert_eq!(
            target("b.node.txt"),
            (TargetFormat::Brinkhoff(Encoding::Text), "b".into(), false)
        );
        assert_eq!(target("b.geojson.gz"), (TargetFormat::GeoJson, "b.geojson.gz".into(), true));
        assert_eq!(target("b.meshmap"), (TargetFormat::Prepared, "b.meshmap".into(), false));
        for bad in ["b.docx", "b", ".csv", "b.meshmap.gz", ""] {
            let error = bad.parse::<MapTarget>().unwrap_err().to_string();
            assert!(error.contains("unknown file extension"), "{bad}: {error}");
        }
    }
}
