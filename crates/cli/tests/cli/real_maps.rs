//! Real maps: published counts, and equality of the same map in different formats.

use crate::program::{meshcloak, real_map};
use serde_json::Value;

fn info(path: &std::path::Path, flags: &[&str]) -> Value {
    let mut arguments = vec!["map", "info", "--json", "--quiet", path.to_str().unwrap()];
    arguments.extend(flags);
    meshcloak(&arguments).json()
}

fn number(info: &Value, field: &str) -> f64 {
    info[field].as_f64().unwrap_or_else(|| panic!("no number `{field}` in {info}"))
}

#[track_caller]
fn near(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance, "{what}: {found}, expected {expected}");
}

#[test]
fn oldenburg_has_the_counts_of_the_paper_in_both_formats() {
    let Some(binary) = real_map("oldenburg/oldenburgGen.node") else { return };
    let text = real_map("oldenburg/oldenburgGen.edge.txt").unwrap();
    let [binary, text] = [binary, text].map(|path| info(&path, &[]));
    for info in [&binary, &text] {
        assert_eq!((&info["nodes"], &info["edges"]), (&6105.into(), &7029.into()));
        near(number(info, "width_km"), 23.57, 0.005, "width");
        near(number(info, "height_km"), 26.92, 0.005, "height");
        near(number(info, "total_street_length_km"), 1301.47, 0.005, "street length");
        assert_eq!(info["one_way_streets"], 0);
    }
    let without_names = |mut info: Value| {
        for field in ["source", "format"] {
            info.as_object_mut().unwrap().remove(field);
        }
        info
    };
    assert_eq!(without_names(binary), without_names(text));
}

/// File, nodes, edges, width and height in km, street km, one-way share of streets in %.
type Row = (&'static str, f64, f64, f64, f64, f64, f64);

const MAPS: [Row; 7] = [
    ("stockton/stockton.edge", 61_350.0, 68_345.0, 18.72, 25.70, 2481.0, 0.0),
    ("paris/paris.nodes.csv.gz", 11_348.0, 17_958.0, 12.0, 9.5, 1513.0, 72.0),
    ("porto/porto-city.osm.pbf", 54_769.0, 60_144.0, 14.6, 13.9, 1845.0, 38.0),
    ("porto/porto_portugal.osm.pbf", 276_034.0, 297_022.0, 35.0, 46.0, 9447.0, 22.0),
    ("porto-alegre/porto-alegre.osm.pbf", 32_701.0, 38_606.0, 12.9, 13.7, 1772.0, 36.0),
    ("baltimore/baltimore.osm.pbf", 13_981.0, 16_665.0, 8.3, 7.6, 672.0, 35.0),
    ("bad-hersfeld/bad-hersfeld.osm.xml.gz", 10_953.0, 11_525.0, 12.7, 6.5, 314.0, 19.0),
];

#[test]
fn each_map_has_its_published_counts() {
    for (name, nodes, edges, width, height, km, one_way) in MAPS {
        let Some(path) = real_map(name) else { return };
        let info = info(&path, &["--every-node", "--whole-map"]);
        near(number(&info, "nodes"), nodes, nodes * 0.01, name);
        near(number(&info, "terminals"), nodes, nodes * 0.01, name);
        near(number(&info, "edges"), edges, edges * 0.01, name);
        near(number(&info, "streets"), edges, edges * 0.01, name);
        near(number(&info, "width_km"), width, width * 0.01, name);
        near(number(&info, "height_km"), height, height * 0.02, name);
        near(number(&info, "total_street_length_km"), km, km * 0.01, name);
        near(number(&info, "one_way_share") * 100.0, one_way, 1.0, name);
    }
}

#[test]
fn stockton_has_31_streets_of_length_0() {
    let Some(path) = real_map("stockton/stockton.node") else { return };
    assert_eq!(info(&path, &[])["repairs"]["zero_length"], 31);
}

#[test]
fn points_of_interest_have_their_published_counts() {
    for (name, pois) in [
        ("porto/porto-city.osm.pbf", 136.0),
        ("porto/porto_portugal.osm.pbf", 316.0),
        ("porto-alegre/porto-alegre.osm.pbf", 455.0),
        ("baltimore/baltimore.osm.pbf", 1066.0),
        ("bad-hersfeld/bad-hersfeld.osm.xml.gz", 994.0),
    ] {
        let Some(path) = real_map(name) else { return };
        near(number(&info(&path, &[]), "pois"), pois, pois * 0.05, name);
    }
    let Some(path) = real_map("porto/porto-city.osm.pbf") else { return };
    let more = real_map("porto/PORTO_POIs.csv").unwrap();
    let with_more = info(&path, &["--pois", more.to_str().unwrap()]);
    near(number(&with_more, "pois"), 136.0 + 683.0, 0.05 * 819.0, "with the file of 683");
}

#[test]
fn paris_has_the_coordinates_of_paris() {
    let Some(path) = real_map("paris/paris.streets.csv.gz") else { return };
    let info = info(&path, &[]);
    near(info["origin"][0].as_f64().unwrap(), 2.34, 0.03, "longitude");
    near(info["origin"][1].as_f64().unwrap(), 48.86, 0.03, "latitude");
}
