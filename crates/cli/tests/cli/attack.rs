//! `meshcloak attack`: arguments, table, JSON and result files.

use crate::program::meshcloak;
use serde_json::Value;
use std::collections::BTreeSet;
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
    let without_presence = attacks::ATTACKS.iter().filter(|attack| attack.letter != 'P');
    for attack in without_presence {
        assert!(text.contains(&format!("\n  {} ", attack.name)), "{}: {text}", attack.name);
    }
    let rows: Vec<&str> = text.lines().skip(1).take_while(|line| !line.is_empty()).collect();
    let width = rows[0].chars().count();
    assert!(rows.iter().all(|row| row.chars().count() == width), "{text}");
}

#[test]
fn ages_are_attacked_where_users_share_their_presence() {
    let found =
        attack(&["--guarantee", "reciprocal", "--attacks", "P", "--ask-share", "20", "--json"]);
    let found = found.json();
    let attacks = found["schemes"][0]["attacks"].as_array().unwrap();
    let ages = attacks.iter().find(|one| one["attack"] == "ages").unwrap();
    assert!(ages["publications"].as_u64() > Some(20), "{found}");
    let named =
        attack(&["--scheme", "meshcloak/reciprocal/present-80", "--attacks", "P", "--json"]);
    let named = named.json();
    let scheme = &named["schemes"][0];
    assert_eq!(scheme["scheme"], "meshcloak/reciprocal/present-80");
    assert_eq!(scheme["success_rate"], found["schemes"][0]["success_rate"], "the same users ask");
    assert!(scheme["ms_per_batch"].as_f64() > Some(0.0), "{scheme}");
}

#[test]
fn ages_tell_the_asker_unless_only_young_reports_or_queries_count() {
    let schemes = "meshcloak/reciprocal,meshcloak/age-3,meshcloak/askers";
    let arguments = ["--users", "1500", "--attacks", "P", "--ask-share", "20"];
    let arguments = [&ARGUMENTS[..2], &arguments, &["--scheme", schemes, "--json"]].concat();
    let found = meshcloak(&arguments).json();
    let of = |scheme: usize| {
        let attacks = found["schemes"][scheme]["attacks"].as_array().unwrap();
        attacks.iter().find(|one| one["attack"] == "ages").unwrap()
    };
    let rate = |scheme: usize, name: &str| match name {
        "below_k" => of(scheme)[name].as_f64().unwrap(),
        _ => of(scheme)["more"][name].as_f64().unwrap(),
    };
    assert!(rate(0, "below_k") > 0.3 && rate(0, "known_for_sure") > 0.05, "{found}");
    for (scheme, least) in [(1, 100), (2, 20)] {
        assert!(of(scheme)["publications"].as_u64() > Some(least), "{found}");
        assert_eq!((rate(scheme, "below_k"), rate(scheme, "known_for_sure")), (0.0, 0.0));
    }
    assert!(rate(0, "k_by_askers") < 1.5 && rate(2, "k_by_askers") > 2.0, "{found}");
}

#[test]
fn an_attack_that_is_left_out_is_noted() {
    let run = attack(&["--guarantee", "reciprocal", "--attacks", "D,P"]).done();
    assert!(run.stderr.contains("attack P (ages) is left out: all users ask"), "{}", run.stderr);
}

#[test]
fn a_rival_keeps_the_promise_of_its_own_model() {
    let found = attack(&["--scheme", "hilbert-cloak", "--own", "--attacks", "D", "--json"]).json();
    let attacks = found["schemes"][0]["attacks"].as_array().unwrap();
    let of = |name: &str| attacks.iter().find(|one| one["attack"] == name).unwrap();
    let ours = of("inversion")["below_k"].as_f64();
    assert!(ours > Some(0.2), "mixed k breaks Hilbert Cloak: {found}");
    let own = of("own model");
    assert_eq!((&own["level"], own["below_k"].as_f64()), (&"inversion".into(), Some(0.0)));
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
    assert_eq!(first.lines().filter(|line| line.contains(",casper,")).count(), 7);
    let second = run("meshcloak/history");
    assert!(second.contains(",casper,") && second.contains(",meshcloak/history,"));
    assert!(fs::read_to_string(folder.path().join("victim.csv")).unwrap().contains("victim"));
    let again = run("casper");
    assert_eq!(again.lines().count(), second.lines().count(), "replaced, not added");
}

