//! `meshcloak cloak` on simulated traffic: everyone accounted for, the same bytes with any number
//! of threads, nothing in the disclosures that tells who or where, memory that does not grow.

use crate::program::meshcloak;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use tempfile::TempDir;

const MAP: &str = "city:500:3";

/// A folder with the queries of a simulated crowd, `q.csv`; ids and users are words.
pub struct Crowd(TempDir);

impl Crowd {
    pub fn new(users: &str) -> Crowd {
        let crowd = Crowd(tempfile::tempdir().unwrap());
        let raw = crowd.path("raw.csv");
        meshcloak(&["simulate", MAP, "--users", users, "--out", &raw]).done();
        let raw = fs::read_to_string(raw).unwrap();
        let mut lines = raw.lines();
        let mut text = format!("{}\n", lines.next().unwrap());
        for line in lines {
            let (query, rest) = line.split_once(',').unwrap();
            text += &format!("query-{query},user-{rest}\n");
        }
        fs::write(crowd.path("q.csv"), text).unwrap();
        crowd
    }

    pub fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The rows of the file of queries, by column.
    fn rows(&self) -> Vec<Vec<String>> {
        let text = self.read("q.csv");
        text.lines().skip(1).map(|row| row.split(',').map(str::to_owned).collect()).collect()
    }

    /// The summary of a run from `queries` to `out`.
    pub fn cloak(&self, queries: &str, out: &str, arguments: &[&str]) -> Value {
        let (queries, out) = (self.path(queries), self.path(out));
        let mut all = vec!["cloak", MAP, "--json", "--queries", &queries, "--out", &out];
        all.extend(arguments);
        meshcloak(&all).json()
    }

