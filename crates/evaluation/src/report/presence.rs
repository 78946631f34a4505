//! What people do for others who share their presence and ask nothing: how many of those who ask
//! are served, with the others there and without them.

use super::data::Data;
use super::number::{count, decimal, percent};
use super::over_dt::series;
use super::page::{Section, Table};
use super::paper::map_title;
use super::plot::Plot;
use super::spread::Spread;
use crate::results::RunRow;
use crate::run::Presence;
use crate::schemes;
use picture::{LineChart, Panels, PictureError, Scale};

/// What is done with those who ask nothing.
type Kind = fn(u32) -> Presence;

const KINDS: [(&str, Kind); 2] = [("present", Presence::Present), ("absent", Presence::Absent)];

/// One map under one configuration: a panel.
type Panel<'a> = (&'a str, &'a str);

struct Runs<'a> {
    runs: Vec<(&'a RunRow, Presence)>,
    panels: Vec<Panel<'a>>,
    crowds: Vec<u32>,
    shares: Vec<u32>,
}

impl<'a> Runs<'a> {
    fn of(data: &'a Data) -> Runs<'a> {
        let known = data.runs.iter().map(|run| (run, schemes::presence(&run.scheme).1));
        let runs: Vec<_> = known.filter(|(_, presence)| *presence != Presence::AllAsk).collect();
        let mut panels: Vec<Panel<'_>> = Vec::new();
        for (run, _) in &runs {
            let panel = (run.map.as_str(), run.configuration.as_str());
            if !panels.contains(&panel) {
                panels.push(panel);
            }
        }
        let distinct = |number: fn(&(&RunRow, Presence)) -> u32| {
            let mut all: Vec<u32> = runs.iter().map(number).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let crowds = distinct(|(run, _)| run.users);
        let shares = distinct(|(_, presence)| presence.share());
        Runs { runs, panels, crowds, shares }
    }

    /// How many of those who ask were served, over the seeds.
    fn success(&self, panel: Panel<'_>, users: u32, presence: Presence) -> Option<Spread> {
        let these = self.runs.iter().filter(|(run, those)| {
            (run.map.as_str(), run.configuration.as_str()) == panel
                && run.users == users
                && *those == presence
        });
        Spread::of(these.filter_map(|(run, _)| run.success_rate))
    }

    fn chart(&self, panel: Panel<'_>) -> LineChart {
        let ticks = || self.shares.iter().map(|&share| (f64::from(share), share));
        let line = |users: u32, (name, of): (&str, Kind)| {
            let points = ticks().filter_map(move |(at, share)| {
                Some((at, self.success(panel, users, of(share))?.times(100.0)))
            });
            series(format!("{} people, others {name}", count(users.into())), points)
        };
        let lines = |&users: &u32| KINDS.map(|kind| line(users, kind));
        LineChart {
            title: format!("{}, {}", map_title(panel.0), panel.1),
            x_label: "of all people ask nothing (%)".to_owned(),
            y_label: "of those who ask are served (%)".to_owned(),
            x_ticks: ticks().map(|(at, share)| (at, share.to_string())).collect(),
            series: self.crowds.iter().flat_map(lines).collect(),
        }
    }

    fn table(&self, data: &Data) -> Table {
        let mut table =
            Table::new(["map", "configuration", "people", "per km of street", "others"]);
        let heads = self.shares.iter().map(|share| format!("{share} % ask nothing"));
        table.head.extend(heads);
        for &panel in &self.panels {
            for &users in &self.crowds {
                for (name, of) in KINDS {
                    let rates: Vec<Option<f64>> = self
                        .shares
                        .iter()
                        .map(|&share| Some(self.success(panel, users, of(share))?.mean))
                        .collect();
                    if rates.iter().all(Option::is_none) {
                        continue;
                    }
                    let dense = data.map(panel.0).map(|map| f64::from(users) / map.street_km);
                    let mut row = vec![map_title(panel.0), panel.1.to_owned()];
                    row.push(count(users.into()));
                    row.push(dense.map_or("–".to_owned(), |dense| decimal(dense, 1)));
                    row.push(name.to_owned());
                    row.extend(rates.into_iter().map(percent));
                    table.row(row);
                }
            }
        }
        table
    }
}

/// The section.
pub(super) fn section(data: &Data) -> Result<Section, PictureError> {
    let mut section = Section::new("presence", "What do people do who only share their presence?");
    let runs = Runs::of(data);
    if runs.runs.is_empty() {
        section.missing("nobody only shared her presence (experiments/presence.toml).");
        return Ok(section);
    }
    section.paper("knows people who ask, and no others.");
    section.say(
        "A share of all people ask nothing: they are in sets as everybody is, a set in which \
         nobody asks is not published, and its members wait on. Counted are those who ask: with \
         the others present, and as it would be without them.",
    );
    let charts: Vec<LineChart> = runs.panels.iter().map(|&panel| runs.chart(panel)).collect();
    let title = "Success of those who ask".to_owned();
    let columns = charts.len().min(2);
    let panels = Panels { title, charts, columns, scale: Scale::Shared };
    let caption = "Success of those who ask over the share of those who do not; bars from the \
                   least to the most of the seeds.";
    section.figure(Plot::panels("presence", &panels, 420)?, caption);
    section.table(&runs.table(data));
    Ok(section)
}
