//! Table and JSON of the costs.

use super::tally::SchemeCost;
use crate::table::grouped;
use serde_json::{Value, json};

/// Name of each column.
const COLUMNS: [&str; 10] = [
    "scheme",
    "answered",
    "requests/answer",
    "requests/s",
    "candidates/answer",
    "objects/answer",
    "B sent/answer",
    "B received/answer",
    "ms/request",
    "µs refining",
];

/// Formats one line for each scheme, with aligned columns.
pub(super) fn table(costs: &[SchemeCost]) -> String {
    let mut rows = vec![COLUMNS.map(str::to_owned)];
    rows.extend(costs.iter().map(row));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..COLUMNS.len()).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in &rows {
        for (column, cell) in row.iter().enumerate() {
            let padding = " ".repeat(widths[column] - cell.chars().count());
            match column {
                0 => text.push_str(&format!("{cell}{padding}")),
                _ => text.push_str(&format!("  {padding}{cell}")),
            }
        }
        text.push('\n');
    }
    let (checked, wrong) = costs.iter().fold((0, 0), |(a, b), c| (a + c.checked, b + c.wrong));
    text.push_str(&format!("\n{} answers checked, {wrong} wrong\n", grouped(checked)));
    text
}

fn row(cost: &SchemeCost) -> [String; COLUMNS.len()] {
    let sent = cost.wire.map_or("–".to_owned(), |wire| whole(cost.per_answer(wire.sent)));
    let received = cost.wire.map_or(cost.candidate_bytes, |wire| wire.received);
    [
        cost.scheme.clone(),
        format!("{:.1} %", cost.share_answered() * 100.0),
        format!("{:.2}", cost.per_answer(cost.requests)),
        format!("{:.1}", cost.requests_per_second()),
        format!("{:.1}", cost.per_answer(cost.candidates)),
        format!("{:.1}", cost.per_answer(cost.objects)),
        sent,
        whole(cost.per_answer(received)),
        format!("{:.2}", cost.mean_request_ms()),
        format!("{:.1}", cost.refinement_us()),
    ]
}

fn whole(number: f64) -> String {
    grouped(number.round() as u64)
}

/// Formats all sums as a JSON array.
pub(super) fn json(costs: &[SchemeCost]) -> String {
    let rows: Vec<Value> = costs.iter().map(object).collect();
    format!("{}\n", Value::Array(rows))
}

fn object(cost: &SchemeCost) -> Value {
    let wire = cost.wire.map(|wire| {
        json!({ "sent": wire.sent, "received": wire.received, "statements": wire.statements })
    });
    json!({
        "scheme": cost.scheme,
        "seconds": cost.seconds,
        "queries": cost.queries,
        "answered": cost.answered,
        "requests": cost.requests,
        "candidates": cost.candidates,
        "objects": cost.objects,
        "candidate_bytes": cost.candidate_bytes,
        "object_bytes": cost.object_bytes,
        "wire": wire,
        "mean_request_ms": cost.mean_request_ms(),
        "refinement_us": cost.refinement_us(),
        "checked": cost.checked,
        "wrong": cost.wrong,
    })
}
