//! Error of range queries on published trajectories.
//!
//! A query asks how many users were possibly sometime, or definitely always, inside a disc during a
//! span of time, where every position is uncertain by δ/2 (Trajcevski et al. 2004).

use super::trajectory::Trajectory;
use crate::statistics::Average;
use meshcloak::units::{Point, Rectangle};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;

/// A range query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RangeQuery {
    /// Centre of the disc.
    pub centre: Point,
    /// Radius of the disc in metres.
    pub radius: f64,
    /// First sampling time.
    pub start: u32,
    /// Sampling time after the last.
    pub end: u32,
}

/// Relative errors of both kinds of query.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RangeErrors {
    /// Of "possibly sometime inside".
    pub possibly: Average,
    /// Of "definitely always inside".
    pub definitely: Average,
}

impl RangeQuery {
    /// Draws queries with centres on trajectories, radii of 200 m to 2 km and spans of 1 to `samples`
    /// sampling times.
    pub fn draw(
        trajectories: &[Trajectory],
        samples: u32,
        count: usize,
        seed: u64,
    ) -> Vec<RangeQuery> {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let draw = |_| {
            let trajectory = &trajectories[random.random_range(0..trajectories.len())];
            let at = random.random_range(0..trajectory.points.len());
            let start = trajectory.start + at as u32;
            let end = start + random.random_range(1..=samples.max(1));
            let radius = 200.0 + 1800.0 * random.random::<f64>();
            RangeQuery { centre: trajectory.points[at], radius, start, end }
        };
        if trajectories.is_empty() { Vec::new() } else { (0..count).map(draw).collect() }
    }

    /// Number of trajectories possibly sometime and definitely always inside.
    pub fn count(&self, trajectories: &[Bounded<'_>], delta: f64) -> (u64, u64) {
        let outer = self.radius + delta / 2.0;
        let inner = self.radius - delta / 2.0;
        let (mut possibly, mut definitely) = (0, 0);
        for Bounded { trajectory, bounds } in trajectories {
            let (start, end) = (self.start.max(trajectory.start), self.end.min(trajectory.end()));
            if start >= end || bounds.nearest(self.centre).distance(self.centre) > outer {
                continue;
            }
            let range = (start - trajectory.start) as usize..(end - trajectory.start) as usize;
            let distances =
                trajectory.points[range].iter().map(|point| point.distance(self.centre));
            possibly += u64::from(distances.clone().any(|distance| distance <= outer));
            // A user who is absent at a time of the span is not always inside.
            let is_present = (start, end) == (self.start, self.end);
            let mut distances = distances;
            definitely += u64::from(is_present && distances.all(|distance| distance <= inner));
        }
        (possibly, definitely)
    }
}

/// A trajectory and its bounding box.
pub struct Bounded<'a> {
    trajectory: &'a Trajectory,
    bounds: Rectangle,
}

impl<'a> Bounded<'a> {
    /// Computes the bounding boxes.
    pub fn of(trajectories: &'a [Trajectory]) -> Vec<Bounded<'a>> {
        let bounded = |trajectory: &'a Trajectory| {
            let bounds = Rectangle::around(trajectory.points.iter().copied())?;
            Some(Bounded { trajectory, bounds })
        };
        trajectories.iter().filter_map(bounded).collect()
    }
}

/// Compares the answers on two sets of trajectories: `|a − b| / max(a, b)`, 0 if both are 0.
pub fn range_errors(
    queries: &[RangeQuery],
    original: &[Trajectory],
    published: &[Trajectory],
    delta: f64,
) -> RangeErrors {
    let (original, published) = (Bounded::of(original), Bounded::of(published));
    let counts: Vec<_> = queries
        .par_iter()
        .map(|query| (query.count(&original, delta), query.count(&published, delta)))
        .collect();
    let mut errors = RangeErrors::default();
    for (true_counts, counts) in counts {
        errors.possibly.add(relative_error(true_counts.0, counts.0));
        errors.definitely.add(relative_error(true_counts.1, counts.1));
    }
    errors
}

fn relative_error(a: u64, b: u64) -> f64 {
    a.abs_diff(b) as f64 / a.max(b).max(1) as f64
}
