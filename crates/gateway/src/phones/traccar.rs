//! What Traccar Client says since version 9: one JSON object, speed in metres per second.

use super::report::Report;
use super::time;
use serde_json::Value;

/// Reads what the app posted; `None` if there is no place in it. Of several locations the last
/// counts. `Err` if it is not JSON.
pub(super) fn read(body: &[u8]) -> Result<(Option<Report>, String), serde_json::Error> {
    let message: Value = serde_json::from_slice(body)?;
    let location = match &message["location"] {
        Value::Array(several) => several.last().unwrap_or(&Value::Null),
        one => one,
    };
    let coords = &location["coords"];
    let place = coords["longitude"].as_f64().zip(coords["latitude"].as_f64());
    let report = place.map(|(lon, lat)| Report {
        lon,
        lat,
        made: match &location["timestamp"] {
            Value::String(text) => time::parse(text),
            other => other.as_f64().and_then(time::of_number),
        },
        // Below zero: not known.
        speed: coords["speed"].as_f64().filter(|speed| *speed >= 0.0),
    });
    let device = match &message["device_id"] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    Ok((report, device))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_speed_is_none_and_a_location_without_place_is_dropped() {
        let text = r#"{"location":{"timestamp":"2026-01-01T00:00:05.250Z","coords":{"latitude":1.5,
            "longitude":2.5,"speed":-1,"heading":-1}},"device_id":658765}"#;
        let (report, device) = read(text.as_bytes()).unwrap();
        let report = report.unwrap();
        assert_eq!((report.made, report.speed), (Some(1_767_225_605_250), None));
        assert_eq!((report.lat, report.lon, &*device), (1.5, 2.5, "658765"));
        for other in ["{}", "[]", "1", r#"{"location":[]}"#, r#"{"location":{"coords":{}}}"#] {
            assert!(read(other.as_bytes()).unwrap().0.is_none(), "{other}");
        }
        assert!(read(b"").is_err() && read(b"id=1").is_err());
        let several = r#"{"location":[{},{"coords":{"latitude":3,"longitude":4,"speed":2}}]}"#;
        let report = read(several.as_bytes()).unwrap().0.unwrap();
        assert_eq!((report.lat, report.speed), (3.0, Some(2.0)));
    }
}
