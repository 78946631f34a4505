//! Presence reports from `simulate` over `cloak` to `score`.

use crate::program::meshcloak;
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

const MAP: &str = "city:500:7";

/// Temporary folder with queries of 600 users, of which one in five asks.
struct PresentCity(TempDir);

impl PresentCity {
    fn new() -> PresentCity {
        let city = PresentCity(tempfile::tempdir().unwrap());
        let queries = city.path("q.csv");
        let share = ["--users", "600", "--ask-share", "20", "--out", &queries];
        meshcloak(&[&["simulate", MAP], &share[..]].concat()).done();
        city
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    /// Rows of the queries: whether they ask, and k.
    fn rows(&self) -> Vec<(bool, u32)> {
        let text = fs::read_to_string(self.path("q.csv")).unwrap();
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let header: Vec<&str> = lines.next().unwrap().split(',').collect();
        let column = |name: &str| header.iter().position(|known| *known == name).unwrap();
        let (asks, k) = (column("asks"), column("k"));
        let row = |line: &str| {
            let fields: Vec<&str> = line.split(',').collect();
            (fields[asks] == "1", fields[k].parse().unwrap())
        };
        lines.map(row).collect()
    }

    fn cloak(&self, arguments: &[&str]) -> Value {
        let (queries, outcomes) = (self.path("q.csv"), self.path("o.ndjson"));
        let files = ["cloak", MAP, "--queries", &queries, "--out", &outcomes, "--json"];
        meshcloak(&[&files[..], arguments].concat()).json()
    }

    fn outcomes(&self) -> String {
        fs::read_to_string(self.path("o.ndjson")).unwrap()
    }

    fn score(&self) -> crate::program::Run {
        let (queries, outcomes) = (self.path("q.csv"), self.path("o.ndjson"));
        meshcloak(&["score", MAP, "--queries", &queries, "--outcomes", &outcomes, "--json"])
    }
}

#[test]
fn presence_is_simulated_cloaked_and_scored() {
    let city = PresentCity::new();
    let rows = city.rows();
    let asking = rows.iter().filter(|row| row.0).count();
    assert!(rows.iter().all(|&(asks, k)| asks == (k >= 2)), "presence reports have k = 1");
    assert!((0.1..0.3).contains(&(asking as f64 / rows.len() as f64)), "{asking}");
    let served: Vec<u64> = [&[][..], &["--presence-age", "1"], &["--presence-counts", "false"]]
        .into_iter()
        .map(|arguments| {
            let cloak = city.cloak(arguments);
            let score = city.score().json();
            for name in ["queries", "succeeded", "expired", "present", "k_by_users", "k_by_askers"]
            {
                assert_eq!(cloak[name], score[name], "{name}, {arguments:?}");
                assert!(!score[name].is_null(), "{name}");
            }
            assert_eq!(score["present"], rows.len() - asking);
            assert_eq!(score["below_k"], 0);
            assert!(score["k_by_askers"].as_f64() < score["k_by_users"].as_f64());
            let present = city.outcomes().matches("\"outcome\":\"present\"").count();
            assert!(present > 100, "{present}");
            score["succeeded"].as_u64().unwrap()
        })
        .collect();
    assert!(served[0] > served[1] && served[1] > served[2], "{served:?}");
}

#[test]
fn outcomes_that_contradict_the_column_asks_are_named() {
    let city = PresentCity::new();
    city.cloak(&[]);
    let outcomes = city.outcomes();
    let line = |outcome: &str| {
        let pattern = format!("\"outcome\":\"{outcome}\"");
        outcomes.lines().find(|line| line.contains(&pattern)).unwrap().to_owned()
    };
    for (from, to, message) in [
        ("expired", "present", "asks and ended as `present`"),
        ("present", "expired", "ended as a query; expected the outcome present or replaced"),
    ] {
        let (before, words) = (line(from), |word: &str| format!("\"outcome\":\"{word}\""));
        let after = before.replace(&words(from), &words(to));
        fs::write(city.path("o.ndjson"), outcomes.replacen(&before, &after, 1)).unwrap();
        let run = city.score();
        assert_eq!(run.code, Some(1));
        assert!(run.stderr.contains(message) && run.stderr.contains("line "), "{run:?}");
    }
}
