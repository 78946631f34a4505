//! Section "Presence reports without a question": success of the asking users with the other users
//! present and with them absent.

use super::data::Data;
use super::number::{count, decimal, decimal_or_dash, percent};
use super::over_dt::{series, spread_note};
use super::page::{HtmlTable, ReportSection};
use super::paper::map_title;
use super::plot::Plot;
use super::spread::{Column, Spread};
use crate::distinct::{distinct, sorted_distinct};
use crate::results::RunRow;
use crate::run::Presence;
use crate::schemes;
use picture::{LineChart, Panels, PictureError, Scale};

/// Treatment of the users without a question, for their share of all users in per cent.
type Treatment = fn(u32) -> Presence;

const TREATMENTS: [(&str, Treatment); 2] =
    [("present", Presence::Present), ("absent", Presence::Absent)];

/// Map, configuration and setting of MeshCloak that one panel shows.
#[derive(Clone, Copy, PartialEq)]
struct PanelRuns<'a> {
    map: &'a str,
    configuration: &'a str,
    /// Scheme without presence.
    scheme: &'a str,
}

impl<'a> PanelRuns<'a> {
    fn of(run: &'a RunRow) -> PanelRuns<'a> {
        let scheme = schemes::presence(&run.scheme).0;
        PanelRuns { map: &run.map, configuration: &run.configuration, scheme }
    }

    /// Guarantee, clock and region.
    fn setting(&self) -> &'a str {
        self.scheme.trim_start_matches("meshcloak/")
    }
}

/// A column of the table of costs: heading, decimals, and value of a run.
const COSTS: [(&str, usize, Column); 5] = [
    ("delay (s)", 2, |run| run.mean_delay_s),
    ("region (m)", 0, |run| run.region_metres),
    ("k by users", 1, |run| run.k_by_users),
    ("k by askers", 1, |run| run.k_by_askers),
    ("engine (ms per batch)", 1, |run| run.mean_batch_ms),
];

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
        self.spread(panel, users, presence, |run| run.success_rate)
    }

    /// A column over the seeds.
    fn spread(
        &self,
        panel: PanelRuns<'_>,
        users: u32,
        presence: Presence,
        column: Column,
    ) -> Option<Spread> {
        let selected = self.runs.iter().filter(|(run, other)| {
            PanelRuns::of(run) == panel && run.users == users && *other == presence
        });
        Spread::of(selected.filter_map(|(run, _)| column(run)))
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
            title: format!(
                "{}, {}, {}",
                map_title(panel.map),
                panel.configuration,
                panel.setting()
            ),
            x_label: "users without a question (%)".to_owned(),
            y_label: "success of asking users (%)".to_owned(),
            x_ticks: ticks().map(|(at, share)| (at, share.to_string())).collect(),
            series: self.user_counts.iter().flat_map(lines).collect(),
        }
    }

    fn table(&self, data: &Data) -> HtmlTable {
        let mut table =
            HtmlTable::new(["map", "configuration", "setting", "users", "users per km", "others"]);
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
                    row.extend([panel.setting().to_owned(), count(users.into())]);
                    row.extend([decimal_or_dash(density, 1), name.to_owned()]);
                    row.extend(rates.into_iter().map(percent));
                    table.row(row);
                }
            }
        }
        table
    }

    /// What the askers get and what it costs, with the others present.
    fn costs(&self) -> HtmlTable {
        let head = ["map", "configuration", "setting", "users", "ask", "served", "spread"];
        let head = head.into_iter().chain(COSTS.iter().map(|(label, ..)| *label));
        let mut table = HtmlTable { head: head.map(str::to_owned).collect(), rows: Vec::new() };
        for (panel, users, share) in self.cases() {
            let presence = Presence::Present(share);
            let Some(served) = self.success(panel, users, presence) else { continue };
            let spread = (served.max - served.min) * 100.0;
            let row = [map_title(panel.map), panel.configuration.to_owned()];
            let row = row.into_iter().chain([panel.setting().to_owned(), count(users.into())]);
            let row = row.chain([format!("{} %", 100 - share), percent(Some(served.mean))]);
            let row = row.chain([format!("{} of {}", decimal(spread, 1), served.count)]);
            let cost = |(_, decimals, column): &(&str, usize, Column)| {
                let value = self.spread(panel, users, presence, *column);
                decimal_or_dash(value.map(|value| value.mean), *decimals)
            };
            table.row(row.chain(COSTS.iter().map(cost)));
        }
        table
    }

    /// All combinations of panel, number of users and share without a question.
    fn cases(&self) -> Vec<(PanelRuns<'a>, u32, u32)> {
        let of_panel = |&panel: &PanelRuns<'a>| {
            let users = self.user_counts.iter();
            users
                .flat_map(move |&users| self.shares.iter().map(move |&share| (panel, users, share)))
        };
        self.panels.iter().flat_map(of_panel).collect()
    }
}

