//! `LINESTRING (x y, x y, …)`: the one kind of well-known text that a street's shape is.

use meshcloak::units::Point;

/// Reads the points of a line string into `points`, or says what was expected instead.
pub(crate) fn read_line_string(text: &str, points: &mut Vec<Point>) -> Result<(), &'static str> {
    points.clear();
    let text = text.trim();
    let word = text.get(..WORD.len()).filter(|word| word.eq_ignore_ascii_case(WORD));
    let rest = word.and(text.get(WORD.len()..)).ok_or("`LINESTRING (x y, x y, …)`")?;
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

/// What is expected instead of a line string of one point.
pub(crate) const TOO_FEW: &str = "at least two points";

const WORD: &str = "LINESTRING";

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
    fn a_line_string_is_read_whatever_its_case_and_spaces() {
        let expected = vec![Point::new(1.5, -2.0), Point::new(0.0, 3e2), Point::new(7.0, 8.0)];
        assert_eq!(read("LINESTRING (1.5 -2, 0 3e2, 7 8)"), Ok(expected.clone()));
        assert_eq!(read(" linestring(1.5  -2 ,0 300,7 8) "), Ok(expected));
    }

    #[test]
    fn anything_else_is_refused_with_what_was_expected() {
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
