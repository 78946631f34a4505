//! Summary of a converted trace as a table or as JSON.

use crate::table::{Table, decimal, grouped};
use import::traces::{TraceKind, Trips};
use meshcloak::units::Length;
use serde_json::{Value, json};
use traffic::matching::Quality;
use traffic::traces::TraceQueries;
use traffic::traces::reports::Snapping;

/// How the points of a trace were placed on streets.
pub enum PointQuality {
    /// Each point snapped to the nearest street.
    Snapped(Snapping),
    /// Trips map-matched as a whole.
    Matched(Quality),
}

/// Trips, points and queries of a trace.
pub struct TraceSummary<'a> {
    /// Trips that were read.
    pub trips: &'a Trips,
    /// Queries derived from them.
    pub queries: &'a TraceQueries,
    /// Placement of the points.
    pub points: PointQuality,
}

/// Default of the largest `dc` (docs/SPEC.md §2), in metres.
const DC_MAX: f64 = 2000.0;

impl TraceSummary<'_> {
    /// Formats the summary as a table.
    pub fn as_table(&self) -> String {
        let mut table = Table::default();
        table.heading(format!("Trace: {}", self.kind()));
        table.row("trips", count(self.trips.trips.len()));
        match &self.points {
            PointQuality::Snapped(snapping) => snapping_rows(&mut table, snapping),
            PointQuality::Matched(quality) => quality_rows(&mut table, quality),
        }
        let largest = self.largest_constraint().as_metres();
        table.heading("Queries");
        table.row("users", count(self.queries.names.len()));
        table.row("queries", count(self.queries.queries.len()));
        table.row("seconds", count(self.volume().len()));
        table.row("largest number per second", count(self.volume().into_iter().max().unwrap_or(0)));
        table.row("largest dc", format!("{} m", decimal(largest)));
        table.row(format!("dc above {DC_MAX} m"), count(self.above_dc_max()));
        table.render()
    }

    /// Returns the summary as one JSON object.
    pub fn as_json(&self) -> Value {
        let skips = self.trips.skips;
        json!({
            "kind": self.kind(),
            "trips": self.trips.trips.len(),
            "skipped": {
                "empty": skips.empty,
                "one_point": skips.one_point,
                "missing_data": skips.missing_data,
                "backwards": skips.backwards,
                "untimed": skips.untimed,
            },
            "points": match &self.points {
                PointQuality::Snapped(snapping) => snapping_json(snapping),
                PointQuality::Matched(quality) => quality_json(quality),
            },
            "people": self.queries.names.len(),
            "queries": self.queries.queries.len(),
            "seconds": self.volume().len(),
            "most_in_a_second": self.volume().into_iter().max(),
            "largest_dc_m": self.largest_constraint().as_metres(),
            "dc_above_2000_m": self.above_dc_max(),
        })
    }

    fn kind(&self) -> &'static str {
        match self.trips.kind {
            TraceKind::Brinkhoff => "Brinkhoff",
            TraceKind::TaxiPolyline => "taxi trips (POLYLINE)",
            TraceKind::TaxiShape => "taxi trips (WKT)",
            TraceKind::Gpx => "GPX",
        }
    }

    fn largest_constraint(&self) -> Length {
        let constraints = self.queries.queries.iter().map(|query| query.distance_constraint);
        constraints.max().unwrap_or(Length::ZERO)
    }

    fn above_dc_max(&self) -> usize {
        let limit = Length::metres(DC_MAX);
        self.queries.queries.iter().filter(|query| query.distance_constraint > limit).count()
    }

    /// Returns the number of new queries of each second that has any.
    fn volume(&self) -> Vec<usize> {
        let seconds = self.queries.queries.chunk_by(|a, b| a.asked_at / 1000 == b.asked_at / 1000);
        seconds.map(<[_]>::len).collect()
    }
}

fn count(number: usize) -> String {
    grouped(number as u64)
}

fn percent(part: usize, whole: usize) -> String {
    format!("{:.2} %", 100.0 * part as f64 / whole.max(1) as f64)
}

/// Appends quantiles of the distance between points and streets.
fn distance_rows(table: &mut Table, quantile: impl Fn(f64) -> f64) {
    for (name, share) in [("median", 0.5), ("95 %", 0.95), ("largest", 1.0)] {
        table.row(
            format!("distance to the street, {name}"),
            format!("{} m", decimal(quantile(share))),
        );
    }
}

fn snapping_rows(table: &mut Table, snapping: &Snapping) {
    table.row("points", count(snapping.reports));
    table.row("snapped", percent(snapping.snapped(), snapping.reports));
    table.row("off the map", count(snapping.off_map));
    distance_rows(table, |share| snapping.distance(share));
    table.row("reports without a route from the last", count(snapping.jumps));
    table.row("users faster than reported", count(snapping.raised));
}

fn snapping_json(snapping: &Snapping) -> Value {
    json!({
        "all": snapping.reports,
        "snapped": snapping.snapped(),
        "off_map": snapping.off_map,
        "median_m": snapping.distance(0.5),
        "p95_m": snapping.distance(0.95),
        "largest_m": snapping.distance(1.0),
        "jumps": snapping.jumps,
        "faster_than_reported": snapping.raised,
    })
}

fn quality_rows(table: &mut Table, quality: &Quality) {
    table.row("points", count(quality.sightings));
    table.row("inside the map", count(quality.inside()));
    table.row("matched, of points inside", percent(quality.matched, quality.inside()));
    table.row("matched, of points in its rectangle", percent(quality.matched, quality.in_bounds));
    distance_rows(table, |share| quality.gap(share));
    table.heading("Breaks in trips");
    table.row("points off the map", count(quality.off_map));
    table.row("no route between points", count(quality.no_path));
    table.row("no reports for too long", count(quality.silent));
    table.row("single points between breaks", count(quality.alone));
}

fn quality_json(quality: &Quality) -> Value {
    json!({
        "all": quality.sightings,
        "inside": quality.inside(),
        "in_bounds": quality.in_bounds,
        "matched": quality.matched,
        "share": quality.share(),
        "share_in_bounds": quality.share_in_bounds(),
        "median_m": quality.gap(0.5),
        "p95_m": quality.gap(0.95),
        "largest_m": quality.gap(1.0),
        "off_map": quality.off_map,
        "no_way": quality.no_path,
        "silent": quality.silent,
        "alone": quality.alone,
    })
}
