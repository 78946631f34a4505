//! `meshcloak map info`: prints the Table II row of a map and further statistics.

use super::statistics::MapStatistics;
use crate::map_args::{MAP_HELP, MapArgs};
use crate::progress::Console;
use crate::stdout;
use crate::table::{Table, decimal, grouped};
use anyhow::Result;
use clap::Args;
use import::{Imported, MapSource};
use serde_json::{Value, json};

/// Arguments of `map info`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  meshcloak map info
  meshcloak map info porto.osm.pbf
  meshcloak map info oldenburgGen.node --json
  meshcloak map info city:50000:3
  meshcloak map info paris.nodes.csv.gz --whole-map")]
pub struct Info {
    #[arg(help = MAP_HELP)]
    map: Option<MapSource>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    how: MapArgs,
}

impl Info {
    /// Reads the map and prints its statistics.
    pub fn run(&self, console: &Console) -> Result<()> {
        let imported = self.how.read(self.map.as_ref(), console)?;
        let statistics = MapStatistics::of(&imported.map);
        stdout::print(&if self.json {
            format!("{:#}\n", as_json(&imported, &statistics))
        } else {
            as_table(&imported, &statistics)
        })
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Returns the share of the file's terminals in its largest strongly connected component.
fn connected_share(imported: &Imported, statistics: &MapStatistics) -> f64 {
    share(statistics.largest_part, imported.map.terminal_count() + imported.dropped.terminals)
}

fn as_table(imported: &Imported, statistics: &MapStatistics) -> String {
    let Imported { map, provenance, dropped, .. } = imported;
    let km = |metres: f64| format!("{} km", decimal(metres / 1000.0));
    let count = |number: usize| grouped(number as u64);
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let mut table = Table::default();
    table.heading(format!("{} ({})", provenance.source, provenance.format));
    table.heading("In the file (Table II of the paper)");
    table.row("nodes", grouped(provenance.nodes));
    table.row("edges", grouped(provenance.edges));
    table.row("width", km(provenance.width));
    table.row("height", km(provenance.height));
    let area = provenance.width * provenance.height / 1e6;
    table.row("area", format!("{} km²", decimal(area)));
    table.row("total street length", km(provenance.metres));
    table.heading("As used");
    table.row("terminals", count(map.terminal_count()));
    table.row("streets", count(map.street_count()));
    table.row("street length", km(statistics.metres));
    table.row(
        "mean street length",
        format!("{:.0} m", statistics.metres / map.street_count() as f64),
    );
    table.row("one-way streets", count(statistics.one_way));
    table.row("one-way share", percent(share(statistics.one_way, map.street_count())));
    table.row(
        "largest strongly connected component",
        percent(connected_share(imported, statistics)),
    );
    table.row("dropped streets", count(dropped.streets));
    table.row("dropped length", km(dropped.metres));
    table.heading("Terminals by degree");
    for (degree, terminals) in &statistics.degrees {
        table.row(format!("{degree}"), count(*terminals));
    }
    table.heading(format!("Points of interest: {}", count(map.pois().len())));
    for (category, pois) in by_frequency(statistics) {
        table.row(category, count(pois));
    }
    table.render()
}

/// Returns the categories, most frequent first.
fn by_frequency(statistics: &MapStatistics) -> Vec<(&str, usize)> {
    let mut categories: Vec<(&str, usize)> = statistics
        .categories
        .iter()
        .map(|(category, &number)| (category.as_str(), number))
        .collect();
    categories.sort_by_key(|&(_, number)| std::cmp::Reverse(number));
    categories
}

fn as_json(imported: &Imported, statistics: &MapStatistics) -> Value {
    let Imported { map, provenance, dropped, repairs, notes, .. } = imported;
    let degrees: serde_json::Map<String, Value> = statistics
        .degrees
        .iter()
        .map(|(degree, &count)| (degree.to_string(), count.into()))
        .collect();
    json!({
        "source": provenance.source,
        "format": provenance.format,
        "nodes": provenance.nodes,
        "edges": provenance.edges,
        "width_km": provenance.width / 1000.0,
        "height_km": provenance.height / 1000.0,
        "area_km2": provenance.width * provenance.height / 1e6,
        "total_street_length_km": provenance.metres / 1000.0,
        "terminals": map.terminal_count(),
        "streets": map.street_count(),
        "street_length_km": statistics.metres / 1000.0,
        "one_way_streets": statistics.one_way,
        "one_way_share": share(statistics.one_way, map.street_count()),
        "strongly_connected_parts": statistics.parts,
        "strongly_connected_share": connected_share(imported, statistics),
        "dropped": {
            "terminals": dropped.terminals,
            "streets": dropped.streets,
            "length_km": dropped.metres / 1000.0,
            "parts": dropped.parts,
        },
        "repairs": { "zero_length": repairs.zero_length, "lengthened": repairs.lengthened },
        "degrees": degrees,
        "pois": map.pois().len(),
        "categories": statistics.categories,
        "farthest_poi_m": statistics.farthest_poi,
        "origin": map.frame().map(|frame| [frame.origin().lon, frame.origin().lat]),
        "notes": notes,
    })
}
