//! Readers and writers of street maps, queries and traces. All file formats are confined to this
//! crate.
//!
//! Maps ([`StreetMap`]): OSM PBF and XML, Brinkhoff, CSV, GraphML, GeoJSON, shapefiles, prepared
//! maps, and the built-in city.
//! Queries: CSV, NDJSON and, with the feature `parquet`, Parquet and Arrow. Traces: Brinkhoff, taxi
//! CSV and GPX.
//!
//! [`StreetMap`]: meshcloak::map::StreetMap
//!
//! ```
//! use import::{Options, read_map};
//! let imported = read_map(&"city:500:7".parse()?, &Options::default(), &())?;
//! assert!(imported.map.street_count() > 400);
//! # Ok::<(), import::ImportError>(())
//! ```

mod atomic_file;
mod brinkhoff;
mod city;
#[cfg(feature = "parquet")]
pub mod columns;
mod coordinates;
mod csv_map;
mod detect;
mod draft;
mod error;
mod file_location;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzzing;
mod geojson;
mod geojson_map;
mod graphml;
mod input;
mod line_network;
mod located_problem;
mod lon_lat;
mod options;
mod osm;
mod output;
mod pending_file;
pub mod prepared;
mod progress;
mod queries;
mod read;
mod shapefile_map;
mod source;
mod target;
#[cfg(test)]
mod testing;
pub mod traces;

pub use atomic_file::AtomicFile;
pub use city::{CityPlan, CitySizeError};
pub use coordinates::Coordinates;
pub use csv_map::{SensitivePlace, read_sensitive_places};
pub use draft::{Imported, Provenance};
pub use error::{FileLocation, ImportError, Problem};
pub use options::{Highways, Options, OsmOptions};
pub use osm::read_osm_bytes;
pub use output::{discard_unfinished, write_file};
pub use progress::Progress;
pub use queries::{BadQuery, QueryReader, QueryRecord, QueryRow, QueryWriter};
pub use read::read_map;
pub use source::MapSource;
pub use target::{MapTarget, write_map};
