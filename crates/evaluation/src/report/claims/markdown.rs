//! The table of claims as a Markdown document that stands on its own.

use super::{COLUMNS, JudgedClaim};
use crate::distinct::sorted_distinct;
use crate::report::data::Data;
use crate::report::number::count;
use std::fmt::Write as _;

/// Returns the document.
pub(in crate::report) fn to_markdown(data: &Data, claims: &[JudgedClaim]) -> String {
    let mut out = String::from("# What the paper says, and what we find\n\n");
    write(&mut out, data, claims).expect("writing to a String cannot fail");
    out
}

fn write(out: &mut String, data: &Data, claims: &[JudgedClaim]) -> std::fmt::Result {
    let text = |name: &str| {
        let value = data.provenance.get(name).and_then(toml::Value::as_str);
        value.unwrap_or("unknown").to_owned()
    };
    let runs = data.main_runs();
    let users = runs.first().map_or(0, |run| run.users);
    let seeds = sorted_distinct(runs.iter().map(|run| run.seed)).len();
    writeln!(
        out,
        "Claims of *MeshCloak: A Map-Based Approach for Personalized Location Privacy* (H. H. Nguyen, \
         2017) and the measurements of this repository: {} users on {} maps, {seeds} seeds, commit {}, \
         `{}`. A verdict is given only if every seed alone gives the same; one that \
         rests on a single seed says so. Figures, numbers and machine: [report.html](report.html). This file is generated with the report.\n",
        count(users.into()),
        data.maps_of(&runs).len(),
        text("commit"),
        text("command"),
    )?;
    row(out, COLUMNS)?;
    out.push_str("|---|---|---|---|\n");
    claims.iter().try_for_each(|claim| row(out, claim.cells()))
}

fn row(out: &mut String, cells: [&str; 4]) -> std::fmt::Result {
    writeln!(out, "| {} |", cells.map(|cell| cell.replace('|', "\\|")).join(" | "))
}
