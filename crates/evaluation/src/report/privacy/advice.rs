//! Which setting a gateway should run, computed from the attacks.

use super::super::number::{decimal, percent, shown};
use super::field::Field;
use crate::results::PrivacyRow;

/// What a setting costs and keeps.
struct Setting<'a> {
    scheme: &'a str,
    success: f64,
    metres: f64,
    /// Of the service with all that it has.
    error: f64,
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
    // Success in steps of half a point, so that noise does not decide; then what the service knows.
    all.sort_by(|a, b| {
        let order = |setting: &Setting<'_>| ((setting.success * 200.0).round(), setting.error);
        let ((a, a_error), (b, b_error)) = (order(a), order(b));
        b.total_cmp(&a).then(b_error.total_cmp(&a_error))
    });
    let mut sentences = Vec::new();
    match all.first() {
        Some(best) => sentences.push(advise(best, &all, tried)),
        None => sentences.push(
            "None of these settings kept every k from inversion and from who knows the last place."
                .to_owned(),
        ),
    }
    if !broken.is_empty() {
        sentences.push(format!("Below k under one of the two: {}.", broken.join(", ")));
    }
    sentences.extend(cells_against_reach(field));
    sentences.extend(not_prevented(field, all.first().map(|best| best.scheme)));
    sentences
}

fn setting<'a>(field: &Field<'a>, scheme: &'a str) -> Option<Setting<'a>> {
    let plain = field.row(scheme, "as shown")?;
    Some(Setting {
        scheme,
        success: plain.success_rate?,
        metres: plain.region_metres?,
        error: field.row(scheme, "together")?.error_m?,
    })
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
    let rest = if kept.len() > 1 {
        ", and of these it serves most and tells the service least"
    } else {
        ""
    };
    format!(
        "A gateway should run {}: {of} every k of every victim from inversion of the batch and from \
         who knows the last place{rest}. It serves {}, asks about {} m of street, and the service, \
         with all it has, is off by {} m.",
        best.scheme,
        percent(Some(best.success)),
        decimal(best.metres, 0),
        decimal(best.error, 0),
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
