//! Trajectories: positions at equal intervals of time.

use meshcloak::map::StreetMap;
use meshcloak::units::Point;
use traffic::Journey;

/// Positions of one user at equal intervals.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// Index of the journey.
    pub user: u32,
    /// Number of the first sampling time.
    pub start: u32,
    /// Positions at consecutive sampling times, at least one.
    pub points: Vec<Point>,
}

impl Trajectory {
    /// Samples a journey at all multiples of `step` milliseconds; `None` if there is none within it.
    pub fn sample(map: &StreetMap, user: u32, journey: &Journey, step: u64) -> Option<Trajectory> {
        let start = journey.start().div_ceil(step);
        let end = journey.end() / step;
        let points: Vec<Point> =
            (start..=end).filter_map(|index| journey.point(map, index * step)).collect();
        let start = u32::try_from(start).ok()?;
        (!points.is_empty()).then_some(Trajectory { user, start, points })
    }

    /// Number of the sampling time after the last.
    pub fn end(&self) -> u32 {
        self.start + self.points.len() as u32
    }

    /// Part from `start` to before `end`, which it must cover.
    pub(super) fn part(&self, start: u32, end: u32) -> Trajectory {
        let range = (start - self.start) as usize..(end - self.start) as usize;
        Trajectory { user: self.user, start, points: self.points[range].to_vec() }
    }

    /// Position at a sampling time.
    pub fn at(&self, index: u32) -> Option<Point> {
        self.points.get(index.checked_sub(self.start)? as usize).copied()
    }

    /// Mean of the squared distances at equal times; both cover the same times.
    pub(super) fn distance_squared(&self, other: &Trajectory) -> f64 {
        let pairs = self.points.iter().zip(&other.points);
        let sum: f64 = pairs.map(|(a, b)| a.distance_squared(*b)).sum();
        sum / self.points.len() as f64
    }

    /// Mean of the positions. Two means are never farther apart than the trajectories.
    pub(super) fn mean(&self) -> Point {
        mean_point(self.points.iter().copied())
    }
}

/// Mean of at least one point.
pub(super) fn mean_point(points: impl ExactSizeIterator<Item = Point>) -> Point {
    let count = points.len() as f64;
    let sum = points.fold(Point::new(0.0, 0.0), |sum, p| Point::new(sum.x + p.x, sum.y + p.y));
    Point::new(sum.x / count, sum.y / count)
}
