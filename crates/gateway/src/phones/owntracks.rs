//! What OwnTracks says in HTTP mode, and what it understands: one JSON object a request, told
//! apart by `_type`; a JSON array in return.

use super::report::Report;
use super::time;
use serde_json::{Value, json};

/// Reads what an app posted: a location, or (`None`) anything else that it may say. `Err` if it
/// is not JSON.
pub(super) fn read(body: &[u8]) -> Result<Option<Report>, serde_json::Error> {
    if body.trim_ascii().is_empty() {
        return Ok(None); // a friend was deleted
    }
    let message: Value = serde_json::from_slice(body)?;
    if message["_type"] != "location" {
        return Ok(None);
    }
    let place = message["lon"].as_f64().zip(message["lat"].as_f64());
    Ok(place.map(|(lon, lat)| Report {
        lon,
        lat,
        made: message["tst"].as_f64().and_then(time::of_number),
        // In km/h.
        speed: message["vel"].as_f64().filter(|speed| *speed >= 0.0).map(|speed| speed / 3.6),
    }))
}

/// An answer as the apps show one: each place is a friend, by the place and a card with its name.
/// Friends are told apart by `tid`, so the places of the next answer take the place of these.
pub(super) fn reply(result: &Value, unix_seconds: u64) -> Value {
    let found = result["answer"].as_array().map_or(&[][..], Vec::as_slice);
    let friends = found.iter().enumerate().flat_map(|(number, found)| {
        let tid = format!("{:02}", number + 1);
        let text = |key: &str| found[key].as_str().filter(|text| !text.is_empty());
        let name = text("name").or(text("category")).unwrap_or("?");
        let metres = found["metres"].as_f64().unwrap_or(0.0).round();
        let name = format!("{name} ({metres} m)");
        [
            json!({"_type": "location", "tid": &tid, "lat": found["lat"], "lon": found["lon"],
                   "tst": unix_seconds}),
            json!({"_type": "card", "tid": tid, "name": name}),
        ]
    });
    Value::Array(friends.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_is_read_in_its_own_units_and_everything_else_is_let_pass() {
        let report = read(br#"{"_type":"location","lat":1.5,"lon":2.5,"tst":1767225600,"vel":36}"#);
        let report = report.unwrap().unwrap();
        assert_eq!((report.lat, report.lon), (1.5, 2.5));
        assert_eq!((report.made, report.speed), (Some(1_767_225_600_000), Some(10.0)));
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
            assert!(read(other.as_bytes()).unwrap().is_none(), "{other}");
        }
        assert!(read(b"{").is_err() && read(&[0xff]).is_err());
        let odd = br#"{"_type":"location","lat":1,"lon":2,"tst":"x","vel":-1}"#;
        let odd = read(odd).unwrap().unwrap();
        assert_eq!((odd.made, odd.speed), (None, None));
    }

    #[test]
    fn places_come_back_as_friends_with_cards() {
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
