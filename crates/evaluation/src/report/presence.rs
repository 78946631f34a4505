//! Section "Presence reports without a question": success of the asking users with the other users
//! present and with them absent.

use super::data::Data;
use super::number::{count, decimal_or_dash, percent};
use super::over_dt::series;
use super::page::{HtmlTable, ReportSection};
use super::paper::map_title;
use super::plot::Plot;
use super::spread::Spread;
use crate::distinct::{distinct, sorted_distinct};
use crate::results::RunRow;
use crate::run::Presence;
use crate::schemes;
use picture::{LineChart, Panels, PictureError, Scale};

/// Treatment of the users without a question, for their share of all users in per cent.
type Treatment = fn(u32) -> Presence;

const TREATMENTS: [(&str, Treatment); 2] =
    [("present", Presence::Present), ("absent", Presence::Absent)];

/// Map and configuration that one panel shows.
#[derive(Clone, Copy, PartialEq)]
struct PanelRuns<'a> {
    map: &'a str,
    configuration: &'a str,
}

impl<'a> PanelRuns<'a> {
    fn of(run: &'a RunRow) -> PanelRuns<'a> {
        PanelRuns { map: &run.map, configuration: &run.configuration }
    }
}

/// Runs in which a share of the users do not ask.
struct PresenceRuns<'a> {
    runs: Vec<(&'a RunRow, Presence)>,
    panels: Vec<PanelRuns<'a>>,
    /// Distinct user counts, ascending.
    user_counts: Vec<u32>,
    /// Distinct shares of users without a question, in per cent, ascending.
    shares: Vec<u32>,
}

impl<'a> PresenceRuns<'a> {
    fn of(data: &'a Data) -> PresenceRuns<'a> {
        let known = data.runs.iter().map(|run| (run, schemes::presence(&run.scheme).1));
        let runs: Vec<_> = known.filter(|(_, presence)| *presence != Presence::AllAsk).collect();
        let panels = distinct(runs.iter().map(|(run, _)| PanelRuns::of(run)));
        let user_counts = sorted_distinct(runs.iter().map(|(run, _)| run.users));
        let shares = sorted_distinct(runs.iter().map(|(_, presence)| presence.share()));
        PresenceRuns { runs, panels, user_counts, shares }
    }

    /// Success rate of the asking users, over the seeds.
    fn success(&self, panel: PanelRuns<'_>, users: u32, presence: Presence) -> Option<Spread> {
        let selected = self.runs.iter().filter(|(run, other)| {
            PanelRuns::of(run) == panel && run.users == users && *other == presence
        });
        Spread::of(selected.filter_map(|(run, _)| run.success_rate))
    }

    fn chart(&self, panel: PanelRuns<'_>) -> LineChart {
        let ticks = || self.shares.iter().map(|&share| (f64::from(share), share));
        let line = |users: u32, (name, treatment): (&str, Treatment)| {
            let points = ticks().filter_map(move |(at, share)| {
                Some((at, self.success(panel, users, treatment(share))?.times(100.0)))
            });
            series(format!("{} users, others {name}", count(users.into())), points)
        };
        let lines = |&users: &u32| TREATMENTS.map(|treatment| line(users, treatment));
        LineChart {
            title: format!("{}, {}", map_title(panel.map), panel.configuration),
            x_label: "users without a question (%)".to_owned(),
            y_label: "success of asking users (%)".to_owned(),
            x_ticks: ticks().map(|(at, share)| (at, share.to_string())).collect(),
            series: self.user_counts.iter().flat_map(lines).collect(),
        }
    }

    fn table(&self, data: &Data) -> HtmlTable {
        let mut table =
            HtmlTable::new(["map", "configuration", "users", "users per km of street", "others"]);
        table.head.extend(self.shares.iter().map(|share| format!("{share} % do not ask")));
        for &panel in &self.panels {
            for &users in &self.user_counts {
                let density = data.map(panel.map).map(|map| f64::from(users) / map.street_km);
                for (name, treatment) in TREATMENTS {
                    let rate =
                        |&share: &u32| Some(self.success(panel, users, treatment(share))?.mean);
                    let rates: Vec<Option<f64>> = self.shares.iter().map(rate).collect();
                    if rates.iter().all(Option::is_none) {
                        continue;
                    }
                    let mut row = vec![map_title(panel.map), panel.configuration.to_owned()];
                    row.extend([count(users.into()), decimal_or_dash(density, 1), name.to_owned()]);
                    row.extend(rates.into_iter().map(percent));
                    table.row(row);
                }
            }
        }
        table
    }
}

/// Builds the section.
pub(super) fn section(data: &Data) -> Result<ReportSection, PictureError> {
    let mut section = ReportSection::new("presence", "Presence reports without a question");
    let runs = PresenceRuns::of(data);
    if runs.runs.is_empty() {
        section.missing("no run with presence reports (experiments/presence.toml).");
        return Ok(section);
    }
    section.paragraph(
        "A share of the users report their presence and ask nothing. They are members of sets like \
         all other users; a set without an asking member is not published, and its members keep \
         waiting. The success rate counts asking users only, with the others present and with the \
         others absent.",
    );
    section.table(&runs.table(data));
    let charts: Vec<LineChart> = runs.panels.iter().map(|&panel| runs.chart(panel)).collect();
    let title = "Success rate of asking users".to_owned();
    let columns = charts.len().min(2);
    let panels = Panels { title, charts, columns, scale: Scale::Shared };
    let caption = "Success rate of asking users over the share of users without a question. Bars: \
                   minimum to maximum over seeds.";
    section.figure(Plot::panels("presence", &panels, 420)?, caption);
    section.paper_note("has asking users only.");
    Ok(section)
}
