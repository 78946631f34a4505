//! `meshcloak score` reports the metrics of `cloak` and names errors in outcomes by line.

use crate::cloak::DAY;
use crate::program::meshcloak;
use crate::town::TownFixture;
use serde_json::Value;
use std::fs;

/// Fields of a summary that do not depend on a clock.
const METRICS: [&str; 15] = [
    "queries",
    "succeeded",
    "expired",
    "refused",
    "refusals",
    "success_rate",
    "printed_success_rate",
    "mesh_length",
    "mesh_length_per_member",
    "region_area",
    "max_region_area",
    "relative_k",
    "relative_dt",
    "mean_delay",
    "served_within_2s",
];

fn assert_same(summary: &Value, score: &Value) {
    for name in METRICS {
        assert_eq!(summary[name], score[name], "{name}");
        assert!(score.get(name).is_some(), "{name}");
    }
    assert_eq!(score["below_k"], 0);
    assert_eq!(score["counted_twice"], 0);
}

#[test]
fn the_score_equals_the_summary_of_cloak() {
    let town = TownFixture::new(DAY);
    let summary = town.run(&["--json", "--guarantee", "paper"]).json();
    let (map, queries, outcomes) = (town.path("t"), town.path("q"), town.path("o"));
    let files = ["--queries", &queries, "--outcomes", &outcomes, "--json"];
    assert_same(&summary, &meshcloak(&[&["score"], &files[..]].concat()).json());
    assert_same(&summary, &meshcloak(&[&["score", &map], &files[..]].concat()).json());
    let table = meshcloak(&["score", "--queries", &queries, "--outcomes", &outcomes]).done();
    assert!(table.stdout.contains("success rate"), "{table:?}");
    assert!(table.stdout.contains("50.00 %"), "{table:?}");
}

#[test]
fn gzipped_files_of_each_scheme_score_as_their_summary() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (queries, outcomes) = (path("q.csv.gz"), path("o.ndjson.gz"));
    let simulate = ["simulate", "city:500:7", "--users", "300", "--out", &queries];
    meshcloak(&simulate).done();
    let schemes = ["meshcloak", "clique-cloak", "casper", "planar-laplace"];
    for (batch, scheme) in ["1", "0.7"].iter().flat_map(|batch| schemes.map(|s| (batch, s))) {
        let files = ["city:500:7", "--queries", &queries, "--batch", batch, "--json"];
        let more = ["--out", &outcomes, "--scheme", scheme];
        let cloak = meshcloak(&[&["cloak"], &files[..], &more].concat()).json();
        let score = meshcloak(&[&["score"], &files[..], &["--outcomes", &outcomes]].concat());
        let score = score.json();
        for name in METRICS {
            assert_eq!(cloak[name], score[name], "{scheme}, {name}");
        }
        let unique = ["--outcomes", &outcomes, "--unique-ids"];
        let unique = meshcloak(&[&["score"], &files[..], &unique].concat()).json();
        assert_eq!(unique, score, "{scheme}");
    }
}

#[test]
fn contradictory_outcomes_are_named_by_line() {
    let town = TownFixture::new(DAY);
    town.run(&[]).done();
    let (queries, outcomes) = (town.path("q"), town.path("o"));
    let text = fs::read_to_string(&outcomes).unwrap();
    let lines = text.lines().count();
    let again = text.lines().find(|line| line.contains("expired")).unwrap();
    fs::write(&outcomes, format!("{text}{again}\n")).unwrap();
    let score = ["score", "--queries", &queries, "--outcomes", &outcomes];
    let run = meshcloak(&score);
    assert_eq!(run.code, Some(1));
    let expected = format!("o, line {}: query `", lines + 1);
    assert!(run.stderr.contains(&expected), "{run:?}");
    assert_eq!(run.stderr.matches("has a second outcome").count(), 1, "{run:?}");
    let run = meshcloak(&["score", "--queries", &queries, "--outcomes", &town.path("none")]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("none: "), "{run:?}");
    assert_eq!(meshcloak(&["score", "--queries", &queries]).code, Some(2));
}

/// a and b (k = 2) are published at 1 s. c (k = 4) is adjacent to both, e (k = 4) is not adjacent to a,
/// d is far away. f, on the next street, is adjacent to a and b and would have joined.
const BESIDE: &str = "query,user,t,x,y,k,dt,dc
a,u1,0.5,10,0,2,2,150
b,u2,0.5,20,0,2,2,150
c,u3,0.5,30,0,4,2,150
d,u4,0.5,390,0,2,2,150
e,u5,0.5,150,0,4,2,135
";

#[test]
fn expired_queries_beside_a_set_are_counted_with_what_they_tell_of_k() {
    let score = |queries: &str, run: &[&str], more: &[&str]| {
        let town = TownFixture::new(queries);
        let outcomes = town.outcomes(run);
        assert!(outcomes.contains(r#""set":["a","b"]"#), "{outcomes}");
        let (map, queries, outcomes) = (town.path("t"), town.path("q"), town.path("o"));
        let score = ["score", &map, "--queries", &queries, "--outcomes", &outcomes];
        let run = meshcloak(&[&score[..], &["--missed-sets"], more].concat());
        assert!(!meshcloak(&score).done().stdout.contains("beside"));
        run
    };
    let expected =
        serde_json::json!({"beside_set": 1, "share_of_expired": 1.0 / 3.0, "larger_k": 1});
    for coverage in ["own", "both"] {
        let scored = score(BESIDE, &["--coverage", coverage], &["--coverage", coverage, "--json"]);
        assert_eq!(scored.json()["missed_sets"], expected, "{coverage}");
    }
    let table = score(BESIDE, &[], &[]).done().stdout;
    assert!(table.contains("1 (33.33 %)"), "{table}");
    // In cells of one street f cannot join; without the cells it seems so, and its k is too small.
    let with_f = format!("{BESIDE}f,u6,0.5,110,0,2,2,150\n");
    let cell = ["--region", "cell", "--cell-length", "100"];
    let missed = |more: &[&str]| {
        let missed = score(&with_f, &cell, &[more, &["--json"]].concat()).json();
        let missed = &missed["missed_sets"];
        (missed["beside_set"].as_u64().unwrap(), missed["larger_k"].as_u64().unwrap())
    };
    assert_eq!((missed(&cell), missed(&[])), ((1, 1), (2, 1)));
    let town = TownFixture::new(BESIDE);
    let files = ["score", "--queries", &town.path("q"), "--outcomes", &town.path("o")];
    assert_eq!(meshcloak(&[&files[..], &["--missed-sets"]].concat()).code, Some(2));
    let run = meshcloak(&[&files[..], &["--region", "cell"]].concat());
    assert!(run.stderr.contains("need --missed-sets"), "{run:?}");
}