/// Builds the section.
pub(super) fn section(data: &Data) -> Result<ReportSection, PictureError> {
    let mut section = ReportSection::new("presence", "Presence reports without a question");
    let runs = PresenceRuns::of(data);
    if runs.runs.is_empty() {
        section.leave_out("no run with presence reports (experiments/presence.toml).");
        return Ok(section);
    }
    section.paragraph(
        "A share of the users report their presence and ask nothing. They are members of sets like \
         all other users; a set without an asking member is not published, and its members keep \
         waiting. The success rate counts asking users only, with the others present and with the \
         others absent.",
    );
    section.table(&runs.table(data));
    section.paragraph(
        "With the others present; spread: largest minus smallest percentage served, of how many \
         seeds.",
    );
    section.table(&runs.costs());
    let charts: Vec<LineChart> = runs.panels.iter().map(|&panel| runs.chart(panel)).collect();
    let title = "Success rate of asking users".to_owned();
    let columns = charts.len().min(2);
    let panels = Panels { title, charts, columns, scale: Scale::Shared };
    let those: Vec<&RunRow> = runs.runs.iter().map(|(run, _)| *run).collect();
    let caption = format!(
        "Success rate of asking users over the share of users without a question.{}",
        spread_note(&those)
    );
    section.figure(Plot::panels("presence", &panels, 420)?, &caption);
    section.paper_note("has asking users only.");
    Ok(section)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guarantees_are_not_averaged_and_seeds_are() {
        let run = |scheme: &str, seed: u64, rate: f64| RunRow {
            map: "city".to_owned(),
            users: 5_000,
            configuration: "P1-3-5".to_owned(),
            scheme: scheme.to_owned(),
            seed,
            success_rate: Some(rate),
            mean_batch_ms: Some(2.5),
            ..RunRow::default()
        };
        let runs = vec![
            run("meshcloak/reciprocal/present-90", 1, 0.90),
            run("meshcloak/reciprocal/present-90", 2, 0.92),
            run("meshcloak/history/published/present-90", 1, 0.70),
        ];
        let data = Data { runs, ..Data::default() };
        let costs = PresenceRuns::of(&data).costs();
        let row = |number: usize| costs.rows[number][2..].to_vec();
        let dash = || "–".to_owned();
        let expected = |setting: &str, served: &str, spread: &str| {
            let head = [setting, "5,000", "10 %", served, spread].map(str::to_owned);
            head.into_iter().chain([dash(), dash(), dash(), dash(), "2.5".to_owned()]).collect()
        };
        assert_eq!(costs.rows.len(), 2);
        let first: Vec<String> = expected("reciprocal", "91.0 %", "2.0 of 2");
        assert_eq!(row(0), first);
        let second: Vec<String> = expected("history/published", "70.0 %", "0.0 of 1");
        assert_eq!(row(1), second);
    }
}
