//! The current time in UTC, in the format of RFC 3339.

use jiff::Timestamp;

/// Returns the current time in whole seconds.
pub fn now() -> String {
    format(Timestamp::now())
}

fn format(time: Timestamp) -> String {
    time.strftime("%FT%TZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_whole_seconds_and_the_utc_suffix() {
        // Expected values: `date -u -d @SECONDS`.
        let at = |seconds| format(Timestamp::new(seconds, 999_000_000).expect("it is in range"));
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(at(1_735_689_599), "2024-12-31T23:59:59Z");
        assert_eq!(at(4_107_542_400), "2100-03-01T00:00:00Z");
    }
}
