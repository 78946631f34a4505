//! Course of the river: a winding line across the whole map, past the old centre.

use super::layout::Layout;
use super::vector::{Noise, add, left, scale, sub, unit};
use meshcloak::units::Point;

/// Returns the centre line of the river; it begins and ends outside the map.
pub(super) fn course(layout: &Layout) -> Vec<Point> {
    let reach = layout.reach * 1.1;
    let steps = (reach * 2.0 / (layout.half_river * 1.7)).ceil() as i32;
    let point = |n: i32| {
        let x = reach * (2.0 * f64::from(n) / f64::from(steps) - 1.0);
        layout.at(x, height(layout, x))
    };
    (0..=steps).map(point).collect()
}

/// Returns the y coordinate of the river at `x`, in city axes. Bends grow with the distance from
/// the centre.
pub(super) fn height(layout: &Layout, x: f64) -> f64 {
    let (wide, narrow) = (Noise(layout.seed ^ 21), Noise(layout.seed ^ 22));
    let bends = (0.32 * x * x / (x.abs() + layout.boulevard)).min(0.12 * layout.reach)
        + 0.12 * layout.boulevard;
    let scale = layout.reach.min(16_000.0);
    let sway = wide.line(x / (0.56 * scale)) + 0.3 * narrow.line(x / (0.19 * scale));
    bends * sway - 1.34 * layout.boulevard - layout.half_river
}

/// Offsets `course` by `distance` metres to the right.
pub(super) fn offset(course: &[Point], distance: f64) -> Vec<Point> {
    let last = course.len() - 1;
    let shifted = |n: usize| {
        let way = unit(sub(course[(n + 1).min(last)], course[n.saturating_sub(1)]));
        add(course[n], scale(left(way), -distance))
    };
    (0..course.len()).map(shifted).collect()
}
