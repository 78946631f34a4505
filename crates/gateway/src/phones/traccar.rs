//! What Traccar Client says as JSON: since version 9 one object with a `location`, speed in metres
//! per second; apps made with its SDK a list of flat objects, speed in knots.

use super::osmand::KNOT;
use super::report::Report;
use super::time;
use serde_json::Value;

/// Reads what the app posted; `None` if there is no place in it. Of several locations the last
/// counts. `Err` if it is not JSON.
pub(super) fn read(body: &[u8]) -> Result<(Option<Report>, String), serde_json::Error> {
    let message: Value = serde_json::from_slice(body)?;
    let message = newest(&message);
    let device = match (&message["device_id"], &message["id"]) {
        (Value::Null, Value::Null) => String::new(),
        (Value::String(text), _) | (Value::Null, Value::String(text)) => text.clone(),
        (Value::Null, other) | (other, _) => other.to_string(),
    };
    let location = newest(&message["location"]);
    Ok((nested(location).or_else(|| flat(message)), device))
}

/// The last of several, or the only one.
fn newest(message: &Value) -> &Value {
    match message {
        Value::Array(several) => several.last().unwrap_or(&Value::Null),
        one => one,
    }
}

fn nested(location: &Value) -> Option<Report> {
    let coords = &location["coords"];
    let place = coords["longitude"].as_f64().zip(coords["latitude"].as_f64());
    // Below zero: not known.
    let speed = coords["speed"].as_f64().filter(|speed| *speed >= 0.0);
    place.map(|(lon, lat)| Report { lon, lat, made: made(location), speed })
}

fn flat(message: &Value) -> Option<Report> {
    let place = message["lon"].as_f64().zip(message["lat"].as_f64());
    let speed = message["speed"].as_f64().filter(|speed| *speed >= 0.0);
    let speed = speed.map(|speed| speed * KNOT);
    place.map(|(lon, lat)| Report { lon, lat, made: made(message), speed })
}

fn made(location: &Value) -> Option<u64> {
    match &location["timestamp"] {
        Value::String(text) => time::parse(text),
        other => other.as_f64().and_then(time::of_number),
    }
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
        for other in [
            "{}",
            "[]",
            "1",
            r#"{"location":[]}"#,
            "[{}]",
            r#"[{"id":1,"lat":2}]"#,
            r#"{"location":{"coords":{}}}"#,
        ] {
            assert!(read(other.as_bytes()).unwrap().0.is_none(), "{other}");
        }
        let sdk = r#"[{"id":"a","lat":1,"lon":2,"timestamp":1767225500,"speed":0.0},
            {"id":"a","lat":3.5,"lon":4.5,"timestamp":1767225605,"speed":36,"batt":64}]"#;
        let (report, device) = read(sdk.as_bytes()).unwrap();
        let report = report.unwrap();
        assert_eq!((report.lat, report.lon, &*device), (3.5, 4.5, "a"), "the newest");
        assert_eq!(report.made, Some(1_767_225_605_000));
        assert!((report.speed.unwrap() - 18.52).abs() < 1e-9, "36 knots");
        assert!(read(b"").is_err() && read(b"id=1").is_err());
        let several = r#"{"location":[{},{"coords":{"latitude":3,"longitude":4,"speed":2}}]}"#;
        let report = read(several.as_bytes()).unwrap().0.unwrap();
        assert_eq!((report.lat, report.speed), (3.0, Some(2.0)));
    }
}
