//! Arguments shared by all commands that read a map.

use crate::parse::{lon_lat, positive_metres};
use crate::progress::Console;
use crate::table::grouped;
use anyhow::Result;
use clap::{Args, ValueEnum};
use import::{Highways, Imported, MapSource, Options, OsmOptions};
use meshcloak::map::Extent;
use meshcloak::units::LonLat;
use std::path::{Path, PathBuf};

/// Options of map import.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Map")]
pub struct MapArgs {
    /// Keep all streets, not only the largest strongly connected component.
    #[arg(long)]
    whole_map: bool,
    /// OSM: classes of ways to import as streets [default: drive].
    #[arg(long, value_enum)]
    highways: Option<HighwaysArg>,
    /// OSM: make every node a terminal, not only junctions.
    #[arg(long)]
    every_node: bool,
    /// OSM: largest street length, in metres; longer streets are split [default: 1000].
    #[arg(long, value_name = "METRES", value_parser = positive_metres)]
    longest: Option<f64>,
    /// Lon/lat of the origin of a map in metres.
    #[arg(long, value_name = "LON,LAT", value_parser = lon_lat, allow_hyphen_values = true)]
    origin: Option<LonLat>,
    /// Additional points of interest: CSV with x,y or lon,lat and category.
    #[arg(long, value_name = "FILE")]
    pois: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum HighwaysArg {
    /// Roads for cars: motorway to service.
    Drive,
    /// Also paths, footways, cycleways, tracks and steps.
    All,
}

/// Help text of the argument `MAP`.
pub const MAP_HELP: &str = "Map: .osm.pbf, .osm, Brinkhoff, CSV, GraphML of OSMnx, GeoJSON lines, \
                            shapefile or prepared, plain or gzipped; or city:STREETS:SEED [default: the built-in city]";

/// Returns the name of a map in tables: as in `evaluate`, or the name of its file.
pub fn map_label(source: Option<&MapSource>) -> String {
    let Some(source) = source else { return "city".to_owned() };
    let text = source.to_string();
    let known = evaluation::maps::NAMES.iter().find(|(_, path)| text.ends_with(path));
    let stem = || {
        let name = Path::new(&text).file_name().unwrap_or_default().to_string_lossy();
        name.split('.').next().unwrap_or_default().to_owned()
    };
    known.map_or_else(stem, |(name, _)| (*name).to_owned())
}

impl MapArgs {
    /// The same options with these points of interest, if there are any.
    #[must_use]
    pub fn with_pois(&self, pois: Option<PathBuf>) -> MapArgs {
        MapArgs { pois: pois.or_else(|| self.pois.clone()), ..self.clone() }
    }

    /// Part of the map to keep.
    pub fn extent(&self) -> Extent {
        if self.whole_map { Extent::Whole } else { Extent::LargestPart }
    }

    /// Reads the map, by default the built-in city, and prints the notes of the import.
    pub fn read(&self, source: Option<&MapSource>, console: &Console) -> Result<Imported> {
        self.read_extent(source, self.extent(), console)
    }

    /// As [`MapArgs::read`], with all streets that the file has.
    pub fn read_whole(&self, source: Option<&MapSource>, console: &Console) -> Result<Imported> {
        self.read_extent(source, Extent::Whole, console)
    }

    fn read_extent(
        &self,
        source: Option<&MapSource>,
        extent: Extent,
        console: &Console,
    ) -> Result<Imported> {
        let built_in = MapSource::default();
        let options = Options {
            extent,
            osm: OsmOptions {
                highways: match self.highways {
                    None | Some(HighwaysArg::Drive) => Highways::Drive,
                    Some(HighwaysArg::All) => Highways::All,
                },
                every_node: self.every_node,
                max_street_metres: self.longest.unwrap_or(OsmOptions::default().max_street_metres),
            },
            origin: self.origin,
            pois: self.pois.clone(),
        };
        let imported = import::read_map(source.unwrap_or(&built_in), &options, console);
        console.clear();
        let imported = imported?;
        for note in notes(&imported, extent).into_iter().chain(self.ignored(&imported)) {
            console.note(&note);
        }
        Ok(imported)
    }

    /// Says which options have no effect on a map of this format.
    fn ignored(&self, imported: &Imported) -> Option<String> {
        let Imported { provenance, prepared, .. } = imported;
        let format = match prepared {
            Some(_) => "a prepared map",
            None if provenance.format.starts_with("OSM") => return None,
            None => &provenance.format,
        };
        let options = [
            ("--highways", self.highways.is_some()),
            ("--every-node", self.every_node),
            ("--longest", self.longest.is_some()),
        ];
        let given: Vec<&str> =
            options.iter().filter(|(_, is_given)| *is_given).map(|(name, _)| *name).collect();
        (!given.is_empty()).then(|| {
            format!("{} has no effect: it applies to OSM files, not to {format}", given.join(", "))
        })
    }
}

/// Formats the notes of an import: its own, the repairs, and what was dropped.
fn notes(imported: &Imported, extent: Extent) -> Vec<String> {
    let Imported { dropped, repairs, notes, prepared, .. } = imported;
    let mut all = notes.clone();
    if repairs.zero_length > 0 {
        let streets = counted(repairs.zero_length, "street");
        all.push(format!("{streets} of length 0; set to 1/32 m"));
    }
    if repairs.lengthened > 0 {
        let lengths = counted(repairs.lengthened, "stated length");
        all.push(format!("{lengths} shorter than the shape; set to the length of the shape"));
    }
    if dropped.streets + dropped.terminals > 0 {
        all.push(format!(
            "{} and {} outside the largest strongly connected component dropped ({:.1} km); {}",
            counted(dropped.streets, "street"),
            counted(dropped.terminals, "terminal"),
            dropped.metres / 1000.0,
            match (prepared, extent) {
                (None | Some(Extent::Whole), Extent::LargestPart) => "`--whole-map` keeps them",
                _ => "this prepared map lacks them: prepare it again with `--whole-map`",
            }
        ));
    }
    all
}

/// Formats a number and its noun: `1 street`, `2 streets`.
fn counted(number: usize, noun: &str) -> String {
    let number_text = grouped(number as u64);
    format!("{number_text} {noun}{}", if number == 1 { "" } else { "s" })
}
