//! `meshcloak cloak` on a town small enough to check by hand: four streets of 100 m in a row.
//!
//! ```text
//! a ──s1── b ──s2── c ──s3── d ──s4── e
//! 0       100      200      300      400
//! ```

use crate::town::TownFixture;
use serde_json::Value;
use std::fs;

/// q1 and q2 are served in batch 1, in which q2 arrives at the last moment; q4 arrives when q3 is
/// about to expire, exactly 60 m away; q5 and q6 are of one user; q7 expires before its first batch;
/// q9 is served in a set of two, too small for q8; q10 has no neighbour.
pub const DAY: &str = "\
query,user,t,x,y,k,dt,dc,speed,interval
early,u0,soon,1,0,2,1,50,,
q1,u1,0.5,10,0,2,2,50,,
broken,u1,0.5
letters,u1,0.5,10,0,two,2,50,,
q2,u2,1.0,20,0,2,3,50,,
q3,u3,1.001,250,0,2,2,60,,
slow,u1,1.5,10,0,2,2,,-1,10
q4,u4,3,310,0,2,2,,6,10
q1,u9,3,310,0,2,2,50,,
q5,u5,4,150,0,2,2,50,,
q6,u5,5,150,0,2,0,50,,
q7,u7,5.5,150,0,2,0.2,50,,
far,u8,5.6,150,51,2,2,50,,
q8,u8,6,20,3,3,1,50,,
q9,u9,6.5,30,-4,2,5,50,,
late,u9,6.499,30,0,2,5,50,,
one,u9,7,30,0,1,5,50,,
minus,u9,7,30,0,-3,5,50,,
past,u9,7,30,0,2,-0.5,50,,
still,u9,7,30,0,2,5,0,,
tiny,u9,7,30,0,2,5,0.03,,
huge,u9,7,30,0,2,5,2000.04,,
q10,u1,9.25,30,0,2,1.5,2000.03,,
";

const OUTCOMES: &str = r#"
{"query":"early","outcome":"refused","at":0.0,"reason":"malformed"}
{"query":null,"outcome":"refused","at":1.0,"reason":"malformed"}
{"query":"letters","outcome":"refused","at":1.0,"reason":"malformed"}
{"query":"q1","outcome":"succeeded","at":1.0,"delay":0.5,"k":2,"set":["q1","q2"],"mesh":["s1","s2"],"length":200.0}
{"query":"q2","outcome":"succeeded","at":1.0,"delay":0.0,"k":2,"set":["q1","q2"],"mesh":["s1","s2"],"length":200.0}
{"query":"slow","outcome":"refused","at":2.0,"reason":"speed"}
{"query":"q1","outcome":"refused","at":3.0,"reason":"duplicate-id"}
{"query":"q3","outcome":"succeeded","at":3.0,"delay":1.999,"k":2,"set":["q3","q4"],"mesh":["s2","s3","s4"],"length":300.0}
{"query":"q4","outcome":"succeeded","at":3.0,"delay":0.0,"k":2,"set":["q3","q4"],"mesh":["s2","s3","s4"],"length":300.0}
{"query":"far","outcome":"refused","at":6.0,"reason":"off-map"}
{"query":"q6","outcome":"expired","at":6.0}
{"query":"q7","outcome":"expired","at":6.0}
{"query":"late","outcome":"refused","at":7.0,"reason":"out-of-order"}
{"query":"one","outcome":"refused","at":7.0,"reason":"k"}
{"query":"minus","outcome":"refused","at":7.0,"reason":"k"}
{"query":"past","outcome":"refused","at":7.0,"reason":"dt"}
{"query":"still","outcome":"refused","at":7.0,"reason":"dc"}
{"query":"tiny","outcome":"refused","at":7.0,"reason":"dc"}
{"query":"huge","outcome":"refused","at":7.0,"reason":"dc"}
{"query":"q5","outcome":"expired","at":7.0}
{"query":"q9","outcome":"succeeded","at":7.0,"delay":0.5,"k":2,"set":["q8","q9"],"mesh":["s1","s2"],"length":200.0}
{"query":"q8","outcome":"expired","at":8.0}
{"query":"q10","outcome":"expired","at":11.0}
"#;

const DISCLOSURES: &str = r#"
{"at":1.0,"mesh":["s1","s2"]}
{"at":3.0,"mesh":["s2","s3","s4"]}
{"at":7.0,"mesh":["s1","s2"]}
"#;

