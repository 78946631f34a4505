//! Queries from reports of Brinkhoff's generator: each report is a query at its snapped position.
//!
//! Reports hold the current speed as distance per time stamp; an object that enters a faster street
//! covers more until the next report. So the top speed is the maximum of the reported speeds and of
//! those needed between reports. A time stamp is one interval, so `dc` is the top speed times one
//! time stamp.

use super::{TraceQueries, TraceSettings, name_of};
use crate::matching::{PathSearch, quantile};
use crate::simulated_query::SimulatedQuery;
use meshcloak::map::{Position, StreetMap};
use meshcloak::units::{Length, Point};

/// A report of one object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// Time stamp.
    pub stamp: u32,
    /// Point in map coordinates, metres.
    pub point: Point,
    /// Speed in metres per time stamp.
    pub speed: f64,
    /// Requested k, if recorded.
    pub k: Option<u32>,
}

/// Reports of one object.
#[derive(Clone, Debug, PartialEq)]
pub struct Reported {
    /// Name of the object.
    pub name: String,
    /// In order of time, at most one per time stamp.
    pub reports: Vec<Report>,
}

/// Statistics of snapping reports to the map.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapping {
    /// Number of reports.
    pub reports: usize,
    /// Reports beyond the snap limit; they yield no query.
    pub off_map: usize,
    /// Consecutive reports without a plausible path; a new user starts there.
    pub jumps: usize,
    /// Users whose path needed more than the reported speed, by over a metre.
    pub raised: usize,
    distances: Vec<f64>,
}

impl Snapping {
    /// Number of snapped reports.
    pub fn snapped(&self) -> usize {
        self.distances.len()
    }

    /// Quantile of the distance between reports and their positions, in metres.
    pub fn distance(&self, share: f64) -> f64 {
        quantile(&self.distances, share)
    }
}

/// Maximum path between two reports in metres per time stamp.
const MAX_STEP: f64 = 5_000.0;

/// Creates the queries of objects; a time stamp lasts [`TraceSettings::stamp`]. Reports farther than
/// `limit` metres from every street are skipped.
pub fn queries_from(
    map: &StreetMap,
    objects: &[Reported],
    limit: Option<f64>,
    settings: &TraceSettings,
) -> (TraceQueries, Snapping) {
    let mut snapping = Snapping::default();
    let mut result = TraceQueries::default();
    let mut search = PathSearch::new(map);
    for object in objects {
        snapping.reports += object.reports.len();
        let mut placed = Vec::with_capacity(object.reports.len());
        for &report in &object.reports {
            if let Some(snapped) = map.snap(report.point, limit) {
                snapping.distances.push(snapped.distance);
                placed.push(SnappedReport { report, position: snapped.position });
            } else {
                snapping.off_map += 1;
            }
        }
        let pieces = split(&mut search, &placed);
        snapping.jumps += pieces.len().saturating_sub(1);
        for (number, piece) in pieces.iter().enumerate() {
            let declared = piece.reported + Length::metres(1.0);
            snapping.raised += usize::from(piece.needed > declared);
            push_queries(piece, settings, &mut result);
            result.names.push(name_of(&object.name, number));
        }
    }
    snapping.distances.sort_unstable_by(f64::total_cmp);
    (result.sorted(), snapping)
}

/// A report and its snapped position.
#[derive(Clone, Copy)]
struct SnappedReport {
    report: Report,
    position: Position,
}

/// Reports between two jumps, with reported and needed distance per time stamp.
struct ReportRun<'a> {
    placed: &'a [SnappedReport],
    reported: Length,
    needed: Length,
}

fn split<'a>(search: &mut PathSearch, placed: &'a [SnappedReport]) -> Vec<ReportRun<'a>> {
    let mut pieces = Vec::new();
    let mut first = 0;
    let mut needed = Length::ZERO;
    let mut close = |first: usize, end: usize, needed: Length| {
        let placed = &placed[first..end];
        let reported = placed.iter().map(|snapped| Length::metres(snapped.report.speed)).max();
        if let Some(reported) = reported {
            pieces.push(ReportRun { placed, reported, needed });
        }
    };
    for (index, pair) in placed.windows(2).enumerate() {
        let stamps = pair[1].report.stamp.saturating_sub(pair[0].report.stamp).max(1);
        let bound = Length::metres(MAX_STEP * f64::from(stamps));
        let (from, to) = (pair[0].position, pair[1].position);
        search.set_targets(std::iter::once(to));
        search.run(from, bound);
        match search.distance(from, to, bound) {
            Some(length) => {
                needed = needed.max(Length::from_units(length.units().div_ceil(stamps)));
            }
            None => {
                close(first, index + 1, needed);
                (first, needed) = (index + 1, Length::ZERO);
            }
        }
    }
    close(first, placed.len(), needed);
    pieces
}

fn push_queries(piece: &ReportRun, settings: &TraceSettings, result: &mut TraceQueries) {
    let user = result.names.len();
    let mut random = settings.generator(user);
    let query_interval = settings.stamp();
    let (speed, distance_constraint) =
        settings.speed_and_dc(piece.reported.max(piece.needed), query_interval);
    for (number, &SnappedReport { report, position }) in piece.placed.iter().enumerate() {
        let drawn = settings.k(&mut random);
        result.queries.push(SimulatedQuery {
            user: user as u32,
            number: number as u32,
            asked_at: u64::from(report.stamp) * u64::from(query_interval),
            position,
            k: report.k.unwrap_or(drawn),
            temporal_tolerance: settings.temporal_tolerance,
            speed,
            query_interval,
            distance_constraint,
        });
    }
}
