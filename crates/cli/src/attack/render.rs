//! Results of attacks as a table or as JSON.

use crate::table::grouped;
use evaluation::results::PrivacyRow;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

const HEADER: [&str; 9] = [
    "attack",
    "level",
    "publications",
    "below k",
    "alone",
    "k'/k",
    "metres left",
    "error (m)",
    "time (s)",
];

/// Formats one table per scheme; all have the same column widths.
pub fn as_table(rows: &[PrivacyRow]) -> String {
    let cells: Vec<[String; HEADER.len()]> = rows.iter().map(cells).collect();
    let mut widths = HEADER.map(|name| name.chars().count());
    for row in &cells {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let has_cases = rows.iter().any(|row| case_of(row) != case_of(&rows[0]));
    let mut out = String::new();
    let mut last = None;
    for (row, cells) in rows.iter().zip(&cells) {
        if last != Some(row.run()) {
            let gap = if last.is_some() { "\n" } else { "" };
            put(&mut out, format_args!("{gap}{}\n", heading(row, has_cases)));
            put_row(&mut out, &HEADER.map(str::to_owned), &widths);
            last = Some(row.run());
        }
        put_row(&mut out, cells, &widths);
    }
    let notes: Vec<String> = rows.iter().filter_map(|row| note(row, has_cases)).collect();
    if !notes.is_empty() {
        put(&mut out, format_args!("\nMore figures\n{}\n", notes.join("\n")));
    }
    out
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to a String does not fail");
}

fn put_row(out: &mut String, cells: &[String; HEADER.len()], widths: &[usize; HEADER.len()]) {
    let mut line = String::new();
    for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
        // Names are aligned left, numbers right.
        match column {
            0 | 1 => put(&mut line, format_args!("  {cell:width$}")),
            _ => put(&mut line, format_args!("  {cell:>width$}")),
        }
    }
    put(out, format_args!("{}\n", line.trim_end()));
}

/// Map, configuration and seed, to append to a scheme.
fn case_of(row: &PrivacyRow) -> String {
    format!(", {}, {}, seed {}", row.map, row.configuration, row.seed)
}

/// Scheme and its cost; with its case if there are several.
fn heading(row: &PrivacyRow, has_cases: bool) -> String {
    let mut words = row.scheme.clone();
    if has_cases {
        words.push_str(&case_of(row));
    }
    if let Some(success) = row.success_rate {
        put(&mut words, format_args!(": {:.1} % served", success * 100.0));
    }
    if let Some(metres) = row.region_metres {
        put(&mut words, format_args!(", region {} m", grouped(metres.round() as u64)));
    }
    words
}

fn cells(row: &PrivacyRow) -> [String; HEADER.len()] {
    let dash = || "–".to_owned();
    let percent = |value: Option<f64>| value.map_or_else(dash, |v| format!("{:.1} %", v * 100.0));
    let whole = |value: Option<f64>| value.map_or_else(dash, |v| grouped(v.round() as u64));
    [
        row.attack.clone(),
        row.level.clone(),
        grouped(row.publications),
        percent(row.below_k),
        percent(row.alone),
        row.anonymity.map_or_else(dash, |value| format!("{value:.2}")),
        whole(row.metres_left),
        whole(row.error_m),
        format!("{:.2}", row.seconds),
    ]
}

/// Formats further figures of an attack as one line.
fn note(row: &PrivacyRow, has_cases: bool) -> Option<String> {
    let wrong = row.wrong.filter(|&wrong| wrong > 0.0);
    let wrong = wrong.map(|wrong| format!("excludes the target={:.1} %", wrong * 100.0));
    let more = row.more.split(';').filter(|more| !more.is_empty()).map(|more| {
        let (name, value) = more.split_once('=').unwrap_or((more, ""));
        let value: f64 = value.parse().unwrap_or(f64::NAN);
        format!("{name}={value:.2}")
    });
    let all: Vec<String> = more.chain(wrong).map(|more| more.replace('=', " ")).collect();
    let case = if has_cases { case_of(row) } else { String::new() };
    let named = || format!("  {}{case}, {}: {}", row.scheme, row.attack, all.join(", "));
    (!all.is_empty()).then(named)
}

/// Formats one JSON object: schemes, each with its attacks.
pub fn as_json(rows: &[PrivacyRow]) -> String {
    let schemes: Vec<Value> = rows.chunk_by(|a, b| a.run() == b.run()).map(scheme).collect();
    let first = rows.first().cloned().unwrap_or_default();
    let object = json!({
        "map": first.map,
        "users": first.users,
        "configuration": first.configuration,
        "seed": first.seed,
        "schemes": schemes,
    });
    format!("{object:#}\n")
}

fn scheme(rows: &[PrivacyRow]) -> Value {
    let attack = |row: &PrivacyRow| {
        let more = row.more.split(';').filter_map(|more| more.split_once('='));
        let more = more.map(|(name, value)| {
            let value: Option<f64> = value.parse().ok();
            (name.replace(' ', "_"), Value::from(value))
        });
        json!({
            "attack": row.attack,
            "level": row.level,
            "publications": row.publications,
            "below_k": row.below_k,
            "alone": row.alone,
            "anonymity": row.anonymity,
            "metres_left": row.metres_left,
            "error": row.error_m,
            "wrong": row.wrong,
            "more": more.collect::<Map<String, Value>>(),
            "seconds": row.seconds,
        })
    };
    json!({
        "scheme": rows[0].scheme,
        "map": rows[0].map,
        "configuration": rows[0].configuration,
        "seed": rows[0].seed,
        "success_rate": rows[0].success_rate,
        "region_metres": rows[0].region_metres,
        "relative_k": rows[0].relative_k,
        "mean_delay": rows[0].mean_delay_s,
        "us_per_query": rows[0].us_per_query,
        "ms_per_batch": rows[0].ms_per_batch,
        "attacks": rows.iter().map(attack).collect::<Vec<Value>>(),
    })
}
