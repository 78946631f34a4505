//! Parsers of argument values. Each error states the expected range.

use meshcloak::distance::MAX_DC_MAX;
use meshcloak::units::{Length, LonLat};
use std::ops::RangeInclusive;
use traffic::AskShare;

/// Largest distance, in metres, that an argument may have.
const MAX_METRES: f64 = 1e6;

/// Parses a number in `range`; `expected` describes the range.
fn number(text: &str, range: RangeInclusive<f64>, expected: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("expected {expected}"))
}

/// Parses `--dc-max` in metres, rounded down; the distance matrix limits it.
pub fn dc_max(text: &str) -> Result<Length, String> {
    let length = text.parse().map(Length::metres_down).unwrap_or_default();
    if Length::ZERO < length && length <= MAX_DC_MAX {
        return Ok(length);
    }
    Err(format!("expected metres above 0, at most {}", MAX_DC_MAX.as_metres()))
}

/// Parses seconds from 0.001 with at most three decimals, as milliseconds.
pub fn positive_millis(text: &str) -> Result<u64, String> {
    let expected = "seconds from 0.001 to 1000000 with at most three decimals";
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let checked = if decimals <= 3 { text } else { "" };
    Ok((number(checked, 0.001..=1e6, expected)? * 1000.0).round() as u64)
}

/// Parses seconds from 0, rounded to milliseconds.
pub fn millis(text: &str) -> Result<u32, String> {
    Ok((number(text, 0.0..=1e6, "seconds from 0 to 1000000")? * 1000.0).round() as u32)
}

/// Parses seconds from 0.1, rounded to milliseconds.
pub fn interval_millis(text: &str) -> Result<u32, String> {
    Ok((number(text, 0.1..=1e6, "seconds from 0.1 to 1000000")? * 1000.0).round() as u32)
}

/// Parses a percentage of agents that ask.
pub fn ask_share(text: &str) -> Result<AskShare, String> {
    let percent = text.parse().ok().and_then(AskShare::percent);
    percent.ok_or_else(|| "expected a whole number from 0 to 100".to_owned())
}

/// Parses a number above 0 and below 1.
pub fn fraction(text: &str) -> Result<f64, String> {
    number(text, f64::MIN_POSITIVE..=1.0 - f64::EPSILON, "a number above 0 and below 1")
}

/// Parses days from 0.01 to 3650.
pub fn days(text: &str) -> Result<f64, String> {
    number(text, 0.01..=3650.0, "days from 0.01 to 3650")
}

/// Parses a number above 0, up to a million.
pub fn positive_number(text: &str) -> Result<f64, String> {
    number(text, f64::MIN_POSITIVE..=1e6, "a number above 0, at most 1000000")
}

/// Parses a number from 0 to 1.
pub fn share(text: &str) -> Result<f64, String> {
    number(text, 0.0..=1.0, "a number from 0 to 1")
}

/// Parses metres from 0.
pub fn metres(text: &str) -> Result<f64, String> {
    number(text, 0.0..=MAX_METRES, "metres from 0 to 1000000")
}

/// Parses metres above 0.
pub fn positive_metres(text: &str) -> Result<f64, String> {
    number(text, f64::MIN_POSITIVE..=f64::MAX, "metres above 0")
}

/// Parses the length of a cell: metres from 1.
pub fn cell_length(text: &str) -> Result<Length, String> {
    number(text, 1.0..=MAX_METRES, "metres from 1 to 1000000").map(Length::metres)
}

/// Parses the distance of a horizon: metres from 1 to 100 km.
pub fn horizon_distance(text: &str) -> Result<Length, String> {
    number(text, 1.0..=1e5, "metres from 1 to 100000").map(Length::metres)
}

/// Parses a range of k, as in `2-5`; one number stands for both bounds.
pub fn k_range(text: &str) -> Result<(u32, u32), String> {
    let (min, max) = text.split_once('-').unwrap_or((text, text));
    match (min.trim().parse(), max.trim().parse()) {
        (Ok(min), Ok(max)) if 2 <= min && min <= max => Ok((min, max)),
        _ => Err("expected MIN-MAX with 2 or more, as in 2-5".into()),
    }
}

/// Parses a position in degrees.
pub fn lon_lat(text: &str) -> Result<LonLat, String> {
    let numbers = text
        .split_once(',')
        .and_then(|(lon, lat)| LonLat::new(lon.trim().parse().ok()?, lat.trim().parse().ok()?));
    numbers.ok_or_else(|| "expected LON,LAT in degrees, as in 8.21,53.14".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_out_of_range_are_rejected() {
        assert_eq!(dc_max("2000"), Ok(Length::metres(2000.0)));
        assert_eq!(dc_max("2047"), Ok(MAX_DC_MAX));
        for bad in ["0", "-5", "2047.1", "nan", "far", "0.01"] {
            assert!(dc_max(bad).is_err(), "{bad}");
        }
        assert_eq!(cell_length("600"), Ok(Length::metres(600.0)));
        for bad in ["0", "0.5", "-1", "nan", "1e7", "long"] {
            assert!(cell_length(bad).is_err(), "{bad}");
        }
        assert!(metres("-1").is_err() && metres("NaN").is_err());
    }

    #[test]
    fn times_out_of_range_are_rejected() {
        assert_eq!(positive_millis("0.25"), Ok(250));
        for bad in ["0", "0.0005", "1.0005", "-1", "inf", "soon"] {
            assert!(positive_millis(bad).is_err(), "{bad}");
        }
        assert_eq!(millis("2.5"), Ok(2500));
        assert!(millis("-1").is_err() && millis("nan").is_err());
        assert!(interval_millis("0.05").is_err());
    }

    #[test]
    fn ranges_of_k_are_two_ascending_numbers() {
        assert_eq!(k_range("2-5"), Ok((2, 5)));
        assert_eq!(k_range("7"), Ok((7, 7)));
        for bad in ["", "5-2", "1-5", "2-", "a-b", "-3"] {
            assert!(k_range(bad).is_err(), "{bad}");
        }
    }
}
