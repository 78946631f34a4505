//! `meshcloak pois load`: loads the points of interest of a map into a PostGIS table.

use crate::map_args::{MAP_HELP, MapArgs};
use crate::progress::Console;
use crate::stdout;
use crate::table::grouped;
use anyhow::{Context as _, Result, ensure};
use clap::{Args, Subcommand};
use gateway::service::postgis::{DatabaseAddress, LoadedObjects, PostgisError, TableName, load};
use gateway::service::{Object, PlanarSettings};
use import::{MapSource, Progress as _};
use meshcloak::map::StreetMap;
use std::path::PathBuf;

/// Subcommands of `pois`.
#[derive(Debug, Subcommand)]
pub enum PoisCommand {
    /// Load the points of interest of a map into a PostGIS table.
    Load(Load),
}

/// Arguments of `pois load`.
#[derive(Debug, Args)]
#[command(
    after_help = "The table has the columns id, name, category and geog (points in lon/lat). \
All rows are replaced in one transaction: concurrent readers see the old rows until it commits, \
and an error changes nothing. Tables that this command did not create are not touched.

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
    /// Root certificates of the database, PEM; without them the connection does not use TLS.
    #[arg(long, value_name = "FILE")]
    tls_roots: Option<PathBuf>,
    /// Table to create or replace: NAME or SCHEMA.NAME.
    #[arg(long, value_name = "NAME", default_value = "meshcloak_pois")]
    table: TableName,
    #[command(flatten)]
    how: MapArgs,
}

impl PoisCommand {
    /// Runs the subcommand.
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
        ensure!(
            !objects.is_empty(),
            "the map has no points of interest; add some with --pois FILE"
        );
        note_distant_pois(&map, console);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.context("cannot start the async runtime")?;
        console.begin("loading", objects.len() as u64);
        let all = LoadedObjects { objects: &objects, frame };
        let address = DatabaseAddress { url: self.database.clone(), roots: self.tls_roots.clone() };
        let loaded = runtime.block_on(load(address, &self.table, all, |more| {
            console.advance(more);
        }));
        console.clear();
        loaded.with_context(|| format!("cannot load table {} of the database", self.table))?;
        let count = grouped(objects.len() as u64);
        stdout::print(&format!("{count} points of interest in {}\n", self.table))
    }
}

/// Notes how many points of interest are too far from any street for searches along streets.
fn note_distant_pois(map: &StreetMap, console: &Console) {
    let limit = PlanarSettings::default().max_street_distance;
    let distance = |poi| map.point(map.poi(poi).position).distance(map.poi(poi).point);
    let far: Vec<f64> = map.pois().map(distance).filter(|&metres| metres > limit).collect();
    if !far.is_empty() {
        let count = grouped(far.len() as u64);
        let farthest = far.into_iter().fold(0.0, f64::max).ceil();
        console.note(&format!(
            "{count} points of interest are more than {limit} m from the nearest street: searches \
             along streets miss them unless `service.off_street` is raised ({farthest} covers all)"
        ));
    }
}
