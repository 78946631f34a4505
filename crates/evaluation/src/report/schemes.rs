//! Section "Scheme comparison": all schemes on the same queries, in both views.

use super::configuration::configurations;
use super::data::Data;
use super::number::{count, decimal_or_dash, percent, significant};
use super::page::{HtmlTable, ReportSection};
use super::paper::map_title;
use super::plot::Plot;
use super::spread::{Column, Spread};
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
}

impl SchemeComparison<'_> {
    fn mean(&self, scheme: &str, view: &str, column: Column) -> Option<f64> {
        let runs = self.runs.iter().filter(|run| {
            (run.scheme.as_str(), run.view.as_str()) == (scheme, view)
                && run.configuration == self.configuration
        });
        Spread::of(runs.filter_map(|run| column(run))).map(|found| found.mean)
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
            let comparison =
                SchemeComparison { runs: runs.clone(), configuration: one.name.clone(), map_km2 };
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
                let value = |name: &&str| Some(comparison.mean(name, view, column)? * factor);
                schemes.iter().map(value).collect()
            })
            .to_vec(),
    };
    Dots {
        title: title.to_owned(),
        panels: vec![
            panel("success (%)", DotScale::Linear, 100.0, |run| run.success_rate),
            panel("time (ms/query)", DotScale::Logarithmic, 0.001, |run| run.us_per_query),
            panel("region (m of street)", DotScale::Logarithmic, 1.0, |run| run.region_metres),
            panel("region (km²)", DotScale::Logarithmic, 1e-6, |run| run.region_area_m2),
            panel("set size / k", DotScale::Logarithmic, 1.0, |run| run.relative_k),
            panel("delay (s)", DotScale::Linear, 1.0, |run| run.mean_delay_s),
        ],
        rows: schemes.into_iter().map(str::to_owned).collect(),
        series: vec!["unlimited time".to_owned(), "real time".to_owned()],
    }
}

fn table(comparison: &SchemeComparison<'_>) -> HtmlTable {
    let mut table = HtmlTable::default();
    for name in comparison.schemes() {
        // Schemes that ran in real time only have no values with unlimited time.
        let mean = |view, column| comparison.mean(name, view, column);
        let either = |column| mean(VIEWS[0], column).or_else(|| mean(VIEWS[1], column));
        let success = |view| percent(mean(view, |run| run.success_rate));
        let delay = |view| decimal_or_dash(mean(view, |run| run.mean_delay_s), 2);
        let area = either(|run| run.region_area_m2).map(|area| area / 1e6);
        let max_area = either(|run| run.max_region_area_m2).map(|area| area / 1e6);
        let share =
            |area: Option<f64>| percent(area.zip(comparison.map_km2).map(|(area, map)| area / map));
        let ms = either(|run| run.us_per_query).map(|micros| micros / 1000.0);
        table.record([
            ("scheme", name.to_owned()),
            ("success, unlimited", success(VIEWS[0])),
            ("success, real time", success(VIEWS[1])),
            ("time (ms/query)", ms.map_or("–".to_owned(), significant)),
            ("region (m of street)", decimal_or_dash(either(|run| run.region_metres), 0)),
            ("per member (m)", decimal_or_dash(either(|run| run.region_metres_per_member), 0)),
            ("region (km²)", decimal_or_dash(area, 3)),
            ("region / map area", share(area)),
            ("largest / map area", share(max_area)),
            ("relative k", decimal_or_dash(either(|run| run.relative_k), 2)),
            ("delay, unlimited (s)", delay(VIEWS[0])),
            ("delay, real time (s)", delay(VIEWS[1])),
            ("within 2 s", percent(either(|run| run.served_within_2s))),
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
