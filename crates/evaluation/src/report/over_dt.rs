//! The figures of §V-B: a metric over dt, four panels, one line for each map.

use super::configuration::{configurations, panel_keys, people};
use super::data::Data;
use super::number::decimal;
use super::page::{Section, Table};
use super::paper::map_title;
use super::plot::Plot;
use super::spread::{Column, Spread, over_seeds};
use crate::results::RunRow;
use picture::{LineChart, Panels, PictureError, Scale, Series};

/// A metric and how it is drawn.
pub(super) struct Metric {
    /// Of the section and of the files.
    pub id: &'static str,
    /// Above the figure.
    pub title: &'static str,
    /// With its unit.
    pub label: &'static str,
    pub column: Column,
    /// From the unit of the column to that of the label.
    pub factor: f64,
    pub decimals: usize,
}

/// A section of the report: one or two metrics, and what the paper says of them.
pub(super) struct Topic {
    pub id: &'static str,
    pub title: &'static str,
    pub paper: &'static str,
    pub note: &'static str,
    pub metrics: &'static [Metric],
}

/// The sections, in the order of the paper.
pub(super) const TOPICS: [Topic; 5] = [
    Topic {
        id: "success",
        title: "Success rate",
        paper: "draws this without printing a number; it says that the rate falls with larger k \
                and smaller dt, and is higher in P2. It divides by SUCCEEDED + WAITING of a batch.",
        note: "Ours divides by those whose wait has ended, SUCCEEDED + EXPIRED, so that nobody \
               counts twice. The rate as printed stands below: whoever waits for several batches \
               counts in each of them, which makes it lower.",
        metrics: &[
            Metric {
                id: "success-rate",
                title: "Success rate",
                label: "succeeded (%)",
                column: |run| run.success_rate,
                factor: 100.0,
                decimals: 1,
            },
            Metric {
                id: "success-rate-as-printed",
                title: "Success rate as printed",
                label: "succeeded (%)",
                column: |run| run.printed_success_rate,
                factor: 100.0,
                decimals: 1,
            },
        ],
    },
    Topic {
        id: "time",
        title: "Processing time",
        paper: "prints “about tenth of millisecond” for a query, and 0.0137 to 0.0410 ms in its \
                Table IV (C++ on a Core i7-6700).",
        note: "Time on the clock inside the engine, with the threads named above, for each accepted \
               query.",
        metrics: &[Metric {
            id: "processing-time",
            title: "Processing time",
            label: "per query (ms)",
            column: |run| run.us_per_query,
            factor: 0.001,
            decimals: 4,
        }],
    },
    Topic {
        id: "mesh",
        title: "Average mesh length",
        paper: "prints “about one thousandth of the total street length”, stable across profiles \
                and k.",
        note: "First the length of the mesh, then the length divided by the size of the set, \
               which is what we believe the paper reports.",
        metrics: &[
            Metric {
                id: "mesh-length",
                title: "Average mesh length",
                label: "mesh length (m)",
                column: |run| run.region_metres,
                factor: 1.0,
                decimals: 0,
            },
            Metric {
                id: "mesh-length-per-member",
                title: "Average mesh length, divided by the size of the set",
                label: "mesh length per member (m)",
                column: |run| run.region_metres_per_member,
                factor: 1.0,
                decimals: 0,
            },
        ],
    },
    Topic {
        id: "relative-k",
        title: "Relative k-anonymity",
        paper: "says that it is always larger than one, fairly independent of dt, and higher in \
                P2.",
        note: "Size of the set over the k that was asked for, mean over those who were served.",
        metrics: &[Metric {
            id: "relative-k",
            title: "Relative k-anonymity",
            label: "size of the set / k",
            column: |run| run.relative_k,
            factor: 1.0,
            decimals: 3,
        }],
    },
    Topic {
        id: "relative-dt",
        title: "Relative temporal tolerance",
        paper: "says that it falls with dt, and that most queries are cloaked within two seconds.",
        note: "Delay over dt, mean over those who were served.",
        metrics: &[Metric {
            id: "relative-dt",
            title: "Relative temporal tolerance",
            label: "delay / dt",
            column: |run| run.relative_dt,
            factor: 1.0,
            decimals: 4,
        }],
    },
];

/// A section.
pub(super) fn section(data: &Data, topic: &Topic) -> Result<Section, PictureError> {
    let runs = data.main();
    let mut section = Section::new(topic.id, topic.title);
    if runs.is_empty() {
        section.missing("no run of meshcloak/paper with unlimited time on P1 or P2.");
        return Ok(section);
    }
    section.paper(topic.paper);
    section.say(topic.note);
    for metric in topic.metrics {
        let panels = panels(data, &runs, metric);
        let caption = format!(
            "{} over dt, {}; bars from the least to the most of the seeds.",
            metric.title,
            people(&runs)
        );
        section.figure(Plot::panels(metric.id, &panels, 330)?, &caption);
        section.folded(&format!("{} in numbers", metric.title), &table(data, &runs, metric));
    }
    Ok(section)
}

fn panels(data: &Data, runs: &[&RunRow], metric: &Metric) -> Panels {
    let all = configurations(runs);
    let maps = data.maps_of(runs);
    let chart = |key: &super::configuration::PanelKey| {
        let own: Vec<_> = all.iter().filter(|one| key.holds(one)).collect();
        let line = |map: &&str| {
            let at = |one: &&super::configuration::Configuration| {
                let found = over_seeds(runs, map, &one.name, metric.column)?;
                Some((one.dt, found.times(metric.factor)))
            };
            series(map_title(map), own.iter().filter_map(at))
        };
        LineChart {
            title: key.title(),
            x_label: "dt (s)".to_owned(),
            y_label: metric.label.to_owned(),
            x_ticks: own.iter().map(|one| (one.dt, one.dt.to_string())).collect(),
            series: maps.iter().map(line).collect(),
        }
    };
    let charts = panel_keys(&all).iter().map(chart).collect();
    Panels { title: metric.title.to_owned(), charts, columns: 4, scale: Scale::Shared }
}

/// A line through means, with bars.
pub(super) fn series(name: String, points: impl Iterator<Item = (f64, Spread)>) -> Series {
    let points: Vec<(f64, Spread)> = points.collect();
    Series {
        name,
        spread: points.iter().map(|(_, found)| (found.least, found.most)).collect(),
        points: points.into_iter().map(|(x, found)| (x, found.mean)).collect(),
    }
}

/// The same numbers, configuration by configuration.
fn table(data: &Data, runs: &[&RunRow], metric: &Metric) -> Table {
    let maps = data.maps_of(runs);
    let mut table = Table::new(["configuration"]);
    table.head.extend(maps.iter().map(|map| format!("{}: {}", map_title(map), metric.label)));
    for one in configurations(runs) {
        let number = |map: &&str| {
            let found = over_seeds(runs, map, &one.name, metric.column);
            found.map_or("–".to_owned(), |found| {
                written(found.times(metric.factor), metric.decimals)
            })
        };
        let cells = maps.iter().map(number);
        table.row([one.name.clone()].into_iter().chain(cells));
    }
    table
}

/// A mean, and from where to where it was measured if more than once.
pub(super) fn written(found: Spread, decimals: usize) -> String {
    let number = |value: f64| decimal(value, decimals);
    match found.count {
        1 => number(found.mean),
        _ => {
            let Spread { mean, least, most, .. } = found;
            format!("{} ({}–{})", number(mean), number(least), number(most))
        }
    }
}
