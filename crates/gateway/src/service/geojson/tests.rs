//! Tests of the feature collection reader.

use super::*;

fn parse(text: &str) -> Result<FeatureCollection, ServiceError> {
    let format = FeatureFormat { name: "n".into(), category: "c".into(), max_objects: 20 };
    let flat = |[x, y]: [f64; 2]| Some(Point::new(x, y));
    FeatureCollection::parse(text.as_bytes(), &format, |geometry| {
        geometry.representative_point(2.0, flat)
    })
}

fn collection(features: &str) -> FeatureCollection {
    parse(&format!(r#"{{"type":"FeatureCollection","features":[{features}]}}"#)).unwrap()
}

#[test]
fn invalid_features_are_dropped_and_the_others_kept() {
    let found = collection(
        r#"{"id":"a","geometry":{"type":"Point","coordinates":[9.5,50.5]},"properties":{"n":"x"}},
           {"id":7,"geometry":{"type":"Point","coordinates":[9.5,50.5,120.0]}},
           {"id":"area","geometry":{"type":"Polygon","coordinates":[[[1,1],[3,1],[3,5],[1,1]]]}},
           {"id":"no place","geometry":null}, {"geometry":{"coordinates":[1,2]}}, 17, null, "x",
           {"id":"no","geometry":{"coordinates":["1","2"]}}, {"id":[],"geometry":{"coordinates":[1,2]}},
           {"id":"none","geometry":{"type":"Polygon","coordinates":[]}},
           {"id":"many","geometry":{"geometries":[{"coordinates":[1,2]},{"coordinates":[3,2]}]}},
           {"id":"stops","geometry":{"type":"MultiPoint","coordinates":[[0,0],[10,0]]}},
           {"id":"line","geometry":{"type":"LineString","coordinates":[[0,0],[10,0]]}}"#,
    );
    let place = |f: &Feature| f.point.map(|point| (point.x, point.y));
    let seen: Vec<_> = found.features.iter().map(|f| (f.id.as_str(), place(f))).collect();
    let at = |x, y| Some((x, y));
    let expected = [
        ("a", at(9.5, 50.5)),
        ("7", at(9.5, 50.5)),
        ("area", at(2.0, 3.0)),
        ("none", None),
        ("many", at(2.0, 2.0)),
        ("stops", at(0.0, 0.0)),
        ("line", at(5.0, 0.0)),
    ];
    assert_eq!(seen, expected);
    assert_eq!(found.features[0].name, "x");
    assert_eq!(found.features[1].name, "");
}

#[test]
fn other_json_is_an_error() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for text in ["", "[]", "{}", "{\"type\":\"Feature\",\"features\":[]}", "\u{0}", &deep] {
        assert!(parse(text).is_err());
    }
    let nested = format!(
        r#"{{"type":"FeatureCollection","features":[{{"id":"a","geometry":{{"coordinates":{deep}}}}}]}}"#
    );
    assert!(parse(&nested).is_err());
}

#[test]
fn long_ids_are_invalid_and_limits_are_errors() {
    let id = "x".repeat(300);
    let point = r#""geometry":{"coordinates":[1,2]}"#;
    assert!(collection(&format!(r#"{{"id":"{id}",{point}}}"#)).features.is_empty());
    let many = vec![format!(r#"{{"id":1,{point}}}"#); 21].join(",");
    let many = format!(r#"{{"features":[{many}],"type":"FeatureCollection"}}"#);
    assert_eq!(parse(&many).unwrap_err(), ServiceError::TooManyObjects(20));
    let points = vec!["[0,0]"; 1_000_001].join(",");
    let points = format!(r#"{{"features":[{{"geometry":{{"coordinates":[{points}]}}}}]}}"#);
    assert!(parse(&points).unwrap_err().to_string().contains("too many points"));
}

#[test]
fn four_levels_of_coordinates_are_valid_and_five_are_an_error() {
    for (levels, is_valid) in [(4, true), (5, false)] {
        let (open, close) = ("[".repeat(levels - 1), "]".repeat(levels - 1));
        let geometry = format!(r#"{{"type":"MultiPolygon","coordinates":{open}[1,2]{close}}}"#);
        let text = format!(
            r#"{{"type":"FeatureCollection","features":[{{"id":1,"geometry":{geometry}}}]}}"#
        );
        assert_eq!(parse(&text).is_ok(), is_valid, "{levels}");
    }
    let deep = format!("{}{}", r#"{"geometries":["#.repeat(6), "]}".repeat(6));
    let text = format!(r#"{{"type":"FeatureCollection","features":[{{"geometry":{deep}}}]}}"#);
    assert!(parse(&text).unwrap_err().to_string().contains("too deeply"));
}

#[test]
fn links_and_members_are_read_in_any_order() {
    let text = r#"{"links":[{"rel":"self","href":"a"},7,{"href":"b","rel":"next"}],
        "numberMatched":7,"complete":true,"features":[],"type":"FeatureCollection"}"#;
    let found = parse(text).unwrap();
    assert_eq!((found.next.as_deref(), found.matched), (Some("b"), Some(7)));
    assert_eq!(found.complete, Some(true));
}
