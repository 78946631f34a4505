//! `meshcloak cloak --scheme NAME`: baselines with the same input and output formats.

use crate::cloak_traffic::TrafficFixture;
use crate::program::meshcloak;
use crate::town::TownFixture;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

/// Returns the field that holds the regions of a scheme.
fn region(scheme: &str) -> &'static str {
    match scheme {
        "meshcloak" | "meshcloak-printed" | "sequential" | "sequential-edges"
        | "hilbert-streets" | "xstar" | "plpca" | "query-aware" | "star-cloak"
        | "road-network-k" | "semantics" | "optimal" => "mesh",
        "planar-laplace" => "disc",
        _ => "rectangle",
    }
}

/// Whether a scheme publishes sets of k users.
fn has_anonymity_sets(scheme: &str) -> bool {
    !["planar-laplace", "footprints", "optimal"].contains(&scheme)
}

#[test]
fn three_queries_have_the_expected_outcomes() {
    let three =
        "query,user,t,x,y,k,dt,dc\na,1,1,10,0,2,0,50\nb,2,1,20,0,3,0,50\nc,3,1,250,0,4,0,50\n";
    let town = TownFixture::new(three);
    let expected = |region: &str| {
        let row = |query: &str, k: u32| {
            format!(
                "{{\"query\":\"{query}\",\"outcome\":\"succeeded\",\"at\":1.0,\"delay\":0.0,\
                 \"k\":{k},\"set\":[\"a\",\"b\",\"c\"],{region}}}\n"
            )
        };
        let late = "{\"query\":\"c\",\"outcome\":\"expired\",\"at\":2.0}\n";
        format!("{}{}{late}", row("a", 2), row("b", 3))
    };
    let plane = r#""rectangle":[10,0,250,0],"length":240.0"#;
    assert_eq!(town.outcomes(&["--scheme", "hilbert-cloak"]), expected(plane));
    let streets = r#""mesh":["s1","s3"],"length":200.0"#;
    assert_eq!(town.outcomes(&["--scheme", "hilbert-streets"]), expected(streets));
}

#[test]
fn each_scheme_has_one_outcome_per_query_and_discloses_its_region_type() {
    let traffic = TrafficFixture::new("300");
    for scheme in baselines::names() {
        let disclosures = traffic.path("d");
        let summary =
            traffic.cloak("q.csv", "o", &["--scheme", scheme, "--disclosures", &disclosures]);
        assert_eq!(
            (&summary["scheme"], &summary["settings"]["scheme"]),
            (&scheme.into(), &scheme.into())
        );
        let outcomes = traffic.outcomes("o");
        let ids: BTreeSet<&str> = outcomes.iter().filter_map(|o| o["query"].as_str()).collect();
        assert_eq!((outcomes.len(), ids.len()), (3_300, 3_300), "{scheme}");
        let served: Vec<&Value> =
            outcomes.iter().filter(|outcome| outcome["outcome"] == "succeeded").collect();
        assert_eq!(summary["succeeded"], served.len(), "{scheme}");
        assert!(served.len() > 100, "{scheme}: {}", served.len());
        for outcome in served {
            let members = outcome["set"].as_array().map_or(0, Vec::len) as u64;
            assert!(members >= outcome["k"].as_u64().unwrap() || !has_anonymity_sets(scheme));
            for name in ["mesh", "rectangle", "disc"] {
                assert_eq!(outcome[name].is_array(), region(scheme) == name, "{outcome}");
            }
            assert!(outcome["length"].is_number(), "{outcome}");
        }
        for disclosure in traffic.outcomes("d") {
            let fields: Vec<&String> = disclosure.as_object().unwrap().keys().collect();
            let mut expected = ["at", region(scheme)];
            expected.sort_unstable();
            assert_eq!(fields, expected, "{scheme}");
        }
    }
}

