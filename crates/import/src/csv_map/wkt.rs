//! Parser of WKT line strings: `LINESTRING (x y, x y, …)`.

use meshcloak::units::Point;

/// Parses a line string into `points`; the error is a description of the expected text.
pub(crate) fn read_line_string(text: &str, points: &mut Vec<Point>) -> Result<(), &'static str> {
    points.clear();
    let text = text.trim();
    let word = text.get(..KEYWORD.len()).filter(|word| word.eq_ignore_ascii_case(KEYWORD));
    let rest = word.and(text.get(KEYWORD.len()..)).ok_or("`LINESTRING (x y, x y, …)`")?;
    let inside = rest.trim_start().strip_prefix('(').ok_or("a `(` after `LINESTRING`")?;
    let inside = inside.strip_suffix(')').ok_or("a `)` at the end")?;
    if inside.contains(['(', ')']) {
        return Err("one `(` and one `)`");
    }
    for pair in inside.split(',') {
        points.push(read_point(pair).ok_or("two finite numbers for each point")?);
    }
    if points.len() < 2 { Err(TOO_FEW) } else { Ok(()) }
}

/// Error of a line string with one point.
pub(crate) const TOO_FEW: &str = "at least two points";

const KEYWORD: &str = "LINESTRING";

fn read_point(text: &str) -> Option<Point> {
    let mut numbers = text.split_whitespace().map(str::parse::<f64>);
    let (x, y) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    let is_whole = numbers.next().is_none() && x.is_finite() && y.is_finite();
    is_whole.then_some(Point::new(x, y))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Point>, &'static str> {
        let mut points = Vec::new();
        read_line_string(text, &mut points).map(|()| points)
    }

    #[test]
    fn case_and_spaces_are_ignored() {
        let expected = vec![Point::new(1.5, -2.0), Point::new(0.0, 3e2), Point::new(7.0, 8.0)];
        assert_eq!(read("LINESTRING (1.5 -2, 0 3e2, 7 8)"), Ok(expected.clone()));
        assert_eq!(read(" linestring(1.5  -2 ,0 300,7 8) "), Ok(expected));
    }

    #[test]
    fn malformed_text_is_rejected_with_the_expected_text() {
        let whole = Err("`LINESTRING (x y, x y, …)`");
        assert_eq!(read(""), whole);
        assert_eq!(read("POINT (1 2)"), whole);
        assert_eq!(read("LINESTRINÖ (1 2)"), whole);
        assert_eq!(read("LINESTRING EMPTY"), Err("a `(` after `LINESTRING`"));
        assert_eq!(read("LINESTRING (0 0, 1 1"), Err("a `)` at the end"));
        assert_eq!(read("LINESTRING ((0 0, 1 1))"), Err("one `(` and one `)`"));
        assert_eq!(read("LINESTRING (0 0)"), Err("at least two points"));
        for point in ["0", "0 0 0", "0 x", "nan 0", "inf 0", "", "1e999 0"] {
            let text = format!("LINESTRING (0 0, {point})");
            assert_eq!(read(&text), Err("two finite numbers for each point"), "{text}");
        }
    }
}
