//! Conversion between map metres and picture pixels, north up.

use meshcloak::units::{Point, Rectangle};

/// Position on a picture in pixels from its top left corner.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pixel {
    /// To the right.
    pub x: f64,
    /// Downwards.
    pub y: f64,
}

impl Pixel {
    /// Creates the position `x` pixels right and `y` pixels down.
    pub const fn new(x: f64, y: f64) -> Pixel {
        Pixel { x, y }
    }

    /// Square of the straight-line distance.
    pub fn distance_squared(self, other: Pixel) -> f64 {
        let (dx, dy) = (other.x - self.x, other.y - self.y);
        dx * dx + dy * dy
    }

    /// Straight-line distance.
    pub fn distance(self, other: Pixel) -> f64 {
        self.distance_squared(other).sqrt()
    }

    /// Returns this position moved by `right` and `down` pixels.
    pub fn moved(self, right: f64, down: f64) -> Pixel {
        Pixel::new(self.x + right, self.y + down)
    }
}

/// A rectangle of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PixelBox {
    /// Left edge.
    pub left: f64,
    /// Upper edge.
    pub top: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl PixelBox {
    /// Right edge.
    pub fn right(&self) -> f64 {
        self.left + self.width
    }

    /// Lower edge.
    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// Centre.
    pub fn centre(&self) -> Pixel {
        Pixel::new(self.left + self.width / 2.0, self.top + self.height / 2.0)
    }

    /// Returns the box reduced by `margin` on all sides, at least one pixel in size.
    pub fn inside(&self, margin: f64) -> PixelBox {
        let width = (self.width - 2.0 * margin).max(1.0);
        let height = (self.height - 2.0 * margin).max(1.0);
        let centre = self.centre();
        PixelBox { left: centre.x - width / 2.0, top: centre.y - height / 2.0, width, height }
    }

    /// Closed outline: four corners and the first again.
    pub fn corners(&self) -> [Pixel; 5] {
        let (left, top, right, bottom) = (self.left, self.top, self.right(), self.bottom());
        [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
            .map(|(x, y)| Pixel::new(x, y))
    }
}

/// Placement of a map on a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MapView {
    area: PixelBox,
    middle: Pixel,
    centre: Point,
    metres_per_pixel: f64,
}

impl MapView {
    /// Smallest extent in metres; smaller maps are drawn as if they had this extent.
    pub const MIN_METRES: f64 = 100.0;

    /// Creates the view that shows `bounds` centred in `area` at the largest scale that fits.
    pub fn fit(bounds: Rectangle, area: PixelBox) -> MapView {
        let across = (bounds.width() / area.width).max(bounds.height() / area.height);
        let finest = Self::MIN_METRES / area.width.max(area.height);
        MapView {
            area,
            middle: area.centre(),
            centre: bounds.centre(),
            metres_per_pixel: across.max(finest),
        }
    }

    /// Area of the map on the picture.
    pub fn area(&self) -> PixelBox {
        self.area
    }

    /// Whether a pixel lies in the map area.
    pub fn contains(&self, pixel: Pixel) -> bool {
        let PixelBox { left, top, .. } = self.area;
        (left..=self.area.right()).contains(&pixel.x)
            && (top..=self.area.bottom()).contains(&pixel.y)
    }

    /// Scale, equal in all directions.
    pub fn metres_per_pixel(&self) -> f64 {
        self.metres_per_pixel
    }

    /// Converts a map point to a pixel.
    pub fn to_pixel(&self, point: Point) -> Pixel {
        Pixel::new(
            self.middle.x + (point.x - self.centre.x) / self.metres_per_pixel,
            self.middle.y - (point.y - self.centre.y) / self.metres_per_pixel,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: PixelBox = PixelBox { left: 20.0, top: 40.0, width: 1000.0, height: 500.0 };

    fn rectangle(min: (f64, f64), max: (f64, f64)) -> Rectangle {
        Rectangle { min: Point::new(min.0, min.1), max: Point::new(max.0, max.1) }
    }

    #[test]
    fn distances_in_pixels_and_metres_are_proportional() {
        let view = MapView::fit(rectangle((-3000.0, 200.0), (9000.0, 7200.0)), AREA);
        let origin = Point::new(-3000.0, 200.0);
        for (x, y) in [(9000.0, 7200.0), (17.25, -999.5), (4e7, -4e7)] {
            let point = Point::new(x, y);
            let pixels = view.to_pixel(origin).distance(view.to_pixel(point));
            let metres = pixels * view.metres_per_pixel();
            assert!((metres / origin.distance(point) - 1.0).abs() < 1e-9, "{point:?}");
        }
    }

    #[test]
    fn the_bounds_fill_the_area_one_way_and_north_is_up() {
        let view = MapView::fit(rectangle((0.0, 0.0), (4000.0, 5000.0)), AREA);
        assert_eq!(view.metres_per_pixel(), 10.0);
        assert_eq!(view.to_pixel(Point::new(2000.0, 5000.0)), Pixel::new(520.0, 40.0));
        assert_eq!(view.to_pixel(Point::new(0.0, 0.0)), Pixel::new(320.0, 540.0));
    }

    #[test]
    fn a_map_without_extent_is_drawn_in_the_middle() {
        let view = MapView::fit(rectangle((7.0, 7.0), (7.0, 7.0)), AREA);
        assert_eq!(view.to_pixel(Point::new(7.0, 7.0)), AREA.centre());
        assert_eq!(view.metres_per_pixel(), 0.1);
    }
}
