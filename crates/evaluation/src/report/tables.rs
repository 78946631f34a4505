//! Tables I and II: what the schemes are, and what the maps consist of.

use super::data::Data;
use super::number::{count, decimal};
use super::page::{Section, Table};
use super::paper::{self, map_title};
use crate::results::MapRow;

/// Table I, from the schemes' own descriptions.
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
        "asked",
        "the paper’s Table I",
    ]);
    for row in &data.schemes {
        let printed = paper::SCHEMES.iter().find(|(name, _)| *name == row.scheme);
        let printed = printed.map_or(String::new(), |(_, words)| words.join(" · "));
        let cells = [&row.scheme, &row.setting, &row.cliques, &row.constraint, &row.pace, &printed];
        table.row(cells.map(String::clone));
    }
    section.table(&table);
    section.say(
        "The paper compares three schemes; the others stand for the rest of its related work. \
         Only the constraint of CliqueCloak differs: here nobody provides a box of her own, so her \
         box is as wide as she can move.",
    );
    section
}

/// Table II, ours above the paper's.
pub(super) fn maps(data: &Data) -> Section {
    let mut section = Section::new("maps", "Table II: maps");
    if data.maps.is_empty() {
        section.missing("maps.csv has no rows.");
        return section;
    }
    let mut table = Table::new([
        "map",
        "whose",
        "nodes",
        "edges",
        "width (km)",
        "height (km)",
        "area (km²)",
        "street length (km)",
        "distance matrix (ms)",
    ]);
    for row in &data.maps {
        table.row(ours(row));
        if let Some(map) = paper::map(&row.map) {
            table.row(printed(map));
        }
    }
    section.table(&table);
    let sentences = data.maps.iter().filter_map(|row| {
        let map = paper::map(&row.map)?;
        Some(format!("{} for {}: {}", map_title(&row.map), map.name, map.difference))
    });
    let sentences: Vec<String> = sentences.collect();
    if sentences.is_empty() {
        section.say("None of these maps stands for one of the paper.");
    } else {
        section.list(sentences);
    }
    section
}

fn ours(row: &MapRow) -> [String; 9] {
    let two = |value| decimal(value, 2);
    [
        map_title(&row.map),
        "ours".to_owned(),
        count(row.nodes),
        count(row.edges),
        two(row.width_km),
        two(row.height_km),
        two(row.area_km2),
        two(row.street_km),
        decimal(row.matrix_ms, 0),
    ]
}

fn printed(map: &paper::PaperMap) -> [String; 9] {
    let two = |value| decimal(value, 2);
    [
        map.name.to_owned(),
        "paper’s".to_owned(),
        count(map.nodes),
        count(map.edges),
        two(map.width_km),
        two(map.height_km),
        two(map.area_km2),
        two(map.street_km),
        String::new(),
    ]
}
