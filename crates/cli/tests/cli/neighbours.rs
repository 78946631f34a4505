//! `meshcloak neighbours`: measures, pictures, files and errors of each system.

use crate::program::{Run, meshcloak, real_map};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Runs a system on a small simulated population.
fn neighbours(system: &str, more: &[&str]) -> Run {
    let mut arguments = vec!["neighbours", system, "city:500:1", "--quiet"];
    arguments.extend(["--users", "600", "--seconds", "600", "--seed", "3"]);
    arguments.extend(more);
    meshcloak(&arguments)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Returns map and taxi trips of Porto.
fn porto() -> Option<(String, String)> {
    let map = real_map("porto/porto-city.osm.pbf")?;
    let trace = map.parent()?.join("../../traces/porto-taxi/train_1500.csv.gz");
    assert!(trace.exists(), "{} is missing", trace.display());
    let text = |path: PathBuf| path.to_str().unwrap().to_owned();
    Some((text(map), text(trace)))
}

fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn mobimix_prints_the_same_measures_with_any_number_of_threads() {
    let one = neighbours("mobimix", &["--threads", "1"]).done().stdout;
    let four = neighbours("mobimix", &["--threads", "4"]).done().stdout;
    assert_eq!(one, four);
    for words in ["non-rectangular, combined", "at least k", "visits alone"] {
        assert!(one.contains(words), "{one}");
    }
    let json = neighbours("mobimix", &["--json"]).json();
    let attacks = &json["tables"]["attacks"];
    let effective =
        |attack: &str| number(&attacks[format!("rectangular, {attack}").as_str()]["effective"]);
    assert!(effective("combined") <= effective("timing"));
    assert!(effective("timing") < effective("none") && effective("combined") >= 1.0);
}

#[test]
fn mobimix_draws_a_zone_and_fills_a_report() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let (draw, out) = (text(&path("zone.png")), text(folder.path()));
    neighbours("mobimix", &["--draw", &draw, "--out", &out]).done();
    assert!(bytes(&path("zone.png")).starts_with(b"\x89PNG"));
    let again = neighbours("mobimix", &["--out", &out, "--k", "5"]).done();
    assert!(again.stdout.contains("k 5"));
    meshcloak(&["report", &out]).done();
    let html = String::from_utf8(bytes(&path("report.html"))).unwrap();
    assert!(html.contains("MobiMix: mix-zones") && html.contains("plots/neighbours-mobimix.svg"));
    assert!(html.contains("k 3.") && html.contains("k 5."), "both runs are kept");
}

#[test]
fn mobimix_runs_on_real_trips() {
    let Some((map, trace)) = porto() else { return };
    let arguments = ["neighbours", "mobimix", &map, "--traces", &trace, "--overlay", "--json"];
    let json = meshcloak(&arguments).json();
    assert!(json["source"].as_str().unwrap().contains("recorded trips"), "{json}");
    let alone = |kind: &str| number(&json["tables"]["meetings"][kind]["visits alone"]);
    assert!(alone("windowed") > alone("rectangular"), "a window leaves more users alone");
}

#[test]
fn nwa_publishes_every_trajectory_or_says_why_not() {
    let one = neighbours("nwa", &["--threads", "1", "--json"]).json();
    let four = neighbours("nwa", &["--threads", "4", "--json"]).json();
    assert_eq!(one, four);
    let publication = &one["tables"]["publication"];
    let count = |case: &str| number(&publication[case]["number"]);
    let outcomes = ["too short", "too rare", "trash", "published"].map(count);
    assert_eq!(outcomes.iter().sum::<f64>(), count("trajectories"));
    assert!(count("published") >= 5.0 * count("sets") && count("sets") >= 10.0, "{publication}");
    // With a diameter of 0 all members of a set are equal, and no member is linked better than by chance.
    let equal = neighbours("nwa", &["--delta", "0", "--json"]).json();
    let linked =
        |run: &Value| number(&run["tables"]["linked"]["all known positions"]["probability"]);
    assert!(linked(&equal) <= 0.2 + 1e-9 && linked(&one) > linked(&equal), "{equal}");
}

