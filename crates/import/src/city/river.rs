//! The river: a bendy course through the whole map, past the old centre.

use super::layout::Layout;
use super::vector::{Noise, add, left, scale, sub, unit};
use meshcloak::units::Point;

/// The middle of the river from one edge of the map to beyond the other.
pub(super) fn course(layout: &Layout) -> Vec<Point> {
    let reach = layout.reach * 1.1;
    let steps = (reach * 2.0 / (layout.half_river * 1.7)).ceil() as i32;
    let point = |n: i32| {
        let x = reach * (2.0 * f64::from(n) / f64::from(steps) - 1.0);
        layout.place(x, height(layout, x))
    };
    (0..=steps).map(point).collect()
}

/// How far above the x axis the river runs at `x`: bends grow with the distance from the centre.
pub(super) fn height(layout: &Layout, x: f64) -> f64 {
    let (wide, narrow) = (Noise(layout.seed ^ 21), Noise(layout.seed ^ 22));
    let bends = (0.32 * x * x / (x.abs() + layout.boulevard)).min(0.12 * layout.reach)
        + 0.12 * layout.boulevard;
    let scale = layout.reach.min(16_000.0);
    let sway = wide.line(x / (0.56 * scale)) + 0.3 * narrow.line(x / (0.19 * scale));
    bends * sway - 1.34 * layout.boulevard - layout.half_river
}

/// The line `distance` to the right of `course`.
pub(super) fn beside(course: &[Point], distance: f64) -> Vec<Point> {
    let last = course.len() - 1;
    let shifted = |n: usize| {
        let way = unit(sub(course[(n + 1).min(last)], course[n.saturating_sub(1)]));
        add(course[n], scale(left(way), -distance))
    };
    (0..course.len()).map(shifted).collect()
}
