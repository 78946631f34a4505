//! Section "Privacy against cost": cost and attack results of every scheme and setting, the
//! recommended gateway setting, and the attack on one target.

mod advice;
mod choosing;
mod comparison;
mod reachability;
mod settings;
mod target;
mod utility;

use super::data::Data;
use super::number::{count, decimal, decimal_or_dash, interval, percent};
use super::page::{HtmlTable, ReportSection};
use super::plot::Plot;
use crate::results::{OWN_MODEL, PrivacyRow};
use comparison::{AttackComparison, with_distance};
use picture::{DotPanel, DotScale, Dots, PictureError};

/// Builds the section.
pub(super) fn section(data: &Data) -> Result<ReportSection, PictureError> {
    let mut section = ReportSection::new("privacy", "Privacy against cost");
    if data.is_paper() {
        section.paper_note(
            "claims reciprocity (§I, §II-A) and protection against an adversary with the map, the \
             speed and the last position (§III-F). It runs no attack.",
        );
    }
    match AttackComparison::of(&data.privacy) {
        Some(comparison) => compare(&mut section, &comparison, data)?,
        None => section.leave_out(
            "no attack results (run meshcloak attack --scheme all --region reach,cells --out DIR).",
        ),
    }
    settings::add(&mut section, &data.privacy);
    choosing::add(&mut section, &data.privacy, data.is_paper())?;
    utility::add(&mut section, &data.privacy)?;
    Ok(section)
}

/// Builds the section on the paper's third motivating example.
pub(super) fn reachability_section() -> ReportSection {
    let title = "Reachability attack on the plane and on the map";
    let mut section = ReportSection::new("reachability", title);
    reachability::add(&mut section);
    section
}

fn compare(
    section: &mut ReportSection,
    comparison: &AttackComparison<'_>,
    data: &Data,
) -> Result<(), PictureError> {
    let title = comparison.title();
    section.paragraph(
        "All schemes process the same users; targets are a sample of them, with all of their \
         queries. The service (L1) knows the map, the algorithm, the disclosures, and the dc of the \
         target. L2 also knows the exact position of the target’s previous query, L2+ that of every \
         member and the places of the set without names. L3 knows every position, k and dc in the \
         batch. k′ is the number of remaining candidates. Rectangles and \
         discs are attacked through the map: only streets inside them count. The columns \
         \u{201c}own model\u{201d} (attack --own) show each scheme under the assumptions of its authors: \
         the users that they count towards k, their rule for k, and the attack that they promise to \
         withstand.",
    );
    section.heading(&format!("All settings: {title}"));
    if comparison.seeds() > 1 {
        section.paragraph("After ±: the largest distance of a seed from the mean.");
    }
    let advice = advice::sentences(comparison);
    if !advice.is_empty() {
        section.list(advice);
    }
    section.figure(Plot::dots("privacy", &dots(comparison, &title))?, &title);
    section.table(&table(comparison));
    section.collapsed_table("All attacks in numbers", &attack_table(comparison));
    if let Some(canvas) = target::draw(data, comparison) {
        section.heading("Attack on one target");
        section.paragraph(
            "The published region, the part of it that an adversary with the previous position \
             cannot exclude, and the position of the target.",
        );
        section.figure(Plot::drawing("victim", &canvas), "Attack on one target");
    }
    Ok(())
}

/// Adversaries and the attack that represents each.
const ADVERSARIES: [(&str, &str); 4] = [
    ("as published", "as shown"),
    ("the service (L1)", "together"),
    ("last position (L2)", "known-point"),
    ("batch (L3)", "inversion"),
];

