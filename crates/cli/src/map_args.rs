//! The arguments of every command that reads a map, and how they become one.

use crate::progress::Console;
use crate::table::grouped;
use anyhow::Result;
use clap::{Args, ValueEnum};
use import::{Highways, Imported, MapSource, Options, OsmOptions};
use meshcloak::map::Extent;
use meshcloak::units::LonLat;
use std::path::PathBuf;

/// How to read the map.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Map")]
pub struct MapArgs {
    /// Keep every street, not just the largest part in which everyone can reach everything.
    #[arg(long)]
    whole_map: bool,
    /// OSM: which highways become streets.
    #[arg(long, value_enum, default_value = "drive")]
    highways: HighwaysArg,
    /// OSM: make every node a terminal, not just junctions.
    #[arg(long)]
    every_node: bool,
    /// OSM: split streets longer than this many metres.
    #[arg(long, value_name = "METRES", default_value_t = 1000.0, value_parser = positive)]
    longest: f64,
    /// Where the zero of a map in metres lies on Earth.
    #[arg(long, value_name = "LON,LAT", value_parser = lon_lat, allow_hyphen_values = true)]
    origin: Option<LonLat>,
    /// Further points of interest: CSV with x,y or lon,lat and category.
    #[arg(long, value_name = "FILE")]
    pois: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum HighwaysArg {
    /// Streets for cars: motorway to service.
    Drive,
    /// Also paths, footways, cycleways, tracks and steps.
    All,
}

/// What `MAP` may be, for every command's help.
pub const MAP_HELP: &str = "Map: .osm.pbf, .osm, Brinkhoff, CSV or prepared, plain or gzipped; \
                            or city:STREETS:SEED [default: the built-in city]";

impl MapArgs {
    /// How much of the map is kept.
    pub fn extent(&self) -> Extent {
        if self.whole_map { Extent::Whole } else { Extent::LargestPart }
    }

    /// Reads the map, telling people on the way what they should know.
    pub fn read(&self, source: Option<&MapSource>, console: &Console) -> Result<Imported> {
        let built_in = MapSource::default();
        let options = Options {
            extent: self.extent(),
            osm: OsmOptions {
                highways: match self.highways {
                    HighwaysArg::Drive => Highways::Drive,
                    HighwaysArg::All => Highways::All,
                },
                every_node: self.every_node,
                max_street_metres: self.longest,
            },
            origin: self.origin,
            pois: self.pois.clone(),
        };
        let imported = import::read_map(source.unwrap_or(&built_in), &options, console);
        console.clear();
        let imported = imported?;
        for note in notes(&imported, self.extent()) {
            console.note(&note);
        }
        Ok(imported)
    }
}

/// What happened on the way in, in sentences.
fn notes(imported: &Imported, extent: Extent) -> Vec<String> {
    let Imported { dropped, repairs, notes, .. } = imported;
    let mut all = notes.clone();
    if repairs.zero_length > 0 {
        let streets = counted(repairs.zero_length, "street");
        all.push(format!("{streets} with both ends on one point; each counts 1/32 m"));
    }
    if repairs.lengthened > 0 {
        let lengths = counted(repairs.lengthened, "written length");
        all.push(format!("{lengths} shorter than the shape; lengthened to it"));
    }
    if dropped.streets + dropped.terminals > 0 {
        all.push(format!(
            "{} and {} outside the largest strongly connected part left out ({:.1} km); {}",
            counted(dropped.streets, "street"),
            counted(dropped.terminals, "terminal"),
            dropped.metres / 1000.0,
            match extent {
                Extent::LargestPart => "`--whole-map` keeps them",
                Extent::Whole => "they are not in this file: prepare it again with `--whole-map`",
            }
        ));
    }
    all
}

/// A number and its noun: `1 street`, `2 streets`.
fn counted(number: usize, noun: &str) -> String {
    let number_text = grouped(number as u64);
    format!("{number_text} {noun}{}", if number == 1 { "" } else { "s" })
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(metres) if metres > 0.0 && metres.is_finite() => Ok(metres),
        _ => Err("expected metres above 0".into()),
    }
}

fn lon_lat(text: &str) -> Result<LonLat, String> {
    let numbers = text
        .split_once(',')
        .and_then(|(lon, lat)| LonLat::new(lon.trim().parse().ok()?, lat.trim().parse().ok()?));
    numbers.ok_or_else(|| "expected LON,LAT in degrees, as in 8.21,53.14".into())
}
