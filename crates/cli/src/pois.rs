//! `meshcloak pois load`: a map's points of interest in a PostGIS table, for a gateway to ask.

use crate::answer;
use crate::map_args::{MAP_HELP, MapArgs};
use crate::progress::Console;
use crate::table::grouped;
use anyhow::{Context as _, Result, ensure};
use clap::{Args, Subcommand};
use gateway::service::postgis::{DatabaseAddress, LoadedObjects, PostgisError, TableName, load};
use gateway::service::{Object, PlanarSettings};
use import::{MapSource, Progress as _};
use meshcloak::map::StreetMap;
use std::path::PathBuf;

/// What one does with points of interest.
#[derive(Debug, Subcommand)]
pub enum PoisCommand {
    /// Fill a PostGIS table with the points of interest of a map.
    Load(Load),
}

/// Arguments of `pois load`.
#[derive(Debug, Args)]
#[command(
    after_help = "The table has the columns id, name, category and geog (points in lon/lat). \
All rows are replaced in one transaction: whoever reads meanwhile sees the old ones, and an error \
changes nothing. A table that this command did not make is left alone.

Examples:
  meshcloak pois load porto.osm.pbf --database postgres://me@localhost/city
  meshcloak pois load oldenburgGen.node --origin 8.1,53.0 --pois shops.csv --database URL"
)]
pub struct Load {
    #[arg(value_name = "MAP", help = MAP_HELP)]
    map: Option<MapSource>,
    /// Database: postgres://user:password@host:port/name, or key=value pairs.
    #[arg(long, value_name = "URL")]
    database: String,
    /// Certificates, PEM, from which that of the database must descend; without them there is no
    /// TLS.
    #[arg(long, value_name = "FILE")]
    tls_roots: Option<PathBuf>,
    /// Table to make or replace: NAME or SCHEMA.NAME.
    #[arg(long, value_name = "NAME", default_value = "meshcloak_pois")]
    table: TableName,
    #[command(flatten)]
    how: MapArgs,
}

impl PoisCommand {
    /// Does it.
    pub fn run(&self, console: &Console) -> Result<()> {
        match self {
            PoisCommand::Load(load) => load.run(console),
        }
    }
}

impl Load {
    fn run(&self, console: &Console) -> Result<()> {
        let map = self.how.read(self.map.as_ref(), console)?.map;
        let frame = map.frame().ok_or(PostgisError::NoFrame)?;
        let objects = Object::all_of(&map);
        ensure!(!objects.is_empty(), "the map has no points of interest; `--pois FILE` adds some");
        note_far(&map, console);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.context("starting up")?;
        console.begin("loading", objects.len() as u64);
        let all = LoadedObjects { objects: &objects, frame };
        let address = DatabaseAddress { url: self.database.clone(), roots: self.tls_roots.clone() };
        let loaded = runtime.block_on(load(address, &self.table, all, |more| {
            console.advance(more);
        }));
        console.clear();
        loaded?;
        let count = grouped(objects.len() as u64);
        answer::print(&format!("{count} points of interest in {}\n", self.table))
    }
}

/// Says which points of interest a gateway will not find along streets, and what would change that.
fn note_far(map: &StreetMap, console: &Console) {
    let limit = PlanarSettings::default().max_street_distance;
    let apart = |poi| map.point(map.poi(poi).position).distance(map.poi(poi).point);
    let far: Vec<f64> = map.pois().map(apart).filter(|&metres| metres > limit).collect();
    if !far.is_empty() {
        let count = grouped(far.len() as u64);
        let farthest = far.into_iter().fold(0.0, f64::max).ceil();
        console.note(&format!(
            "{count} of them lie farther than {limit} m from every street: a gateway finds them in \
             the plane alone, unless `service.off_street` is larger ({farthest} is all of them)"
        ));
    }
}
