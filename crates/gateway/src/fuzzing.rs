//! Entry points of the fuzz targets and the mutation tests: any bytes in, no panic, bounded output.
//! Each returns whether the bytes are valid.

pub use crate::live::fuzzing::socket_message;
pub use crate::service::fuzzing::{feature_collection, overpass_answer, text_list};
pub use crate::trackers::fuzzing::{osmand, owntracks, timestamp, traccar};

use crate::api::QueryRequest;
use crate::config::{Config, Source, Sources};
use crate::service::RemoteSettings;
use crate::users::SettingsBody;

/// Reads one line of a stream, which is also the body of a query.
pub fn stream_line(bytes: &[u8]) -> bool {
    serde_json::from_slice::<QueryRequest<'_>>(bytes).is_ok()
}

/// Reads the settings of the gateway.
pub fn settings(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    Config::load(&Sources::new().file(Source::from_text("fuzz.toml", &text))).is_ok()
}

/// Reads the settings of a remote service.
pub fn service_settings(bytes: &[u8]) -> bool {
    RemoteSettings::of_toml(&String::from_utf8_lossy(bytes)).is_ok()
}

/// Reads the settings of a user.
pub fn user_settings(bytes: &[u8]) -> bool {
    serde_json::from_slice::<SettingsBody>(bytes).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::Town;
    use rand::RngExt as _;

    /// Applies one to three random flips, cuts, insertions or repetitions.
    fn mutate(bytes: &mut Vec<u8>, random: &mut impl rand::Rng) {
        const ODD: [&[u8]; 16] = [
            b"\0",
            b"\n",
            b"[",
            b"]",
            b"{",
            b"}",
            b"\"",
            b"\\u",
            b",",
            b":",
            b"-",
            b"1e999",
            b"\xff",
            "é".as_bytes(),
            b"null",
            b"18446744073709551616",
        ];
        for _ in 0..random.random_range(1..4) {
            let at = random.random_range(0..=bytes.len());
            let odd = ODD[random.random_range(0..ODD.len())];
            match random.random_range(0..6) {
                0 if at < bytes.len() => bytes[at] ^= 1 << random.random_range(0..8),
                1 if at < bytes.len() => drop(bytes.splice(at..=at, odd.iter().copied())),
                2 => drop(bytes.splice(at..at, odd.iter().copied())),
                3 => bytes.truncate(at),
                4 => {
                    let end = random.random_range(at..=bytes.len());
                    bytes.drain(at..end.min(at + 8));
                }
                _ => {
                    let piece = bytes[at..].to_vec();
                    bytes.splice(at..at, piece);
                }
            }
        }
    }

    /// Reads a valid sample, its mutations, its beginnings, and arbitrary bytes.
    #[track_caller]
    fn check(sample: &str, read: fn(&[u8]) -> bool) {
        assert!(read(sample.as_bytes()), "the unchanged sample is valid");
        let mut valid = 0;
        for seed in 0..3000 {
            let (mut bytes, mut random) = (sample.as_bytes().to_vec(), Town::generator(seed));
            mutate(&mut bytes, &mut random);
            valid += usize::from(read(&bytes));
            let arbitrary: Vec<u8> = (0..seed % 64).map(|_| random.random()).collect();
            read(&arbitrary);
        }
        for len in 0..sample.len() {
            read(&sample.as_bytes()[..len]);
        }
        assert!(valid < 3000, "the mutations reach the error paths");
    }

    #[test]
    fn no_answer_of_a_service_panics() {
        check(
            r#"{"type":"FeatureCollection","complete":false,"numberMatched":3,
             "links":[{"rel":"next","href":"?page=2"}],"features":[
             {"type":"Feature","id":"ä","geometry":{"type":"Polygon","coordinates":
             [[[1,1],[3,1.5,9],[3e0,5],[1,1]]]},"properties":{"name":"x","category":7,"z":{"a":[{}]}}},
             {"id":8,"geometry":{"geometries":[{"type":"Point","coordinates":[1,2]}]}}]}"#,
            feature_collection,
        );
        check(
            r#"{"version":0.6,"elements":[{"type":"node","id":7,"lat":50.5,"lon":9.5,
             "tags":{"amenity":"cafe","name":"Ada"}},{"type":"way","id":7,"nodes":[1],
             "geometry":[{"lat":50.6,"lon":9.6},null,{"lat":50.8,"lon":9.8}],"tags":{"shop":"yes"}},
             {"type":"relation","id":7,"members":[{"type":"node","lat":1,"lon":2},
             {"type":"way","geometry":[{"lat":3,"lon":4}]}]}],"remark":"timed out"}"#,
            overpass_answer,
        );
        check(r#"{"a":[{}],"names":["cafe","ä\n",7,null,["x"]]}"#, text_list);
    }

    #[test]
    fn no_report_of_a_phone_panics() {
        check(
            r#"{"_type":"location","lat":1.5,"lon":2.5,"tst":1767225600,"vel":36,"tid":"ab"}"#,
            owntracks,
        );
        check(
            "id=7&lat=48.5&lon=9.25&timestamp=2016-01-27T18%3A55%3A47Z&speed=3.5&valid=true&location=1,2",
            osmand,
        );
        check(
            r#"{"location":{"timestamp":"2026-01-01T00:00:05.250Z","coords":{"latitude":1.5,
             "longitude":2.5,"speed":-1}},"device_id":658765}"#,
            traccar,
        );
        check(r#"[{"id":"a","lat":1,"lon":2,"timestamp":1767225500,"speed":0.0}]"#, traccar);
        for text in ["2016-01-01T00:00:00+01:30", "1453920947000", "2016-01-27 18:55:47.5"] {
            check(text, timestamp);
        }
        for text in ["+1é9", "2016-01-01T00:00:00+1é9", "2016-01-01T00:00:00+é", "é:é"] {
            assert!(!timestamp(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn no_settings_panic() {
        check(
            "[server]\nlisten = \"127.0.0.1:80\"\n[map]\nsource = \"city:500:7\"\norigin = \"9,48\"\n\
             [engine]\ntick = 0.5\nregion = \"cells\"\n[limits]\ndc_max = 1500\nanswer_kb = 7\n\
             [service]\nsource = \"webhook+http://h/\"\ntable = \"a.b\"\n",
            settings,
        );
        check(
            "protocol = \"overpass\"\nurl = \"http://o/api\"\ntimeout = 3.5\n[categories]\n\
             cafe = \"amenity=cafe\"\n[overpass]\nmax_points = 50\n",
            service_settings,
        );
        check(
            r#"{"k":3,"dt":20,"question":{"find":"within","radius":500,"category":"cafe"},"zones":[
             {"name":"home","circle":{"lon":9,"lat":48,"radius":300},"never":true},
             {"polygon":[[9,48],[9.1,48],[9.1,48.1]],"k":9,"dt":30}]}"#,
            user_settings,
        );
    }

    #[test]
    fn no_message_of_a_client_panics() {
        check(
            r#"{"ticket":"t\n1","person":"jo","lon":8.1,"lat":53,"k":2,"dt":3,"dc":100,"speed":3,
             "question":{"find":"nearest","count":1,"along":"streets","category":"é"}}"#,
            stream_line,
        );
        for text in [
            r#"{"type":"hello","person":"jo","resume":"ab","after":7,"ask":{"k":3,"dt":10}}"#,
            r#"{"type":"position","lon":9.0002,"lat":48.0001,"ticket":"x","speed":3.5}"#,
            r#"{"type":"ask","k":3,"question":{"find":"within","radius":200}}"#,
        ] {
            check(text, socket_message);
        }
    }
}
