//! Section "Scheme comparison": all schemes on the same queries, in both views.

use super::configuration::configurations;
use super::data::Data;
use super::number::{count, decimal, percent, significant};
use super::page::{HtmlTable, ReportSection};
use super::paper::map_title;
use super::plot::Plot;
use super::spread::{Column, FormatSpread as _, Spread};
use crate::distinct::distinct;
use crate::results::RunRow;
use crate::run::Presence;
use crate::schemes::PAPER;
use picture::{DotPanel, DotScale, Dots, PictureError};

/// Runs of all schemes on one map, user count and configuration.
struct SchemeComparison<'a> {
    runs: Vec<&'a RunRow>,
    configuration: String,
    /// Area of the map.
    map_km2: Option<f64>,
    /// Whether the results are those of the paper.
    is_paper: bool,
}

impl SchemeComparison<'_> {
    fn spread(&self, scheme: &str, view: &str, column: Column) -> Option<Spread> {
        let runs = self.runs.iter().filter(|run| {
            (run.scheme.as_str(), run.view.as_str()) == (scheme, view)
                && run.configuration == self.configuration
        });
        Spread::of(runs.filter_map(|run| column(run)))
    }

    /// Processing time in ms/query. Runs of the paper's results are timed in the timing pass only;
    /// others may share the machine.
    fn ms(&self, scheme: &str) -> Option<Spread> {
        let of = |view: &str| self.spread(scheme, view, |run| run.us_per_query);
        let any = || VIEWS.iter().find_map(|view| of(view));
        let micros = of("timed").or_else(|| any().filter(|_| !self.is_paper));
        micros.map(|micros| micros.times(0.001))
    }

    /// Returns the schemes that ran, in the order of the table, then of first occurrence.
    fn schemes(&self) -> Vec<&str> {
        let here = self.runs.iter().filter(|run| run.configuration == self.configuration);
        let ran = distinct(here.map(|run| run.scheme.as_str()));
        let order = crate::schemes::canonical_names();
        let known = order.iter().filter_map(|name| ran.iter().find(|ran| *ran == name));
        distinct(known.chain(&ran).copied())
    }
}

/// Builds the section.
pub(super) fn section(data: &Data) -> Result<ReportSection, PictureError> {
    let mut section = ReportSection::new("rivals", "Scheme comparison");
    let populations = populations(data);
    if populations.is_empty() {
        section.leave_out(
            "no two schemes ran on the same map and user count (experiments/schemes.toml).",
        );
        add_skipped(&mut section, data);
        return Ok(section);
    }
    section.paragraph(
        "All schemes process the same queries. With unlimited time, simulated time stops during \
         processing; in real time, processing counts against dt, and queries of a slow scheme \
         expire. Planar Laplace forms no sets: it always succeeds with a set size of one. Areas are \
         given for rectangles and discs only. Queries arrive and expire at whole seconds, so in \
         real time the last batch before expiry is always too late: success and mean delay are \
         slightly lower than with unlimited time.",
    );
    if data.is_paper() {
        section.paper_note(
        "states that CliqueCloak and ICliqueCloak take several to tens of milliseconds per query, \
         and that the areas of ICliqueCloak grow up to 80 % of the map. It measures neither.",
    );
    }
    for (map, users) in populations {
        let is_here = |run: &&RunRow| run.map == map && run.users == users && is_simulated(run);
        let runs: Vec<&RunRow> = data.runs.iter().filter(is_here).collect();
        let map_km2 = data.map(map).map(|row| row.area_km2);
        let title = format!("{}, {} users", map_title(map), count(users.into()));
        let mut drawn = false;
        for one in configurations(&runs) {
            let (runs, configuration) = (runs.clone(), one.name.clone());
            let is_paper = data.is_paper();
            let comparison = SchemeComparison { runs, configuration, map_km2, is_paper };
            if comparison.schemes().len() < 2 {
                continue;
            }
            if !drawn {
                section.heading(&title);
                let name = format!("schemes-{map}-{users}");
                let caption = format!("{title}, {}", one.name);
                section.figure(Plot::dots(&name, &dots(&comparison, &caption))?, &caption);
                drawn = true;
            }
            section.collapsed_table(&format!("{} in numbers", one.name), &table(&comparison));
        }
    }
    add_skipped(&mut section, data);
    Ok(section)
}

/// Lists the schemes that could not run, by map.
fn add_skipped(section: &mut ReportSection, data: &Data) {
    if data.skipped.is_empty() {
        return;
    }
    section.heading("Not run");
    let mut table = HtmlTable::default();
    for one in distinct(data.skipped.iter().map(|row| (&row.map, &row.scheme, &row.reason))) {
        let (map, scheme, reason) = one;
        let here = data.skipped.iter().filter(|row| (&row.map, &row.scheme, &row.reason) == one);
        let commands = distinct(here.map(|row| row.command.as_str()));
        table.record([
            ("map", map_title(map)),
            ("scheme", scheme.clone()),
            ("left out of", commands.join(", ")),
            ("reason", reason.clone()),
        ]);
    }
    section.table(&table);
}

/// Whether all users of a run are simulated and ask.
fn is_simulated(run: &RunRow) -> bool {
    let (_, presence) = crate::schemes::presence(&run.scheme);
    !run.profile.starts_with(crate::experiment::TAXI) && presence == Presence::AllAsk
}