fn dots(comparison: &AttackComparison<'_>, title: &str) -> Dots {
    let schemes = comparison.schemes();
    let mean = |scheme: &str, attack: &str, column: Column| {
        Some(comparison.value(scheme, attack, column)?.mean)
    };
    let cost = |label: &str, scale, factor: f64, column: Column| DotPanel {
        label: label.to_owned(),
        scale,
        values: vec![
            schemes.iter().map(|scheme| Some(mean(scheme, "as shown", column)? * factor)).collect(),
        ],
    };
    let by_adversary = |label: &str, scale, factor: f64, column: Column| {
        let of = |attack: &str| -> Vec<Option<f64>> {
            schemes.iter().map(|scheme| Some(mean(scheme, attack, column)? * factor)).collect()
        };
        let values = ADVERSARIES.map(|(_, attack)| of(attack)).to_vec();
        DotPanel { label: label.to_owned(), scale, values }
    };
    Dots {
        title: title.to_owned(),
        panels: vec![
            cost("success (%)", DotScale::Linear, 100.0, |row| row.success_rate),
            cost("region (m of street)", DotScale::Logarithmic, 1.0, |row| row.region_metres),
            by_adversary("below k (%)", DotScale::Linear, 100.0, |row| row.below_k),
            by_adversary("k′/k", DotScale::Logarithmic, 1.0, |row| row.anonymity),
            by_adversary("error (m)", DotScale::Logarithmic, 1.0, |row| row.error_m),
        ],
        rows: schemes.iter().map(|scheme| (*scheme).to_owned()).collect(),
        series: ADVERSARIES.map(|(name, _)| name.to_owned()).to_vec(),
    }
}

/// A column of `privacy.csv`.
type Column = fn(&PrivacyRow) -> Option<f64>;

fn table(comparison: &AttackComparison<'_>) -> HtmlTable {
    let mut table = HtmlTable::default();
    for scheme in comparison.schemes() {
        let share = |attack: &str, column: Column| {
            with_distance(comparison.value(scheme, attack, column), |share| percent(Some(share)))
        };
        let below = |attack: &str| share(attack, |row| row.below_k);
        let number = |attack: &str, column: Column, decimals| {
            let value = comparison.value(scheme, attack, column);
            with_distance(value, |value| decimal(value, decimals))
        };
        let own = comparison.of_attack(scheme, OWN_MODEL).next();
        table.record([
            ("scheme", scheme.to_owned()),
            ("success", share("as shown", |row| row.success_rate)),
            ("region (m of street)", number("as shown", |row| row.region_metres, 0)),
            ("below k, inversion (L3)", below("inversion")),
            ("below k, known point (L2)", below("known-point")),
            ("below k, everyone’s past (L2+)", below("matching")),
            ("below k, service (L1)", below("together")),
            ("k′/k, known point", number("known-point", |row| row.anonymity, 2)),
            ("remaining street, service (m)", number("together", |row| row.metres_left, 0)),
            ("error, service (m)", number("together", |row| row.error_m, 0)),
            (
                "below k, three linked disclosures (L3)",
                share("intersection", |row| row.figure("below k after three")),
            ),
            ("below k, sybils", below("sybils")),
            ("own model: attack", own.map_or("–".to_owned(), |row| row.level.clone())),
            ("own model: success", share(OWN_MODEL, |row| row.success_rate)),
            ("own model: below k", below(OWN_MODEL)),
            ("own model: error (m)", number(OWN_MODEL, |row| row.error_m, 0)),
        ]);
    }
    table.drop_empty_columns();
    table
}

/// Interval of the share below k: over the targets if the row has one, else over publications.
fn bounds(row: &PrivacyRow) -> String {
    match row.below_k_low.zip(row.below_k_high) {
        Some((low, high)) => format!("{}–{} %", decimal(low * 100.0, 1), decimal(high * 100.0, 1)),
        None => interval(row.below_k, row.publications),
    }
}

fn attack_table(comparison: &AttackComparison<'_>) -> HtmlTable {
    let mut table = HtmlTable::default();
    for row in &comparison.rows {
        table.record([
            ("scheme", row.scheme.clone()),
            ("seed", row.seed.to_string()),
            ("attack", row.attack.clone()),
            ("level", row.level.clone()),
            ("disclosures", count(row.publications)),
            ("below k", percent(row.below_k)),
            ("95 % interval", bounds(row)),
            ("one candidate left", percent(row.alone)),
            ("k′/k", decimal_or_dash(row.anonymity, 2)),
            ("remaining street (m)", decimal_or_dash(row.metres_left, 0)),
            ("error (m)", decimal_or_dash(row.error_m, 0)),
            ("95 % interval of the error (m)", {
                let found = row.error_low_m.zip(row.error_high_m);
                let words = |(low, high)| format!("{}–{}", decimal(low, 0), decimal(high, 0));
                found.map_or("–".to_owned(), words)
            }),
            ("excludes the true position", percent(row.wrong)),
            ("further figures", row.more.replace(';', "; ").replace('=', " ")),
            ("time (s)", decimal(row.seconds, 2)),
        ]);
    }
    table.drop_empty_columns();
    table
}

#[cfg(test)]
mod tests;
