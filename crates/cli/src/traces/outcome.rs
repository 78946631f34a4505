//! What became of a trace, as a table or as JSON.

use crate::table::{Table, decimal, grouped};
use import::traces::{TraceKind, Trips};
use meshcloak::units::Length;
use serde_json::{Value, json};
use traffic::matching::Quality;
use traffic::traces::TraceQueries;
use traffic::traces::reports::Snapping;

/// How points found their streets.
pub enum Found {
    /// Each by itself.
    Snapped(Snapping),
    /// As trips.
    Matched(Quality),
}

/// Everything there is to say.
pub struct Outcome<'a> {
    /// What was read.
    pub trips: &'a Trips,
    /// What came of it.
    pub asked: &'a TraceQueries,
    /// How.
    pub found: Found,
}

/// The largest `dc` that a gateway takes unless it is told otherwise (SPEC §2), in metres.
const DC_MAX: f64 = 2000.0;

impl Outcome<'_> {
    /// The table.
    pub fn as_table(&self) -> String {
        let mut table = Table::default();
        table.heading(format!("Trace: {}", self.kind()));
        table.row("trips", count(self.trips.trips.len()));
        match &self.found {
            Found::Snapped(snapping) => snapping_rows(&mut table, snapping),
            Found::Matched(quality) => quality_rows(&mut table, quality),
        }
        let largest = self.largest_constraint().as_metres();
        table.heading("Queries");
        table.row("people", count(self.asked.names.len()));
        table.row("queries", count(self.asked.queries.len()));
        table.row("seconds", count(self.volume().len()));
        table.row("most in a second", count(self.volume().into_iter().max().unwrap_or(0)));
        table.row("largest dc", format!("{} m", decimal(largest)));
        table.row(format!("dc above {DC_MAX} m"), count(self.too_far()));
        table.render()
    }

    /// One object.
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
            "points": match &self.found {
                Found::Snapped(snapping) => snapping_json(snapping),
                Found::Matched(quality) => quality_json(quality),
            },
            "people": self.asked.names.len(),
            "queries": self.asked.queries.len(),
            "seconds": self.volume().len(),
            "most_in_a_second": self.volume().into_iter().max(),
            "largest_dc_m": self.largest_constraint().as_metres(),
            "dc_above_2000_m": self.too_far(),
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
        let constraints = self.asked.queries.iter().map(|query| query.distance_constraint);
        constraints.max().unwrap_or(Length::ZERO)
    }

    fn too_far(&self) -> usize {
        let limit = Length::metres(DC_MAX);
        self.asked.queries.iter().filter(|query| query.distance_constraint > limit).count()
    }

    /// New queries of every second that has one.
    fn volume(&self) -> Vec<usize> {
        let seconds = self.asked.queries.chunk_by(|a, b| a.asked_at / 1000 == b.asked_at / 1000);
        seconds.map(<[_]>::len).collect()
    }
}

fn count(number: usize) -> String {
    grouped(number as u64)
}

fn percent(part: usize, whole: usize) -> String {
    format!("{:.2} %", 100.0 * part as f64 / whole.max(1) as f64)
}

fn snapping_rows(table: &mut Table, snapping: &Snapping) {
    let metres = |share| format!("{} m", decimal(snapping.distance(share)));
    table.row("points", count(snapping.reports));
    table.row("snapped", percent(snapping.snapped(), snapping.reports));
    table.row("off the map", count(snapping.off_map));
    table.row("distance to the street, median", metres(0.5));
    table.row("distance to the street, 95 %", metres(0.95));
    table.row("distance to the street, largest", metres(1.0));
    table.row("jumps: no way between reports", count(snapping.jumps));
    table.row("people faster than reported", count(snapping.raised));
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
    let metres = |share| format!("{} m", decimal(quality.gap(share)));
    table.row("points", count(quality.sightings));
    table.row("inside the map", count(quality.inside()));
    table.row("matched, of those inside", percent(quality.matched, quality.inside()));
    table.row("matched, of those in its rectangle", percent(quality.matched, quality.in_bounds));
    table.row("gap to the street, median", metres(0.5));
    table.row("gap to the street, 95 %", metres(0.95));
    table.row("gap to the street, largest", metres(1.0));
    table.heading("Where trips broke");
    table.row("points off the map", count(quality.off_map));
    table.row("no way between points", count(quality.no_path));
    table.row("silence", count(quality.silent));
    table.row("points alone between breaks", count(quality.alone));
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