/// `time,new,succeeded,expired,waiting,nodes,edges`; no query is waiting at 9.
const BATCHES: &str = "
1.0,2,2,0,0,2,1
2.0,1,0,0,1,1,0
3.0,1,2,0,0,2,1
4.0,1,0,0,1,1,0
5.0,1,0,0,2,2,0
6.0,2,0,2,2,2,0
7.0,1,1,1,1,2,1
8.0,0,0,1,0,0,0
10.0,1,0,0,1,1,0
11.0,0,0,1,0,0,0
";

#[test]
fn both_pipelines_and_both_formats_give_the_expected_outcomes() {
    let json: Vec<String> = DAY.lines().skip(1).filter_map(as_json).collect();
    let json_outcomes = OUTCOMES.replace("\"early\"", "null").replace("\"letters\"", "null");
    for (queries, outcomes) in
        [(DAY.to_owned(), OUTCOMES), (json.join("\n"), json_outcomes.as_str())]
    {
        let town = TownFixture::new(&queries);
        for pipeline in ["fast", "printed"] {
            for coverage in ["own", "both"] {
                let (d, b) = (town.path("d"), town.path("b"));
                let flags = ["--pipeline", pipeline, "--coverage", coverage];
                let files = ["--disclosures", &d, "--per-batch", &b];
                let all = [&["--guarantee", "paper"][..], &flags, &files].concat();
                assert_eq!(town.outcomes(&all), outcomes.trim_start());
                assert_eq!(fs::read_to_string(&d).unwrap(), DISCLOSURES.trim_start());
                let batches = fs::read_to_string(&b).unwrap();
                let mut lines = batches.lines();
                let head = lines.next().unwrap();
                assert!(
                    head.starts_with("time,new,succeeded,expired,waiting,nodes,edges,cliques,")
                );
                let stages = "collect_ms,graph_ms,cliques_ms,mesh_ms,settle_ms";
                assert!(head.contains(&format!("{stages},replaced,held,idle,rejected_")));
                let counts = |line: &str| line.split(',').take(7).collect::<Vec<_>>().join(",");
                let counted: Vec<String> = lines.map(counts).collect();
                assert_eq!(counted.join("\n"), BATCHES.trim());
            }
        }
    }
}

/// Converts a row of [`DAY`] to JSON; a row with missing fields becomes malformed JSON.
fn as_json(row: &str) -> Option<String> {
    let names = ["query", "user", "t", "x", "y", "k", "dt", "dc", "speed", "interval"];
    let fields: Vec<&str> = row.split(',').collect();
    if fields.len() != names.len() {
        return Some("{oops".into());
    }
    let field = |(name, value): (&&str, &&str)| match value.parse::<f64>() {
        _ if value.is_empty() => None,
        Ok(_) => Some(format!("\"{name}\":{value}")),
        Err(_) => Some(format!("\"{name}\":\"{value}\"")),
    };
    let fields: Vec<String> = names.iter().zip(&fields).filter_map(field).collect();
    Some(format!("{{{}}}", fields.join(",")))
}

#[test]
fn the_summary_has_the_expected_metrics() {
    let town = TownFixture::new(DAY);
    let summary = town.run(&["--json", "--guarantee", "paper"]).json();
    let count = |name: &str| summary[name].as_u64().unwrap();
    let counts = ["queries", "succeeded", "expired", "refused", "batches"].map(count);
    assert_eq!(counts, [23, 5, 5, 13, 10]);
    let near = |name: &str, expected: f64| {
        let found = summary[name].as_f64().unwrap();
        assert!((found - expected).abs() < 1e-9, "{name}: {found}, expected {expected}");
    };
    near("success_rate", 0.5);
    near("printed_success_rate", (1.0 + 1.0 + 0.5) / 8.0);
    near("mesh_length", (2.0 * 200.0 + 2.0 * 300.0 + 200.0) / 5.0);
    near("mesh_length_per_member", 120.0);
    near("relative_k", 1.0);
    near("relative_dt", (0.25 + 0.0 + 0.9995 + 0.0 + 0.1) / 5.0);
    assert_eq!(summary["largest_graph"], serde_json::json!({ "nodes": 2, "edges": 1 }));
    assert_eq!((count("truncated_batches"), count("suppressed_sets")), (0, 0));
    let refusals = serde_json::json!({
        "off-map": 1, "k": 2, "dt": 1, "dc": 3, "speed": 1, "duplicate-id": 1,
        "out-of-order": 1, "malformed": 3, "faster-than-declared": 0,
    });
    assert_eq!(summary["refusals"], refusals);
    let stages: f64 =
        summary["stages"].as_object().unwrap().values().filter_map(Value::as_f64).sum();
    near("us_per_query", stages);
    for name in ["worst_batch_ms", "queries_per_second", "peak_memory_mb", "seconds"] {
        assert!(summary[name].as_f64().unwrap() > 0.0, "{name}");
    }
    let table = town.run(&["--guarantee", "paper"]).done().stdout;
    for part in ["success rate", "50.00 %", "240.00 m", "refused: off-map", "worst batch"] {
        assert!(table.contains(part), "no `{part}` in\n{table}");
    }
}

