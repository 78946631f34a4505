//! Query volume second by second: NEW, SUCCEEDED, EXPIRED, WAITING, nodes and edges (§V-B).

use super::configuration::{Configuration, configurations};
use super::data::Data;
use super::number::count;
use super::page::Section;
use super::paper::map_title;
use super::plot::Plot;
use crate::results::{RunRow, VolumeRow};
use picture::{LineChart, Panels, PictureError, Scale, Series};

type Count = fn(&VolumeRow) -> u64;

const COUNTS: [(&str, &str, Count); 6] = [
    ("NEW", "queries (1/s)", |row| row.new),
    ("SUCCEEDED", "queries (1/s)", |row| row.succeeded),
    ("EXPIRED", "queries (1/s)", |row| row.expired),
    ("WAITING", "queries", |row| row.waiting),
    ("Nodes of the constraint graph", "nodes", |row| row.nodes as u64),
    ("Edges of the constraint graph", "edges", |row| row.edges as u64),
];

/// The section: a figure for each map.
pub(super) fn section(data: &Data) -> Result<Section, PictureError> {
    let mut section = Section::new("volume", "Query volume over time");
    let runs = data.main();
    section.paper(
        "draws this for 100,000 people; it prints that constraint graphs have up to 25,000 nodes \
         and 130,000 edges, and that P2 is flatter than P1.",
    );
    let mut drawn = 0;
    for map in data.maps_of(&runs) {
        let here: Vec<&RunRow> = runs.iter().copied().filter(|run| run.map == map).collect();
        let Some(panels) = panels(data, &here, map) else { continue };
        let nodes = here.iter().map(|run| run.largest_nodes).max().unwrap_or(0);
        let edges = here.iter().map(|run| run.largest_edges).max().unwrap_or(0);
        let caption = format!(
            "{} people on {}; the largest graph of all configurations has {} nodes and {} edges.",
            count(here.first().map_or(0, |run| run.users).into()),
            map_title(map),
            count(nodes as u64),
            count(edges as u64)
        );
        section.figure(Plot::panels(&format!("volume-{map}"), &panels, 265)?, &caption);
        drawn += 1;
    }
    if drawn == 0 {
        section.missing("volume.csv has no rows of these runs (volume = true in an experiment).");
    }
    Ok(section)
}

/// Six panels with a line for each of up to four configurations: of each profile the one that
/// asks least and the one that asks most. `None` if nothing was recorded of these runs.
pub(super) fn panels(data: &Data, runs: &[&RunRow], map: &str) -> Option<Panels> {
    let recorded = |one: &Configuration| rows(data, runs, &one.name).next().is_some();
    let all: Vec<Configuration> = configurations(runs).into_iter().filter(recorded).collect();
    let ends = |one: &&Configuration| {
        let mut same = all.iter().filter(|other| other.profile == one.profile);
        let first = same.clone().next();
        Some(*one) == first || Some(*one) == same.next_back()
    };
    let chosen: Vec<&Configuration> = all.iter().filter(ends).collect();
    let end = chosen.iter().map(|one| end(rows(data, runs, &one.name))).max().unwrap_or(0);
    let bin = end / MOST_POINTS + 1;
    let line = |count: Count, one: &Configuration| Series {
        name: one.name.clone(),
        points: means(rows(data, runs, &one.name).take_while(|row| row.time <= end), count, bin),
        spread: Vec::new(),
    };
    let chart = |&(title, label, count): &(&str, &str, Count)| LineChart {
        title: title.to_owned(),
        x_label: "time (s)".to_owned(),
        y_label: if bin == 1 { label.to_owned() } else { format!("{label}, mean of {bin} s") },
        series: chosen.iter().map(|one| line(count, one)).collect(),
        ..LineChart::default()
    };
    let title = format!("Query volume on {}", map_title(map));
    let charts = COUNTS.iter().map(chart).collect();
    (!chosen.is_empty()).then_some(Panels { title, charts, columns: 3, scale: Scale::Own })
}

/// A line of a long run has about so many points, each the mean of several seconds.
const MOST_POINTS: u64 = 400;

/// The mean of every so many seconds, at the first of them.
fn means<'a>(rows: impl Iterator<Item = &'a VolumeRow>, count: Count, bin: u64) -> Vec<(f64, f64)> {
    let mut bins: Vec<(u64, f64, f64)> = Vec::new();
    for row in rows {
        let (first, value) = (row.time / bin * bin, count(row) as f64);
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

/// The second by which nearly all have asked and most of their time is over: a few long trips would
/// squeeze everything else.
fn end<'a>(rows: impl Iterator<Item = &'a VolumeRow> + Clone) -> u64 {
    let all: u64 = rows.clone().map(|row| row.new).sum();
    let last = rows.clone().map(|row| row.time).max().unwrap_or(0);
    let mut asked = 0;
    let mut nearly = rows.skip_while(|row| {
        asked += row.new;
        asked * 100 < all * 99
    });
    let nearly = nearly.next().map_or(last, |row| row.time);
    if nearly * 2 < last { nearly } else { last }
}

/// What was recorded of a configuration of these runs.
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
        VolumeRow {
            map: String::new(),
            users: 1,
            configuration: String::new(),
            scheme: String::new(),
            view: String::new(),
            seed: 1,
            time,
            new,
            succeeded: 0,
            expired: 0,
            waiting: 0,
            nodes: 0,
            edges: 0,
        }
    }

    #[test]
    fn long_runs_are_means_of_several_seconds() {
        let rows: Vec<VolumeRow> = (0..5).map(|time| row(time, 10 * time)).collect();
        // 0 and 10, 20 and 30, 40.
        let found = means(rows.iter(), |row| row.new, 2);
        assert_eq!(found, [(0.0, 5.0), (2.0, 25.0), (4.0, 40.0)]);
        assert_eq!(means(rows.iter(), |row| row.new, 1).len(), 5);
    }

    #[test]
    fn a_thin_tail_is_cut_and_a_short_one_is_not() {
        let asked = |time: u64| row(time, if time < 100 { 10 } else { 0 });
        let long: Vec<VolumeRow> = (0..1_000).map(asked).collect();
        assert_eq!(end(long.iter()), 98);
        assert_eq!(end(long[..150].iter()), 149);
    }
}
