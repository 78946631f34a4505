//! Points of nodes in the frame of the map.

use super::extract::Extract;
use super::way_lines::WayLines;
use crate::error::{FileLocation, LocatedProblem, Problem};
use meshcloak::map::{Frame, MapError};
use meshcloak::units::{LonLat, Point};
use rayon::prelude::*;

/// Returns a frame around the nodes of streets.
pub(super) fn frame_around(extract: &Extract, uses: &[u8]) -> Result<Frame, LocatedProblem> {
    let used = extract.nodes.positions().iter().zip(uses).filter(|&(_, &uses)| uses > 0);
    let frame = Frame::around(used.filter_map(|(&position, _)| position));
    frame.ok_or_else(|| FileLocation::File.with(MapError::NoStreet))
}

/// Stands for an unknown point; a map builder rejects it.
pub(super) const UNKNOWN: Point = Point::new(f64::NAN, f64::NAN);

/// Returns the point of a node; unknown if there is no such row.
pub(super) fn point_at(points: &[Point], row: u32) -> Point {
    points.get(row as usize).copied().unwrap_or(UNKNOWN)
}

/// Projects all nodes; an error if a node of a street has no finite projection.
pub(super) fn project(
    extract: &Extract,
    frame: &Frame,
    uses: &[u8],
) -> Result<Vec<Point>, LocatedProblem> {
    let point =
        |position: &Option<LonLat>| position.map_or(UNKNOWN, |position| frame.point(position));
    let points: Vec<Point> = extract.nodes.positions().par_iter().map(point).collect();
    let lost = |(&uses, point): (&u8, &Point)| uses > 0 && !(point.x + point.y).is_finite();
    match uses.iter().zip(&points).position(lost) {
        Some(row) => {
            let reason = "too far from the other nodes for one map projection".into();
            let id = extract.nodes.id(row as u32);
            Err(FileLocation::Element("node", id).with(Problem::Unsupported(reason)))
        }
        None => Ok(points),
    }
}

/// Largest distance between consecutive nodes. A farther node is misplaced; splitting would turn
/// it into hundreds of streets.
const MAX_STEP_METRES: f64 = 200_000.0;

/// Checks the distances between consecutive nodes of all lines.
pub(super) fn check_steps(
    extract: &Extract,
    lines: &WayLines,
    points: &[Point],
) -> Result<(), LocatedProblem> {
    for (way, rows) in lines.iter() {
        let metres = |a: u32, b: u32| point_at(points, a).distance(point_at(points, b));
        let mut steps = rows.iter().zip(rows.iter().skip(1));
        if let Some((&a, &b)) = steps.find(|&(&a, &b)| metres(a, b) > MAX_STEP_METRES) {
            let kilometres = metres(a, b) / 1000.0;
            let [a, b] = [a, b].map(|row| extract.nodes.id(row));
            let reason =
                format!("nodes {a} and {b} are {kilometres:.0} km apart; expected at most 200 km");
            let (id, _) = extract.way(way);
            return Err(FileLocation::Element("way", id).with(Problem::Damaged(reason)));
        }
    }
    Ok(())
}
