//! Options for reading maps.

use meshcloak::map::Extent;
use meshcloak::units::LonLat;
use std::path::PathBuf;

/// Options for reading a map.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether to keep the largest strongly connected component or the whole map.
    pub extent: Extent,
    /// Options for OSM extracts.
    pub osm: OsmOptions,
    /// Lon/lat of the origin of a map in metres.
    pub origin: Option<LonLat>,
    /// CSV file of additional points of interest.
    pub pois: Option<PathBuf>,
}

/// Options for OSM extracts.
#[derive(Clone, Copy, Debug)]
pub struct OsmOptions {
    /// Highways that become streets.
    pub highways: Highways,
    /// Whether every node becomes a terminal, as in Table II of the paper, instead of junctions only.
    pub every_node: bool,
    /// Streets longer than this are split, in metres; values below 1 count as 1.
    pub max_street_metres: f64,
}

/// Which OSM highways become streets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Highways {
    /// Roads for cars: motorway to service.
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
