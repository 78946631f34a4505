//! The real taxi trips of Porto.

use super::configuration::configurations;
use super::data::Data;
use super::number::{count, percent, shown};
use super::page::{Section, Table};
use super::plot::Plot;
use super::spread::{Column, over_seeds};
use super::volume;
use crate::experiment::TAXI;
use crate::results::RunRow;
use crate::schemes::PAPER;
use picture::PictureError;

/// The section.
pub(super) fn section(data: &Data) -> Result<Section, PictureError> {
    let mut section = Section::new("taxis", "Real taxi trips");
    let ours = |run: &&RunRow| {
        run.profile.starts_with(TAXI) && run.scheme == PAPER && run.view == "unlimited"
    };
    let runs: Vec<&RunRow> = data.runs.iter().filter(ours).collect();
    if runs.is_empty() {
        section.missing("no run on real trips (experiments/taxis.toml).");
        return Ok(section);
    }
    section.say(
        "Trips of different hours are laid over each other, matched to the streets, and ask as \
         often as the people of P1 and P2 do; their speeds are their own.",
    );
    section.paper("simulates all of its people.");
    let mut table = Table::new([
        "map",
        "configuration",
        "trips",
        "queries",
        "success",
        "relative k",
        "delay (s)",
        "within 2 s",
        "region (m street)",
        "per member (m)",
    ]);
    for map in data.maps_of(&runs) {
        for one in configurations(&runs) {
            let Some(run) = runs.iter().find(|run| run.map == map && run.configuration == one.name)
            else {
                continue;
            };
            let mean =
                |column: Column| over_seeds(&runs, map, &one.name, column).map(|found| found.mean);
            table.row([
                super::paper::map_title(map),
                one.name.clone(),
                count(run.users.into()),
                count(run.queries),
                percent(mean(|run| run.success_rate)),
                shown(mean(|run| run.relative_k), 2),
                shown(mean(|run| run.mean_delay_s), 2),
                percent(mean(|run| run.served_within_2s)),
                shown(mean(|run| run.region_metres), 0),
                shown(mean(|run| run.region_metres_per_member), 0),
            ]);
        }
    }
    section.table(&table);
    for map in data.maps_of(&runs) {
        let here: Vec<&RunRow> = runs.iter().copied().filter(|run| run.map == map).collect();
        if let Some(panels) = volume::panels(data, &here, map) {
            let plot = Plot::panels(&format!("volume-taxis-{map}"), &panels, 265)?;
            section.figure(
                plot,
                "Query volume of real trips, until 99 of 100 queries have been asked.",
            );
        }
    }
    Ok(section)
}
