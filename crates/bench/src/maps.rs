//! The maps that are measured.

use import::{MapSource, Options};
use meshcloak::map::StreetMap;
use std::path::PathBuf;

/// A map file and its name in tables.
pub struct NamedMap {
    /// City.
    pub name: &'static str,
    source: MapSource,
}

impl NamedMap {
    /// The built-in city.
    pub fn built_in() -> NamedMap {
        NamedMap { name: "built-in city", source: MapSource::default() }
    }

    /// Reads the map.
    ///
    /// # Panics
    /// If the file is missing or malformed.
    pub fn read(&self) -> StreetMap {
        let read = import::read_map(&self.source, &Options::default(), &());
        read.unwrap_or_else(|error| panic!("{}: {error}", self.name)).map
    }
}

/// Oldenburg, Paris and Porto in the folder `MESHCLOAK_MAPS`; the built-in city if it is not set.
pub fn maps() -> Vec<NamedMap> {
    let Some(folder) = std::env::var_os("MESHCLOAK_MAPS").map(PathBuf::from) else {
        println!("(MESHCLOAK_MAPS is not set: measuring the built-in city)");
        return vec![NamedMap::built_in()];
    };
    let files = [
        ("Oldenburg", "oldenburg/oldenburgGen.node"),
        ("Paris", "paris/paris.nodes.csv.gz"),
        ("Porto", "porto/porto-city.osm.pbf"),
    ];
    files.map(|(name, file)| NamedMap { name, source: MapSource::File(folder.join(file)) }).into()
}

/// Oldenburg, or the built-in city if `MESHCLOAK_MAPS` is not set.
pub fn oldenburg() -> StreetMap {
    maps()[0].read()
}
