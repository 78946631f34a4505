//! Section "Provenance": commit, machine, settings, users and seeds of the results.

use super::data::Data;
use super::number::{count, decimal, range};
use super::page::{HtmlTable, ReportSection};
use crate::distinct::sorted_distinct;
use crate::load::MAX_LOAD;
use crate::results::{PrivacyRow, RunRow};
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

/// Anchors of sections that are not of §V; other folders have them.
const OTHER_EXPERIMENTS: [&str; 6] =
    ["rivals", "people", "taxis", "presence", "costs", "neighbours"];

/// Builds the section.
pub(super) fn section(data: &Data, others: &[ReportSection]) -> ReportSection {
    let mut section = ReportSection::new("provenance", "Provenance");
    let mut table = HtmlTable::new(["", ""]);
    let has_runs = !data.runs.is_empty();
    for (path, name) in FIELDS {
        // Defaults of runs; each attack states its setting.
        let is_of_runs = path.starts_with("settings.") || path == "commits_of_cells";
        if let Some(value) = value(&data.provenance, path).filter(|_| has_runs || !is_of_runs) {
            table.row([name.to_owned(), format_value(value)]);
        }
    }
    add_runs(&mut table, data);
    add_attacks(&mut table, &data.privacy);
    let costs = &data.costs;
    add_users(&mut table, "costs", costs.iter().map(|row| (row.users, row.seed)));
    section.table(&table);
    let files = files(&data.provenance);
    if !files.rows.is_empty() {
        section.table(&files);
    }
    let is_paper = |section: &&ReportSection| !OTHER_EXPERIMENTS.contains(&section.id());
    let missing: Vec<String> =
        others.iter().filter(is_paper).filter_map(ReportSection::missing).collect();
    if data.is_paper() && !missing.is_empty() {
        section.paragraph("Of §V these results lack:");
        section.list(missing);
    }
    if data.provenance.is_empty() {
        section.leave_out("provenance.toml is missing.");
    }
    section
}

/// Describes the runs of an evaluation, if there are any.
fn add_runs(table: &mut HtmlTable, data: &Data) {
    let runs = &data.runs;
    if runs.is_empty() {
        return;
    }
    table.row(["runs".to_owned(), count(runs.len() as u64)]);
    table.row(["queries, total".to_owned(), count(runs.iter().map(|run| run.queries).sum())]);
    add_users(table, "runs", runs.iter().map(|run| (run.users, run.seed)));
    let truncated: u64 = runs.iter().map(|run| run.truncated_batches).sum();
    table.row(["batches with a truncated clique search".to_owned(), count(truncated)]);
    table.row(["load of the timing pass (cores of other processes)".to_owned(), load(data)]);
}

/// Describes users, seeds and targets of the attacks, if there are any.
fn add_attacks(table: &mut HtmlTable, rows: &[PrivacyRow]) {
    add_users(table, "attacks", rows.iter().map(|row| (row.users, row.seed)));
    // Rows of earlier versions do not state their targets.
    let targets: Vec<f64> =
        rows.iter().map(|row| row.targets as f64).filter(|&targets| targets > 0.0).collect();
    if let Some(targets) = range(&targets, |targets| decimal(targets, 0)) {
        table.row(["attacks: targets with a publication".to_owned(), targets]);
    }
}

/// Adds the users and seeds of rows, if there are any.
fn add_users(table: &mut HtmlTable, what: &str, rows: impl Iterator<Item = (u32, u64)> + Clone) {
    let users = sorted_distinct(rows.clone().map(|(users, _)| u64::from(users)));
    let seeds = sorted_distinct(rows.map(|(_, seed)| seed));
    if !users.is_empty() {
        table.row([format!("{what}: users"), join(&users)]);
        table.row([format!("{what}: seeds"), join(&seeds)]);
    }
}

/// Commits of each result file, as `provenance.toml` lists them.
fn files(provenance: &toml::Table) -> HtmlTable {
    let mut table = HtmlTable::new(["file", "commits"]);
    let entries = provenance.get("file").and_then(Value::as_array);
    for entry in entries.into_iter().flatten() {
        let text = |name: &str| entry.get(name).map_or(String::new(), format_value);
        table.row([text("name"), text("commits")]);
    }
    table
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
