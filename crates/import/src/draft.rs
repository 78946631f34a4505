//! Result of a reader before and after the map is built.

use crate::error::{FileLocation, ImportError, Problem};
use crate::options::Options;
use meshcloak::map::{Dropped, Extent, Frame, MapBuilder, Repairs, StreetMap};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Output of a reader: terminals, streets, points of interest, and counts of the file.
#[derive(Debug)]
pub(crate) struct Draft {
    pub builder: MapBuilder,
    /// Display name of the format, such as `OSM PBF`.
    pub format: &'static str,
    /// Nodes as in the file, shape points included (Table II).
    pub nodes: u64,
    /// Distinct pairs of nodes joined by a street (Table II).
    pub edges: u64,
    /// Notes about skipped or corrected data.
    pub notes: Vec<String>,
}

/// Source of a map and the file statistics of Table II of the paper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The file or `city:…`.
    pub source: String,
    /// Display name of the format.
    pub format: String,
    /// Nodes as in the file, shape points included.
    pub nodes: u64,
    /// Distinct pairs of nodes joined by a street.
    pub edges: u64,
    /// Extent from west to east, in metres.
    pub width: f64,
    /// Extent from south to north, in metres.
    pub height: f64,
    /// Unrounded length of all streets, in metres.
    pub metres: f64,
}

/// An imported map with its source and import notes.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The map.
    pub map: StreetMap,
    /// Source and statistics.
    pub provenance: Provenance,
    /// What was dropped outside the largest strongly connected component.
    pub dropped: Dropped,
    /// Corrected lengths.
    pub repairs: Repairs,
    /// Notes about other skipped or corrected data.
    pub notes: Vec<String>,
    /// Extent that the prepared map was reduced to; `None` if the source is of another format.
    pub prepared: Option<Extent>,
}

impl Draft {
    /// Builds the map according to `options`.
    pub(crate) fn finish(
        mut self,
        file: &Path,
        options: &Options,
    ) -> Result<Imported, ImportError> {
        if let Some(origin) = options.origin {
            if self.builder.frame().is_some() {
                return Err(FileLocation::File.of(file, Problem::HasFrame));
            }
            self.builder.set_frame(Frame::at(origin));
        }
        let provenance = self.provenance(file);
        let built = self
            .builder
            .build(options.extent)
            .map_err(|error| FileLocation::File.of(file, error))?;
        Ok(Imported {
            map: built.map,
            provenance,
            dropped: built.dropped,
            repairs: built.repairs,
            notes: self.notes,
            prepared: None,
        })
    }

    fn provenance(&self, file: &Path) -> Provenance {
        let bounds = self.builder.bounds();
        Provenance {
            source: file.display().to_string(),
            format: self.format.to_owned(),
            nodes: self.nodes,
            edges: self.edges,
            width: bounds.map_or(0.0, |bounds| bounds.width()),
            height: bounds.map_or(0.0, |bounds| bounds.height()),
            metres: self.builder.total_metres(),
        }
    }
}
