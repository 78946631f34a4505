//! Table and JSON of the costs.

use super::tally::SchemeCost;
use crate::table::grouped;
use serde_json::{Value, json};

/// Name of each column.
const COLUMNS: [&str; 11] = [
    "scheme",
    "answered",
    "outside",
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
    let sums = costs.iter().map(|cost| (cost.row.checked, cost.row.wrong));
    let (checked, wrong) = sums.fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    text.push_str(&format!("\n{} answers checked, {wrong} wrong\n", grouped(checked)));
    text
}

fn row(SchemeCost { row, .. }: &SchemeCost) -> [String; COLUMNS.len()] {
    let sent = row.sent_bytes.map_or("–".to_owned(), |sent| whole(row.per_answer(sent)));
    let received = row.received_bytes.unwrap_or(row.candidate_bytes);
    [
        row.scheme.clone(),
        format!("{:.1} %", row.share_answered() * 100.0),
        format!("{:.1} %", row.share_outside() * 100.0),
        format!("{:.2}", row.per_answer(row.requests)),
        format!("{:.1}", row.requests_per_second()),
        format!("{:.1}", row.per_answer(row.candidates)),
        format!("{:.1}", row.per_answer(row.objects)),
        sent,
        whole(row.per_answer(received)),
        format!("{:.2}", row.mean_request_ms),
        format!("{:.1}", row.refinement_us),
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
    let row = &cost.row;
    json!({
        "scheme": row.scheme,
        "seconds": row.seconds,
        "queries": row.queries,
        "answered": row.answered,
        "outside": row.outside,
        "requests": row.requests,
        "candidates": row.candidates,
        "objects": row.objects,
        "candidate_bytes": row.candidate_bytes,
        "object_bytes": row.object_bytes,
        "wire": wire,
        "mean_request_ms": row.mean_request_ms,
        "refinement_us": row.refinement_us,
        "checked": row.checked,
        "wrong": row.wrong,
    })
}
