//! Metadata of a prepared map: JSON in its first section.

use super::Prepared;
use crate::draft::{Imported, Provenance};
use crate::error::Problem;
use meshcloak::map::{Dropped, Extent, Repairs, StreetMap};
use serde::{Deserialize, Serialize};

/// Source, statistics and import notes of a prepared map.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Metadata {
    #[serde(flatten)]
    provenance: Provenance,
    whole_map: bool,
    dropped_terminals: usize,
    dropped_streets: usize,
    dropped_metres: f64,
    dropped_parts: usize,
    zero_length: usize,
    lengthened: usize,
    notes: Vec<String>,
}

impl Metadata {
    pub(super) fn of(imported: &Imported, extent: Extent) -> Metadata {
        let Imported { provenance, dropped, repairs, notes, .. } = imported;
        Metadata {
            provenance: provenance.clone(),
            whole_map: extent == Extent::Whole,
            dropped_terminals: dropped.terminals,
            dropped_streets: dropped.streets,
            dropped_metres: dropped.metres,
            dropped_parts: dropped.parts,
            zero_length: repairs.zero_length,
            lengthened: repairs.lengthened,
            notes: notes.clone(),
        }
    }

    pub(super) fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("strings and finite numbers serialize to JSON")
    }

    pub(super) fn from_json(json: &[u8]) -> Result<Metadata, Problem> {
        serde_json::from_slice(json).map_err(|error| Problem::Damaged(error.to_string()))
    }

    /// Combines the metadata with its map.
    pub(super) fn with(self, map: StreetMap) -> Prepared {
        let dropped = Dropped {
            terminals: self.dropped_terminals,
            streets: self.dropped_streets,
            metres: self.dropped_metres,
            parts: self.dropped_parts,
        };
        let repairs = Repairs { zero_length: self.zero_length, lengthened: self.lengthened };
        let extent = if self.whole_map { Extent::Whole } else { Extent::LargestPart };
        let Metadata { provenance, notes, .. } = self;
        let imported = Imported { map, provenance, dropped, repairs, notes, prepared: None };
        Prepared { imported, extent }
    }
}
