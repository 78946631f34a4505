//! Section "Query volume": NEW, SUCCEEDED, EXPIRED, WAITING, nodes and edges per second (§V-B).

use super::configuration::{RunConfiguration, configurations};
use super::data::Data;
use super::number::count;
use super::page::ReportSection;
use super::paper::map_title;
use super::plot::Plot;
use crate::results::{RunRow, VolumeRow};
use picture::{LineChart, Panels, PictureError, Scale, Series};

/// A column of `volume.csv`.
type VolumeColumn = fn(&VolumeRow) -> u64;

/// Panels: title, unit and column.
const PANELS: [(&str, &str, VolumeColumn); 6] = [
    ("NEW", "queries (1/s)", |row| row.new),
    ("SUCCEEDED", "queries (1/s)", |row| row.succeeded),
    ("EXPIRED", "queries (1/s)", |row| row.expired),
    ("WAITING", "queries", |row| row.waiting),
    ("Nodes of the constraint graph", "nodes", |row| row.nodes as u64),
    ("Edges of the constraint graph", "edges", |row| row.edges as u64),
];

/// Builds the section: one figure per map.
pub(super) fn section(data: &Data) -> Result<ReportSection, PictureError> {
    let mut section = ReportSection::new("volume", "Query volume over time");
    let runs = data.main_runs();
    if data.is_paper() {
        section.paper_note(
            "draws this for 100,000 users. It reports constraint graphs of up to 25,000 nodes and \
             130,000 edges, and a flatter curve for P2 than for P1.",
        );
    }
    let mut drawn = 0;
    for map in data.maps_of(&runs) {
        let here: Vec<&RunRow> = runs.iter().copied().filter(|run| run.map == map).collect();
        let Some(panels) = panels(data, &here, map) else { continue };
        let nodes = here.iter().map(|run| run.largest_nodes).max().unwrap_or(0);
        let edges = here.iter().map(|run| run.largest_edges).max().unwrap_or(0);
        let caption = format!(
            "{} users on {}, seed {}. Largest constraint graph of all configurations and seeds: {} \
             nodes, {} edges.",
            count(here.first().map_or(0, |run| run.users).into()),
            map_title(map),
            here.first().map_or(0, |run| run.seed),
            count(nodes as u64),
            count(edges as u64)
        );
        section.figure(Plot::panels(&format!("volume-{map}"), &panels, 265)?, &caption);
        drawn += 1;
    }
    if drawn == 0 {
        section.leave_out(
            "volume.csv has no rows of these runs; set volume = true in the experiment.",
        );
    }
    Ok(section)
}

/// Builds six panels with one line for the first and the last configuration of each profile.
/// Returns `None` if no volume was recorded for `runs`.
pub(super) fn panels(data: &Data, runs: &[&RunRow], map: &str) -> Option<Panels> {
    let recorded = |one: &RunConfiguration| rows(data, runs, &one.name).next().is_some();
    let all: Vec<RunConfiguration> = configurations(runs).into_iter().filter(recorded).collect();
    let is_first_or_last = |one: &&RunConfiguration| {
        let mut same = all.iter().filter(|other| other.profile == one.profile);
        let first = same.clone().next();
        Some(*one) == first || Some(*one) == same.next_back()
    };
    let chosen: Vec<&RunConfiguration> = all.iter().filter(is_first_or_last).collect();
    let end = chosen.iter().map(|one| last_second(rows(data, runs, &one.name))).max().unwrap_or(0);
    let bin = end / MAX_POINTS + 1;
    let line = |column: VolumeColumn, one: &RunConfiguration| Series {
        name: one.name.clone(),
        points: means(rows(data, runs, &one.name).take_while(|row| row.time <= end), column, bin),
        spread: Vec::new(),
    };
    let chart = |&(title, label, column): &(&str, &str, VolumeColumn)| LineChart {
        title: title.to_owned(),
        x_label: "time (s)".to_owned(),
        y_label: if bin == 1 { label.to_owned() } else { format!("{label}, mean of {bin} s") },
        series: chosen.iter().map(|one| line(column, one)).collect(),
        ..LineChart::default()
    };
    let title = format!("Query volume on {}", map_title(map));
    let charts = PANELS.iter().map(chart).collect();
    (!chosen.is_empty()).then_some(Panels { title, charts, columns: 3, scale: Scale::Own })
}

/// Approximate maximum of points per line; longer runs are averaged in bins of several seconds.
const MAX_POINTS: u64 = 400;

/// Averages a column over bins of `bin` seconds; each point is at the first second of its bin.
fn means<'a>(
    rows: impl Iterator<Item = &'a VolumeRow>,
    column: VolumeColumn,
    bin: u64,
) -> Vec<(f64, f64)> {
    let mut bins: Vec<(u64, f64, f64)> = Vec::new();
    for row in rows {
        let (first, value) = (row.time / bin * bin, column(row) as f64);
        match bins.last_mut() {
            Some((start, sum, seconds)) if *start == first => {
                *sum += value;
                *seconds += 1.0;
            }
            _ => bins.push((first, value, 1.0)),
        }
    }
    bins.into_iter().map(|(start, sum, seconds)| (start as f64, sum / seconds)).collect()
}

/// Returns the last second to draw: that by which 99 % of the queries have arrived if it lies in the
/// first half of the run, else the end of the run. A long tail would compress the rest.
fn last_second<'a>(rows: impl Iterator<Item = &'a VolumeRow> + Clone) -> u64 {
    let total: u64 = rows.clone().map(|row| row.new).sum();
    let last = rows.clone().map(|row| row.time).max().unwrap_or(0);
    let mut arrived = 0;
    let mut nearly = rows.skip_while(|row| {
        arrived += row.new;
        arrived * 100 < total * 99
    });
    let nearly = nearly.next().map_or(last, |row| row.time);
    if nearly * 2 < last { nearly } else { last }
}

/// Returns the recorded volume of a configuration of `runs` (one seed).
fn rows<'a>(
    data: &'a Data,
    runs: &'a [&RunRow],
    configuration: &'a str,
) -> impl Iterator<Item = &'a VolumeRow> + Clone {
    let run = runs.iter().find(|run| run.configuration == configuration);
    data.volume.iter().filter(move |row| {
        row.configuration == configuration
            && run.is_some_and(|run| {
                (&row.map, row.users, &row.scheme, &row.view)
                    == (&run.map, run.users, &run.scheme, &run.view)
                    && row.seed == run.seed
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(time: u64, new: u64) -> VolumeRow {
        VolumeRow { time, new, ..VolumeRow::default() }
    }

    #[test]
    fn long_runs_are_averaged_in_bins() {
        let rows: Vec<VolumeRow> = (0..5).map(|time| row(time, 10 * time)).collect();
        // 0 and 10, 20 and 30, 40.
        let found = means(rows.iter(), |row| row.new, 2);
        assert_eq!(found, [(0.0, 5.0), (2.0, 25.0), (4.0, 40.0)]);
        assert_eq!(means(rows.iter(), |row| row.new, 1).len(), 5);
    }

    #[test]
    fn a_long_tail_is_cut_and_a_short_one_is_kept() {
        let asked = |time: u64| row(time, if time < 100 { 10 } else { 0 });
        let long: Vec<VolumeRow> = (0..1_000).map(asked).collect();
        assert_eq!(last_second(long.iter()), 98);
        assert_eq!(last_second(long[..150].iter()), 149);
    }
}