    pub fn outcomes(&self, name: &str) -> Vec<Value> {
        self.read(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

#[test]
fn everyone_ends_in_exactly_one_way_and_both_pipelines_agree() {
    let crowd = Crowd::new("2000");
    let fast = crowd.cloak("q.csv", "fast", &["--guarantee", "paper"]);
    let printed = crowd.cloak("q.csv", "printed", &["--pipeline", "printed"]);
    let count = |name: &str| fast[name].as_u64().unwrap();
    assert_eq!((count("queries"), count("refused")), (22_000, 0));
    assert_eq!(count("succeeded") + count("expired"), 22_000);
    assert!(count("succeeded") > 2_000 && count("expired") > 500, "{fast}");
    assert_eq!(printed["succeeded"], fast["succeeded"]);
    assert_eq!(printed["largest_graph"], fast["largest_graph"]);
    let gist = |outcome: &Value| {
        let size = outcome["set"].as_array().map(Vec::len);
        (outcome["query"].clone(), outcome["at"].clone(), outcome["k"].clone(), size)
    };
    let [fast, printed] = ["fast", "printed"].map(|name| crowd.outcomes(name));
    assert_eq!(
        fast.iter().map(gist).collect::<Vec<_>>(),
        printed.iter().map(gist).collect::<Vec<_>>()
    );
    let asked: BTreeMap<String, (f64, f64)> = crowd.rows().into_iter().map(patience).collect();
    let ids: BTreeSet<&str> = fast.iter().filter_map(|outcome| outcome["query"].as_str()).collect();
    assert_eq!((fast.len(), ids.len()), (22_000, 22_000), "no query twice");
    for outcome in &fast {
        let (t, dt) = asked[outcome["query"].as_str().unwrap()];
        let at = outcome["at"].as_f64().unwrap();
        assert_eq!(outcome["outcome"] == "expired", t + dt < at, "{outcome}");
        if let Some(set) = outcome["set"].as_array() {
            assert!(set.len() as u64 >= outcome["k"].as_u64().unwrap() && t <= at, "{outcome}");
            assert!(set.contains(&outcome["query"]), "{outcome}");
        }
    }
}

/// A row's id, `t` and `dt`.
fn patience(row: Vec<String>) -> (String, (f64, f64)) {
    let number = |column: usize| row[column].parse().unwrap();
    let times = (number(2), number(6));
    (row.into_iter().next().unwrap(), times)
}

#[test]
fn the_same_bytes_come_out_with_any_number_of_threads() {
    let crowd = Crowd::new("1000");
    for threads in ["1", "2", "8"] {
        let disclosures = crowd.path(&format!("d{threads}"));
        let flags = ["--threads", threads, "--disclosures", &disclosures];
        let summary = crowd.cloak("q.csv", &format!("o{threads}"), &flags);
        assert_eq!(summary["settings"]["threads"].to_string(), threads);
    }
    for name in ["o", "d"] {
        let one = crowd.read(&format!("{name}1"));
        assert!(one.len() > 50_000);
        assert!(one == crowd.read(&format!("{name}2")), "{name} with two threads");
        assert!(one == crowd.read(&format!("{name}8")), "{name} with eight threads");
    }
}

/// All texts of at least six characters between signs that no id and no number holds.
fn words(text: &str) -> BTreeSet<&str> {
    let ends = |c: char| !(c.is_ascii_alphanumeric() || "-.".contains(c));
    text.split(ends).filter(|word| word.len() >= 6).collect()
}

#[test]
fn disclosures_tell_neither_who_nor_where() {
    let crowd = Crowd::new("1000");
    for pipeline in ["fast", "printed"] {
        let disclosures = crowd.path("d");
        crowd.cloak("q.csv", "o", &["--pipeline", pipeline, "--disclosures", &disclosures]);
        let [queries, outcomes, disclosures] = ["q.csv", "o", "d"].map(|name| crowd.read(name));
        let [asked, told, seen] = [&queries, &outcomes, &disclosures].map(|text| words(text));
        let rows = crowd.rows();
        for row in &rows {
            for secret in [&row[0], &row[1], &row[3], &row[4]].map(String::as_str) {
                if secret.len() >= 6 {
                    assert!(asked.contains(secret), "the scan misses `{secret}`");
                    assert!(!seen.contains(secret), "`{secret}` is disclosed");
                }
            }
            assert!(told.contains(row[0].as_str()), "the scan misses `{}`", row[0]);
        }
        assert!(!disclosures.contains("query-") && !disclosures.contains("user-"));
        one_request_for_each_set(&crowd.outcomes("o"), &crowd.outcomes("d"));
    }
}

/// Requests hold a time and streets, nothing else, and there is one for each set.
fn one_request_for_each_set(outcomes: &[Value], disclosures: &[Value]) {
    let mut sets: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for outcome in outcomes.iter().filter(|outcome| outcome["outcome"] == "succeeded") {
        let of_batch = sets.entry(outcome["at"].to_string()).or_default();
        of_batch.insert(outcome["set"].to_string(), outcome["mesh"].to_string());
    }
    let mut regions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for disclosure in disclosures {
        let fields: Vec<&String> = disclosure.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["at", "mesh"]);
        let of_batch = regions.entry(disclosure["at"].to_string()).or_default();
        of_batch.push(disclosure["mesh"].to_string());
    }
    assert!(disclosures.len() > 500);
    assert_eq!(sets.len(), regions.len());
    for (at, sets) in sets {
        let mut expected: Vec<String> = sets.into_values().collect();
        let mut found = regions.remove(&at).unwrap();
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "at {at}");
    }
}

#[test]
fn a_file_ten_times_as_long_needs_no_more_memory() {
    let crowd = Crowd::new("600");
    let rows = crowd.rows();
    let span = rows.last().unwrap()[2].parse::<f64>().unwrap().ceil() + 1.0;
    let mut long = String::from("query,user,t,x,y,k,dt,dc\n");
    for round in 0..10 {
        for row in &rows {
            let t = row[2].parse::<f64>().unwrap() + span * f64::from(round);
            let rest = row[3..8].join(",");
            long += &format!("{}-{round},{}-{round},{t:.3},{rest}\n", row[0], row[1]);
        }
    }
    fs::write(crowd.path("long.csv"), long).unwrap();
    let flags = ["--threads", "1"];
    let [short, long] = ["q.csv", "long.csv"].map(|file| crowd.cloak(file, "o", &flags));
    assert_eq!(long["queries"], 66_000);
    let [short, long] = [short, long].map(|run| run["peak_memory_mb"].as_f64().unwrap());
    assert!(long < short * 1.25, "{short} MB, ten times as long {long} MB");
}
