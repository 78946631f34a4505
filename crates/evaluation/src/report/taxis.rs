//! Section "Recorded trips": taxis of Porto, and paths of Brinkhoff's generator.

use super::configuration::configurations;
use super::data::Data;
use super::number::{count, decimal_or_dash, percent};
use super::page::{HtmlTable, ReportSection};
use super::paper::map_title;
use super::plot::Plot;
use super::spread::{Column, over_seeds};
use super::volume;
use crate::distinct::distinct;
use crate::experiment::TAXI;
use crate::results::RunRow;
use crate::schemes::PAPER;
use picture::PictureError;

/// Builds the section.
pub(super) fn section(data: &Data) -> Result<ReportSection, PictureError> {
    let mut section = ReportSection::new("taxis", "Recorded trips");
    let is_taxi_run = |run: &&RunRow| run.profile.starts_with(TAXI) && run.view == "unlimited";
    let runs: Vec<&RunRow> = data.runs.iter().filter(is_taxi_run).collect();
    if runs.is_empty() {
        section.leave_out("no run on recorded trips (experiments/taxis.toml).");
        return Ok(section);
    }
    section.paragraph(
        "Taxi trips of different hours are overlaid and matched to the streets. They ask at the \
         query intervals of P1 and P2 and keep their recorded speeds. Each report of Brinkhoff\u{2019}s \
         generator is a query.",
    );
    section.table(&table(data, &runs));
    let has_paper = runs.iter().any(|run| run.scheme == PAPER);
    let scheme = if has_paper { PAPER } else { &runs[0].scheme };
    let drawn: Vec<&RunRow> = runs.iter().copied().filter(|run| run.scheme == scheme).collect();
    for map in data.maps_of(&drawn) {
        let here: Vec<&RunRow> = drawn.iter().copied().filter(|run| run.map == map).collect();
        if let Some(panels) = volume::panels(data, &here, map) {
            let plot = Plot::panels(&format!("volume-taxis-{map}"), &panels, 265)?;
            section
                .figure(plot, "Query volume of recorded trips until 99 % of the queries arrived.");
        }
    }
    Ok(section)
}

/// One row for each map, number of users, configuration and scheme: means of the seeds.
fn table(data: &Data, runs: &[&RunRow]) -> HtmlTable {
    let mut table = HtmlTable::default();
    for map in data.maps_of(runs) {
        for one in configurations(runs) {
            let is_this = |run: &&RunRow| run.map == map && run.configuration == one.name;
            let these: Vec<&RunRow> = runs.iter().copied().filter(is_this).collect();
            for (users, scheme) in distinct(these.iter().map(|run| (run.users, &run.scheme))) {
                let is_same = |run: &&RunRow| (run.users, &run.scheme) == (users, scheme);
                let seeds: Vec<&RunRow> = these.iter().copied().filter(is_same).collect();
                add_row(&mut table, &seeds);
            }
        }
    }
    table
}

/// Adds the means of runs that differ in their seed alone.
fn add_row(table: &mut HtmlTable, seeds: &[&RunRow]) {
    let Some(run) = seeds.first() else { return };
    let mean = |column: Column| {
        over_seeds(seeds, &run.map, &run.configuration, column).map(|found| found.mean)
    };
    table.record([
        ("map", map_title(&run.map)),
        ("configuration", run.configuration.clone()),
        ("trips", count(run.users.into())),
        ("scheme", run.scheme.clone()),
        ("queries", count(run.queries)),
        ("success", percent(mean(|run| run.success_rate))),
        ("relative k", decimal_or_dash(mean(|run| run.relative_k), 2)),
        ("delay (s)", decimal_or_dash(mean(|run| run.mean_delay_s), 2)),
        ("within 2 s", percent(mean(|run| run.served_within_2s))),
        ("region (m of street)", decimal_or_dash(mean(|run| run.region_metres), 0)),
        ("per member (m)", decimal_or_dash(mean(|run| run.region_metres_per_member), 0)),
    ]);
}

#[cfg(test)]
mod tests {
    use super::super::page::page;
    use super::*;

    #[test]
    fn runs_with_other_numbers_of_trips_or_schemes_have_rows_of_their_own() {
        let run = |users, scheme: &str, rate, seed| RunRow {
            map: "porto".into(),
            configuration: "TAXI-P1-3-5".into(),
            profile: "taxi-p1".into(),
            view: "unlimited".into(),
            scheme: scheme.into(),
            success_rate: Some(rate),
            users,
            seed,
            ..RunRow::default()
        };
        let runs = vec![
            run(1_500, PAPER, 0.06, 1),
            run(1_500, PAPER, 0.08, 2),
            run(320, PAPER, 0.02, 1),
            run(1_500, "casper", 0.99, 1),
        ];
        let data = Data { runs, ..Data::default() };
        let (html, _) = page("", vec![section(&data).unwrap()]);
        for share in ["7.0 %", "2.0 %", "99.0 %"] {
            assert!(html.contains(share), "{share} is missing: {html}");
        }
    }
}
