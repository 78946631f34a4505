//! Points of a drawing as text: `x y;x y;…` in metres.

use meshcloak::units::Point;
use std::fmt::Write as _;

/// Writes points with one decimal.
pub(crate) fn write(points: impl IntoIterator<Item = Point>) -> String {
    let mut out = String::new();
    for point in points {
        let separator = if out.is_empty() { "" } else { ";" };
        write!(out, "{separator}{:.1} {:.1}", point.x, point.y)
            .expect("writing to a String cannot fail");
    }
    out
}

/// Reads points; invalid ones are skipped.
pub(crate) fn read(text: &str) -> Vec<Point> {
    let point = |text: &str| {
        let (x, y) = text.split_once(' ')?;
        let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.abs() < 1e9);
        Some(Point::new(number(x)?, number(y)?))
    };
    text.split(';').filter_map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_survive_writing_and_invalid_ones_are_skipped() {
        let points = [Point::new(1.0, -2.5), Point::new(0.0, 7.0)];
        assert_eq!(write(points), "1.0 -2.5;0.0 7.0");
        assert_eq!(read(&write(points)), points);
        assert_eq!(read("1 2;x 3;4;nan 1;1e99 0"), [Point::new(1.0, 2.0)]);
    }
}