#[test]
fn nwa_draws_trajectories_of_real_trips_before_and_after() {
    let Some((map, trace)) = porto() else { return };
    let folder = tempfile::tempdir().unwrap();
    let draw = folder.path().join("trajectories.svg");
    let arguments = ["neighbours", "nwa", &map, "--traces", &trace, "--overlay", "--draw"];
    let arguments: Vec<&str> =
        arguments.into_iter().chain([draw.to_str().unwrap(), "--json"]).collect();
    let json = meshcloak(&arguments).json();
    let top = &json["tables"]["top locations"]["top 2, cells of 1000 m"];
    assert!(number(&top["unique after"]) < number(&top["unique before"]), "{top}");
    let svg = String::from_utf8(bytes(&draw)).unwrap();
    assert!(svg.contains(">before<") && svg.contains(">after<"));
}

#[test]
fn cachecloak_follows_real_trips() {
    let Some((map, trace)) = porto() else { return };
    let arguments = ["neighbours", "cachecloak", &map, "--traces", &trace, "--overlay", "--json"];
    let json =
        meshcloak(&[&arguments[..], &["--warm-up", "300", "--targets", "30"]].concat()).json();
    assert!(json["source"].as_str().unwrap().contains("recorded trips"), "{json}");
    let at = |case: &str, measure: &str| number(&json["tables"]["adversary"][case][measure]);
    assert!(at("after 120 s", "entropy (bits)") > at("after 0 s", "entropy (bits)"), "{json}");
    let blind = "entropy, sees nothing (bits)";
    assert!(at("after 120 s", "entropy (bits)") < at("after 120 s", blind), "{json}");
}

#[test]
fn cache_answers_users_on_real_trips() {
    let Some((map, trace)) = porto() else { return };
    let arguments = ["neighbours", "cache", &map, "--traces", &trace, "--overlay", "--json"];
    let json = meshcloak(&[&arguments[..], &["--radius", "500,3000"]].concat()).json();
    assert!(json["source"].as_str().unwrap().contains("recorded trips"), "{json}");
    let answered = |case: &str| number(&json["tables"]["regions"][case]["answered"]);
    assert!(answered("radius 500 m") < answered("radius 3000 m"), "{json}");
    assert_eq!(answered("city"), 1.0);
}

#[test]
fn pir_is_compared_on_real_trips() {
    let Some((map, trace)) = porto() else { return };
    let arguments = ["neighbours", "pir", &map, "--traces", &trace, "--cells", "50", "--json"];
    let small = ["--cell-bytes", "700", "--retrievals", "1"];
    let json = meshcloak(&[&arguments[..], &small, &["--overlay", "60"]].concat()).json();
    assert!(json["source"].as_str().unwrap().contains("recorded trips, queries of p1"), "{json}");
    let ours = &json["tables"]["per answered question"]["MeshCloak, reciprocal"];
    assert!(number(&ours["answered"]) > 0.0 && number(&ours["user receives"]) > 100.0, "{ours}");
}

#[test]
fn trips_that_take_days_need_an_overlay_for_pir() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let simulate = ["simulate", "city:500:1", "--users", "1", "--out", &path("q.csv")];
    meshcloak(&simulate).done();
    let mut reader = csv::Reader::from_path(path("q.csv")).unwrap();
    let mut trace = String::new();
    for (number, row) in reader.deserialize().enumerate() {
        let row: std::collections::BTreeMap<String, String> = row.unwrap();
        let (kind, x, y) = (if number == 0 { "newpoint" } else { "point" }, &row["x"], &row["y"]);
        // A time stamp of 10 s; the second trip begins after two days.
        for (trip, time) in [(1, number), (2, number + 20_000)] {
            trace += &format!("{kind}\t{trip}\t{number}\t0\t{time}\t{x}\t{y}\t9\t{x}\t{y}\n");
        }
    }
    std::fs::write(path("trips.txt"), trace).unwrap();
    let pir = ["neighbours", "pir", "city:500:1", "--traces", &path("trips.txt"), "--cells", "50"];
    let run = meshcloak(&pir);
    assert!(run.code == Some(1) && run.stderr.contains("the trips take 55 h"), "{run:?}");
    let run = meshcloak(&[&pir[..], &["--overlay", "60", "--retrievals", "1"]].concat()).done();
    assert!(run.stdout.contains("2 recorded trips"), "{run:?}");
}

