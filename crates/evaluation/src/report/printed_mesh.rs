//! Section "Meshes as printed": Algorithm 3 as printed beside the streets that can be reached, with
//! terminals at junctions and at every node.

use super::configuration::{configurations, panel_keys};
use super::data::Data;
use super::number::decimal;
use super::over_dt::{series, spread_note};
use super::page::{HtmlTable, ReportSection};
use super::paper::map_title;
use super::plot::Plot;
use super::spread::{Column, FormatSpread as _, Spread};
use crate::maps::EVERY_NODE;
use crate::results::RunRow;
use crate::schemes::PAPER;
use picture::{LineChart, Panels, PictureError, Scale};

/// Scheme of Algorithm 3 as printed.
const PRINTED: &str = "meshcloak/paper/printed";

/// Lines of each panel: name, suffix of the map, scheme.
const LINES: [(&str, &str, &str); 4] = [
    ("reach, junctions", "", PAPER),
    ("as printed, junctions", "", PRINTED),
    ("reach, every node", EVERY_NODE, PAPER),
    ("as printed, every node", EVERY_NODE, PRINTED),
];

/// Figures: file name, title, axis label and column.
const FIGURES: [(&str, &str, &str, Column); 2] = [
    ("printed-mesh", "Mesh of a set", "mesh length (m)", |run| run.region_metres),
    ("printed-mesh-per-member", "Mesh per member", "mesh length per member (m)", |run| {
        run.region_metres_per_member
    }),
];

/// Runs of both algorithms.
struct PrintedRuns<'a> {
    runs: Vec<&'a RunRow>,
    /// Maps without suffix.
    maps: Vec<&'a str>,
    /// Configurations that were measured with the printed algorithm, one for each panel of §V.
    configurations: Vec<String>,
}

impl<'a> PrintedRuns<'a> {
    fn of(data: &'a Data) -> PrintedRuns<'a> {
        let is_printed = |run: &&RunRow| run.scheme == PRINTED && run.view == "unlimited";
        let printed: Vec<&RunRow> = data.runs.iter().filter(is_printed).collect();
        let maps = data.maps_of(&printed).into_iter().filter(|map| !map.ends_with(EVERY_NODE));
        let all = configurations(&printed);
        let first = panel_keys(&all)
            .into_iter()
            .filter_map(|key| all.iter().find(|one| key.contains(one)).map(|one| one.name.clone()));
        let users = printed.first().map(|run| run.users);
        let same = |run: &&RunRow| Some(run.users) == users && run.view == "unlimited";
        PrintedRuns {
            runs: data.runs.iter().filter(same).collect(),
            maps: maps.collect(),
            configurations: first.collect(),
        }
    }

    fn spread(
        &self,
        map: &str,
        line: usize,
        configuration: &str,
        column: Column,
    ) -> Option<Spread> {
        let (_, suffix, scheme) = LINES[line];
        let is_here = |run: &&&RunRow| {
            run.map.strip_suffix(suffix) == Some(map)
                && run.map.ends_with(EVERY_NODE) == (suffix == EVERY_NODE)
                && run.scheme == scheme
                && run.configuration == configuration
        };
        Spread::of(self.runs.iter().filter(is_here).filter_map(|run| column(run)))
    }

    fn panels(&self, title: &str, label: &str, column: Column) -> Panels {
        let ticks = || self.configurations.iter().enumerate();
        let chart = |map: &&str| LineChart {
            title: map_title(map),
            x_label: "configuration".to_owned(),
            y_label: label.to_owned(),
            x_ticks: ticks().map(|(at, name)| (at as f64, name.clone())).collect(),
            series: (0..LINES.len())
                .map(|line| {
                    let points = ticks().filter_map(|(at, name)| {
                        Some((at as f64, self.spread(map, line, name, column)?))
                    });
                    series(LINES[line].0.to_owned(), points)
                })
                .collect(),
        };
        let charts = self.maps.iter().map(chart).collect();
        Panels { title: title.to_owned(), charts, columns: 3, scale: Scale::Own }
    }

    fn table(&self, column: Column) -> HtmlTable {
        let mut table = HtmlTable::new(["map", "configuration"]);
        table.head.extend(LINES.map(|(name, ..)| format!("{name} (m)")));
        for map in &self.maps {
            for name in &self.configurations {
                let cell = |line: usize| {
                    self.spread(map, line, name, column).format(|metres| decimal(metres, 0))
                };
                let cells = (0..LINES.len()).map(cell);
                table.row([map_title(map), name.clone()].into_iter().chain(cells));
            }
        }
        table
    }
}

/// Builds the section.
pub(super) fn section(data: &Data) -> Result<ReportSection, PictureError> {
    let mut section = ReportSection::new("printed-mesh", "Meshes as printed");
    let runs = PrintedRuns::of(data);
    if runs.configurations.is_empty() {
        section.leave_out("Algorithm 3 as printed (meshcloak/paper/printed) did not run.");
        return Ok(section);
    }
    section.paragraph(
        "Algorithm 3 as printed visits each terminal once, by the number of streets and not by \
         distance, and ignores the offset on the first street; “reach” has every street that can be \
         entered within dc. Both with terminals at junctions and, on OSM maps, at every node. The \
         files of Oldenburg and Stockton have a terminal at every node, that of Paris at junctions.",
    );
    for (name, title, label, column) in FIGURES {
        let panels = runs.panels(title, label, column);
        let caption = format!("{title}, as printed beside reach.{}", spread_note(&runs.runs));
        section.figure(Plot::panels(name, &panels, 300)?, &caption);
        section.collapsed_table(&format!("{title} in numbers"), &runs.table(column));
    }
    Ok(section)
}
