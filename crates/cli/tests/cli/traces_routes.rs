//! `meshcloak traces`: routes street by street, and streets outside the connected part of the map.

use crate::program::meshcloak;
use std::fs;
use tempfile::TempDir;

/// A main street a–b–c, both ways, and a one-way street c–d that cannot be left: a trip along all
/// three, a point every two seconds.
fn fixture() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    file("t.nodes.csv", "id,lon,lat\na,2.000,48\nb,2.003,48\nc,2.006,48\nd,2.009,48\n");
    file("t.streets.csv", "id,from,to,oneway\ns1,a,b,0\ns2,b,c,0\ns3,c,d,1\n");
    let point = |step: u32| {
        let lon = 2.0 + f64::from(step) * 0.000_3;
        format!(
            "<trkpt lat=\"48\" lon=\"{lon:.6}\"><time>2026-01-01T00:00:{:02}Z</time></trkpt>",
            2 * step
        )
    };
    let points: String = (0..=29).map(point).collect();
    file("trip.gpx", &format!("<gpx version=\"1.1\"><trk><trkseg>{points}</trkseg></trk></gpx>"));
    folder
}

#[test]
fn trips_are_matched_on_the_whole_map_and_what_is_cut_is_said() {
    let folder = fixture();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (map, trip, routes) = (path("t"), path("trip.gpx"), path("routes.csv"));
    let run = |more: &[&str]| {
        let traces = ["traces", &trip, "--map", &map, "--interval", "2", "--json"];
        meshcloak(&[&traces[..], more].concat()).done()
    };
    let connected = run(&["--routes", &routes]);
    let rows = fs::read_to_string(&routes).unwrap();
    let streets: Vec<&str> = rows.lines().skip(1).filter_map(|row| row.split(',').nth(3)).collect();
    assert_eq!(streets, ["s1", "s2", "s3"], "{rows}");
    assert!(rows.starts_with("trip,piece,number,street,name,from_m,to_m\n"), "{rows}");
    assert!(connected.stderr.contains("left out"), "{}", connected.stderr);
    assert!(connected.stderr.contains("(1 streets, 0.2 km)"), "{}", connected.stderr);
    let whole = run(&["--whole-map"]);
    assert!(!whole.stderr.contains("left out"), "{}", whole.stderr);
    let queries = |run: crate::program::Run| run.json()["queries"].as_u64().unwrap();
    let (connected, whole) = (queries(connected), queries(whole));
    assert!(whole > 25 && connected < whole * 3 / 4, "{connected} of {whole}");
}

#[test]
fn an_output_of_traces_does_not_replace_an_input_or_the_other_output() {
    let folder = fixture();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (nodes, trip) = (path("t.nodes.csv"), path("trip.gpx"));
    let refused = |more: &[&str], named: &str| {
        let run = meshcloak(&[&["traces", &trip, "--map", &nodes], more].concat());
        let message = format!("would overwrite the file of {named}; choose another name");
        assert!(run.code == Some(1) && run.stderr.contains(&message), "{run:?}");
    };
    let before = [&nodes, &trip].map(|file| fs::read_to_string(file).unwrap());
    refused(&["--out", &trip], "the traces");
    refused(&["--routes", &trip], "the traces");
    refused(&["--routes", &nodes], "the map");
    refused(&["--out", &path("new.csv"), "--routes", &path("./new.csv")], "--out");
    assert_eq!([&nodes, &trip].map(|file| fs::read_to_string(file).unwrap()), before);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}
