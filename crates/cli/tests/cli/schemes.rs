//! `meshcloak cloak --scheme NAME`: baselines with the same input and output formats.

use crate::cloak_traffic::TrafficFixture;
use crate::program::meshcloak;
use crate::town::TownFixture;
use serde_json::Value;
use std::collections::BTreeSet;

const SCHEMES: [&str; 8] = [
    "meshcloak",
    "meshcloak-printed",
    "hilbert-cloak",
    "hilbert-streets",
    "casper",
    "interval-cloak",
    "xstar",
    "planar-laplace",
];

/// Returns the shape that a scheme publishes instead of streets.
fn shape(scheme: &str) -> Option<&'static str> {
    match scheme {
        "hilbert-cloak" | "casper" | "interval-cloak" => Some("rectangle"),
        "planar-laplace" => Some("disc"),
        _ => None,
    }
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
    let plane = r#""mesh":["s1","s2","s3"],"rectangle":[10,0,250,0],"length":240.0"#;
    assert_eq!(town.outcomes(&["--scheme", "hilbert-cloak"]), expected(plane));
    let streets = r#""mesh":["s1","s3"],"length":200.0"#;
    assert_eq!(town.outcomes(&["--scheme", "hilbert-streets"]), expected(streets));
}

#[test]
fn each_scheme_has_one_outcome_per_query_and_discloses_its_region_type() {
    let traffic = TrafficFixture::new("300");
    for scheme in SCHEMES {
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
            assert!(members >= outcome["k"].as_u64().unwrap() || scheme == "planar-laplace");
            for name in ["rectangle", "disc"] {
                assert_eq!(outcome.get(name).is_some(), shape(scheme) == Some(name), "{outcome}");
            }
            assert!(outcome["mesh"].is_array() && outcome["length"].is_number(), "{outcome}");
        }
        for disclosure in traffic.outcomes("d") {
            let fields: Vec<&String> = disclosure.as_object().unwrap().keys().collect();
            let mut expected = ["at", shape(scheme).unwrap_or("mesh")];
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
    assert!(run.code == Some(2) && SCHEMES.iter().all(|name| run.stderr.contains(name)), "{run:?}");
    let table = town.run(&["--scheme", "casper"]).done().stdout;
    assert!(table.contains("scheme") && table.contains("casper"), "{table}");
    let help = meshcloak(&["cloak", "--help"]).done().stdout;
    assert!(SCHEMES.iter().all(|name| help.contains(name)), "{help}");
}
