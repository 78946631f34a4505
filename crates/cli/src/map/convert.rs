//! `meshcloak map convert`: converts a map to another format.

use crate::distinct_files::{self, NamedFile};
use crate::map_args::MapArgs;
use crate::progress::Console;
use anyhow::Result;
use clap::Args;
use import::{MapSource, MapTarget, Progress as _};
use std::path::PathBuf;

/// Arguments of `map convert`.
#[derive(Debug, Args)]
#[command(after_help = "The extension of OUT selects the format:
  X.csv               X.nodes.csv, X.streets.csv and X.pois.csv (X.csv.gz: gzipped)
  X.node, X.edge      Brinkhoff, binary
  X.node.txt          Brinkhoff, text
  X.geojson           GeoJSON (X.geojson.gz: gzipped)
  X.meshmap           prepared map: opens in milliseconds

Examples:
  meshcloak map convert porto.osm.pbf porto.meshmap
  meshcloak map convert oldenburgGen.node oldenburg.csv
  meshcloak map convert oldenburgGen.node oldenburg.geojson --origin 8.1,53.0
  meshcloak map convert city:20000:4 town.geojson")]
pub struct Convert {
    /// Map to read: .osm.pbf, .osm, Brinkhoff, CSV, GraphML, GeoJSON, shapefile or prepared; or
    /// city:STREETS:SEED.
    #[arg(value_name = "IN")]
    from: MapSource,
    /// File to write; its extension selects the format.
    #[arg(value_name = "OUT")]
    to: MapTarget,
    #[command(flatten)]
    how: MapArgs,
}

impl Convert {
    /// Reads the map, writes it, notes what the new format cannot represent.
    pub fn run(&self, console: &Console) -> Result<()> {
        let (inputs, outputs) = (self.from.writable_files(), self.to.files());
        let named = |option| move |path| NamedFile { option, path };
        let inputs: Vec<_> = inputs.iter().map(PathBuf::as_path).map(named("the map")).collect();
        let outputs: Vec<_> = outputs.iter().map(PathBuf::as_path).map(named("OUT")).collect();
        distinct_files::check(&inputs, &outputs)?;
        let imported = self.how.read(Some(&self.from), console)?;
        console.begin("writing", 0);
        let notes = import::write_map(&imported, self.how.extent(), &self.to);
        console.clear();
        for note in notes? {
            console.note(&note);
        }
        Ok(())
    }
}
