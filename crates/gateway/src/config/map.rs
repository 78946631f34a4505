//! Settings of the street map.

use super::parse::{lon_lat, path, snap};
use super::setting::Setting;
use super::settings::setting;
use import::MapSource;
use meshcloak::units::LonLat;
use std::path::PathBuf;

/// Street map.
#[derive(Clone, Debug, PartialEq)]
pub struct MapConfig {
    /// File or built-in map.
    pub source: MapSource,
    /// File of additional points of interest, CSV.
    pub pois: Option<PathBuf>,
    /// Lon/lat of the origin of a map in metres.
    pub origin: Option<LonLat>,
    /// Largest snapping distance in metres; `None` means unlimited.
    pub snap: Option<f64>,
}

impl Default for MapConfig {
    fn default() -> MapConfig {
        MapConfig { source: MapSource::default(), pois: None, origin: None, snap: Some(50.0) }
    }
}

/// Settings of this section.
pub(super) const SETTINGS: &[Setting] = &[
    setting!(
        "map.source",
        "\"city\"",
        "Street map: a file that `meshcloak map` reads, or the built-in city (city:STREETS:SEED).",
        |c, text| {
            c.map.source = text.parse().map_err(|_| "a map, as in porto.osm.pbf or city:7000:1")?;
        }
    ),
    setting!(
        "map.pois",
        "\"\"",
        "File of additional points of interest, CSV; \"\" adds none.",
        |c, text| c.map.pois = path(text)
    ),
    setting!(
        "map.origin",
        "\"\"",
        "LON,LAT of the origin of a map in metres, in degrees; \"\" if the map has lon/lat.",
        |c, text| c.map.origin = lon_lat(text)?
    ),
    setting!(
        "map.snap",
        "50",
        "Largest snapping distance to a street in metres, 0 to 1000000; 0 disables the limit.",
        |c, text| c.map.snap = snap(text)?
    ),
];