#[test]
fn a_newer_query_of_a_user_replaces_the_waiting_one() {
    // a1 and a2 are of one user, 200 m apart; b and c are a partner for each.
    let rows =
        "a1,a,1,10,0,2,30,50\na2,a,6,210,0,2,30,50\nb,b,8,20,0,2,30,50\nc,c,8,220,0,2,30,50\n";
    let town = TownFixture::new(&format!("query,user,t,x,y,k,dt,dc\n{rows}"));
    let outcomes = town.outcomes(&["--per-batch", &town.path("b")]);
    let lines: Vec<&str> = outcomes.lines().collect();
    assert_eq!(lines[0], r#"{"query":"a1","outcome":"replaced","at":6.0}"#);
    assert!(lines[1].starts_with(r#"{"query":"a2","outcome":"succeeded","at":8.0"#), "{outcomes}");
    assert!(lines[2].starts_with(r#"{"query":"c","outcome":"succeeded","at":8.0"#), "{outcomes}");
    assert_eq!(lines[3..], [r#"{"query":"b","outcome":"expired","at":39.0}"#]);
    let table = fs::read_to_string(town.path("b")).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let column = rows[0].iter().position(|name| *name == "replaced").unwrap();
    let replaced = rows[1..].iter().filter(|row| row[column] == "1");
    assert_eq!(replaced.map(|row| row[0]).collect::<Vec<_>>(), ["6.0"]);
    let summary = town.run(&["--json"]).json();
    assert_eq!((&summary["replaced"], &summary["expired"]), (&1.into(), &1.into()));
    assert_eq!(summary["success_rate"], 0.5);
    let paper = town.outcomes(&["--guarantee", "paper"]);
    assert!(!paper.contains("replaced") && paper.matches("succeeded").count() == 4, "{paper}");
}

#[test]
fn batch_interval_and_limits_are_options() {
    let queries = "query,user,t,x,y,k,dt,dc\na,1,0.1,10,80,2,9,50\nb,2,0.6,10,0,2,9,50\n\
                   c,3,0.75,10,0,2,0,50\n";
    let town = TownFixture::new(queries);
    let at = |arguments: &[&str]| -> Vec<String> {
        let outcomes = town.outcomes(arguments);
        let lines = outcomes.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let text = |o: Value| format!("{} {} {}", o["query"], o["outcome"], o["at"]);
        lines.map(|outcome| text(outcome).replace('"', "")).collect()
    };
    assert_eq!(at(&[]), ["a refused 1.0", "c expired 1.0", "b expired 10.0"]);
    let quarter = ["a refused 0.25", "b succeeded 0.75", "c succeeded 0.75"];
    assert_eq!(at(&["--batch", "0.25"]), quarter);
    let near = ["c expired 1.0", "a succeeded 1.0", "b succeeded 1.0"];
    assert_eq!(at(&["--snap", "0"]), near);
    assert_eq!(at(&["--snap", "80"]), near);
    assert_eq!(at(&["--dc-max", "49"]), ["a refused 1.0", "b refused 1.0", "c refused 1.0"]);
}

#[test]
fn empty_files_and_very_long_tolerances_are_handled() {
    let head = "query,user,t,x,y,k,dt,dc\n";
    let town = TownFixture::new(head);
    let summary = town.run(&["--json"]).json();
    assert_eq!(summary["queries"], 0);
    assert!(summary["success_rate"].is_null() && summary["us_per_query"].is_null());
    assert_eq!(fs::read_to_string(town.path("o")).unwrap(), "");
    let years = format!("{head}a,1,1,10,0,2,100000000000,50\nb,2,90000000000.5,10,0,2,0.4,50\n");
    let served = TownFixture::new(&format!("{years}c,3,90000000001,10,0,2,0,50\n"));
    let outcomes = served.outcomes(&[]);
    assert!(outcomes.starts_with("{\"query\":\"b\",\"outcome\":\"expired\",\"at\":90000000001.0}"));
    assert!(outcomes.contains("\"query\":\"a\",\"outcome\":\"succeeded\",\"at\":90000000001.0"));
    let expired = TownFixture::new(&years).outcomes(&[]);
    assert!(expired.ends_with("{\"query\":\"a\",\"outcome\":\"expired\",\"at\":100000000002.0}\n"));
}
