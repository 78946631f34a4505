//! Section "Recorded trips": taxis of Porto, and paths of Brinkhoff's generator.

use super::configuration::configurations;
use super::data::Data;
use super::number::{count, decimal_or_dash, percent};
use super::page::{HtmlTable, ReportSection};
use super::paper::map_title;
use super::plot::Plot;
use super::spread::{Column, over_seeds};
use super::volume;
use crate::experiment::TAXI;
use crate::results::RunRow;
use crate::schemes::PAPER;
use picture::PictureError;

/// Builds the section.
pub(super) fn section(data: &Data) -> Result<ReportSection, PictureError> {
    let mut section = ReportSection::new("taxis", "Recorded trips");
    let taxis = || data.runs.iter().filter(|run| run.profile.starts_with(TAXI));
    let has_paper = taxis().any(|run| run.scheme == PAPER);
    let first = taxis().next().map_or(PAPER, |run| run.scheme.as_str());
    let scheme = if has_paper { PAPER } else { first };
    let is_taxi_run = |run: &&RunRow| {
        run.profile.starts_with(TAXI) && run.scheme == scheme && run.view == "unlimited"
    };
    let runs: Vec<&RunRow> = data.runs.iter().filter(is_taxi_run).collect();
    if runs.is_empty() {
        section.leave_out("no run on recorded trips (experiments/taxis.toml).");
        return Ok(section);
    }
    section.paragraph(
        "Trips of different hours are overlaid and matched to the streets. They ask at the query \
         intervals of P1 and P2 and keep their recorded speeds.",
    );
    section.table(&table(data, &runs));
    for map in data.maps_of(&runs) {
        let here: Vec<&RunRow> = runs.iter().copied().filter(|run| run.map == map).collect();
        if let Some(panels) = volume::panels(data, &here, map) {
            let plot = Plot::panels(&format!("volume-taxis-{map}"), &panels, 265)?;
            section
                .figure(plot, "Query volume of recorded trips until 99 % of the queries arrived.");
        }
    }
    Ok(section)
}

fn table(data: &Data, runs: &[&RunRow]) -> HtmlTable {
    let mut table = HtmlTable::default();
    for map in data.maps_of(runs) {
        for one in configurations(runs) {
            let is_this = |run: &&&RunRow| run.map == map && run.configuration == one.name;
            let Some(run) = runs.iter().find(is_this) else { continue };
            let mean =
                |column: Column| over_seeds(runs, map, &one.name, column).map(|found| found.mean);
            table.record([
                ("map", map_title(map)),
                ("configuration", one.name.clone()),
                ("trips", count(run.users.into())),
                ("queries", count(run.queries)),
                ("success", percent(mean(|run| run.success_rate))),
                ("relative k", decimal_or_dash(mean(|run| run.relative_k), 2)),
                ("delay (s)", decimal_or_dash(mean(|run| run.mean_delay_s), 2)),
                ("within 2 s", percent(mean(|run| run.served_within_2s))),
                ("region (m of street)", decimal_or_dash(mean(|run| run.region_metres), 0)),
                ("per member (m)", decimal_or_dash(mean(|run| run.region_metres_per_member), 0)),
            ]);
        }
    }
    table
}
