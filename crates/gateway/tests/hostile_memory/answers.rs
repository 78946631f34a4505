//! Answers made to use as much memory as possible.

/// Repeats `item`, separated by commas, up to about `bytes`.
fn list(item: &str, bytes: usize) -> String {
    let mut text = item.to_owned();
    while text.len() < bytes {
        text.push(',');
        text.push_str(item);
    }
    text
}

/// As [`list`], with numbered items.
fn distinct(item: impl Fn(usize) -> String, bytes: usize) -> String {
    let count = bytes / item(100_000).len();
    (0..count).map(item).collect::<Vec<_>>().join(",")
}

fn collection(features: &str) -> String {
    format!(r#"{{"type":"FeatureCollection","complete":true,"features":[{features}]}}"#)
}

fn feature(geometry: &str) -> String {
    collection(&format!(r#"{{"id":"a","geometry":{{{geometry}}}}}"#))
}

fn overpass(members: &str) -> String {
    let rest = r#""tags":{"amenity":"cafe"}"#;
    format!(r#"{{"elements":[{{"type":"relation","id":1,{members},{rest}}}]}}"#)
}

/// Named answers of about `bytes` bytes each.
pub fn all(bytes: usize) -> Vec<(&'static str, String)> {
    let deep = format!("{}1,2{}", "[".repeat(110), "]".repeat(110));
    let empty = format!("{}{}", "[".repeat(110), "]".repeat(110));
    let node = |id| format!(r#"{{"type":"node","id":{id},"lat":0,"lon":0,"tags":{{"shop":""}}}}"#);
    let point = |id| format!(r#"{{"id":{id},"geometry":{{"coordinates":[0,0]}}}}"#);
    let geometries = format!("{}{}", r#"{"geometries":["#.repeat(60), "]}".repeat(60));
    vec![
        ("deep coordinates", feature(&format!(r#""coordinates":[{}]"#, list(&deep, bytes)))),
        ("deep features", collection(&list(&format!("{{\"geometry\":{deep}}}"), bytes))),
        ("deep geometries", feature(&format!(r#""geometries":[{}]"#, list(&geometries, bytes)))),
        ("empty lists", feature(&format!(r#""coordinates":[{}]"#, list("[]", bytes)))),
        ("deep empty lists", collection(&list(&empty, bytes))),
        (
            "points",
            feature(&format!(r#""type":"MultiPoint","coordinates":[{}]"#, list("[0,0]", bytes))),
        ),
        ("features", collection(&distinct(point, bytes))),
        ("numbers as features", collection(&list("0", bytes))),
        (
            "properties",
            collection(&format!(r#"{{"id":1,"properties":{{{}}}}}"#, list(r#""a":[]"#, bytes))),
        ),
        ("ids", collection(&format!(r#"{{"id":[{}]}}"#, list(&empty, bytes)))),
        (
            "links",
            format!(
                r#"{{"type":"FeatureCollection","features":[],"links":[{}]}}"#,
                list(&empty, bytes)
            ),
        ),
        ("elements", format!(r#"{{"elements":[{}]}}"#, distinct(node, bytes))),
        ("empty elements", format!(r#"{{"elements":[{}]}}"#, list("0", bytes))),
        ("deep members", overpass(&format!(r#""other":[{}]"#, list(&empty, bytes)))),
        ("members", overpass(&format!(r#""members":[{}]"#, list("{}", bytes)))),
        (
            "points of a way",
            overpass(&format!(r#""geometry":[{}]"#, list(r#"{"lat":0,"lon":0}"#, bytes))),
        ),
        ("missing points", overpass(&format!(r#""geometry":[{}]"#, list("0", bytes)))),
        ("tags", overpass(&format!(r#""tags":{{{}}}"#, tags(bytes)))),
        (
            "categories",
            format!(
                r#"{{"categories":[{}],"conformsTo":[{}]}}"#,
                list("\"\"", bytes / 2),
                list("\"\"", bytes / 2)
            ),
        ),
    ]
}

/// Distinct keys with empty values.
fn tags(bytes: usize) -> String {
    distinct(|number| format!("\"{number:07}\":\"\""), bytes)
}
