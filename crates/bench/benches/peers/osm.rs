//! Import of an OpenStreetMap extract; answer: number of ways that are streets for cars.
//!
//! MeshCloak reads the largest connected part, and splits ways into streets. Its answer is counted
//! beforehand, in the whole map.

use crate::table::Table;
use import::{MapSource, Options, read_map};
use meshcloak::map::{Extent, StreetMap};
use std::collections::BTreeSet;
use std::path::PathBuf;

pub fn measure(table: &mut Table) {
    let Some(maps) = std::env::var_os("MESHCLOAK_MAPS") else { return };
    let file = PathBuf::from(maps).join("porto/porto_portugal.osm.pbf");
    let task = "read the streets of an OSM extract";
    let path = file.canonicalize().expect("the map is in the folder");
    table.write(&format!("{task}.txt"), path.display().to_string().bytes().map(|byte| [byte]));
    let source = MapSource::File(file);
    let read = |extent| {
        let options = Options { extent, ..Options::default() };
        read_map(&source, &options, &()).expect("the map can be read").map
    };
    let ways = way_count(&read(Extent::Whole)) as f64;
    table.measure(task, || {
        read(Extent::LargestPart);
        ways
    });
}

/// Counts the ways: the label of a street is `way.n`.
fn way_count(map: &StreetMap) -> usize {
    let labels = map.streets().map(|street| map.street_label(street));
    let ways: BTreeSet<&str> = labels.filter_map(|label| Some(label.rsplit_once('.')?.0)).collect();
    ways.len()
}