#[test]
fn settings_of_meshcloak_are_rejected_with_other_schemes() {
    let town = TownFixture::new("query,user,t,x,y,k,dt,dc\n");
    let settings = [
        ("--guarantee", "paper"),
        ("--pipeline", "fast"),
        ("--coverage", "own"),
        ("--region", "reach"),
        ("--budget", "9"),
    ];
    for (name, value) in settings {
        town.run(&["--scheme", "meshcloak", name, value]).done();
        let run = town.run(&["--scheme", "casper", name, value]);
        let message =
            format!("{name} is a setting of `meshcloak`; `--scheme casper` does not have it");
        assert!(run.code == Some(1) && run.stderr.contains(&message), "{run:?}");
    }
    let run = town.run(&["--scheme", "clairvoyance"]);
    assert!(
        run.code == Some(2) && baselines::names().all(|name| run.stderr.contains(name)),
        "{run:?}"
    );
    let table = town.run(&["--scheme", "casper"]).done().stdout;
    assert!(table.contains("scheme") && table.contains("casper"), "{table}");
    let help = meshcloak(&["cloak", "--help"]).done().stdout;
    assert!(baselines::names().all(|name| help.contains(name)), "{help}");
    assert!(help.contains("levels=9  halvings of the map"), "{help}");
}

#[test]
fn parameters_are_checked_and_reported() {
    let town = TownFixture::new("query,user,t,x,y,k,dt,dc\na,1,1,10,0,2,0,50\nb,2,1,20,0,2,0,50\n");
    let summary = town.run(&["--scheme", "casper:levels=3:min-area=2500", "--json"]).json();
    assert_eq!(summary["settings"]["levels"], "3");
    assert_eq!(summary["settings"]["min-area"], "2500");
    assert!(summary["region_area"].as_f64().is_some_and(|area| area >= 2_500.0), "{summary}");
    for (scheme, message) in [
        ("casper:levels=0", "levels=0; expected a whole number from 1 to 16"),
        ("casper:levels", "`levels` is not a parameter; expected NAME:PARAMETER=VALUE"),
        ("casper:size=1", "has no parameter `size`; it has levels, min-area"),
        ("hilbert-cloak:size=1", "has no parameter `size`; it has no parameters"),
    ] {
        let run = town.run(&["--scheme", scheme]);
        assert!(run.code == Some(2) && run.stderr.contains(message), "{run:?}");
    }
}

#[test]
fn fewer_users_than_k_expire_under_every_scheme() {
    let town = TownFixture::new("query,user,t,x,y,k,dt,dc\na,1,1,10,0,3,2,50\nb,2,1,20,0,3,2,50\n");
    for scheme in baselines::names().filter(|name| *name != "semantics") {
        let outcomes = town.outcomes(&["--scheme", scheme]);
        let expired = outcomes.lines().filter(|line| line.contains("\"expired\"")).count();
        assert_eq!(outcomes.lines().count(), 2, "{scheme}: {outcomes}");
        // The past visitors of `footprints` are too few as well; noise needs no crowd.
        let needs_users = !["planar-laplace", "optimal"].contains(&scheme);
        assert_eq!(expired, if needs_users { 2 } else { 0 }, "{scheme}: {outcomes}");
    }
}

#[test]
fn fewer_users_than_k_expire_under_semantics_on_a_map_with_categories() {
    // With k = 2 the places suffice.
    for (k, expected) in [(2, "succeeded"), (3, "expired")] {
        let queries =
            format!("query,user,t,x,y,k,dt,dc\na,1,1,10,0,{k},2,50\nb,2,1,20,0,{k},2,50\n");
        let town = TownFixture::new(&queries);
        let pois = town.path("p.csv");
        fs::write(&pois, "x,y,category\n30,5,cafe\n150,5,hospital\n250,5,parking\n").unwrap();
        let outcomes = town.outcomes(&["--scheme", "semantics", "--pois", &pois]);
        let outcome = format!("\"outcome\":\"{expected}\"");
        assert_eq!(outcomes.matches(&outcome).count(), 2, "k = {k}: {outcomes}");
        assert_eq!(outcomes.lines().count(), 2, "k = {k}: {outcomes}");
    }
}

#[test]
fn semantics_explains_that_the_map_has_no_categories() {
    let town = TownFixture::new("query,user,t,x,y,k,dt,dc\na,1,1,10,0,2,0,50\n");
    let run = town.run(&["--scheme", "semantics"]);
    assert!(run.code == Some(1) && run.stderr.contains("with a category"), "{run:?}");
    assert!(run.stdout.is_empty() && town.left_behind().is_empty(), "{run:?}");
    // Of several schemes the others are attacked.
    let (map, out) = (town.path("t"), town.path("results"));
    let schemes =
        ["attack", &map, "--users", "30", "--scheme", "semantics,casper", "--attacks", "D"];
    let run = meshcloak(&[&schemes[..], &["--out", &out]].concat()).done();
    assert!(run.stderr.contains("with a category") && run.stdout.contains("casper"), "{run:?}");
}
