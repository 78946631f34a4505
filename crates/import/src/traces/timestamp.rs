//! Timestamps as GPX writes them: `2013-07-01T00:00:58Z`, optionally with a fraction or an offset.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// Parses an ISO 8601 date and time into milliseconds since 1970; without a zone it is UTC.
///
/// The date must be `YYYY-MM-DD` and the time must include seconds. A leap second counts as the
/// first second of the next minute.
pub(super) fn milliseconds(text: &str) -> Option<i64> {
    let text = text.trim();
    let bytes = text.as_bytes();
    let is_extended = [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')]
        .iter()
        .all(|&(index, separator)| bytes.get(index) == Some(&separator));
    if !is_extended || text.contains('[') {
        return None;
    }
    let utc = |civil: DateTime| civil.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    let timestamp: Option<Timestamp> =
        text.parse().ok().or_else(|| text.parse().ok().and_then(utc));
    // jiff reads second 60 as 59.
    let leap_second = if bytes.get(17..19) == Some(b"60") { 1000 } else { 0 };
    let milliseconds = timestamp?.as_nanosecond().div_euclid(1_000_000);
    i64::try_from(milliseconds).ok().map(|milliseconds| milliseconds.saturating_add(leap_second))
}

#[cfg(test)]
mod tests {
    use super::milliseconds;

    #[test]
    fn timestamps_count_milliseconds_since_1970() {
        let known = [
            ("1970-01-01T00:00:00Z", 0),
            ("2013-07-01T00:00:58Z", 1_372_636_858_000),
            ("2000-02-29T12:00:00.5Z", 951_825_600_500),
            ("2024-12-31T23:59:59.9999Z", 1_735_689_599_999),
            ("2013-07-01T02:00:58+02:00", 1_372_636_858_000),
            ("2013-06-30T19:30:58-0430", 1_372_636_858_000),
            ("1969-12-31T23:59:59", -1_000),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000),
            ("1969-12-31 23:59:59,5Z", -500),
            (" 2100-03-01t00:00:00z ", 4_107_542_400_000),
        ];
        for (text, expected) in known {
            assert_eq!(milliseconds(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn malformed_timestamps_are_rejected() {
        let wrong = [
            "",
            "T",
            "2013-07-01",
            "2013-02-29T00:00:00Z",
            "2013-13-01T00:00:00Z",
            "2013-07-01T24:00:00Z",
            "2013-07-01T00:61:00Z",
            "2013-7-01T00:00:00Z",
            "2013-07-01T00:00Z",
            "2013-07-01T00:00:00.x",
            "2013-07-01T00:00:00+2",
            "0000-01-01T0",
            "2013-07-01T00:00:00+äö",
            "-2013-07-01T00:00:00Z",
        ];
        for text in wrong {
            assert_eq!(milliseconds(text), None, "{text}");
        }
    }
}
