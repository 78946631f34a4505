//! How a map is to be read.

use meshcloak::map::Extent;
use meshcloak::units::LonLat;
use std::path::PathBuf;

/// What a reader needs to be told.
#[derive(Clone, Debug)]
pub struct Options {
    /// The largest strongly connected part, or everything.
    pub extent: Extent,
    /// What becomes a street in an OSM extract.
    pub osm: OsmOptions,
    /// Where the zero of a map in metres lies on Earth.
    pub origin: Option<LonLat>,
    /// A file of further points of interest.
    pub pois: Option<PathBuf>,
}

/// What becomes a street in an OSM extract.
#[derive(Clone, Copy, Debug)]
pub struct OsmOptions {
    /// Which highways.
    pub highways: Highways,
    /// Whether every node becomes a terminal, as in the paper's counts, not just junctions.
    pub every_node: bool,
    /// Streets longer than this many metres are split.
    pub max_street_metres: f64,
}

/// Which OSM highways become streets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Highways {
    /// Those for cars: motorway to service.
    Drive,
    /// Also paths, footways, cycleways, tracks, steps and pedestrian streets.
    All,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            extent: Extent::LargestPart,
            osm: OsmOptions::default(),
            origin: None,
            pois: None,
        }
    }
}

impl Default for OsmOptions {
    fn default() -> OsmOptions {
        OsmOptions { highways: Highways::Drive, every_node: false, max_street_metres: 1000.0 }
    }
}
