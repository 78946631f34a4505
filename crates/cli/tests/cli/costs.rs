//! `costs` with the built-in service and a temporary database.

use crate::pois::database::Database;
use crate::program::meshcloak;
use serde_json::Value;

const RUN: [&str; 12] = [
    "costs",
    "city:500:7",
    "--users",
    "1500",
    "--seconds",
    "12",
    "--after",
    "20",
    "--check-one-in",
    "3",
    "--json",
    "--schemes",
];
const SCHEMES: &str = "meshcloak/paper,meshcloak/reciprocal,meshcloak/reciprocal/cell,casper";

fn costs(more: &[&str]) -> Vec<Value> {
    let all = meshcloak(&[&RUN[..], &[SCHEMES], more].concat()).json();
    all.as_array().unwrap().clone()
}

fn number(row: &Value, name: &str) -> u64 {
    row[name].as_u64().unwrap_or_else(|| panic!("{name} of {row}"))
}

/// Removes the fields that depend on the clock.
fn counts(rows: &[Value]) -> Vec<Value> {
    let mut rows = rows.to_vec();
    for row in &mut rows {
        let fields = row.as_object_mut().unwrap();
        fields.retain(|name, _| {
            !["mean_request_ms", "refinement_us", "wire"].contains(&name.as_str())
        });
    }
    rows
}

#[test]
fn counts_are_reproducible_and_every_checked_answer_is_exact() {
    let rows = costs(&[]);
    assert_eq!(rows.len(), 4);
    assert_eq!(counts(&rows), counts(&costs(&[])));
    for row in &rows {
        let of = |name| number(row, name);
        assert!(of("answered") > 100 && of("answered") <= of("queries"), "{row}");
        assert!(of("checked") > 20 && of("wrong") == 0, "{row}");
        assert!(of("candidates") >= of("requests") && of("requests") > 0, "{row}");
        assert!(of("candidate_bytes") > of("candidates") * 70, "{row}");
        assert!(row["wire"].is_null(), "{row}");
    }
    // Members of a set share requests; in the paper's method each user can have its own set.
    assert!(number(&rows[2], "requests") < number(&rows[2], "answered"), "{}", rows[2]);
}

#[test]
fn every_scheme_is_measured_and_only_noise_asks_about_other_places() {
    let all = ["costs", "city:500:7", "--users", "900", "--seconds", "6", "--after", "20"];
    let more = ["--check-one-in", "3", "--json", "--schemes", "all"];
    let all = [&all[..], &more].concat();
    let rows = meshcloak(&all).json();
    let rows = rows.as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["scheme"].as_str().unwrap()).collect();
    for name in evaluation::schemes::canonical_names() {
        assert!(names.contains(&name.as_str()), "{name}");
    }
    for row in rows {
        let of = |name| number(row, name);
        let is_noise = ["planar-laplace", "optimal"].contains(&row["scheme"].as_str().unwrap());
        assert!(of("answered") > 50 && of("checked") > 5 && of("wrong") == 0, "{row}");
        assert_eq!(of("outside") > 0, is_noise, "{row}");
        assert!(of("candidates") > 0 && of("queries") == number(&rows[0], "queries"), "{row}");
    }
}

#[test]
fn a_database_gives_the_same_answers_and_its_traffic_is_counted() {
    let database = Database::start();
    let url = database.url();
    meshcloak(&["pois", "load", "city:500:7", "--database", &url]).done();
    let rows = costs(&["--service", "postgis", "--database", &url]);
    for (row, built_in) in rows.iter().zip(costs(&[])) {
        for name in ["scheme", "queries", "answered", "requests", "objects", "object_bytes"] {
            assert_eq!(row[name], built_in[name], "{name}");
        }
        let (of, wire) = (|name| number(row, name), &row["wire"]);
        assert!(of("candidates") >= of("objects") / 8 && of("wrong") == 0, "{row}");
        assert!(number(wire, "statements") >= of("requests"), "{row}");
        // Each statement sends lines as text, each candidate comes with id, category and position.
        assert!(number(wire, "sent") > of("requests") * 100, "{row}");
        assert!(number(wire, "received") > of("candidates") * 20, "{row}");
    }
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let refused = |arguments: &[&str]| {
        let run = meshcloak(arguments);
        assert_ne!(run.code, Some(0));
        run.stderr
    };
    assert!(refused(&["costs", "--service", "postgis"]).contains("--database"));
    let later = refused(&["costs", "city:500:7", "--users", "50", "--after", "90000"]);
    assert!(later.contains("all agents have finished"), "{later}");
    let url =
        ["costs", "city:500:7", "--users", "50", "--service", "postgis", "--database", "host=x"];
    assert!(refused(&url).contains("postgres://user@host:port/name"));
    // Nothing listens at this port: every scheme fails, and the reason is stated.
    let dead = "postgres://u@127.0.0.1:9/x";
    let city = ["costs", "city:500:7", "--users", "600", "--seconds", "5"];
    let more = ["--schemes", "casper,xstar", "--service", "postgis", "--database", dead];
    let failed = refused(&[&city[..], &more].concat());
    assert!(failed.contains("no scheme could be measured; xstar: "), "{failed}");
}
