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
