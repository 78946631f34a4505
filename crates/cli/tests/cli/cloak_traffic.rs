//! `meshcloak cloak` on simulated traffic: one outcome per query, results independent of the number
//! of threads, no private data in disclosures, bounded memory.

use crate::program::{meshcloak, real_map};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use tempfile::TempDir;

const MAP: &str = "city:500:3";

/// Temporary folder with simulated queries, `q.csv`; ids and users have distinctive prefixes.
pub struct TrafficFixture(TempDir);

impl TrafficFixture {
    pub fn new(users: &str) -> TrafficFixture {
        let traffic = TrafficFixture(tempfile::tempdir().unwrap());
        let raw = traffic.path("raw.csv");
        meshcloak(&["simulate", MAP, "--users", users, "--out", &raw]).done();
        let raw = fs::read_to_string(raw).unwrap();
        let mut lines = raw.lines();
        let mut text = format!("{}\n", lines.next().unwrap());
        for line in lines {
            let (query, rest) = line.split_once(',').unwrap();
            text += &format!("query-{query},user-{rest}\n");
        }
        fs::write(traffic.path("q.csv"), text).unwrap();
        traffic
    }

    pub fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Returns the rows of `q.csv` as columns.
    fn rows(&self) -> Vec<Vec<String>> {
        let text = self.read("q.csv");
        text.lines().skip(1).map(|row| row.split(',').map(str::to_owned).collect()).collect()
    }

