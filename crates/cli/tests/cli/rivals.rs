//! Comparison of all schemes and other architectures in one folder of results (`experiments/rivals.sh`).

use crate::program::meshcloak;
use crate::town::TownFixture;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// Columns by name of every row of a CSV file.
fn rows(path: &Path) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    reader.deserialize().map(|row| row.unwrap()).collect()
}

/// Distinct values of a column in the rows for which `is_here` holds.
fn values(
    rows: &[BTreeMap<String, String>],
    column: &str,
    is_here: impl Fn(&BTreeMap<String, String>) -> bool,
) -> BTreeSet<String> {
    rows.iter().filter(|row| is_here(row)).map(|row| row[column].clone()).collect()
}

/// Canonical names of all schemes, MeshCloak with its three guarantees.
fn all_schemes() -> BTreeSet<String> {
    let ours = ["meshcloak/reciprocal", "meshcloak/history"].map(str::to_owned);
    ours.into_iter().chain(evaluation::schemes::canonical_names()).collect()
}

#[test]
fn one_script_fills_a_folder_with_runs_attacks_costs_measures_and_a_report() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("rivals");
    let town = TownFixture::new("");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let experiment = town.path("e.toml");
    let schemes = "schemes = [\"all\", \"meshcloak/reciprocal\", \"meshcloak/history\"]";
    std::fs::write(&experiment, format!("profiles = \"p1\"\nk = \"2-5\"\ndt = 3\n{schemes}\n"))
        .unwrap();
    let done = Command::new(root.join("experiments/rivals.sh"))
        .arg(env!("CARGO_BIN_EXE_meshcloak"))
        .arg(&out)
        .env("MAPS", format!("city:500:1,{}", town.path("t")))
        .envs([("USERS", "350"), ("MANY", "400"), ("VICTIMS", "6"), ("COST_SECONDS", "3")])
        .envs([("RETRIEVALS", "1"), ("SAMPLE", ""), ("EXPERIMENT", &*experiment)])
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let all = all_schemes();
    let is_in_city = |row: &BTreeMap<String, String>| row["map"] == "city:500:1";

    let runs = rows(&out.join("runs.csv"));
    assert_eq!(values(&runs, "scheme", is_in_city), all);
    let privacy = rows(&out.join("privacy.csv"));
    let has_default = |row: &BTreeMap<String, String>| all.contains(&row["scheme"]);
    let tuned = values(&privacy, "scheme", |row| !has_default(row));
    assert!(tuned.contains("l2p2:requirement=basic") && tuned.len() == 9, "{tuned:?}");
    for attack in ["as shown", "inversion", "known-point", "tracker", "own model"] {
        let of = |row: &BTreeMap<String, String>| is_in_city(row) && row["attack"] == attack;
        assert_eq!(values(&privacy, "scheme", |row| of(row) && has_default(row)), all, "{attack}");
        assert_eq!(values(&privacy, "scheme", |row| of(row) && !has_default(row)), tuned);
    }
    assert_eq!(values(&privacy, "users", is_in_city), ["350", "400"].map(str::to_owned).into());
    let costs = rows(&out.join("costs.csv"));
    assert!(
        all.iter()
            .filter(|name| *name != "meshcloak/history")
            .all(|name| { costs.iter().any(|row| row["scheme"] == **name) })
    );
    let systems = values(&rows(&out.join("neighbours.csv")), "system", |_| true);
    assert_eq!(systems.len(), 5, "{systems:?}");

    // The town has no points of interest.
    let skipped = rows(&out.join("skipped.csv"));
    let of = |command: &str| {
        let rows: Vec<_> = skipped.iter().filter(|row| row["command"] == command).collect();
        rows.iter().map(|row| (row["map"].clone(), row["scheme"].clone())).collect::<Vec<_>>()
    };
    let expected = |name: &str| ("t".to_owned(), name.to_owned());
    assert_eq!(of("evaluate"), [expected("semantics")]);
    assert_eq!(of("attack"), [expected("semantics")]);
    let html = std::fs::read_to_string(out.join("report.html")).unwrap();
    for text in [
        "<td>t</td><td>semantics</td><td>evaluate, attack</td>",
        "Own model: attack, and below k or error",
        "Below k: region inversion by the service (E, L1)",
        "Ticks in which the tracker names the street, with and without regions (K)",
        "Cost to the service and the user",
        "When which is right",
    ] {
        assert!(html.contains(text), "{text}");
    }
}

