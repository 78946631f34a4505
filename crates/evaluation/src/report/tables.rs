//! Sections "Table I" (schemes) and "Table II" (maps).

use super::data::Data;
use super::number::{count, decimal};
use super::page::{Section, Table};
use super::paper::{self, map_title};
use crate::results::MapRow;

/// Builds Table I from the schemes' descriptions.
pub(super) fn schemes(data: &Data) -> Section {
    let mut section = Section::new("schemes", "Table I: schemes");
    if data.schemes.is_empty() {
        section.missing("schemes.csv has no rows.");
        return section;
    }
    let mut table = Table::new([
        "scheme",
        "setting",
        "cliques",
        "distance constraint",
        "processing",
        "Table I of the paper",
    ]);
    for row in &data.schemes {
        let printed = paper::SCHEMES.iter().find(|(name, _)| *name == row.scheme);
        let printed = printed.map_or(String::new(), |(_, words)| words.join(" · "));
        let cells = [&row.scheme, &row.setting, &row.cliques, &row.constraint, &row.pace, &printed];
        table.row(cells.map(String::clone));
    }
    section.table(&table);
    section.paragraph(
        "The paper compares three schemes; the others represent the rest of its related work. \
         CliqueCloak differs in its constraint only: users provide no box of their own here, so \
         the box is as wide as the user can move.",
    );
    section
}

/// Builds Table II: each map of this evaluation above the paper's map that it replaces.
pub(super) fn maps(data: &Data) -> Section {
    let mut section = Section::new("maps", "Table II: maps");
    if data.maps.is_empty() {
        section.missing("maps.csv has no rows.");
        return section;
    }
    let mut table = Table::new([
        "map",
        "source",
        "nodes",
        "edges",
        "width (km)",
        "height (km)",
        "area (km²)",
        "street length (km)",
        "distance matrix (ms)",
    ]);
    for row in &data.maps {
        table.row(measured_row(row));
        if let Some(map) = paper::map(&row.map) {
            table.row(paper_row(map));
        }
    }
    section.table(&table);
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

fn measured_row(row: &MapRow) -> [String; 9] {
    let two = |value| decimal(value, 2);
    [
        map_title(&row.map),
        "this evaluation".to_owned(),
        count(row.nodes),
        count(row.edges),
        two(row.width_km),
        two(row.height_km),
        two(row.area_km2),
        two(row.street_km),
        decimal(row.matrix_ms, 0),
    ]
}

fn paper_row(map: &paper::PaperMap) -> [String; 9] {
    let two = |value| decimal(value, 2);
    [
        map.name.to_owned(),
        "paper".to_owned(),
        count(map.nodes),
        count(map.edges),
        two(map.width_km),
        two(map.height_km),
        two(map.area_km2),
        two(map.street_km),
        String::new(),
    ]
}
