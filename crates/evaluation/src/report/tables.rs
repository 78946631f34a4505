//! Sections "Table I" (schemes) and "Table II" (maps).

use super::data::Data;
use super::number::{count, decimal};
use super::page::{HtmlTable, ReportSection};
use super::paper::{self, map_title};
use crate::maps::EVERY_NODE;

/// Builds Table I from the schemes' descriptions.
pub(super) fn schemes(data: &Data) -> ReportSection {
    let is_paper = data.is_paper();
    let title = if is_paper { "Table I: schemes" } else { "Schemes" };
    let mut section = ReportSection::new("schemes", title);
    if data.schemes.is_empty() {
        section.leave_out("schemes.csv has no rows.");
        return section;
    }
    let mut table = HtmlTable::default();
    for row in &data.schemes {
        let printed = paper::SCHEMES.iter().find(|(name, _)| *name == row.scheme);
        let printed = printed.map_or(String::new(), |(_, words)| words.join(" · "));
        table.record([
            ("scheme", row.scheme.clone()),
            ("setting", row.setting.clone()),
            ("cliques", row.cliques.clone()),
            ("distance constraint", row.constraint.clone()),
            ("processing", row.pace.clone()),
            ("Table I of the paper", printed),
        ]);
    }
    if !is_paper {
        table.drop_last_column();
    }
    section.table(&table);
    if !is_paper {
        return section;
    }
    let ran = |name: &str| data.schemes.iter().any(|row| row.scheme == name);
    if paper::SCHEMES.iter().any(|(name, _)| !ran(name)) {
        section.paragraph(
            "The paper compares three schemes. Those without a row ran in no run of these results.",
        );
    }
    if ran("clique-cloak") {
        section.paragraph(
            "CliqueCloak differs in its constraint only: users provide no box of their own here, so \
             the box is as wide as the user can move.",
        );
    }
    section
}

/// Builds Table II: each map of this evaluation above the paper's map that it replaces.
pub(super) fn maps(data: &Data) -> ReportSection {
    let is_paper = data.is_paper();
    let title = if is_paper { "Table II: maps" } else { "Maps" };
    let mut section = ReportSection::new("maps", title);
    if data.maps.is_empty() {
        section.leave_out("maps.csv has no rows.");
        return section;
    }
    let mut table = HtmlTable::default();
    for row in data.maps.iter().filter(|row| !row.map.ends_with(EVERY_NODE)) {
        let cell = |value| decimal(value, 2);
        table.record([
            ("map", map_title(&row.map)),
            ("source", "this evaluation".to_owned()),
            ("nodes", count(row.nodes)),
            ("edges", count(row.edges)),
            ("width (km)", cell(row.width_km)),
            ("height (km)", cell(row.height_km)),
            ("area (km²)", cell(row.area_km2)),
            ("street length (km)", cell(row.street_km)),
            ("distance matrix (ms)", decimal(row.matrix_ms, 0)),
        ]);
        if let Some(map) = paper::map(&row.map).filter(|_| is_paper) {
            let mut cells = vec![map.name.to_owned(), "paper".to_owned()];
            cells.extend([map.nodes, map.edges].map(count));
            cells.extend([map.width_km, map.height_km, map.area_km2, map.street_km].map(cell));
            table.row(cells.into_iter().chain([String::new()]));
        }
    }
    if is_paper {
        // The maps are prepared beside other runs; matrix.csv has the times of a quiet machine.
        table.drop_last_column();
    }
    section.table(&table);
    if !is_paper {
        return section;
    }
    let sentences = data.maps.iter().filter_map(|row| {
        let map = paper::map(&row.map)?;
        Some(format!("{} for {}: {}", map_title(&row.map), map.name, map.difference))
    });
    let sentences: Vec<String> = sentences.collect();
    if sentences.is_empty() {
        section.paragraph("None of these maps corresponds to a map of the paper.");
    } else {
        section.list(sentences);
    }
    section
}
