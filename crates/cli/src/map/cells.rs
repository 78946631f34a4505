//! `meshcloak map cells`: measures lengths of cells for region `cell`, and suggests one.

use crate::map_args::{MAP_HELP, MapArgs};
use crate::parse::cell_length;
use crate::progress::Console;
use crate::stdout;
use crate::table::grouped;
use crate::threads::Threads;
use crate::traffic_args::TrafficArgs;
use anyhow::Result;
use clap::Args;
use evaluation::costs::Costs;
use evaluation::maps::DC_MAX;
use evaluation::run::{Conditions, run};
use evaluation::workload::simulate;
use import::{MapSource, Progress as _};
use meshcloak::cells::Cells;
use meshcloak::distance::Atlas;
use meshcloak::mesh_cloak::{MeshCloak, RegionRule, Settings};
use meshcloak::units::Length;
use serde_json::json;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

/// A length is long enough if doubling it serves less than this share of queries more.
const WORTHWHILE: f64 = 0.015;

/// Arguments of `map cells`.
#[derive(Debug, Args)]
#[command(
    after_help = "Simulates users, cloaks their queries under `reciprocal` with region `cell` for \
each length, and suggests the shortest length that doubling would improve by less than 1.5 %: longer \
cells serve more users, shorter ones ask the service about fewer streets. The suggestion is for \
engine.cell_length, and holds for as many users as were simulated.

Examples:
  meshcloak map cells --users 5000
  meshcloak map cells oldenburgGen.node --users 100000
  meshcloak map cells porto.osm.pbf --users 20000 --profile city --dt 10 --json"
)]
pub struct CellLengths {
    #[arg(help = MAP_HELP)]
    map: Option<MapSource>,
    /// Number of simulated users.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    users: u32,
    /// Shortest length, in metres; it is doubled up to 32 times it.
    #[arg(long, value_name = "METRES", default_value = "750", value_parser = cell_length)]
    shortest: Length,
    #[command(flatten)]
    traffic: TrafficArgs,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    how: MapArgs,
    #[command(flatten)]
    threads: Threads,
}

/// Result of one length.
struct Measured {
    length: Length,
    cells: usize,
    success: f64,
    region_metres: f64,
}

impl CellLengths {
    /// Measures all lengths and prints the result.
    pub fn run(&self, console: &Console) -> Result<()> {
        self.threads.apply()?;
        let imported = self.how.read(self.map.as_ref(), console)?;
        console.begin("measuring distances", 0);
        let max_bytes = evaluation::provenance::Machine::detect().max_row_bytes();
        let atlas =
            Arc::new(Atlas::with_max_bytes(imported.map, Length::metres(DC_MAX), max_bytes));
        let measured = self.measure(&atlas, console)?;
        console.clear();
        let chosen = suggestion(&measured);
        stdout::print(&if self.json {
            format!("{:#}\n", as_json(&measured, chosen))
        } else {
            as_table(&measured, chosen, self.users)
        })
    }

    fn measure(&self, atlas: &Arc<Atlas>, console: &Console) -> Result<Vec<Measured>> {
        console.begin("simulating", 0);
        let profile = self.traffic.profile()?.with_uniform_places();
        let workload = simulate(atlas.map(), &profile, self.traffic.settings(self.users));
        let tolerance = Duration::from_millis(self.traffic.dt.into());
        let conditions = Conditions::new(tolerance, atlas.dc_max());
        let lengths = (0..6).map(|power| self.shortest.as_metres() * f64::from(1 << power));
        console.begin_cells(6);
        let mut measured = Vec::new();
        for (number, metres) in lengths.enumerate() {
            console.set_progress(number as u64, format!("cells of {metres:.0} m"));
            let length = Length::metres(metres);
            let settings = Settings { region: RegionRule::Cell(length), ..Settings::default() };
            let cells = Arc::new(Cells::new(atlas.map(), length));
            let count = cells.count();
            let mut scheme = MeshCloak::with_cells(Arc::clone(atlas), settings, cells);
            let tally =
                run(&mut scheme, atlas.map(), &workload, conditions, &mut Costs::Free).tally;
            measured.push(Measured {
                length,
                cells: count,
                success: tally.success_rate().unwrap_or(0.0),
                region_metres: tally.region_metres.value().unwrap_or(0.0),
            });
        }
        Ok(measured)
    }
}

/// Index of the shortest length that doubling does not improve much; otherwise the last one.
fn suggestion(measured: &[Measured]) -> usize {
    let is_enough =
        |pair: &[Measured]| pair[1].success - pair[0].success <= WORTHWHILE * pair[1].success;
    let found = measured.windows(2).position(is_enough);
    found.unwrap_or(measured.len().saturating_sub(1))
}

fn as_table(measured: &[Measured], chosen: usize, users: u32) -> String {
    let mut out = String::from("  cells of (m)   cells   served    region (m)\n");
    for Measured { length, cells, success, region_metres } in measured {
        let metres = grouped(length.as_metres() as u64);
        let (cells, served) = (grouped(*cells as u64), success * 100.0);
        let region = grouped(region_metres.round() as u64);
        writeln!(out, "  {metres:>12}  {cells:>6}  {served:>5.1} %  {region:>12}")
            .expect("writing to a String does not fail");
    }
    if let Some(one) = measured.get(chosen) {
        let (metres, users) = (one.length.as_metres(), grouped(users.into()));
        writeln!(out, "\nSuggestion for {users} users: engine.cell_length = {metres:.0}")
            .expect("writing to a String does not fail");
    }
    out
}

fn as_json(measured: &[Measured], chosen: usize) -> serde_json::Value {
    let lengths = measured.iter().map(|one| {
        json!({
            "length": one.length.as_metres(),
            "cells": one.cells,
            "success_rate": one.success,
            "region_metres": one.region_metres,
        })
    });
    let suggestion = measured.get(chosen).map(|one| one.length.as_metres());
    json!({ "lengths": lengths.collect::<Vec<_>>(), "suggestion": suggestion })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(successes: &[f64]) -> Vec<Measured> {
        let one = |(number, &success): (usize, &f64)| Measured {
            length: Length::metres(500.0 * (number + 1) as f64),
            cells: 1,
            success,
            region_metres: 0.0,
        };
        successes.iter().enumerate().map(one).collect()
    }

    #[test]
    fn the_suggestion_is_the_shortest_length_that_doubling_hardly_improves() {
        assert_eq!(suggestion(&measured(&[0.5, 0.7, 0.8, 0.805, 0.9])), 2);
        assert_eq!(suggestion(&measured(&[0.8, 0.81])), 0);
        assert_eq!(suggestion(&measured(&[0.1, 0.2, 0.3])), 2);
        assert_eq!(suggestion(&measured(&[0.0, 0.0])), 0);
        assert_eq!(suggestion(&[]), 0);
    }
}