#[test]
fn cachecloak_follows_targets_with_growing_uncertainty() {
    let more = ["--warm-up", "120", "--follow", "240", "--targets", "30", "--json"];
    let one = neighbours("cachecloak", &[&more[..], &["--threads", "1"]].concat()).json();
    let four = neighbours("cachecloak", &[&more[..], &["--threads", "4"]].concat()).json();
    assert_eq!(one, four);
    let at = |case: &str, measure: &str| number(&one["tables"]["adversary"][case][measure]);
    assert_eq!(at("after 0 s", "entropy (bits)"), 0.0);
    assert!(at("after 240 s", "entropy (bits)") > at("after 60 s", "entropy (bits)"));
    let blind = "entropy, sees nothing (bits)";
    assert!(at("after 240 s", "entropy (bits)") <= at("after 240 s", blind), "{one}");
    let server = &one["tables"]["server"]["after warm-up"];
    assert!(number(&server["from the cache"]) > 0.5, "{server}");
}

#[test]
fn cache_answers_more_with_a_larger_radius() {
    let json = neighbours("cache", &["--radius", "500,3000", "--update", "1,30", "--json"]).json();
    let regions = &json["tables"]["regions"];
    let answered = |case: &str| number(&regions[case]["answered"]);
    assert!(answered("radius 500 m") < answered("radius 3000 m"), "{regions}");
    assert_eq!(answered("city"), 1.0);
    let updates = &json["tables"]["updates"];
    let of = |case: &str, measure: &str| number(&updates[case][measure]);
    let (often, rarely) = ("city, every 1 d", "city, every 30 d");
    assert!(of(often, "bytes per day") > of(rarely, "bytes per day"));
    assert!(of(often, "stale answers") < of(rarely, "stale answers"));
}

#[test]
fn pir_compares_the_city_with_the_gateway() {
    let arguments = ["neighbours", "pir", "city:500:1", "--users", "400", "--cells", "50"];
    let more = ["--cell-bytes", "700", "--retrievals", "1", "--json"];
    let run = meshcloak(&[&arguments[..], &more].concat());
    let note = "built without the feature";
    assert!(cfg!(feature = "pir") || run.stderr.contains(note), "{}", run.stderr);
    let json = run.json();
    let table = &json["tables"]["per answered question"];
    let city = &table["download the city, 50 cells of 0.7 kB"];
    // 35,000 bytes for the 70 questions of a week.
    assert_eq!(number(&city["user receives"]), 500.0);
    let ours = &table["MeshCloak, reciprocal"];
    assert!(number(&ours["service sends"]) > 50.0, "{table}");
    let cpu = |part: &str| number(&ours[&format!("{part} CPU (ms)")]);
    let parts = ["engine", "search", "refinement"].map(cpu);
    assert!(parts.iter().all(|&part| part > 0.0), "{ours}");
    assert!((cpu("server") - parts.iter().sum::<f64>()).abs() < 1e-9, "{ours}");
    let retrieval = &table["retrieval, 50 cells of 0.7 kB"];
    assert_eq!(retrieval.is_null(), !cfg!(feature = "pir"));
    if cfg!(feature = "pir") {
        assert!(number(&retrieval["user sends"]) > 100_000.0, "{retrieval}");
    }
}

