//! The HTTP mode of OwnTracks: a request holds one JSON object with a `_type`, the response is a
//! JSON array of such objects.

use super::report::TrackerReport;
use super::time;
use serde_json::{Value, json};

/// Parses a message; `None` if it is not a location.
pub(super) fn parse(body: &[u8]) -> Result<Option<TrackerReport>, serde_json::Error> {
    if body.trim_ascii().is_empty() {
        return Ok(None); // sent when a contact was deleted
    }
    let message: Value = serde_json::from_slice(body)?;
    let number = |key: &str| message.get(key).and_then(Value::as_f64);
    if message.get("_type").and_then(Value::as_str) != Some("location") {
        return Ok(None);
    }
    let coordinates = number("lon").zip(number("lat"));
    Ok(coordinates.map(|(lon, lat)| TrackerReport {
        lon,
        lat,
        tracker_millis: number("tst").and_then(time::from_number),
        // `vel` is in km/h.
        speed: number("vel").filter(|speed| *speed >= 0.0).map(|speed| speed / 3.6),
    }))
}

/// Converts a result into messages that the app displays: each object of the answer becomes a
/// contact, with a location and a card that holds its name. `tid` identifies a contact and is the
/// index in the answer, so the next answer replaces this one.
pub(super) fn reply(result: &Value, unix_seconds: u64) -> Value {
    let objects = result["answer"].as_array().map_or(&[][..], Vec::as_slice);
    let contacts = objects.iter().enumerate().flat_map(|(index, object)| {
        let tid = format!("{:02}", index.saturating_add(1));
        let text = |key: &str| object[key].as_str().filter(|text| !text.is_empty());
        let name = text("name").or(text("category")).unwrap_or("?");
        let metres = object["metres"].as_f64().unwrap_or(0.0).round();
        let name = format!("{name} ({metres} m)");
        [
            json!({"_type": "location", "tid": &tid, "lat": object["lat"], "lon": object["lon"],
                   "tst": unix_seconds}),
            json!({"_type": "card", "tid": tid, "name": name}),
        ]
    });
    Value::Array(contacts.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_converted_and_other_messages_ignored() {
        let report =
            parse(br#"{"_type":"location","lat":1.5,"lon":2.5,"tst":1767225600,"vel":36}"#);
        let report = report.unwrap().unwrap();
        assert_eq!((report.lat, report.lon), (1.5, 2.5));
        assert_eq!((report.tracker_millis, report.speed), (Some(1_767_225_600_000), Some(10.0)));
        for other in [
            "",
            " \n",
            "[]",
            "7",
            "{}",
            r#"{"_type":"lwt","tst":1}"#,
            r#"{"_type":"encrypted","data":"xyz"}"#,
            r#"{"_type":"location","lat":1}"#,
            r#"{"_type":"location","lat":"1","lon":2}"#,
            r#"{"_type":["location"],"lat":1,"lon":2}"#,
        ] {
            assert!(parse(other.as_bytes()).unwrap().is_none(), "{other}");
        }
        assert!(parse(b"{").is_err() && parse(&[0xff]).is_err());
        let odd = br#"{"_type":"location","lat":1,"lon":2,"tst":"x","vel":-1}"#;
        let odd = parse(odd).unwrap().unwrap();
        assert_eq!((odd.tracker_millis, odd.speed), (None, None));
    }

    #[test]
    fn objects_are_returned_as_contacts_with_cards() {
        let result = json!({"answer": [
            {"name": "Café Ä", "category": "cafe", "lon": 8.1, "lat": 53.1, "metres": 120.4},
            {"name": "", "category": "bar", "lon": 8.2, "lat": 53.2, "metres": 200.0},
        ]});
        let reply = reply(&result, 1_767_225_600);
        assert_eq!(reply[0]["lat"], 53.1);
        assert_eq!(reply[1]["name"], "Café Ä (120 m)");
        assert_eq!(reply[3], json!({"_type": "card", "tid": "02", "name": "bar (200 m)"}));
        assert_eq!(super::reply(&Value::Null, 0), json!([]));
    }
}
