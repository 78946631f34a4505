//! Tests of the file of a remote service.

use super::*;
use meshcloak::distance::Atlas;
use meshcloak::town::town;
use meshcloak::units::Length;

#[test]
fn settings_are_parsed_with_older_names_and_unknown_ones_refused() {
    let text = r#"{"protocol":"overpass","url":"https://o/api","timeout":3,
        "authorization":"Bearer s3cret","categories":{"cafe":"amenity=cafe"},
        "most_bytes":7,"farthest_from_street":8,"overpass":{"most_points":50},"ogc":{"geometry":"way"}}"#;
    let settings: RemoteSettings = serde_json::from_str(text).unwrap();
    assert_eq!(settings.protocol, Protocol::Overpass);
    assert_eq!((settings.max_bytes, settings.max_street_distance), (7, 8.0));
    assert_eq!(settings.overpass.max_points, 50);
    assert_eq!(settings.ogc.geometry, "way");
    assert!(!format!("{settings:?}").contains("s3cret"));
    assert!(serde_json::from_str::<RemoteSettings>(r#"{"ulr":"x"}"#).is_err());
}

#[test]
fn the_examples_are_valid_and_hold_the_defaults() {
    let overpass = include_str!("../../../../../examples/services/overpass.toml");
    let overpass = RemoteSettings::of_toml(overpass).unwrap();
    let ogc = include_str!("../../../../../examples/services/ogc-features.toml");
    let ogc = RemoteSettings::of_toml(ogc).unwrap();
    let webhook = include_str!("../../../../../examples/services/webhook.toml");
    let webhook = RemoteSettings::of_toml(webhook).unwrap();
    let base = RemoteSettings::default();
    assert_eq!(overpass.overpass, base.overpass);
    assert_eq!((overpass.outline, overpass.max_bytes), (base.outline, base.max_bytes));
    assert_eq!(OgcSettings { geometry: "geom".into(), ..ogc.ogc }, base.ogc);
    assert_eq!(webhook, RemoteSettings { url: webhook.url.clone(), outline: 0.0, ..base });
    let error = RemoteSettings::of_toml("authorization = 's3cret'\ntimeout = 'x'").unwrap_err();
    assert!(!error.to_string().contains("s3cret"), "{error}");
}

#[test]
fn a_source_of_protocol_and_url_is_parsed() {
    let settings = RemoteSettings::of_source("ogc-features+https://h/collections/a").unwrap();
    assert_eq!(settings.protocol, Protocol::OgcFeatures);
    assert_eq!(settings.url, "https://h/collections/a");
    for other in ["built-in", "postgresql://h/db", "ftp+https://h", ""] {
        assert_eq!(RemoteSettings::of_source(other), None);
    }
}

#[test]
fn invalid_settings_are_refused_before_anything_is_sent() {
    let map = town("A 0,0  B 100,0 | A-B").map;
    let atlas = Atlas::new(map, Length::metres(500.0));
    let walker = Arc::new(Walker::new(Arc::new(atlas)));
    let good = RemoteSettings::of_source("webhook+http://127.0.0.1:1/x").unwrap();
    assert_eq!(good.open(&walker).err(), Some(RemoteError::NoFrame));
    for url in ["", "x", "file:///etc/passwd", "http://h/#f", "http:///"] {
        let settings = RemoteSettings { url: url.into(), ..good.clone() };
        let error = settings.open(&walker).err();
        assert!(matches!(error, Some(RemoteError::Setting("url", _))), "{url} {error:?}");
    }
    for timeout in [0.0, f64::NAN, -1.0, 1e9] {
        let settings = RemoteSettings { timeout, ..good.clone() };
        let error = settings.open(&walker).err();
        assert!(matches!(error, Some(RemoteError::Setting("timeout", _))));
    }
    let settings = RemoteSettings { outline: f64::INFINITY, ..good };
    assert!(matches!(settings.open(&walker).err(), Some(RemoteError::Setting("outline", _))));
}
