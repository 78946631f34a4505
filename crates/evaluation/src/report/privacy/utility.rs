//! Matched utility: error of the service against what a region costs it, one line per family of
//! settings: planar Laplace over ε, cells over their length, other schemes over k.

use super::super::number::{count, decimal_or_dash};
use super::super::page::{HtmlTable, ReportSection};
use super::super::paper::map_title;
use super::super::plot::Plot;
use crate::distinct::distinct;
use crate::results::PrivacyRow;
use picture::{LineChart, Panels, PictureError, Scale, Series};

/// Attack of the service with all that it has.
const SERVICE: &str = "together";

/// Families with fewer settings than this are no curve.
const MIN_POINTS: usize = 2;

/// Settings of one family on one map, by ascending cost.
struct Family<'a> {
    name: String,
    rows: Vec<&'a PrivacyRow>,
}

/// Name of a family: the scheme without its parameters and lengths.
fn family(scheme: &str) -> String {
    let scheme = scheme.split(':').next().unwrap_or(scheme);
    let words = scheme.split('/').map(|word| match word.split_once('-') {
        Some((kind @ ("cell" | "cells"), _)) => kind,
        _ => word,
    });
    words.collect::<Vec<_>>().join("/")
}

fn families<'a>(rows: &[&'a PrivacyRow]) -> Vec<Family<'a>> {
    let names = distinct(rows.iter().map(|row| family(&row.scheme)));
    let of = |name: String| {
        let mut rows: Vec<&PrivacyRow> =
            rows.iter().copied().filter(|row| family(&row.scheme) == name).collect();
        rows.sort_by(|a, b| {
            a.region_metres.partial_cmp(&b.region_metres).unwrap_or(std::cmp::Ordering::Equal)
        });
        Family { name, rows }
    };
    names.into_iter().map(of).filter(|family| family.rows.len() >= MIN_POINTS).collect()
}

/// Adds the figure and its numbers, if a map has at least one family.
pub(super) fn add(section: &mut ReportSection, rows: &[PrivacyRow]) -> Result<(), PictureError> {
    let is_point = |row: &&PrivacyRow| {
        row.attack == SERVICE && row.error_m.is_some() && row.region_metres.is_some()
    };
    let points: Vec<&PrivacyRow> = rows.iter().filter(is_point).collect();
    let mut charts = Vec::new();
    let mut table = HtmlTable::default();
    for (map, users) in distinct(points.iter().map(|row| (row.map.as_str(), row.users))) {
        let here: Vec<&PrivacyRow> = points
            .iter()
            .copied()
            .filter(|row| (row.map.as_str(), row.users) == (map, users))
            .collect();
        let families = families(&here);
        let title = format!("{}, {} users", map_title(map), count(users.into()));
        families.iter().flat_map(|family| &family.rows).for_each(|row| {
            table.record([
                ("map", title.clone()),
                ("setting", row.scheme.clone()),
                ("configuration", row.configuration.clone()),
                ("region (m of street)", decimal_or_dash(row.region_metres, 0)),
                ("error of the service (m)", decimal_or_dash(row.error_m, 0)),
            ]);
        });
        if !families.is_empty() {
            charts.push(chart(title, &families));
        }
    }
    if charts.is_empty() {
        return Ok(());
    }
    section.heading("Adversary’s error against the cost of the service");
    let title = "Error of the service over the length of its regions".to_owned();
    let panels = Panels { title, charts, columns: 2, scale: Scale::Own };
    section.figure(
        Plot::panels("utility", &panels, 380)?,
        "Farther up is more private, farther left is cheaper for the service. One line per scheme, \
         over its parameter or over k.",
    );
    section.collapsed_table("Error and cost in numbers", &table);
    Ok(())
}

fn chart(title: String, families: &[Family<'_>]) -> LineChart {
    let line = |family: &Family<'_>| Series {
        name: family.name.clone(),
        points: family
            .rows
            .iter()
            .filter_map(|row| Some((row.region_metres? / 1000.0, row.error_m?)))
            .collect(),
        spread: Vec::new(),
    };
    LineChart {
        title,
        x_label: "region (km of street)".to_owned(),
        y_label: "error of the service (m)".to_owned(),
        series: families.iter().map(line).collect(),
        ..LineChart::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_one_scheme_form_a_curve_by_ascending_cost() {
        let row = |scheme: &str, metres: f64| PrivacyRow {
            scheme: scheme.into(),
            region_metres: Some(metres),
            ..PrivacyRow::default()
        };
        let rows = [
            row("planar-laplace:epsilon=0.01", 9.0),
            row("planar-laplace", 3.0),
            row("meshcloak/reciprocal/cells-600", 5.0),
            row("meshcloak/reciprocal/cells-1200", 4.0),
            row("casper", 1.0),
        ];
        let found = families(&rows.iter().collect::<Vec<_>>());
        let names: Vec<&str> = found.iter().map(|family| family.name.as_str()).collect();
        assert_eq!(names, ["planar-laplace", "meshcloak/reciprocal/cells"]);
        let costs: Vec<_> = found[0].rows.iter().filter_map(|row| row.region_metres).collect();
        assert_eq!(costs, [3.0, 9.0]);
    }
}
