//! `meshcloak score` says of the files of `cloak` what `cloak` itself says, and names what is wrong
//! with those of others.

use crate::cloak::DAY;
use crate::desk::Desk;
use crate::program::meshcloak;
use serde_json::Value;
use std::fs;

/// Everything in a summary that does not depend on a clock.
const METRICS: [&str; 14] = [
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
fn the_day_is_scored_as_its_own_summary_says() {
    let desk = Desk::new(DAY);
    let summary = desk.run(&["--json", "--guarantee", "paper"]).json();
    let (map, queries, outcomes) = (desk.path("t"), desk.path("q"), desk.path("o"));
    let files = ["--queries", &queries, "--outcomes", &outcomes, "--json"];
    assert_same(&summary, &meshcloak(&[&["score"], &files[..]].concat()).json());
    assert_same(&summary, &meshcloak(&[&["score", &map], &files[..]].concat()).json());
    let table = meshcloak(&["score", "--queries", &queries, "--outcomes", &outcomes]).done();
    assert!(table.stdout.contains("success rate"), "{table:?}");
    assert!(table.stdout.contains("50.00 %"), "{table:?}");
}

#[test]
fn a_crowd_in_gzipped_files_is_scored_as_its_own_summary_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (queries, outcomes) = (path("q.csv.gz"), path("o.ndjson.gz"));
    let people = ["simulate", "city:500:7", "--users", "300", "--out", &queries];
    meshcloak(&people).done();
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
fn what_is_wrong_is_named_with_its_line() {
    let desk = Desk::new(DAY);
    desk.run(&[]).done();
    let (queries, outcomes) = (desk.path("q"), desk.path("o"));
    let text = fs::read_to_string(&outcomes).unwrap();
    let lines = text.lines().count();
    let again = text.lines().find(|line| line.contains("expired")).unwrap();
    fs::write(&outcomes, format!("{text}{again}\n")).unwrap();
    let score = ["score", "--queries", &queries, "--outcomes", &outcomes];
    let run = meshcloak(&score);
    assert_eq!(run.code, Some(1));
    let expected = format!("o, line {}: query `", lines + 1);
    assert!(run.stderr.contains(&expected) && run.stderr.contains("already"), "{run:?}");
    let run = meshcloak(&["score", "--queries", &queries, "--outcomes", &desk.path("none")]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("none: "), "{run:?}");
    assert_eq!(meshcloak(&["score", "--queries", &queries]).code, Some(2));
}
