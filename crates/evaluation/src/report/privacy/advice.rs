//! Which setting a gateway should run, computed from the attacks.

use super::super::number::{decimal, percent, shown};
use super::field::Field;
use crate::results::PrivacyRow;
use std::cmp::Ordering;

/// What a setting costs and keeps.
struct Setting<'a> {
    scheme: &'a str,
    success: f64,
    metres: f64,
    /// Of the service with all that it has.
    error: f64,
    /// The share of publications that fall below k by what the service has.
    by_service: f64,
    /// And by who knows the last place.
    by_place: f64,
}

/// What was found, in sentences; the first says what to run.
pub(super) fn sentences(field: &Field<'_>) -> Vec<String> {
    let mut all: Vec<Setting<'_>> =
        field.schemes().into_iter().filter_map(|scheme| setting(field, scheme)).collect();
    let tried = all.len();
    let broken: Vec<String> = all
        .iter()
        .filter(|setting| !keeps(field, setting.scheme))
        .map(|setting| setting.scheme.to_owned())
        .collect();
    all.retain(|setting| keeps(field, setting.scheme));
    all.sort_by(better);
    let mut sentences = Vec::new();
    match all.first() {
        Some(best) => sentences.push(advise(best, &all, tried)),
        None => sentences.push(
            "None of these settings kept every k from inversion and from who knows the last place."
                .to_owned(),
        ),
    }
    sentences.extend(cheaper(field, all.first()));
    if !broken.is_empty() {
        sentences.push(format!("Below k under one of the two: {}.", broken.join(", ")));
    }
    sentences.extend(cells_against_reach(field));
    sentences.extend(not_prevented(field, all.first().map(|best| best.scheme)));
    sentences
}

fn setting<'a>(field: &Field<'a>, scheme: &'a str) -> Option<Setting<'a>> {
    let plain = field.row(scheme, "as shown")?;
    let service = field.row(scheme, "together")?;
    Some(Setting {
        scheme,
        success: plain.success_rate?,
        metres: plain.region_metres?,
        error: service.error_m?,
        by_service: service.below_k?,
        by_place: field.row(scheme, "known-point")?.below_k?,
    })
}

/// What the service can do counts first, then success, then how far the service is off; shares in
/// steps of half a point, so that noise does not decide.
fn better(a: &Setting<'_>, b: &Setting<'_>) -> Ordering {
    let step = |share: f64| (share * 200.0).round();
    step(a.by_service)
        .total_cmp(&step(b.by_service))
        .then(step(b.success).total_cmp(&step(a.success)))
        .then(b.error.total_cmp(&a.error))
}

/// What serves more, if nobody knows where people were before.
fn cheaper(field: &Field<'_>, best: Option<&Setting<'_>>) -> Option<String> {
    let inverted = |scheme: &str| field.row(scheme, "inversion").and_then(|row| row.below_k);
    let mut all: Vec<Setting<'_>> = field
        .schemes()
        .into_iter()
        .filter(|scheme| inverted(scheme) == Some(0.0))
        .filter_map(|scheme| setting(field, scheme))
        .filter(|setting| best.is_none_or(|best| setting.success > best.success + 0.005))
        .collect();
    all.sort_by(better);
    let other = all.first()?;
    Some(format!(
        "Where nobody knows the last place of anybody, {} serves {}: no k is lost to inversion, {} \
         are to who knows the last place; it asks about {} m, and the service is off by {} m.",
        other.scheme,
        percent(Some(other.success)),
        percent(Some(other.by_place)),
        decimal(other.metres, 0),
        decimal(other.error, 0),
    ))
}

/// Whether no publication fell below k, as shown, by inversion, or from the known point.
fn keeps(field: &Field<'_>, scheme: &str) -> bool {
    let none = |attack: &str| field.row(scheme, attack).and_then(|row| row.below_k) == Some(0.0);
    ["as shown", "inversion", "known-point"].into_iter().all(none)
}

fn advise(best: &Setting<'_>, kept: &[Setting<'_>], tried: usize) -> String {
    let of = match kept.len() {
        1 => format!("of {tried} settings it is the only one that kept"),
        kept => format!("{kept} of {tried} settings kept"),
    };
    let rest = if kept.len() > 1 { "; of these the service can do least against it" } else { "" };
    format!(
        "A gateway should run {}: {of} every k of every victim from inversion of the batch and from \
         who knows the last place{rest}. It serves {}, asks about {} m of street, and the service, \
         with all it has, is off by {} m and brings {} below k.",
        best.scheme,
        percent(Some(best.success)),
        decimal(best.metres, 0),
        decimal(best.error, 0),
        percent(Some(best.by_service)),
    )
}

/// Each setting of cells beside the same promise with reach.
fn cells_against_reach(field: &Field<'_>) -> Vec<String> {
    let mut sentences = Vec::new();
    for scheme in field.schemes() {
        let Some((promise, cells)) = scheme.split_once("/cells") else { continue };
        let (Some(one), Some(other)) = (setting(field, scheme), setting(field, promise)) else {
            continue;
        };
        let shorter = one.metres < other.metres;
        let verdict = match (shorter, one.error > other.error) {
            (true, true) => "shorter, and the service knows less",
            (true, false) => "shorter, but the service knows more",
            (false, true) => "longer, but the service knows less",
            (false, false) => "longer, and the service knows more",
        };
        sentences.push(format!(
            "cells{cells} against reach under {promise}: {} m of street against {} m, and the \
             service is off by {} m against {} m: {verdict}.",
            decimal(one.metres, 0),
            decimal(other.metres, 0),
            decimal(one.error, 0),
            decimal(other.error, 0),
        ));
    }
    sentences
}

/// What no setting prevents.
fn not_prevented(field: &Field<'_>, best: Option<&str>) -> Option<String> {
    let scheme = best?;
    let linked = field.row(scheme, "intersection");
    let figure = |row: Option<&PrivacyRow>, name| percent(row.and_then(|row| row.figure(name)));
    let sybils = field.row(scheme, "sybils");
    Some(format!(
        "Not prevented: if disclosures can be linked to one person, {} are below k after two and {} \
         after three; with four accounts of the attacker’s own around the target, {} are, and {} of \
         k honest people are left. A gateway must not let disclosures be linked, and must make \
         accounts dear. Who was not served and asks the service in the clear has told it all.",
        figure(linked, "below k after two"),
        figure(linked, "below k after three"),
        percent(sybils.and_then(|row| row.below_k)),
        shown(sybils.and_then(|row| row.anonymity), 2),
    ))
}
