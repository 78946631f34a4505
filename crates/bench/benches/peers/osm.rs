//! Import of an OpenStreetMap extract; answer: 0, since the programs keep different things.

use crate::table::Table;
use import::{MapSource, Options, read_map};
use std::path::PathBuf;

pub fn measure(table: &mut Table) {
    let Some(maps) = std::env::var_os("MESHCLOAK_MAPS") else { return };
    let file = PathBuf::from(maps).join("porto/porto_portugal.osm.pbf");
    let task = "read the streets of an OSM extract";
    let path = file.canonicalize().expect("the map is in the folder");
    table.write(&format!("{task}.txt"), path.display().to_string().bytes().map(|byte| [byte]));
    let source = MapSource::File(file);
    table.measure(task, || {
        let read = read_map(&source, &Options::default(), &()).expect("the map can be read");
        f64::from(u8::from(read.map.street_count() == 0))
    });
}