#[test]
fn a_scheme_that_serves_no_target_is_named() {
    let schemes = ["--scheme", "meshcloak/paper,planar-laplace", "--attacks", "D"];
    let run = meshcloak(&[&["attack", "city:500:7", "--users", "1"], &schemes[..]].concat()).done();
    let note = "meshcloak/paper: no target is served, nothing to attack";
    assert!(run.stderr.contains(note) && !run.stderr.contains("planar-laplace:"), "{run:?}");
    assert!(run.stdout.contains("planar-laplace"), "{run:?}");
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
    let both = ["--scheme", "meshcloak/reciprocal/present-80", "--ask-share", "20"];
    assert!(message(&both).contains("--ask-share"));
    let given = ["--queries", "q.csv", "--outcomes", "o.ndjson", "--own"];
    assert!(message(&given).contains("--own"));
    let tracker = ["--queries", "q.csv", "--outcomes", "o.ndjson", "--attacks", "K"];
    assert!(message(&tracker).contains("needs the paths of simulated users"));
    assert!(message(&["--profile", "p9"]).contains("p9"));
    assert!(message(&["--k", "1"]).contains("2 or more"));
    let help = meshcloak(&["attack", "--help"]).done().stdout;
    assert!(help.contains("Examples:") && help.contains("--guarantee"));
}

#[test]
fn the_tracker_follows_users_at_any_tick() {
    for (tick, configuration) in [("1", "P1-10-5"), ("5", "P1-10-5 tick 5")] {
        let more = ["--attacks", "K", "--guarantee", "reciprocal", "--dt", "10", "--json"];
        let found = attack(&[&more[..], &["--tick", tick]].concat()).json();
        assert_eq!(found["configuration"], configuration);
        let rows = found["schemes"][0]["attacks"].as_array().unwrap();
        let row = rows.iter().find(|row| row["attack"] == "tracker").unwrap();
        assert!(row["publications"].as_u64().unwrap() > 500, "{row}");
        let share = |name: &str| row["more"][name].as_f64().unwrap();
        let (guessed, listed) = (share("street_guessed"), share("street_among_10"));
        assert!(0.0 < guessed && guessed < listed && listed < 1.0, "{row}");
        assert!(share("seconds_until_confused_without_regions") > 0.0, "{row}");
    }
    let refused = attack(&["--tick", "0"]);
    assert!(refused.code == Some(2) && refused.stderr.contains("--tick"), "{refused:?}");
}

#[test]
fn several_maps_profiles_and_seeds_are_attacked_in_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().display().to_string();
    let cases = ["--maps", "city:500:7,city:500:8", "--profiles", "p1,p2", "--seeds", "2"];
    let small = ["--users", "200", "--victims", "5", "--attacks", "D", "--guarantee", "reciprocal"];
    let all = [&["attack"], &cases[..], &small[..], &["--out", &out, "--json"]].concat();
    let run = meshcloak(&all).json();
    let case =
        |row: &Value| (row["map"].clone(), row["configuration"].clone(), row["seed"].clone());
    let found: BTreeSet<String> =
        run["schemes"].as_array().unwrap().iter().map(|row| format!("{:?}", case(row))).collect();
    assert_eq!(found.len(), 8, "{found:?}");
    // A case of its own gives the same figures.
    let one = ["attack", "city:500:8", "--profile", "p2", "--seed", "2", "--json"];
    let one = meshcloak(&[&one[..], &small[..]].concat()).json();
    let mut last = run["schemes"][7].clone();
    let mut only = one["schemes"][0].clone();
    for row in [&mut last, &mut only] {
        let fields = row.as_object_mut().unwrap();
        fields.retain(|name, _| !["map", "us_per_query", "ms_per_batch"].contains(&name.as_str()));
        fields["attacks"].as_array_mut().unwrap().iter_mut().for_each(|attack| {
            attack.as_object_mut().unwrap().remove("seconds");
        });
    }
    assert_eq!(last, only);
    let rows = fs::read_to_string(folder.path().join("privacy.csv")).unwrap();
    assert_eq!(rows.lines().count(), 1 + 8 * 2, "as shown, and inversion");
    assert_eq!(meshcloak(&["attack", "city:500:7", "--maps", "city:500:8"]).code, Some(2));
}

#[test]
fn a_map_that_the_built_in_city_replaces_is_noted() {
    let note = "MESHCLOAK_MAPS is not set";
    for (map, is_noted) in [("oldenburg", true), ("porto+pois.csv", true), ("city:500:7", false)] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_meshcloak"));
        command.args(["attack", "--maps", map, "--users", "200", "--attacks", "D", "--json"]);
        let output = command.env_remove("MESHCLOAK_MAPS").output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.success(), stderr.contains(note)), (true, is_noted), "{stderr}");
    }
}
