//! `meshcloak attack`: arguments, table, JSON and result files.

use crate::program::meshcloak;
use std::fs;

const ARGUMENTS: [&str; 8] =
    ["attack", "city:500:7", "--users", "400", "--victims", "120", "--seed", "5"];

fn attack(more: &[&str]) -> crate::program::Run {
    meshcloak(&[&ARGUMENTS[..], more].concat())
}

#[test]
fn attacks_succeed_on_paper_and_fail_on_history() {
    let found = attack(&["--attacks", "D,known-point", "--json"]).json();
    assert_eq!((&found["users"], &found["configuration"]), (&400.into(), &"P1-3-5".into()));
    let schemes = found["schemes"].as_array().unwrap();
    let names: Vec<&str> = schemes.iter().map(|one| one["scheme"].as_str().unwrap()).collect();
    assert_eq!(names, ["meshcloak/paper", "meshcloak/reciprocal", "meshcloak/history"]);
    let below = |scheme: usize, attack: &str| {
        let attacks = schemes[scheme]["attacks"].as_array().unwrap();
        let found = attacks.iter().find(|one| one["attack"] == attack);
        found.unwrap_or_else(|| panic!("{attack} is missing"))["below_k"].as_f64().unwrap()
    };
    assert!(below(0, "inversion") > 0.02 && below(0, "known-point") > 0.02, "{found}");
    assert_eq!((below(1, "inversion"), below(2, "inversion")), (0.0, 0.0));
    assert!(schemes[2]["success_rate"].as_f64() < schemes[0]["success_rate"].as_f64());
}

#[test]
fn a_table_is_aligned_and_names_every_attack() {
    let text = attack(&["--guarantee", "reciprocal", "--region", "cells", "--cell-length", "600"]);
    let text = text.done().stdout;
    assert!(text.starts_with("meshcloak/reciprocal/cells-600: "), "{text}");
    for attack in &attacks::ATTACKS {
        assert!(text.contains(&format!("\n  {} ", attack.name)), "{}: {text}", attack.name);
    }
    let rows: Vec<&str> = text.lines().skip(1).take_while(|line| !line.is_empty()).collect();
    let width = rows[0].chars().count();
    assert!(rows.iter().all(|row| row.chars().count() == width), "{text}");
}

#[test]
fn existing_outcomes_are_attacked() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (q, o) = (path("q.csv"), path("o.ndjson"));
    let simulate = ["simulate", "city:500:7", "--users", "300", "--out", &q];
    meshcloak(&simulate).done();
    let cloak = ["cloak", "city:500:7", "--queries", &q, "--out", &o, "--guarantee", "paper"];
    meshcloak(&cloak).done();
    let arguments = ["attack", "city:500:7", "--queries", &q, "--outcomes", &o, "--json"];
    let found = meshcloak(&arguments).json();
    let attacks = found["schemes"][0]["attacks"].as_array().unwrap();
    let of = |name: &str| attacks.iter().find(|one| one["attack"] == name).unwrap();
    assert!(of("as shown")["publications"].as_u64() > Some(100));
    assert!(of("inversion")["below_k"].as_f64() > Some(0.0), "{found}");
    assert_eq!(of("inversion")["wrong"].as_f64(), Some(0.0));
    let both = ["attack", "--queries", &q, "--outcomes", &o, "--scheme", "casper"];
    assert!(meshcloak(&both).stderr.contains("already exist"));
}

#[test]
fn rows_of_other_runs_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().display().to_string();
    let run = |scheme: &str| {
        attack(&["--scheme", scheme, "--attacks", "A", "--out", &out]).done();
        fs::read_to_string(folder.path().join("privacy.csv")).unwrap()
    };
    let first = run("casper");
    assert_eq!(first.lines().filter(|line| line.contains(",casper,")).count(), 4);
    let second = run("meshcloak/history");
    assert!(second.contains(",casper,") && second.contains(",meshcloak/history,"));
    assert!(fs::read_to_string(folder.path().join("victim.csv")).unwrap().contains("victim"));
    let again = run("casper");
    assert_eq!(again.lines().count(), second.lines().count(), "replaced, not added");
}

#[test]
fn errors_name_what_is_wrong() {
    let message = |more: &[&str]| {
        let run = attack(more);
        assert!(matches!(run.code, Some(1 | 2)), "{run:?}");
        run.stderr
    };
    assert!(message(&["--scheme", "magic"]).contains("magic"));
    assert!(message(&["--attacks", "Z"]).contains("inversion (D)"));
    assert!(message(&["--scheme", "casper", "--guarantee", "history"]).contains("--guarantee"));
    assert!(message(&["--cell-length", "600"]).contains("--region cells"));
    assert!(message(&["--queries", "q.csv"]).contains("--outcomes"));
    assert!(message(&["--profile", "p9"]).contains("p9"));
    assert!(message(&["--k", "1"]).contains("2 or more"));
    let help = meshcloak(&["attack", "--help"]).done().stdout;
    assert!(help.contains("Examples:") && help.contains("--guarantee"));
}
