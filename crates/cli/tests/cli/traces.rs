//! `meshcloak traces`: real traces on real maps, errors in invalid traces.

use crate::program::{Run, meshcloak, real_map};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Returns the path of a real trace, in the folder beside the real maps.
fn real_trace(name: &str) -> PathBuf {
    let maps = std::env::var_os("MESHCLOAK_MAPS").expect("called after a map was found");
    let path = PathBuf::from(maps).join("../traces").join(name);
    assert!(path.exists(), "{} is missing", path.display());
    path
}

fn traces(files: &[PathBuf], map: &str, more: &[&str]) -> Run {
    let mut arguments = vec!["traces", "--quiet", "--map", map];
    arguments.extend(files.iter().map(|file| file.to_str().unwrap()));
    arguments.extend(more);
    meshcloak(&arguments)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn both_brinkhoff_formats_snap_to_oldenburg() {
    let Some(map) = real_map("oldenburg/oldenburgGen.node") else { return };
    let map = map.to_str().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("q.ndjson");
    let plain = [real_trace("brinkhoff-oldenburg/objects-5000.txt.gz")];
    let with_k = [2, 0, 1].map(|n| real_trace(&format!("brinkhoff-oldenburg/with-k-t{n}.txt.gz")));
    let cases: [(&[PathBuf], u64, u64); 2] = [(&plain, 5_000, 104_176), (&with_k, 10_000, 30_000)];
    for (files, users, points) in cases {
        let more = ["--json", "--interval", "10", "--out", out.to_str().unwrap()];
        let outcome = traces(files, map, &more).json();
        assert_eq!((&outcome["people"], &outcome["queries"]), (&users.into(), &points.into()));
        assert_eq!(outcome["points"]["snapped"], points);
        assert!(number(&outcome["points"]["largest_m"]) < 0.1, "{outcome}");
        assert_eq!(outcome["points"]["jumps"], 0);
        let written = std::fs::read_to_string(&out).unwrap();
        assert_eq!(written.lines().count() as u64, points);
    }
    let first: Value =
        serde_json::from_str(std::fs::read_to_string(&out).unwrap().lines().next().unwrap())
            .unwrap();
    assert_eq!((&first["user"], &first["k"]), (&"0".into(), &4.into()));
    assert_eq!((number(&first["x"]), number(&first["interval"])), (20_439.0, 10.0));
}

#[test]
fn taxi_trips_are_matched_to_porto() {
    let Some(map) = real_map("porto/porto-city.osm.pbf") else { return };
    let map = map.to_str().unwrap();
    for (name, trips) in [("train_1500.csv.gz", 1_481), ("porto_ecml_test_320.csv.gz", 318)] {
        let trace = [real_trace(&format!("porto-taxi/{name}"))];
        let outcome = traces(&trace, map, &["--json", "--profile", "p2"]).json();
        assert_eq!(outcome["trips"], trips);
        let points = &outcome["points"];
        assert!(number(&points["share"]) >= 0.97, "{outcome}");
        assert!(number(&points["median_m"]) < 5.0, "{outcome}");
        assert!(number(&points["largest_m"]) <= 50.0, "{outcome}");
        assert_eq!(outcome["dc_above_2000_m"], 0, "{outcome}");
    }
}

#[test]
fn overlaid_trips_begin_within_the_window_and_are_reproducible() {
    let Some(map) = real_map("porto/porto-city.osm.pbf") else { return };
    let trace = [real_trace("porto-taxi/train_1500.csv.gz")];
    let folder = tempfile::tempdir().unwrap();
    let [one, two] = ["1.csv", "2.csv"].map(|name| {
        let out = folder.path().join(name);
        let more = ["--overlay", "600", "--seed", "5", "--out", out.to_str().unwrap()];
        traces(&trace, map.to_str().unwrap(), &more).done();
        std::fs::read_to_string(out).unwrap()
    });
    assert!(one == two, "two runs differ");
    let starts = one.lines().skip(1).filter(|line| line.split(',').next().unwrap().ends_with(".0"));
    let whole = starts.filter(|line| !line.contains('#'));
    let times: Vec<f64> = whole.map(|l| l.split(',').nth(2).unwrap().parse().unwrap()).collect();
    assert!(times.len() > 1_000);
    let early = times.iter().filter(|&&t| t < 600.0).count();
    assert!(early as f64 > 0.9 * times.len() as f64, "{early} of {} begin early", times.len());
}

fn written(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn invalid_traces_are_rejected_or_noted() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let refused = |name: &str, text: &str, expected: &str| {
        let run = traces(&[written(folder, name, text)], "city:500:1", &[]);
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.stderr.contains(expected), "{run:?}");
    };
    refused("a", "hello\n", "unknown trace format; expected Brinkhoff");
    refused("b", "walk\t1\t1\t0\t0\t1\t2\t3\t4\t5\n", "line 1: field `kind` is `walk`");
    refused("c", "point\t1\t1\t0\t0\tNaN\t2\t3\t4\t5\n", "field `x` is `NaN`");
    refused("d", "TRIP_ID,TIMESTAMP,POLYLINE\na,1,\"[[1,2]]\"\n", "1 trips with one point");
    refused("e", "<gpx><trk>", "unexpected end of file");

    let far = "point\t1\t1\t0\t0\t9e6\t2\t3\t4\t5\n";
    let run = traces(&[written(folder, "f", far)], "city:500:1", &["--json"]).json();
    assert_eq!((&run["points"]["off_map"], &run["queries"]), (&1.into(), &0.into()));

    let back = "point\t1\t1\t0\t7\t0\t0\t3\t4\t5\npoint\t1\t1\t0\t6\t0\t0\t3\t4\t5\n";
    let file = written(folder, "g", back);
    let run = meshcloak(&["traces", "--map", "city:500:1", file.to_str().unwrap()]).done();
    assert!(run.stderr.contains("1 points not later than the previous point skipped"), "{run:?}");

    let run = traces(&[written(folder, "h", back)], "city:500:1", &["--profile", "p9"]);
    assert!(run.stderr.contains("p9: no such profile; expected p1, p2, city or a file"), "{run:?}");
}