/// Returns the maps and user counts on which a scheme other than MeshCloak's variants ran.
fn populations(data: &Data) -> Vec<(&str, u32)> {
    let ours = [PAPER, "meshcloak-printed", "sequential", "sequential-edges"];
    let is_rival = |run: &&RunRow| is_simulated(run) && !ours.contains(&run.scheme.as_str());
    distinct(data.runs.iter().filter(is_rival).map(|run| (run.map.as_str(), run.users)))
}

const VIEWS: [&str; 2] = ["unlimited", "realtime"];

fn dots(comparison: &SchemeComparison<'_>, title: &str) -> Dots {
    let schemes = comparison.schemes();
    let panel = |label: &str, scale, factor: f64, column: Column| DotPanel {
        label: label.to_owned(),
        scale,
        values: VIEWS
            .map(|view| {
                let value =
                    |name: &&str| Some(comparison.spread(name, view, column)?.mean * factor);
                schemes.iter().map(value).collect()
            })
            .to_vec(),
    };
    let times = DotPanel {
        label: "time (ms/query)".to_owned(),
        scale: DotScale::Logarithmic,
        values: vec![
            schemes.iter().map(|name| Some(comparison.ms(name)?.mean)).collect(),
            vec![None; schemes.len()],
        ],
    };
    let has_times = times.values[0].iter().any(Option::is_some);
    Dots {
        title: title.to_owned(),
        panels: [
            panel("success (%)", DotScale::Linear, 100.0, |run| run.success_rate),
            panel("region (m of street)", DotScale::Logarithmic, 1.0, |run| run.region_metres),
            panel("region (km²)", DotScale::Logarithmic, 1e-6, |run| run.region_area_m2),
            panel("set size / k", DotScale::Logarithmic, 1.0, |run| run.relative_k),
            panel("delay (s)", DotScale::Linear, 1.0, |run| run.mean_delay_s),
        ]
        .into_iter()
        .chain(has_times.then_some(times))
        .collect(),
        rows: schemes.into_iter().map(str::to_owned).collect(),
        series: vec!["unlimited time".to_owned(), "real time".to_owned()],
    }
}

fn table(comparison: &SchemeComparison<'_>) -> HtmlTable {
    let mut table = HtmlTable::default();
    for name in comparison.schemes() {
        // Schemes that ran in real time only have no values with unlimited time.
        let of = |view, column| comparison.spread(name, view, column);
        let either = |column| of(VIEWS[0], column).or_else(|| of(VIEWS[1], column));
        let share = |value| percent(Some(value));
        let success = |view| of(view, |run| run.success_rate).format(share);
        let delay = |view| of(view, |run| run.mean_delay_s).format(|delay| decimal(delay, 2));
        let area = either(|run| run.region_area_m2).map(|area| area.times(1e-6));
        let max_area = either(|run| run.max_region_area_m2).map(|area| area.times(1e-6));
        let of_map = |area: Option<Spread>| {
            let found = area.zip(comparison.map_km2);
            found.map(|(area, map)| area.times(1.0 / map)).format(share)
        };
        let metres = |column| either(column).format(|metres| decimal(metres, 0));
        table.record([
            ("scheme", name.to_owned()),
            ("success, unlimited", success(VIEWS[0])),
            ("success, real time", success(VIEWS[1])),
            ("time (ms/query)", comparison.ms(name).format(significant)),
            ("region (m of street)", metres(|run| run.region_metres)),
            ("per member (m)", metres(|run| run.region_metres_per_member)),
            ("region (km²)", area.format(|area| decimal(area, 3))),
            ("region / map area", of_map(area)),
            ("largest / map area", of_map(max_area)),
            ("relative k", either(|run| run.relative_k).format(|k| decimal(k, 2))),
            ("delay, unlimited (s)", delay(VIEWS[0])),
            ("delay, real time (s)", delay(VIEWS[1])),
            ("within 2 s", either(|run| run.served_within_2s).format(share)),
        ]);
    }
    table.drop_empty_columns();
    table
}

#[cfg(test)]
mod tests {
    use super::super::HtmlReport;
    use super::*;
    use crate::results::SkippedRow;

    #[test]
    fn schemes_that_could_not_run_are_listed_by_map_with_the_reason() {
        let row = |command: &str, map: &str| SkippedRow {
            command: command.into(),
            map: map.into(),
            scheme: "semantics".into(),
            reason: "the map has no <places>".into(),
            commit: "c".into(),
        };
        let skipped = vec![row("evaluate", "paris"), row("attack", "paris"), row("attack", "x")];
        let html = HtmlReport::new(&Data { skipped, ..Data::default() }).unwrap().html;
        let cells = |map: &str, commands: &str| {
            format!("<td>{map}</td><td>semantics</td><td>{commands}</td>")
        };
        assert!(html.contains(&cells("Paris", "evaluate, attack")), "{html}");
        assert!(html.contains(&cells("x", "attack")) && html.contains("no &lt;places&gt;"));
        let empty = HtmlReport::new(&Data::default()).unwrap().html;
        assert!(!empty.contains("Not run"));
    }
}
