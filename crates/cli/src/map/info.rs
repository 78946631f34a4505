//! `meshcloak map info`: the paper's Table II row of a map, and what else one wants to know.

use super::facts::Facts;
use crate::answer;
use crate::map_args::{MAP_HELP, MapArgs};
use crate::progress::Console;
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
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    how: MapArgs,
}

impl Info {
    /// Reads the map and prints what it is.
    pub fn run(&self, console: &Console) -> Result<()> {
        let imported = self.how.read(self.map.as_ref(), console)?;
        let facts = Facts::of(&imported.map);
        answer::print(&if self.json {
            format!("{:#}\n", as_json(&imported, &facts))
        } else {
            as_table(&imported, &facts)
        })
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Share of the file's terminals that lie in its largest strongly connected part.
fn connected_share(imported: &Imported, facts: &Facts) -> f64 {
    share(facts.largest_part, imported.map.terminal_count() + imported.dropped.terminals)
}

fn as_table(imported: &Imported, facts: &Facts) -> String {
    let Imported { map, provenance, dropped, .. } = imported;
    let km = |metres: f64| format!("{} km", decimal(metres / 1000.0));
    let count = |number: usize| grouped(number as u64);
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let mut table = Table::default();
    table.heading(format!("{} ({})", provenance.source, provenance.format));
    table.heading("As in the file (Table II of the paper)");
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
    table.row("street length", km(facts.metres));
    table.row("mean street", format!("{:.0} m", facts.metres / map.street_count() as f64));
    table.row("one-way streets", count(facts.one_way));
    table.row("one-way share", percent(share(facts.one_way, map.street_count())));
    table.row("largest strongly connected part", percent(connected_share(imported, facts)));
    table.row("left out: streets", count(dropped.streets));
    table.row("left out: length", km(dropped.metres));
    table.heading("Street ends at a terminal");
    for (degree, terminals) in &facts.degrees {
        table.row(format!("{degree}"), count(*terminals));
    }
    table.heading(format!("Points of interest: {}", count(map.pois().len())));
    for (category, pois) in by_number(facts) {
        table.row(category, count(pois));
    }
    table.render()
}

/// Categories, most frequent first.
fn by_number(facts: &Facts) -> Vec<(&str, usize)> {
    let mut categories: Vec<(&str, usize)> =
        facts.categories.iter().map(|(category, &number)| (category.as_str(), number)).collect();
    categories.sort_by_key(|&(_, number)| std::cmp::Reverse(number));
    categories
}

fn as_json(imported: &Imported, facts: &Facts) -> Value {
    let Imported { map, provenance, dropped, repairs, notes } = imported;
    let degrees: serde_json::Map<String, Value> =
        facts.degrees.iter().map(|(degree, &count)| (degree.to_string(), count.into())).collect();
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
        "street_length_km": facts.metres / 1000.0,
        "one_way_streets": facts.one_way,
        "one_way_share": share(facts.one_way, map.street_count()),
        "strongly_connected_parts": facts.parts,
        "strongly_connected_share": connected_share(imported, facts),
        "dropped": {
            "terminals": dropped.terminals,
            "streets": dropped.streets,
            "length_km": dropped.metres / 1000.0,
            "parts": dropped.parts,
        },
        "repairs": { "zero_length": repairs.zero_length, "lengthened": repairs.lengthened },
        "degrees": degrees,
        "pois": map.pois().len(),
        "categories": facts.categories,
        "farthest_poi_m": facts.farthest_poi,
        "origin": map.frame().map(|frame| [frame.origin().lon, frame.origin().lat]),
        "notes": notes,
    })
}