    /// Cloaks `queries` to `out`; returns the summary.
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
fn each_query_has_one_outcome_and_both_pipelines_agree() {
    let traffic = TrafficFixture::new("2000");
    let fast = traffic.cloak("q.csv", "fast", &["--guarantee", "paper"]);
    let printed = traffic.cloak("q.csv", "printed", &["--pipeline", "printed"]);
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
    let [fast, printed] = ["fast", "printed"].map(|name| traffic.outcomes(name));
    assert_eq!(
        fast.iter().map(gist).collect::<Vec<_>>(),
        printed.iter().map(gist).collect::<Vec<_>>()
    );
    let asked: BTreeMap<String, (f64, f64)> = traffic.rows().into_iter().map(times).collect();
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

/// Returns id, `t` and `dt` of a row.
fn times(row: Vec<String>) -> (String, (f64, f64)) {
    let number = |column: usize| row[column].parse().unwrap();
    let times = (number(2), number(6));
    (row.into_iter().next().unwrap(), times)
}

#[test]
fn outcomes_do_not_depend_on_the_number_of_threads() {
    let traffic = TrafficFixture::new("1000");
    for threads in ["1", "2", "8"] {
        let disclosures = traffic.path(&format!("d{threads}"));
        let flags = ["--threads", threads, "--disclosures", &disclosures];
        let summary = traffic.cloak("q.csv", &format!("o{threads}"), &flags);
        assert_eq!(summary["settings"]["threads"].to_string(), threads);
    }
    for name in ["o", "d"] {
        let one = traffic.read(&format!("{name}1"));
        assert!(one.len() > 50_000);
        assert!(one == traffic.read(&format!("{name}2")), "{name} with two threads");
        assert!(one == traffic.read(&format!("{name}8")), "{name} with eight threads");
    }
}

/// Returns all words of at least six characters that can be ids or numbers.
fn words(text: &str) -> BTreeSet<&str> {
    let ends = |c: char| !(c.is_ascii_alphanumeric() || "-.".contains(c));
    text.split(ends).filter(|word| word.len() >= 6).collect()
}

#[test]
fn disclosures_contain_no_ids_users_or_positions() {
    let traffic = TrafficFixture::new("1000");
    for pipeline in ["fast", "printed"] {
        let disclosures = traffic.path("d");
        traffic.cloak("q.csv", "o", &["--pipeline", pipeline, "--disclosures", &disclosures]);
        let [queries, outcomes, disclosures] = ["q.csv", "o", "d"].map(|name| traffic.read(name));
        let [asked, reported, disclosed] =
            [&queries, &outcomes, &disclosures].map(|text| words(text));
        let rows = traffic.rows();
        for row in &rows {
            for secret in [&row[0], &row[1], &row[3], &row[4]].map(String::as_str) {
                if secret.len() >= 6 {
                    assert!(asked.contains(secret), "the scan misses `{secret}`");
                    assert!(!disclosed.contains(secret), "`{secret}` is disclosed");
                }
            }
            assert!(reported.contains(row[0].as_str()), "the scan misses `{}`", row[0]);
        }
        assert!(!disclosures.contains("query-") && !disclosures.contains("user-"));
        assert_one_disclosure_per_set(&traffic.outcomes("o"), &traffic.outcomes("d"));
    }
}

/// Asserts that disclosures hold only time and streets and that there is one per set.
fn assert_one_disclosure_per_set(outcomes: &[Value], disclosures: &[Value]) {
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
fn memory_does_not_grow_with_the_file() {
    let traffic = TrafficFixture::new("600");
    let rows = traffic.rows();
    let span = rows.last().unwrap()[2].parse::<f64>().unwrap().ceil() + 1.0;
    let mut long = String::from("query,user,t,x,y,k,dt,dc\n");
    for round in 0..10 {
        for row in &rows {
            let t = row[2].parse::<f64>().unwrap() + span * f64::from(round);
            let rest = row[3..8].join(",");
            long += &format!("{}-{round},{}-{round},{t:.3},{rest}\n", row[0], row[1]);
        }
    }
    fs::write(traffic.path("long.csv"), long).unwrap();
    let flags = ["--threads", "1"];
    let [short, long] = ["q.csv", "long.csv"].map(|file| traffic.cloak(file, "o", &flags));
    assert_eq!(long["queries"], 66_000);
    let [short, long] = [short, long].map(|run| run["peak_memory_mb"].as_f64().unwrap());
    assert!(long < short * 1.25, "{short} MB, ten times as long {long} MB");
}

/// Simulated users of a real map keep to their declared speeds, though their points are snapped again.
#[test]
fn history_refuses_no_simulated_user_of_a_real_map() {
    let Some(map) = real_map("porto/porto-city.osm.pbf") else { return };
    let map = map.display().to_string();
    let folder = tempfile::tempdir().unwrap();
    let queries = folder.path().join("q.csv").display().to_string();
    meshcloak(&["simulate", &map, "--users", "2000", "--out", &queries]).done();
    let out = folder.path().join("o").display().to_string();
    for clock in ["asked", "published"] {
        let cloak = ["cloak", &map, "--json", "--queries", &queries, "--out", &out];
        let history = ["--guarantee", "history", "--history-clock", clock];
        let found = meshcloak(&[&cloak[..], &history].concat()).json();
        assert_eq!((found["queries"].as_u64(), found["refused"].as_u64()), (Some(22_000), Some(0)));
    }
}

/// Four queries at two places.
const FOUR: &str = "\
query,user,t,x,y,k,dt,dc
a,1,0.5,0,0,2,2,500
b,2,0.5,20,0,2,2,500
c,3,0.5,2000,2000,2,2,500
d,4,0.5,2020,2000,2,2,500
";

#[test]
fn four_queries_on_a_large_map_do_not_fill_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (queries, out) = (path("q.csv"), path("o"));
    fs::write(&queries, FOUR).unwrap();
    let files = ["--queries", &queries, "--out", &out];
    let all = [&["cloak", "city:60000:1", "--snap", "0", "--json"][..], &files].concat();
    let summary = meshcloak(&all).json();
    assert_eq!(summary["succeeded"], 4);
    let peak = summary["peak_memory_mb"].as_f64().unwrap();
    assert!(peak < 150.0, "{peak} MB; all rows of this map take 1.2 GB");
}
