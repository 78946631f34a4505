//! Space translation: members of a cluster are moved, as little as possible, into a cylinder of
//! diameter δ around their common centre.

use super::trajectory::{Trajectory, mean_point};
use meshcloak::units::Point;

/// Moves the members of a cluster. At each time a position farther than δ/2 from the mean of the
/// members moves straight towards it, up to distance δ/2.
pub(super) fn translate(members: &[&Trajectory], delta: f64) -> Vec<Trajectory> {
    let mut moved: Vec<Trajectory> = members.iter().map(|&member| member.clone()).collect();
    let samples = members.first().map_or(0, |member| member.points.len());
    for sample in 0..samples {
        let centre = mean_point(members.iter().map(|member| member.points[sample]));
        for trajectory in &mut moved {
            let point = &mut trajectory.points[sample];
            *point = towards(*point, centre, delta / 2.0);
        }
    }
    moved
}

fn towards(point: Point, centre: Point, radius: f64) -> Point {
    let distance = point.distance(centre);
    if distance <= radius { point } else { centre.towards(point, radius / distance) }
}

/// Whether all members are within δ of one another at all times.
pub fn is_colocalised(members: &[Trajectory], delta: f64) -> bool {
    // Positions are rounded to about a nanometre.
    let limit = (delta + 1e-6) * (delta + 1e-6);
    members.iter().enumerate().all(|(index, a)| {
        members[..index].iter().all(|b| {
            let pairs = a.points.iter().zip(&b.points);
            a.start == b.start
                && a.points.len() == b.points.len()
                && pairs.into_iter().all(|(a, b)| a.distance_squared(*b) <= limit)
        })
    })
}
