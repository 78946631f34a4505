//! JSON reports of Traccar Client. Version 9 and later send one object with a `location` and the
//! speed in metres per second; apps built with its SDK send a list of flat objects and knots.

use super::osmand::KNOT;
use super::report::{ParsedReport, TrackerReport};
use super::time;
use serde_json::Value;

/// Parses a request. There is no report without coordinates; the last of several locations is
/// used.
pub(super) fn parse(body: &[u8]) -> Result<ParsedReport, serde_json::Error> {
    let message: Value = serde_json::from_slice(body)?;
    let message = last_of(&message);
    let device = match (&message["device_id"], &message["id"]) {
        (Value::Null, Value::Null) => String::new(),
        (Value::String(text), _) | (Value::Null, Value::String(text)) => text.clone(),
        (Value::Null, other) | (other, _) => other.to_string(),
    };
    let location = last_of(&message["location"]);
    Ok(ParsedReport { report: nested(location).or_else(|| flat(message)), device })
}

/// Returns the last element of an array, or the value itself.
fn last_of(message: &Value) -> &Value {
    match message {
        Value::Array(items) => items.last().unwrap_or(&Value::Null),
        single => single,
    }
}

fn nested(location: &Value) -> Option<TrackerReport> {
    let coords = &location["coords"];
    let coordinates = coords["longitude"].as_f64().zip(coords["latitude"].as_f64());
    // Negative means unknown.
    let speed = coords["speed"].as_f64().filter(|speed| *speed >= 0.0);
    coordinates.map(|(lon, lat)| TrackerReport {
        lon,
        lat,
        tracker_millis: timestamp(location),
        speed,
    })
}

fn flat(message: &Value) -> Option<TrackerReport> {
    let coordinates = message["lon"].as_f64().zip(message["lat"].as_f64());
    let speed = message["speed"].as_f64().filter(|speed| *speed >= 0.0);
    let speed = speed.map(|speed| speed * KNOT);
    coordinates.map(|(lon, lat)| TrackerReport {
        lon,
        lat,
        tracker_millis: timestamp(message),
        speed,
    })
}

fn timestamp(location: &Value) -> Option<u64> {
    match &location["timestamp"] {
        Value::String(text) => time::parse(text),
        other => other.as_f64().and_then(time::from_number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_formats_are_parsed_and_locations_without_coordinates_dropped() {
        let text = r#"{"location":{"timestamp":"2026-01-01T00:00:05.250Z","coords":{"latitude":1.5,
            "longitude":2.5,"speed":-1,"heading":-1}},"device_id":658765}"#;
        let ParsedReport { report, device } = parse(text.as_bytes()).unwrap();
        let report = report.unwrap();
        assert_eq!((report.tracker_millis, report.speed), (Some(1_767_225_605_250), None));
        assert_eq!((report.lat, report.lon, &*device), (1.5, 2.5, "658765"));
        for other in [
            "{}",
            "[]",
            "1",
            r#"{"location":[]}"#,
            "[{}]",
            r#"[{"id":1,"lat":2}]"#,
            r#"{"location":{"coords":{}}}"#,
        ] {
            assert!(parse(other.as_bytes()).unwrap().report.is_none(), "{other}");
        }
        let sdk = r#"[{"id":"a","lat":1,"lon":2,"timestamp":1767225500,"speed":0.0},
            {"id":"a","lat":3.5,"lon":4.5,"timestamp":1767225605,"speed":36,"batt":64}]"#;
        let ParsedReport { report, device } = parse(sdk.as_bytes()).unwrap();
        let report = report.unwrap();
        assert_eq!((report.lat, report.lon, &*device), (3.5, 4.5, "a"), "the newest");
        assert_eq!(report.tracker_millis, Some(1_767_225_605_000));
        assert!((report.speed.unwrap() - 18.52).abs() < 1e-9, "36 knots");
        assert!(parse(b"").is_err() && parse(b"id=1").is_err());
        let several = r#"{"location":[{},{"coords":{"latitude":3,"longitude":4,"speed":2}}]}"#;
        let report = parse(several.as_bytes()).unwrap().report.unwrap();
        assert_eq!((report.lat, report.speed), (3.0, Some(2.0)));
    }
}
