//! Reports of OsmAnd, and of Traccar Client before version 9: a query string, or the same as a
//! form. Speed is in knots.

use super::report::{ParsedReport, TrackerReport};
use super::time;

/// One knot in metres per second.
pub(super) const KNOT: f64 = 1852.0 / 3600.0;

/// Parses the parameters. There is no report without coordinates or with `valid=false`.
///
/// # Errors
/// The parameter that cannot be parsed.
pub(super) fn parse(parameters: &[u8]) -> Result<ParsedReport, &'static str> {
    let (mut lon, mut lat, mut tracker_millis, mut speed) = (None, None, None, None);
    let (mut device, mut valid) = (String::new(), true);
    for (key, value) in form_urlencoded::parse(parameters) {
        let number = || value.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        match &*key {
            "lat" => lat = Some(number().ok_or("`lat` is not a finite number")?),
            "lon" => lon = Some(number().ok_or("`lon` is not a finite number")?),
            "location" => {
                let (first, second) = value.split_once(',').ok_or("`location` is not `lat,lon`")?;
                let part =
                    |text: &str| text.trim().parse().map_err(|_| "`location` is not `lat,lon`");
                (lat, lon) = (Some(part(first)?), Some(part(second)?));
            }
            "timestamp" => {
                tracker_millis = Some(
                    time::parse(&value).ok_or("`timestamp` is neither Unix time nor ISO 8601")?,
                );
            }
            "speed" => speed = Some(number().ok_or("`speed` is not a finite number")?),
            "id" | "deviceid" => device = value.into_owned(),
            "valid" => valid = matches!(&*value, "true" | "1"),
            _ => {}
        }
    }
    let coordinates = lon.zip(lat).filter(|_| valid);
    let speed = speed.filter(|speed| *speed >= 0.0).map(|speed| speed * KNOT);
    let report = coordinates.map(|(lon, lat)| TrackerReport { lon, lat, tracker_millis, speed });
    Ok(ParsedReport { report, device })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_converted_and_unknown_parameters_ignored() {
        let text = "id=9&timestamp=1767225600&lat=60.0&lon=30.0&speed=36&bearing=0&batt=87.0&x=%ff";
        let ParsedReport { report, device } = parse(text.as_bytes()).unwrap();
        let report = report.unwrap();
        assert_eq!((report.lat, report.lon, &*device), (60.0, 30.0, "9"));
        assert_eq!(report.tracker_millis, Some(1_767_225_600_000));
        assert!((report.speed.unwrap() - 18.52).abs() < 1e-9, "36 knots");
        let ParsedReport { report, device } =
            parse(b"deviceid=7&location=60.0,30.0&timestamp=1767225600579").unwrap();
        let report = report.unwrap();
        assert_eq!((report.lat, report.lon, &*device), (60.0, 30.0, "7"));
        assert_eq!(report.tracker_millis, Some(1_767_225_600_579));
        for dropped in ["", "id=1", "lat=1", "id=1&cell=257,02,16,2224", "lat=1&lon=2&valid=false"]
        {
            assert!(parse(dropped.as_bytes()).unwrap().report.is_none(), "{dropped}");
        }
        for wrong in [
            "lat=x&lon=2",
            "lat=&lon=2",
            "lat=NaN&lon=1",
            "lat=1&lon=inf",
            "location=1",
            "location=1,x",
            "lat=1&lon=2&timestamp=soon",
            "lat=1&lon=2&speed=fast",
        ] {
            assert!(parse(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
