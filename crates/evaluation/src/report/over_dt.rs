//! Figures of §V-B: a metric over dt in four panels, one line per map.

use super::claims;
use super::configuration::{PanelKey, RunConfiguration, configurations, panel_keys, users_label};
use super::data::Data;
use super::number::decimal;
use super::page::{HtmlTable, ReportSection};
use super::paper::map_title;
use super::plot::Plot;
use super::spread::{Column, FormatSpread as _, Spread, over_seeds};
use crate::distinct::sorted_distinct;
use crate::results::RunRow;
use picture::{LineChart, Panels, PictureError, Scale, Series};

/// A metric and its presentation.
pub(super) struct Metric {
    /// Base name of the plot files.
    pub id: &'static str,
    /// Title of the figure.
    pub title: &'static str,
    /// Axis label with unit.
    pub label: &'static str,
    pub column: Column,
    /// Factor from the unit of the column to the unit of the label.
    pub factor: f64,
    pub decimals: usize,
}

/// A section of one or two metrics with the paper's statement about them.
pub(super) struct Topic {
    pub id: &'static str,
    pub title: &'static str,
    pub paper: &'static str,
    pub note: &'static str,
    pub metrics: &'static [Metric],
    /// Whether the numbers come from the timing pass, if there was one.
    pub is_timed: bool,
}

/// Sections in the order of the paper.
pub(super) const TOPICS: [Topic; 5] = [
    Topic {
        id: "success",
        title: "Success rate",
        paper: "draws this without printing a number. It states that the rate falls with larger k \
                and smaller dt and is higher in P2. It divides by SUCCEEDED + WAITING of a batch.",
        note: "This evaluation divides by SUCCEEDED + EXPIRED, so that each query counts once. The \
               rate as printed is shown below; it is lower because a query that waits for several \
               batches counts in each of them.",
        is_timed: false,
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
        paper: "reports “about tenth of millisecond” per query, and 0.0137 to 0.0410 ms in Table IV \
                (C++ on a Core i7-6700).",
        note: "Time inside the engine per accepted query, in the timing pass: one run at a time on \
               one thread. Load: last section.",
        is_timed: true,
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
        paper: "reports “about one thousandth of the total street length”, stable across profiles \
                and k.",
        note: "First the length of the mesh, then the length divided by the size of the set, \
               which is probably what the paper reports.",
        is_timed: false,
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
                title: "Average mesh length per member",
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
        paper: "states that it is always larger than one, fairly independent of dt, and higher in \
                P2.",
        note: "Set size divided by the requested k, mean over succeeded queries.",
        is_timed: false,
        metrics: &[Metric {
            id: "relative-k",
            title: "Relative k-anonymity",
            label: "set size / k",
            column: |run| run.relative_k,
            factor: 1.0,
            decimals: 3,
        }],
    },
    Topic {
        id: "relative-dt",
        title: "Relative temporal tolerance",
        paper: "states that it falls with dt, and that most queries are cloaked within two seconds.",
        note: "Delay divided by dt, mean over succeeded queries.",
        is_timed: false,
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

/// Builds the section of `topic`.
pub(super) fn section(data: &Data, topic: &Topic) -> Result<ReportSection, PictureError> {
    let runs = runs(data, topic);
    let mut section = ReportSection::new(topic.id, topic.title);
    if !panel_keys(&configurations(&runs)).iter().any(|key| has_several_dt(&runs, key)) {
        section.leave_out(match topic.is_timed && data.is_paper() {
            true => "the timing pass has no such runs (meshcloak evaluate --paper --pass times).",
            false => "no scheme ran with several dt.",
        });
        return Ok(section);
    }
    if data.is_paper() {
        section.paper_note(topic.paper);
        section.paragraph(topic.note);
    }
    for metric in topic.metrics {
        let panels = panels(data, &runs, metric);
        let caption = format!(
            "{} over dt, {}, {}.{}",
            metric.title,
            data.main_scheme(),
            users_label(&runs),
            spread_note(&runs)
        );
        section.figure(Plot::panels(metric.id, &panels, 330)?, &caption);
        section
            .collapsed_table(&format!("{} in numbers", metric.title), &table(data, &runs, metric));
        if let Some(late) = late_arrivals(data, &runs, metric).filter(|_| !topic.is_timed) {
            let name = format!("{} if queries join the batch after the next", metric.title);
            section.collapsed_table(&name, &late);
        }
    }
    if data.is_paper() && topic.id == "mesh" {
        section.heading("Share of the total street length, by divisor");
        section.table(&claims::divisors(data));
    }
    Ok(section)
}

/// Returns the runs that a topic shows.
fn runs<'a>(data: &'a Data, topic: &Topic) -> Vec<&'a RunRow> {
    let main = data.main_runs();
    let users = main.first().map(|run| run.users);
    let timed = || data.timed_runs().filter(|run| users.is_none_or(|users| run.users == users));
    match topic.is_timed && (data.is_paper() || timed().next().is_some()) {
        true => timed().collect(),
        false => main,
    }
}

fn has_several_dt(runs: &[&RunRow], key: &PanelKey) -> bool {
    configurations(runs).iter().filter(|one| key.contains(one)).count() > 1
}

/// Explains the bars of a figure, if there are any.
pub(super) fn spread_note(runs: &[&RunRow]) -> &'static str {
    let seeds = sorted_distinct(runs.iter().map(|run| run.seed)).len();
    if seeds > 1 { " Bars: minimum to maximum over seeds." } else { "" }
}

fn panels(data: &Data, runs: &[&RunRow], metric: &Metric) -> Panels {
    let all = configurations(runs);
    let maps = data.maps_of(runs);
    let chart = |key: &PanelKey| {
        let own: Vec<_> = all.iter().filter(|one| key.contains(one)).collect();
        let line = |map: &&str| {
            let at = |one: &&RunConfiguration| {
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

/// Builds a line through means with bars from minimum to maximum.
pub(super) fn series(name: String, points: impl Iterator<Item = (f64, Spread)>) -> Series {
    let points: Vec<(f64, Spread)> = points.collect();
    Series {
        name,
        spread: points.iter().map(|(_, found)| (found.min, found.max)).collect(),
        points: points.into_iter().map(|(x, found)| (x, found.mean)).collect(),
    }
}

/// Builds the table of the same numbers, one row per configuration.
fn table(data: &Data, runs: &[&RunRow], metric: &Metric) -> HtmlTable {
    let maps = data.maps_of(runs);
    let mut table = HtmlTable::new(["configuration"]);
    table.head.extend(maps.iter().map(|map| format!("{}: {}", map_title(map), metric.label)));
    for one in configurations(runs) {
        let number = |map: &&str| {
            let found = over_seeds(runs, map, &one.name, metric.column);
            let number = |value| decimal(value, metric.decimals);
            found.map(|found| found.times(metric.factor)).format(number)
        };
        let cells = maps.iter().map(number);
        table.row([one.name.clone()].into_iter().chain(cells));
    }
    table
}

/// Builds the table of the same configurations in the view `after`, of the same users and seeds;
/// `None` if there is no such run.
fn late_arrivals(data: &Data, runs: &[&RunRow], metric: &Metric) -> Option<HtmlTable> {
    let has_pair = |run: &&RunRow| {
        runs.iter()
            .any(|other| other.users == run.users && other.configuration == run.configuration)
    };
    let late: Vec<&RunRow> = data.late_runs().filter(has_pair).collect();
    (!late.is_empty()).then(|| table(data, &late, metric))
}
