//! Times as tracker apps write them: ISO 8601, or Unix time in seconds or milliseconds.

use jiff::Timestamp;

/// Unix time 2100-01-01 in seconds: larger numbers are milliseconds.
const MAX_SECONDS: f64 = 4_102_444_800.0;

/// Parses a time into Unix milliseconds; `None` before 1970 or if it is not a time.
pub(super) fn parse(text: &str) -> Option<u64> {
    let text = text.trim();
    match text.parse::<f64>() {
        Ok(number) => from_number(number),
        Err(_) => parse_iso(text),
    }
}

/// Converts seconds, or milliseconds beyond the year 2100, to Unix milliseconds.
pub(super) fn from_number(number: f64) -> Option<u64> {
    let millis = if number < MAX_SECONDS { number * 1000.0 } else { number };
    (0.0..1e15).contains(&millis).then_some(millis as u64)
}

/// ISO 8601 with `T` or a space, optional fraction and optional offset; UTC without an offset.
fn parse_iso(text: &str) -> Option<u64> {
    let time = text.parse::<Timestamp>().or_else(|_| format!("{text}Z").parse()).ok()?;
    u64::try_from(time.as_millisecond()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_accepted_formats_give_the_same_time() {
        for text in [
            "2016-01-27T18:55:47Z",
            "2016-01-27t18:55:47z",
            "2016-01-27T18:55:47.000Z",
            "2016-01-27 18:55:47",
            "2016-01-27T20:25:47+01:30",
            "2016-01-27T17:55:47-0100",
            "2016-01-27T19:55:47+01",
            "1453920947",
            "1453920947000",
            " 1453920947.0 ",
        ] {
            assert_eq!(parse(text), Some(1_453_920_947_000), "{text}");
        }
        assert_eq!(parse("2016-01-27T18:55"), Some(1_453_920_900_000), "without seconds");
        assert_eq!(parse("2000-02-29T00:00:00.5Z"), Some(951_782_400_500));
        assert_eq!(parse("1970-01-01T00:00:00Z"), Some(0));
    }

    #[test]
    fn other_texts_are_refused_without_a_panic() {
        for text in [
            "",
            "now",
            "NaN",
            "-5",
            "inf",
            "1e300",
            "2016-13-01T00:00:00Z",
            "2016-02-30T00:00:00Z",
            "2016-01-27",
            "2016-1",
            "T",
            "-T:",
            "2016-01-01T25:00:00Z",
            "2016-01-01T00:00:00+é9",
            "2016-01-01T00:00:00+1é9",
            "2016-01-01T00:00:00+",
            "é-é-éTé:é",
            "1970-01-01T00:00:00+05:00",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