#[test]
fn points_of_interest_let_semantics_run_and_other_maps_stay_skipped() {
    let town = TownFixture::new("");
    let pois = town.path("places.csv");
    let places = "x,y,category\n10,5,atm\n150,5,school\n250,5,hotel\n390,5,bakery\n";
    std::fs::write(&pois, places).unwrap();
    let file = town.path("e.toml");
    let grid = "profiles = \"p1\"\nusers = 60\nk = \"2-3\"\ndt = 3\nschemes = \"semantics\"\n";
    std::fs::write(&file, grid).unwrap();
    let (map, out) = (town.path("t"), town.path("results"));
    let maps = format!("{map},{map}+{pois}");
    let run = meshcloak(&["evaluate", &file, "--maps", &maps, "--out", &out]).done();
    assert!(
        run.stderr.contains("t: scheme `semantics`: the map has no points of interest"),
        "{run:?}"
    );
    let runs = rows(&Path::new(&out).join("runs.csv"));
    assert_eq!(values(&runs, "map", |_| true), ["t+places".to_owned()].into());
    assert!(runs.iter().all(|row| row["succeeded"].parse::<u32>().unwrap() > 100), "{runs:?}");
    let skipped = || values(&rows(&Path::new(&out).join("skipped.csv")), "map", |_| true);
    assert_eq!(skipped(), ["t".to_owned()].into());
    // An attack on several schemes lists what it leaves out, until it can run.
    let attack = |map: &str| {
        let all = ["attack", "--maps", map, "--users", "60", "--scheme", "semantics,casper"];
        meshcloak(&[&all[..], &["--attacks", "D", "--k", "2-3", "--own", "--out", &out]].concat())
    };
    attack(&format!("{map}+{pois}")).done();
    assert_eq!(skipped(), ["t".to_owned()].into());
    let missing = attack(&format!("{map}+{}", town.path("none.csv")));
    assert!(
        missing.code == Some(1) && missing.stderr.contains("none.csv: no such file"),
        "{missing:?}"
    );
    std::fs::write(town.path("t.pois.csv"), places).unwrap();
    meshcloak(&["evaluate", &file, "--maps", &map, "--out", &out]).done();
    assert_eq!(skipped(), BTreeSet::new(), "the map has places now");
}

#[test]
fn a_map_of_sensitive_places_is_read_and_a_bad_one_stops_the_command() {
    let town = TownFixture::new("query,user,t,x,y,k,dt,dc\na,1,1,10,0,2,0,50\nb,2,1,20,0,2,0,50\n");
    let (good, bad) = (town.path("good.csv"), town.path("bad.csv"));
    std::fs::write(&good, "x,y,factor,radius\n10,0,2,20\n").unwrap();
    std::fs::write(&bad, "x,y,factor\n10,0,0\n").unwrap();
    let succeeded =
        |scheme: &str| town.run(&["--scheme", scheme, "--json"]).json()["succeeded"].clone();
    assert_eq!(succeeded("l2p2:share=0"), 2);
    assert_eq!(succeeded(&format!("l2p2:map={good}")), 0, "k is 4 there, and two users ask");
    let run = town.run(&["--scheme", &format!("l2p2:map={bad}")]);
    let message = "bad.csv, line 2: field `factor` is `0`; expected a whole number from 1 to 100";
    assert!(run.code == Some(1) && run.stderr.contains(message), "{run:?}");
    // Not a scheme that lacks something on this map: nothing is left out silently.
    let schemes = format!("casper,l2p2:map={bad}");
    let attack =
        ["attack", &town.path("t"), "--users", "30", "--attacks", "D", "--scheme", &schemes];
    let run = meshcloak(&attack);
    assert!(run.code == Some(1) && run.stderr.contains(message), "{run:?}");
}
