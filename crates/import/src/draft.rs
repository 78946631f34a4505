//! What every reader hands over, and how it becomes a map.

use crate::error::{FileLocation, ImportError, Problem};
use crate::options::Options;
use meshcloak::map::{Dropped, Frame, MapBuilder, Repairs, StreetMap};
use std::path::Path;

/// What a reader found: terminals, streets and points of interest, and the counts of the file.
#[derive(Debug)]
pub(crate) struct Draft {
    pub builder: MapBuilder,
    /// In words, for people: `OSM PBF`.
    pub format: &'static str,
    /// Nodes as in the file, shape points included (Table II).
    pub nodes: u64,
    /// Distinct pairs of nodes joined by a street (Table II).
    pub edges: u64,
    /// Sentences about what was skipped or put right.
    pub notes: Vec<String>,
}

/// Where a map came from: the file, and what Table II of the paper says of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Provenance {
    /// The file or `city:…`.
    pub source: String,
    /// Its format, in words.
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

/// A map, where it came from, and what happened on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The map.
    pub map: StreetMap,
    /// Where it came from.
    pub provenance: Provenance,
    /// What was left out, being outside the largest strongly connected part.
    pub dropped: Dropped,
    /// Lengths that were put right.
    pub repairs: Repairs,
    /// Sentences about what else was skipped or put right.
    pub notes: Vec<String>,
}

impl Draft {
    /// Builds the map that `options` ask for.
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
