//! Queries from reports of Brinkhoff's generator: every report is a query at the place it snaps to.
//!
//! The trace gives speed as distance per time stamp, and the speed of the moment: who turns into
//! a faster street covers more until the next report. So a person's top speed is the highest they
//! report, or what the way between two of their own reports needs, whichever is more. A time
//! stamp stands for one interval; `dc` is therefore the top speed times one time stamp.

use super::{Asked, Asking, name_of};
use crate::matching::Search;
use crate::tape::Query;
use meshcloak::map::{Position, StreetMap};
use meshcloak::units::{Length, Point};

/// A report of one person.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// The number of the time stamp.
    pub stamp: u32,
    /// In the map's metres.
    pub point: Point,
    /// Metres per time stamp.
    pub speed: f64,
    /// The k asked for, if the trace says.
    pub k: Option<u32>,
}

/// All reports of one person, in order of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Reported {
    /// Their name.
    pub name: String,
    /// In order of time, no two at one time stamp.
    pub reports: Vec<Report>,
}

/// How reports fell onto the map.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapping {
    /// All reports.
    pub reports: usize,
    /// Farther from every street than the limit: no queries.
    pub off_map: usize,
    /// Neighbouring reports with no way between them, or an absurd one: there the person ends and
    /// another begins.
    pub jumps: usize,
    /// People whose way needed more than the speed they reported, by over a metre.
    pub raised: usize,
    distances: Vec<f64>,
}

impl Snapping {
    /// Reports that found a place.
    pub fn snapped(&self) -> usize {
        self.distances.len()
    }

    /// The distance in metres from a report to its place that the part `share` stays within.
    pub fn distance(&self, share: f64) -> f64 {
        let last = self.distances.len().saturating_sub(1);
        let index = (share.clamp(0.0, 1.0) * last as f64).round() as usize;
        self.distances.get(index).copied().unwrap_or(0.0)
    }
}

/// A way longer than this between two reports, in metres per time stamp, is a jump.
const LONGEST_STEP: f64 = 5_000.0;

/// The queries of these people; [`Asking::stamp`] is what one time stamp stands for.
/// Reports farther than `limit` metres from every street ask nothing.
pub fn queries_from(
    map: &StreetMap,
    people: &[Reported],
    limit: Option<f64>,
    asking: &Asking,
) -> (Asked, Snapping) {
    let mut snapping = Snapping::default();
    let mut asked = Asked::default();
    let mut search = Search::new(map);
    for person in people {
        snapping.reports += person.reports.len();
        let mut placed = Vec::with_capacity(person.reports.len());
        for &report in &person.reports {
            if let Some(snapped) = map.snap(report.point, limit) {
                snapping.distances.push(snapped.distance);
                placed.push((report, snapped.position));
            } else {
                snapping.off_map += 1;
            }
        }
        let pieces = split(&mut search, &placed);
        snapping.jumps += pieces.len().saturating_sub(1);
        for (number, piece) in pieces.iter().enumerate() {
            let declared = piece.reported + Length::metres(1.0);
            snapping.raised += usize::from(piece.needed > declared);
            ask_all(piece, asking, &mut asked);
            asked.people.push(name_of(&person.name, number));
        }
    }
    snapping.distances.sort_unstable_by(f64::total_cmp);
    (asked.sorted(), snapping)
}

/// Reports between two jumps, and the way in one time stamp that they declare and need.
struct Piece<'a> {
    placed: &'a [(Report, Position)],
    reported: Length,
    needed: Length,
}

fn split<'a>(search: &mut Search, placed: &'a [(Report, Position)]) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    let mut first = 0;
    let mut needed = Length::ZERO;
    let mut close = |first: usize, end: usize, needed: Length| {
        let placed = &placed[first..end];
        let reported = placed.iter().map(|(report, _)| Length::metres(report.speed)).max();
        if let Some(reported) = reported {
            pieces.push(Piece { placed, reported, needed });
        }
    };
    for (index, pair) in placed.windows(2).enumerate() {
        let stamps = pair[1].0.stamp.saturating_sub(pair[0].0.stamp).max(1);
        let bound = Length::metres(LONGEST_STEP * f64::from(stamps));
        let (from, to) = (pair[0].1, pair[1].1);
        search.aim_at(std::iter::once(to));
        search.run(from, bound);
        match search.distance(from, to, bound) {
            Some(way) => needed = needed.max(Length::from_units(way.units().div_ceil(stamps))),
            None => {
                close(first, index + 1, needed);
                (first, needed) = (index + 1, Length::ZERO);
            }
        }
    }
    close(first, placed.len(), needed);
    pieces
}

fn ask_all(piece: &Piece, asking: &Asking, asked: &mut Asked) {
    let person = asked.people.len();
    let mut random = asking.generator(person);
    let query_interval = asking.stamp();
    let (speed, distance_constraint) =
        asking.pace(piece.reported.max(piece.needed), query_interval);
    for (number, (report, position)) in piece.placed.iter().enumerate() {
        let drawn = asking.k(&mut random);
        asked.queries.push(Query {
            user: person as u32,
            number: number as u32,
            asked_at: u64::from(report.stamp) * u64::from(query_interval),
            position: *position,
            k: report.k.unwrap_or(drawn),
            temporal_tolerance: asking.temporal_tolerance,
            speed,
            query_interval,
            distance_constraint,
        });
    }
}
