//! Section "Provenance": commit, machine, settings, users and seeds of the results.

use super::data::Data;
use super::number::{count, decimal, range};
use super::page::{HtmlTable, ReportSection};
use crate::distinct::sorted_distinct;
use crate::load::MAX_LOAD;
use crate::results::RunRow;
use toml::Value;

/// Keys of `provenance.toml` and their labels in the report.
const FIELDS: [(&str, &str); 17] = [
    ("title", "experiment"),
    ("date", "date"),
    ("commit", "commit"),
    ("commits_of_cells", "commits of the runs"),
    ("command", "command"),
    ("rustc", "compiler"),
    ("jobs", "concurrent runs"),
    ("threads_of_each", "threads per run"),
    ("machine.cpu", "processor"),
    ("machine.cores", "cores"),
    ("machine.memory_mb", "memory (MB)"),
    ("settings.guarantee", "guarantee"),
    ("settings.coverage", "coverage"),
    ("settings.region", "region"),
    ("settings.places", "places"),
    ("settings.dc_max_m", "largest distance constraint (m)"),
    ("settings.budget", "clique search budget (steps)"),
];

/// Builds the section.
pub(super) fn section(data: &Data, others: &[ReportSection]) -> ReportSection {
    let mut section = ReportSection::new("provenance", "Provenance");
    let mut table = HtmlTable::new(["", ""]);
    for (path, name) in FIELDS {
        if let Some(value) = value(&data.provenance, path) {
            table.row([name.to_owned(), format_value(value)]);
        }
    }
    let runs = &data.runs;
    table.row(["runs".to_owned(), count(runs.len() as u64)]);
    table.row(["queries, total".to_owned(), count(runs.iter().map(|run| run.queries).sum())]);
    let users = sorted_distinct(runs.iter().map(|run| u64::from(run.users)));
    table.row(["users".to_owned(), join(&users)]);
    let seeds = sorted_distinct(runs.iter().map(|run| run.seed));
    table.row(["seeds".to_owned(), join(&seeds)]);
    let truncated: u64 = runs.iter().map(|run| run.truncated_batches).sum();
    table.row(["batches with a truncated clique search".to_owned(), count(truncated)]);
    table.row(["load of the timing pass (cores of other processes)".to_owned(), load(data)]);
    section.table(&table);
    let missing: Vec<String> = others.iter().filter_map(ReportSection::missing).collect();
    if data.is_paper() && !missing.is_empty() {
        section.paragraph("Not part of these results:");
        section.list(missing);
    }
    if data.provenance.is_empty() {
        section.leave_out("provenance.toml is missing.");
    }
    section
}

/// Describes the load of the machine in the timing pass.
fn load(data: &Data) -> String {
    let timed: Vec<&RunRow> = data.runs.iter().filter(|run| run.max_load().is_some()).collect();
    let loads: Vec<f64> = timed.iter().filter_map(|run| run.max_load()).collect();
    let marked = loads.iter().filter(|&&load| load > MAX_LOAD).count();
    let repeats: u32 = timed.iter().map(|run| run.repeats).sum();
    match range(&loads, |load| decimal(load, 2)) {
        Some(range) => format!(
            "{range}; {marked} of {} runs above {MAX_LOAD}, {repeats} repetitions",
            timed.len()
        ),
        None => "no timing pass".to_owned(),
    }
}

fn value<'a>(table: &'a toml::Table, path: &str) -> Option<&'a Value> {
    match path.split_once('.') {
        Some((first, rest)) => table.get(first)?.as_table()?.get(rest),
        None => table.get(path),
    }
}

fn format_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Integer(number) => u64::try_from(*number).map_or(number.to_string(), count),
        Value::Array(values) => values.iter().map(format_value).collect::<Vec<_>>().join(", "),
        Value::Float(number) => number.to_string(),
        Value::Boolean(answer) => answer.to_string(),
        Value::Datetime(time) => time.to_string(),
        Value::Table(_) => String::new(),
    }
}

fn join(values: &[u64]) -> String {
    values.iter().map(|&value| count(value)).collect::<Vec<_>>().join(", ")
}
