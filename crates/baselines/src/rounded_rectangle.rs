//! A rectangle grown by a radius: where a user can be who was in the rectangle, and has moved at most
//! that far.

use meshcloak::units::{Point, Rectangle};

/// A rectangle grown by a radius in metres: all points within the radius of the rectangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoundedRectangle {
    pub(crate) rectangle: Rectangle,
    pub(crate) radius: f64,
}

impl RoundedRectangle {
    /// Whether a point is inside, boundary included.
    pub(crate) fn contains(&self, point: Point) -> bool {
        self.rectangle.nearest(point).distance_squared(point) <= self.radius * self.radius
    }

    /// Whether a rectangle is inside. The shape is convex, so its corners decide.
    pub(crate) fn contains_all(&self, rectangle: Rectangle) -> bool {
        corners(rectangle).into_iter().all(|corner| self.contains(corner))
    }

    /// Distance in metres by which a rectangle extends beyond the shape; negative if it is inside.
    pub(crate) fn excess(&self, rectangle: Rectangle) -> f64 {
        let distance = |corner: Point| self.rectangle.nearest(corner).distance(corner);
        corners(rectangle).map(distance).into_iter().fold(0.0, f64::max) - self.radius
    }

    /// Smallest rectangle around the shape.
    pub(crate) fn bounds(&self) -> Rectangle {
        grow(self.rectangle, self.radius)
    }
}

/// Moves each side of a rectangle outwards by a distance, inwards if it is negative.
pub(crate) fn grow(rectangle: Rectangle, by: f64) -> Rectangle {
    let Rectangle { min, max } = rectangle;
    Rectangle { min: Point::new(min.x - by, min.y - by), max: Point::new(max.x + by, max.y + by) }
}

/// Corners of a rectangle.
pub(crate) fn corners(rectangle: Rectangle) -> [Point; 4] {
    let Rectangle { min, max } = rectangle;
    [min, Point::new(max.x, min.y), max, Point::new(min.x, max.y)]
}

/// Moves all sides outwards by the same distance until the area is at least `min_area`.
pub(crate) fn grow_to_area(rectangle: Rectangle, min_area: f64) -> Rectangle {
    let (width, height) = (rectangle.width(), rectangle.height());
    if width * height >= min_area {
        return rectangle;
    }
    // (width + 2·by)·(height + 2·by) = min_area
    let half = (width + height) / 2.0;
    let by = ((half * half + min_area - width * height).sqrt() - half) / 2.0;
    grow(rectangle, by + 1e-6) // against rounding
}
