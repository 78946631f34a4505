//! Tests of rounding and labels.

use super::*;
use std::time::Duration;

#[test]
fn one_more_user_does_not_change_the_output() {
    let metrics = Metrics::default();
    metrics.accepted(20);
    metrics.ended(Outcome::Answered, 10);
    metrics.answers.record(Duration::from_millis(30), 10);
    let before = metrics.render(40);
    metrics.accepted(1);
    metrics.ended(Outcome::Expired, 1);
    metrics.answers.record(Duration::from_millis(3), 1);
    metrics.delays.record(Duration::from_secs(3), 1);
    metrics.refused(&Refusal::OffMap);
    metrics.service_error("down");
    assert_eq!(metrics.render(41), before);
    assert!(before.contains("meshcloak_answer_seconds_bucket{le=\"0.05\"} 10\n"));
    assert!(before.contains("meshcloak_accepted_total 20\n"));
    assert!(before.contains("meshcloak_refused_total{reason=\"off-map\"} 0\n"));
}

#[test]
fn durations_of_batches_are_exact() {
    let metrics = Metrics::default();
    metrics.turns.record(Duration::from_millis(30), 1);
    let text = metrics.render(0);
    assert!(text.contains("meshcloak_turn_seconds_bucket{le=\"0.02\"} 0\n"), "{text}");
    assert!(text.contains("meshcloak_turn_seconds_bucket{le=\"0.05\"} 1\n"), "{text}");
    assert!(text.contains("meshcloak_turn_seconds_count 1\n"), "{text}");
}

/// Names of metrics in a text, without the suffix of histograms.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_lowercase() || c == '_';
    text.match_indices("meshcloak_").map(move |(at, _)| {
        let rest = &text[at..];
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        rest[..end].trim_end_matches("_bucket")
    })
}

#[test]
fn alerts_and_dashboard_name_existing_metrics() {
    let exported = Metrics::default().render(0);
    for (text, count) in [
        (include_str!("../../../../dist/monitoring/alerts.yml"), 10),
        (include_str!("../../../../dist/monitoring/grafana.json"), 14),
    ] {
        assert!(names(text).count() >= count);
        for name in names(text) {
            assert!(exported.contains(&format!("# TYPE {name} ")), "{name} does not exist");
        }
    }
}

#[test]
fn all_labels_are_listed() {
    let codes = |source: &str, from: &str, to: &str| -> Vec<String> {
        let body = source.split_once(from).unwrap().1.split_once(to).unwrap().0;
        let arms = body.lines().filter_map(|line| line.split_once("=> \""));
        arms.filter_map(|(_, rest)| Some(rest.split_once('"')?.0.to_owned())).collect()
    };
    let refusals = codes(include_str!("../error.rs"), "fn code(", "fn status(");
    assert!(refusals.len() > 20, "{refusals:?}");
    assert_eq!(refusals, Refusal::CODES);
    let errors = codes(include_str!("../service/error.rs"), "fn label(", "\n    }\n");
    assert_eq!(errors, ServiceError::LABELS);
}
