//! Section "Success by user density": which k is reachable at which density.

use super::configuration::{PanelKey, RunConfiguration, configurations, panel_keys};
use super::data::Data;
use super::number::{count, decimal_or_dash, percent};
use super::over_dt::{series, spread_note};
use super::page::{HtmlTable, ReportSection};
use super::paper::map_title;
use super::plot::Plot;
use super::spread::{Spread, over_seeds};
use crate::distinct::sorted_distinct;
use crate::results::RunRow;
use picture::{LineChart, Panels, PictureError, Scale};

/// Runs of configurations that were measured with several user counts.
struct DensityRuns<'a> {
    runs: Vec<&'a RunRow>,
    /// Distinct user counts, ascending.
    user_counts: Vec<u32>,
    maps: Vec<&'a str>,
    configurations: Vec<RunConfiguration>,
}

/// Success rate at which a user count is reported as sufficient.
const SUFFICIENT_RATE: f64 = 0.9;

impl<'a> DensityRuns<'a> {
    fn of(data: &'a Data) -> DensityRuns<'a> {
        let all: Vec<&RunRow> = data.paper_runs().collect();
        let counts = |run: &RunRow| {
            let same = |other: &&&RunRow| {
                (&other.map, &other.configuration) == (&run.map, &run.configuration)
            };
            sorted_distinct(all.iter().filter(same).map(|other| other.users)).len()
        };
        let max = all.iter().map(|run| counts(run)).max().unwrap_or(0);
        // Configurations with few counts come from other experiments of the same folder.
        let varied = |run: &&RunRow| counts(run) > 1 && 2 * counts(run) > max;
        let runs: Vec<&RunRow> = all.iter().copied().filter(varied).collect();
        let user_counts = sorted_distinct(runs.iter().map(|run| run.users));
        let configurations = configurations(&runs);
        DensityRuns { maps: data.maps_of(&runs), runs, user_counts, configurations }
    }

    fn success(&self, map: &str, configuration: &str, users: u32) -> Option<Spread> {
        let those: Vec<&RunRow> =
            self.runs.iter().copied().filter(|run| run.users == users).collect();
        over_seeds(&those, map, configuration, |run| run.success_rate)
    }

    /// Builds the panels of all profiles and ranges of k, each for its dt number `rank` in ascending
    /// order; `None` if no panel has that many.
    fn panels(&self, rank: usize) -> Option<Panels> {
        let of_rank =
            |key: &PanelKey| self.configurations.iter().filter(|one| key.contains(one)).nth(rank);
        let keys = panel_keys(&self.configurations);
        let chosen: Vec<&RunConfiguration> = keys.iter().filter_map(of_rank).collect();
        let ticks = || self.user_counts.iter().enumerate();
        let chart = |one: &&RunConfiguration| LineChart {
            title: one.name.clone(),
            x_label: "users".to_owned(),
            y_label: "succeeded (%)".to_owned(),
            x_ticks: ticks().map(|(at, &users)| (at as f64, count(users.into()))).collect(),
            series: self
                .maps
                .iter()
                .map(|map| {
                    let points = ticks().filter_map(|(at, &users)| {
                        let found = self.success(map, &one.name, users)?;
                        Some((at as f64, found.times(100.0)))
                    });
                    series(map_title(map), points)
                })
                .collect(),
        };
        let charts: Vec<LineChart> = chosen.iter().map(chart).collect();
        let title = "Success rate over user count".to_owned();
        (!charts.is_empty()).then_some(Panels { title, charts, columns: 4, scale: Scale::Shared })
    }

    fn table(&self, data: &Data) -> HtmlTable {
        let mut table = HtmlTable::new(["map", "configuration"]);
        table.head.extend(self.user_counts.iter().map(|&users| count(users.into()) + " users"));
        table.head.push("users for 90 %".to_owned());
        table.head.push("users per km of street".to_owned());
        for map in &self.maps {
            for one in &self.configurations {
                let rate = |&users: &u32| Some(self.success(map, &one.name, users)?.mean);
                let rates: Vec<Option<f64>> = self.user_counts.iter().map(rate).collect();
                if rates.iter().all(Option::is_none) {
                    continue;
                }
                let sufficient =
                    rates.iter().position(|rate| rate.is_some_and(|rate| rate >= SUFFICIENT_RATE));
                let users = sufficient.map(|index| self.user_counts[index]);
                let street = data.map(map).map(|row| row.street_km);
                let density = users.zip(street).map(|(users, km)| f64::from(users) / km);
                let mut row = vec![map_title(map), one.name.clone()];
                row.extend(rates.into_iter().map(percent));
                row.push(users.map_or("–".to_owned(), |users| count(users.into())));
                row.push(decimal_or_dash(density, 1));
                table.row(row);
            }
        }
        table
    }
}

/// Builds the section.
pub(super) fn section(data: &Data) -> Result<ReportSection, PictureError> {
    let mut section = ReportSection::new("people", "Success by user density");
    let runs = DensityRuns::of(data);
    if runs.runs.is_empty() {
        section.leave_out(
            "no configuration ran with different user counts (experiments/density.toml).",
        );
        return Ok(section);
    }
    section.paragraph(
        "The last two columns give the smallest measured user count with a success rate of at least \
         90 %, and its density.",
    );
    section.table(&runs.table(data));
    if data.is_paper() {
        section.paper_note("measures 100,000 users only.");
    }
    for rank in 0.. {
        let Some(panels) = runs.panels(rank) else { break };
        let mut lines = panels.charts.iter().flat_map(|chart| &chart.series);
        if lines.any(|line| !line.points.is_empty()) {
            let note = spread_note(&runs.runs);
            let caption = format!("Success rate over user count, one line per map.{note}");
            section.figure(Plot::panels(&format!("people-{}", rank + 1), &panels, 330)?, &caption);
        }
    }
    Ok(section)
}
