//! Parsers of setting values. The error is the expected form.

use meshcloak::distance::MAX_DC_MAX;
use meshcloak::units::{Length, LonLat};
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

/// Expected form of a value, as in "expected seconds from 1 to 9".
pub(super) type Expected = String;

/// Parses an integer within a range.
pub(super) fn whole<T: TryFrom<u64>>(
    text: &str,
    range: RangeInclusive<u64>,
) -> Result<T, Expected> {
    let number = text.parse::<u64>().ok().filter(|number| range.contains(number));
    number
        .and_then(|number| T::try_from(number).ok())
        .ok_or_else(|| format!("a whole number from {} to {}", range.start(), range.end()))
}

/// Parses seconds within a range, with at most three decimals.
pub(super) fn seconds(text: &str, range: RangeInclusive<f64>) -> Result<Duration, Expected> {
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    match text.parse::<f64>() {
        Ok(seconds) if decimals <= 3 && range.contains(&seconds) => {
            Ok(Duration::from_millis((seconds * 1000.0).round() as u64))
        }
        _ => Err(format!(
            "seconds from {} to {} with at most three decimals",
            range.start(),
            range.end()
        )),
    }
}

/// Parses a distance constraint in metres.
pub(super) fn constraint(text: &str) -> Result<Length, Expected> {
    let length = text.parse().map(Length::metres_down).unwrap_or_default();
    let fits = Length::ZERO < length && length <= MAX_DC_MAX;
    fits.then_some(length)
        .ok_or_else(|| format!("metres above 0, at most {}", MAX_DC_MAX.as_metres()))
}

/// Parses metres within a range.
pub(super) fn metres(text: &str, range: RangeInclusive<f64>) -> Result<f64, Expected> {
    let metres = text.parse().ok().filter(|metres| range.contains(metres));
    metres.ok_or_else(|| format!("metres from {} to {}", range.start(), range.end()))
}

/// Parses a snapping distance in metres; 0 means unlimited.
pub(super) fn snap(text: &str) -> Result<Option<f64>, Expected> {
    match text.parse::<f64>() {
        Ok(0.0) => Ok(None),
        Ok(metres) if (0.0..=1e6).contains(&metres) => Ok(Some(metres)),
        _ => Err("metres from 0 to 1000000 (0 disables the limit)".into()),
    }
}

/// Parses an IP address with port.
pub(super) fn address(text: &str) -> Result<SocketAddr, Expected> {
    text.parse().map_err(|_| "an IP address and a port, as in 127.0.0.1:8080 or [::1]:8080".into())
}

/// Parses a path; an empty text is `None`.
pub(super) fn path(text: &str) -> Option<PathBuf> {
    (!text.is_empty()).then(|| PathBuf::from(text))
}

/// Parses origins separated by commas, as browsers send them: `https://HOST[:PORT]`, or `http` on this
/// machine. A page that arrived in the clear could have been changed on the way.
pub(super) fn origins(text: &str) -> Result<Vec<String>, Expected> {
    let given = text.split(',').map(str::trim).filter(|origin| !origin.is_empty());
    let checked = given.map(|origin| is_origin(origin).then(|| origin.to_owned()));
    checked.collect::<Option<_>>().ok_or_else(|| {
        "origins as in https://app.example or http://localhost:5173, without a path".into()
    })
}

fn is_origin(text: &str) -> bool {
    let Some((scheme, host_port)) = text.split_once("://") else { return false };
    let (host, port) = match host_port.rsplit_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (host_port, None),
    };
    let is_host = !host.is_empty()
        && host.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || b"-.".contains(&c));
    // Browsers leave out the port 443 of https and 80 of http.
    let standard = if scheme == "https" { 443 } else { 80 };
    let is_port = |port: &str| port.parse::<u16>().is_ok_and(|port| port > 0 && port != standard);
    let is_secure =
        scheme == "https" || (scheme == "http" && ["localhost", "127.0.0.1"].contains(&host));
    is_host && port.is_none_or(is_port) && is_secure
}

/// Parses LON,LAT in degrees; an empty text is `None`.
pub(super) fn lon_lat(text: &str) -> Result<Option<LonLat>, Expected> {
    if text.is_empty() {
        return Ok(None);
    }
    let parsed = text
        .split_once(',')
        .and_then(|(lon, lat)| LonLat::new(lon.trim().parse().ok()?, lat.trim().parse().ok()?));
    parsed.map(Some).ok_or_else(|| "LON,LAT in degrees, as in 8.21,53.14, or an empty text".into())
}

/// Parses one of several words.
pub(super) fn one_of<T: Copy>(text: &str, words: &[(&str, T)]) -> Result<T, Expected> {
    let found = words.iter().find(|(word, _)| *word == text);
    found.map(|&(_, value)| value).ok_or_else(|| {
        let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        format!("one of {}", words.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_values_are_refused_with_the_expected_form() {
        assert_eq!(seconds("0.25", 0.1..=10.0), Ok(Duration::from_millis(250)));
        for bad in ["0.05", "nan", "-1", "inf", "0.2501", "soon", ""] {
            assert!(seconds(bad, 0.1..=10.0).is_err(), "{bad}");
        }
        assert_eq!(whole::<u32>("7", 1..=9), Ok(7));
        assert_eq!(whole::<u32>("0", 1..=9), Err("a whole number from 1 to 9".into()));
        assert!(whole::<u8>("300", 1..=900).is_err());
        assert_eq!(snap("0"), Ok(None));
        assert!(snap("nan").is_err() && constraint("0").is_err() && constraint("3000").is_err());
        assert!(address("localhost").is_err() && lon_lat("8,95").is_err());
        assert_eq!(one_of("b", &[("a", 1), ("b", 2)]), Ok(2));
        assert_eq!(one_of("c", &[("a", 1), ("b", 2)]), Err("one of a, b".into()));
    }

    #[test]
    fn origins_are_as_browsers_send_them() {
        let several = "https://app.example, http://localhost:5173,https://10.0.0.1:8443";
        let expected = ["https://app.example", "http://localhost:5173", "https://10.0.0.1:8443"];
        assert_eq!(origins(several), Ok(expected.map(str::to_owned).to_vec()));
        assert_eq!(origins(""), Ok(Vec::new()));
        for bad in [
            "*",
            "null",
            "app.example",
            "http://app.example",
            "https://app.example/",
            "https://App.example",
            "https://app.example:443",
            "http://localhost:80",
            "https://app.example:",
            "https://",
            "https://*.example",
            "https://localhost,*",
        ] {
            assert!(origins(bad).is_err(), "{bad}");
        }
    }
}