/// Runs a system on five users.
fn five_users(system: &str, more: &[&str]) -> Run {
    meshcloak(&[&["neighbours", system, "city:500:1", "--users", "5"], more].concat())
}

#[test]
fn fewer_users_than_k_are_explained_and_measured() {
    for (system, note) in [
        ("mobimix", "5 users; none can leave a zone among k = 9 candidates"),
        ("nwa", "no 9 trajectories have the same time span; none is published"),
    ] {
        let run = five_users(system, &["--k", "9"]);
        assert!(run.stderr.contains(note), "{run:?}");
        assert_eq!(run.code, Some(0), "{run:?}");
        assert!(run.stdout.contains("5 agents"), "{run:?}");
    }
}

#[test]
fn a_run_without_a_picture_keeps_its_measures() {
    let folder = tempfile::tempdir().unwrap();
    let drawing = folder.path().join("zone.png").display().to_string();
    let run = five_users("nwa", &["--k", "9", "--draw", &drawing]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stderr.contains("this run has nothing to draw"), "{run:?}");
    assert!(run.stdout.contains("too rare"), "{run:?}");
}

#[test]
fn bad_arguments_are_explained() {
    let cases: [(&[&str], i32, &str); 23] = [
        (&["mobimix", "--alpha", "1"], 2, "above 0 and below 1"),
        (&["mobimix", "--k", "1"], 2, "--k"),
        (&["mobimix", "--zones", "0"], 2, "--zones"),
        (&["mobimix", "--half-side", "0"], 2, "metres above 0"),
        (&["mobimix", "--draw", "zone.txt"], 1, "expected the extension .png or .svg"),
        (&["mobimix", "--profile", "nope"], 1, "no such profile"),
        (&["mobimix", "--traces", "missing.csv"], 1, "missing.csv"),
        (&["mobimix", "--overlay"], 2, "--traces"),
        (&["mobimix", "city:500:1", "--users", "1"], 1, "expected at least 2"),
        (&["nwa", "--period", "20", "--step", "15"], 1, "a multiple of --step 15"),
        (&["nwa", "--k", "1"], 2, "--k"),
        (&["nwa", "--max-trash", "2"], 2, "a number from 0 to 1"),
        (&["nwa", "city:500:1", "--step", "0.05"], 2, "--step"),
        (&["cachecloak", "--cell", "1"], 1, "expected at least 5 m"),
        (&["cachecloak", "--lifetime", "1"], 1, "expected at least 10 s"),
        (&["cachecloak", "city:500:1", "--users", "400", "--seconds", "60"], 1, "--warm-up"),
        (&["cache", "city:500:1", "--users", "9", "--cell", "0.1"], 1, "use larger cells"),
        (&["cache", "--update", "0"], 2, "days from 0.01"),
        (&["pir", "--cells", "0"], 2, "--cells"),
        (&["pir", "--cells", "10,100000", "--cell-bytes", "10000"], 1, "at most 250000000 bytes"),
        (&["pir", "--questions-per-day", "nan"], 2, "a number above 0"),
        (&["pir", "--traces", "t.csv", "--users", "5"], 2, "cannot be used with"),
        (&["pir", "--traces", "missing.csv"], 1, "missing.csv"),
    ];
    for (arguments, code, message) in cases {
        let all: Vec<&str> = ["neighbours"].iter().chain(arguments).copied().collect();
        let run = meshcloak(&all);
        assert_eq!(run.code, Some(code), "{arguments:?} {run:?}");
        assert!(run.stderr.contains(message), "{arguments:?} {run:?}");
        assert!(run.stdout.is_empty(), "{arguments:?}");
    }
    let Some(map) = real_map("oldenburg/oldenburgGen.node") else { return };
    for system in ["cache", "pir"] {
        let run = meshcloak(&["neighbours", system, map.to_str().unwrap(), "--users", "50"]);
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.stderr.contains("no points of interest; add `--pois FILE`"), "{run:?}");
    }
}
