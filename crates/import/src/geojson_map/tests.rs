use super::*;
use crate::testing::whole;
use meshcloak::map::{Frame, StreetMap};
use meshcloak::units::LonLat;
use serde_json::{Value, json};

#[expect(clippy::needless_pass_by_value, reason = "literals read better without references")]
fn feature(coordinates: Value, properties: Value) -> Value {
    let geometry = json!({ "type": "LineString", "coordinates": coordinates });
    json!({ "type": "Feature", "geometry": geometry, "properties": properties })
}

fn read_features(features: &[Value]) -> Result<Draft, ImportError> {
    let text = json!({ "type": "FeatureCollection", "features": features }).to_string();
    assert!(is_geojson(text.as_bytes()));
    read(Input::from_bytes("m.geojson", text.as_bytes()))
}

fn map(features: &[Value]) -> StreetMap {
    whole(read_features(features).unwrap())
}

#[test]
fn lines_meet_where_they_share_a_vertex() {
    let across = feature(json!([[2.0, 48.0], [2.01, 48.0], [2.02, 48.0]]), json!({ "id": "a" }));
    let up =
        feature(json!([[2.01, 48.0], [2.01, 48.01]]), json!({ "name": "Up", "oneway": "yes" }));
    let bridge = feature(json!([[2.005, 47.99], [2.005, 48.01]]), json!({ "oneway": -1 }));
    let map = map(&[across, up, bridge]);
    let labels: Vec<&str> = map.streets().map(|street| map.street_label(street)).collect();
    assert_eq!(labels, ["a", "a#2", "1", "2"], "the line is split where the other begins");
    assert_eq!(map.terminal_count(), 6, "lines without a common vertex do not meet");
    let one_way: Vec<bool> = map.streets().map(|street| map.street(street).one_way).collect();
    assert_eq!(one_way, [false, false, true, true]);
    let last = map.street(map.streets().last().unwrap());
    assert!(map.terminal(last.from).y > map.terminal(last.to).y, "against the line");
    let up = map.streets().nth(2).unwrap();
    assert_eq!(map.street_name(up), Some("Up"));
    assert!((map.metres(up) - 1_112.0).abs() < 2.0, "{}", map.metres(up));
}

#[test]
fn a_written_map_is_read_with_the_same_streets() {
    let Ok(crate::MapSource::City(plan)) = "city:500:3".parse() else { panic!("a city") };
    let mut draft = crate::city::build(plan, &());
    draft.builder.set_frame(Frame::at(LonLat { lon: 2.3, lat: 48.8 }));
    let written = whole(draft);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.geojson");
    crate::geojson::write(&written, &path).unwrap();
    let read = whole(read(Input::open(&path, &()).unwrap()).unwrap());
    let total = |map: &StreetMap| map.streets().map(|street| map.metres(street)).sum::<f64>();
    assert!((total(&read) / total(&written) - 1.0).abs() < 1e-3);
    assert_eq!(read.pois().count(), written.pois().count());
    assert!(read.street_count() >= written.street_count());
    let one_way = |map: &StreetMap| map.streets().filter(|&s| map.street(s).one_way).count();
    assert!(one_way(&read) >= one_way(&written));
}

#[test]
fn invalid_files_are_refused_with_their_feature() {
    let problem = |features: &[Value]| read_features(features).unwrap_err().to_string();
    let far = feature(json!([[2.0, 48.0], [200.0, 48.0]]), Value::Null);
    assert!(problem(&[far]).contains("`coordinates`"));
    let point = json!({ "type": "Feature", "properties": null,
                        "geometry": { "type": "Point", "coordinates": [2.0, 48.0] } });
    assert!(problem(&[point]).contains("lines"), "no street");
    let text = "{\"type\": \"FeatureCollection\", \"features\": [";
    assert!(read(Input::from_bytes("m.geojson", text.as_bytes())).is_err());
    assert!(!is_geojson(b"[1]") && !is_geojson(b"{\"a\": 1}"));
}
