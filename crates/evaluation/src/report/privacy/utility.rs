//! Matched utility: error of the service against what a region costs it, one line per family of
//! settings: planar Laplace over ε, cells over their length, other schemes over k.

use super::super::number::{count, decimal};
use super::super::over_dt::series;
use super::super::page::{HtmlTable, ReportSection};
use super::super::paper::map_title;
use super::super::plot::Plot;
use super::super::spread::{FormatSpread as _, Spread};
use crate::distinct::distinct;
use crate::results::PrivacyRow;
use picture::{LineChart, Panels, PictureError, Scale};

/// Attack of the service with all that it has.
const SERVICE: &str = "together";

/// Families with fewer settings than this are no curve.
const MIN_POINTS: usize = 2;

/// Settings of one family on one map, by ascending cost.
struct Family {
    name: String,
    points: Vec<SettingPoint>,
}

/// A setting with its cost and the error, over the seeds.
struct SettingPoint {
    scheme: String,
    configuration: String,
    metres: Spread,
    error: Spread,
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

/// Returns the families with several parameters or k; seeds of a setting are one point.
fn families(rows: &[&PrivacyRow]) -> Vec<Family> {
    let names = distinct(rows.iter().map(|row| family(&row.scheme)));
    let of = |name: String| {
        let own: Vec<&PrivacyRow> =
            rows.iter().copied().filter(|row| family(&row.scheme) == name).collect();
        let settings = distinct(own.iter().map(|row| (&row.scheme, &row.configuration)));
        let point = |(scheme, configuration): (&String, &String)| {
            let seeds = || {
                own.iter()
                    .filter(|row| (&row.scheme, &row.configuration) == (scheme, configuration))
            };
            Some(SettingPoint {
                scheme: scheme.clone(),
                configuration: configuration.clone(),
                metres: Spread::of(seeds().filter_map(|row| row.region_metres))?,
                error: Spread::of(seeds().filter_map(|row| row.error_m))?,
            })
        };
        let mut points: Vec<SettingPoint> = settings.into_iter().filter_map(point).collect();
        points.sort_by(|a, b| a.metres.mean.total_cmp(&b.metres.mean));
        Family { name, points }
    };
    names.into_iter().map(of).filter(|family| family.points.len() >= MIN_POINTS).collect()
}

/// Profile of a configuration: `P1` of `P1-3-5`.
fn profile(configuration: &str) -> &str {
    configuration.split('-').next().unwrap_or(configuration)
}

/// Adds the figure and its numbers, if a map has at least one family.
pub(super) fn add(section: &mut ReportSection, rows: &[PrivacyRow]) -> Result<(), PictureError> {
    let is_point = |row: &&PrivacyRow| {
        row.attack == SERVICE && row.error_m.is_some() && row.region_metres.is_some()
    };
    let points: Vec<&PrivacyRow> = rows.iter().filter(is_point).collect();
    let mut charts = Vec::new();
    let mut table = HtmlTable::default();
    let mut has_seeds = false;
    let panel =
        |row: &&PrivacyRow| (row.map.clone(), row.users, profile(&row.configuration).to_owned());
    for one in distinct(points.iter().map(panel)) {
        let here: Vec<&PrivacyRow> =
            points.iter().copied().filter(|row| panel(row) == one).collect();
        let families = families(&here);
        let (map, users, profile) = one;
        let title = format!("{}, {} users, {profile}", map_title(&map), count(users.into()));
        let whole = |value| decimal(value, 0);
        let mut all = families.iter().flat_map(|family| &family.points);
        has_seeds |= all.any(|point| point.error.count > 1);
        families.iter().flat_map(|family| &family.points).for_each(|point| {
            table.record([
                ("map", title.clone()),
                ("setting", point.scheme.clone()),
                ("configuration", point.configuration.clone()),
                ("region (m of street)", Some(point.metres).format(whole)),
                ("error of the service (m)", Some(point.error).format(whole)),
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
    let bars = if has_seeds { "; bars: lowest and highest seed" } else { "" };
    section.figure(
        Plot::panels("utility", &panels, 380)?,
        &format!(
            "Farther up is more private, farther left is cheaper for the service. One line per \
             scheme, over its parameter or over k{bars}."
        ),
    );
    section.collapsed_table("Error and cost in numbers", &table);
    Ok(())
}

fn chart(title: String, families: &[Family]) -> LineChart {
    let line = |family: &Family| {
        let points = family.points.iter();
        series(family.name.clone(), points.map(|one| (one.metres.mean / 1000.0, one.error)))
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
            error_m: Some(2.0 * metres),
            ..PrivacyRow::default()
        };
        let rows = [
            row("planar-laplace:epsilon=0.01", 9.0),
            row("planar-laplace", 3.0),
            row("meshcloak/reciprocal/cells-600", 5.0),
            row("meshcloak/reciprocal/cells-1200", 4.0),
            row("casper", 1.0),
            PrivacyRow { seed: 2, ..row("casper", 1.5) },
            PrivacyRow { seed: 2, ..row("planar-laplace", 5.0) },
        ];
        let found = families(&rows.iter().collect::<Vec<_>>());
        let names: Vec<&str> = found.iter().map(|family| family.name.as_str()).collect();
        assert_eq!(names, ["planar-laplace", "meshcloak/reciprocal/cells"]);
        let costs: Vec<f64> = found[0].points.iter().map(|point| point.metres.mean).collect();
        assert_eq!(costs, [4.0, 9.0], "seeds are one point, and no curve");
        let Spread { min, max, .. } = found[0].points[0].error;
        assert_eq!((min, max), (6.0, 10.0));
    }
}
