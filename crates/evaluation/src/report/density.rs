//! How many people does it take? Success over people, so that an operator reads off from what
//! density on which k works.

use super::configuration::{Configuration, configurations, panel_keys};
use super::data::Data;
use super::number::{count, decimal, percent};
use super::over_dt::series;
use super::page::{Section, Table};
use super::paper::map_title;
use super::plot::Plot;
use super::spread::{Spread, over_seeds};
use crate::results::RunRow;
use picture::{LineChart, Panels, PictureError, Scale};
use std::collections::BTreeSet;

/// The runs with enough numbers of people to tell, and those numbers.
struct Crowds<'a> {
    runs: Vec<&'a RunRow>,
    sizes: Vec<u32>,
    maps: Vec<&'a str>,
    configurations: Vec<Configuration>,
}

/// At which success a crowd is called large enough.
const ENOUGH: f64 = 0.9;

impl<'a> Crowds<'a> {
    fn of(data: &'a Data) -> Crowds<'a> {
        let all: Vec<&RunRow> = data.meshcloak().collect();
        let sizes = |run: &RunRow| {
            let same = |other: &&&RunRow| {
                (&other.map, &other.configuration) == (&run.map, &run.configuration)
            };
            all.iter().filter(same).map(|other| other.users).collect::<BTreeSet<u32>>().len()
        };
        let most = all.iter().map(|run| sizes(run)).max().unwrap_or(0);
        // A configuration that another experiment happens to share tells too little.
        let varied = |run: &&RunRow| sizes(run) > 1 && 2 * sizes(run) > most;
        let runs: Vec<&RunRow> = all.iter().copied().filter(varied).collect();
        let mut sizes: Vec<u32> = runs.iter().map(|run| run.users).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let configurations = configurations(&runs);
        Crowds { maps: data.maps_of(&runs), runs, sizes, configurations }
    }

    fn success(&self, map: &str, configuration: &str, users: u32) -> Option<Spread> {
        let those: Vec<&RunRow> =
            self.runs.iter().copied().filter(|run| run.users == users).collect();
        over_seeds(&those, map, configuration, |run| run.success_rate)
    }

    /// The four panels, each for the dt of that rank within its profile; `None` if there is none.
    fn panels(&self, rank: usize) -> Option<Panels> {
        let of_rank = |key: &super::configuration::PanelKey| {
            self.configurations.iter().filter(|one| key.holds(one)).nth(rank)
        };
        let keys = panel_keys(&self.configurations);
        let chosen: Vec<&Configuration> = keys.iter().filter_map(of_rank).collect();
        let ticks = || self.sizes.iter().enumerate();
        let chart = |one: &&Configuration| LineChart {
            title: one.name.clone(),
            x_label: "people".to_owned(),
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
        let title = "Success over people".to_owned();
        (!charts.is_empty()).then_some(Panels { title, charts, columns: 4, scale: Scale::Shared })
    }

    fn table(&self, data: &Data) -> Table {
        let mut table = Table::new(["map", "configuration"]);
        table.head.extend(self.sizes.iter().map(|&users| count(users.into()) + " people"));
        table.head.push("90 % from".to_owned());
        table.head.push("people per km of street".to_owned());
        for map in &self.maps {
            for one in &self.configurations {
                let rate = |&users: &u32| Some(self.success(map, &one.name, users)?.mean);
                let rates: Vec<Option<f64>> = self.sizes.iter().map(rate).collect();
                if rates.iter().all(Option::is_none) {
                    continue;
                }
                let enough = rates.iter().position(|rate| rate.is_some_and(|rate| rate >= ENOUGH));
                let users = enough.map(|place| self.sizes[place]);
                let street = data.map(map).map(|row| row.street_km);
                let dense = users.zip(street).map(|(users, km)| f64::from(users) / km);
                let mut row = vec![map_title(map), one.name.clone()];
                row.extend(rates.into_iter().map(percent));
                row.push(users.map_or("–".to_owned(), |users| count(users.into())));
                row.push(dense.map_or("–".to_owned(), |dense| decimal(dense, 1)));
                table.row(row);
            }
        }
        table
    }
}

/// The section.
pub(super) fn section(data: &Data) -> Result<Section, PictureError> {
    let mut section = Section::new("people", "How many people does it take?");
    let crowds = Crowds::of(data);
    if crowds.runs.is_empty() {
        section.missing(
            "no configuration ran with different numbers of people (experiments/density.toml).",
        );
        return Ok(section);
    }
    section.paper("measures 100,000 people only.");
    let mut rank = 0;
    while let Some(panels) = crowds.panels(rank) {
        let drawn: usize = panels
            .charts
            .iter()
            .flat_map(|chart| &chart.series)
            .map(|line| line.points.len())
            .sum();
        if drawn > 0 {
            let caption = "Success over people, one line for each map; bars from the least to the \
                           most of the seeds.";
            section.figure(Plot::panels(&format!("people-{}", rank + 1), &panels, 330)?, caption);
        }
        rank += 1;
    }
    section.say(
        "The last two columns name the smallest crowd of those tried in which nine of ten are \
         served, and how dense it is.",
    );
    section.table(&crowds.table(data));
    Ok(section)
}
