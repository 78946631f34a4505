//! Recommended gateway setting, computed from the attack results.

use super::super::number::{decimal, decimal_or_dash, percent};
use super::comparison::AttackComparison;
use crate::results::PrivacyRow;
use std::cmp::Ordering;

/// Cost and attack results of one setting.
struct RatedSetting<'a> {
    scheme: &'a str,
    /// Success rate.
    success: f64,
    /// Mean street length of a region.
    metres: f64,
    /// Mean localisation error of the service (L1) in metres.
    error: f64,
    /// Share of publications that the service (L1) reduces below k.
    below_k_by_service: f64,
    /// Share of publications that an adversary with the last position (L2) reduces below k.
    below_k_by_position: f64,
}

/// Returns the findings as sentences; the first is the recommendation.
pub(super) fn sentences(comparison: &AttackComparison<'_>) -> Vec<String> {
    let mut all: Vec<RatedSetting<'_>> =
        comparison.schemes().into_iter().filter_map(|scheme| setting(comparison, scheme)).collect();
    let tried = all.len();
    if tried == 0 {
        return Vec::new(); // not all of the attacks that decide were run
    }
    let broken: Vec<String> = all
        .iter()
        .filter(|setting| !preserves_k(comparison, setting.scheme))
        .map(|setting| setting.scheme.to_owned())
        .collect();
    all.retain(|setting| preserves_k(comparison, setting.scheme));
    all.sort_by(better);
    let mut sentences = Vec::new();
    match all.first() {
        Some(best) => sentences.push(advise(best, &all, tried)),
        None => sentences.push(
            "None of these settings preserves every k against inversion and known last positions."
                .to_owned(),
        ),
    }
    sentences.extend(cheaper(comparison, all.first()));
    if !broken.is_empty() {
        sentences.push(format!(
            "Settings with sets below k under at least one of these attacks: {}.",
            broken.join(", ")
        ));
    }
    sentences.extend(cells_against_reach(comparison));
    sentences.extend(not_prevented(comparison, all.first().map(|best| best.scheme)));
    sentences
}

fn setting<'a>(comparison: &AttackComparison<'a>, scheme: &'a str) -> Option<RatedSetting<'a>> {
    let plain = comparison.row(scheme, "as shown")?;
    let service = comparison.row(scheme, "together")?;
    Some(RatedSetting {
        scheme,
        success: plain.success_rate?,
        metres: plain.region_metres?,
        error: service.error_m?,
        below_k_by_service: service.below_k?,
        below_k_by_position: comparison.row(scheme, "known-point")?.below_k?,
    })
}

/// Orders settings by attack success of the service, then success rate, then localisation error.
/// Shares are compared in steps of 0.5 percentage points, so that noise does not decide.
fn better(a: &RatedSetting<'_>, b: &RatedSetting<'_>) -> Ordering {
    let step = |share: f64| (share * 200.0).round();
    step(a.below_k_by_service)
        .total_cmp(&step(b.below_k_by_service))
        .then(step(b.success).total_cmp(&step(a.success)))
        .then(b.error.total_cmp(&a.error))
}

/// Describes the setting with a higher success rate if no last position is known to an adversary.
fn cheaper(comparison: &AttackComparison<'_>, best: Option<&RatedSetting<'_>>) -> Option<String> {
    let inverted = |scheme: &str| comparison.row(scheme, "inversion").and_then(|row| row.below_k);
    let mut all: Vec<RatedSetting<'_>> = comparison
        .schemes()
        .into_iter()
        .filter(|scheme| inverted(scheme) == Some(0.0))
        .filter_map(|scheme| setting(comparison, scheme))
        .filter(|setting| best.is_none_or(|best| setting.success > best.success + 0.005))
        .collect();
    all.sort_by(better);
    let other = all.first()?;
    Some(format!(
        "If no adversary knows a last position, {} has a success rate of {}. Inversion reduces no set \
         below k; a known last position reduces {} of the sets below k. Mean region: {} m of \
         street. Localisation error of the service: {} m.",
        other.scheme,
        percent(Some(other.success)),
        percent(Some(other.below_k_by_position)),
        decimal(other.metres, 0),
        decimal(other.error, 0),
    ))
}

/// Whether no publication is below k as published, after inversion, and given the last position.
fn preserves_k(comparison: &AttackComparison<'_>, scheme: &str) -> bool {
    let none =
        |attack: &str| comparison.row(scheme, attack).and_then(|row| row.below_k) == Some(0.0);
    let is_unmatched = comparison.row(scheme, "matching").is_none_or(|_| none("matching"));
    is_unmatched && ["as shown", "inversion", "known-point"].into_iter().all(none)
}

fn advise(best: &RatedSetting<'_>, kept: &[RatedSetting<'_>], tried: usize) -> String {
    let of = match kept.len() {
        1 => format!("it is the only one of {tried} settings that preserves"),
        kept => format!("{kept} of {tried} settings preserve"),
    };
    let rest = match kept.len() {
        1 => "",
        _ => "; among these the service has the least success against it",
    };
    format!(
        "A gateway should run {}: {of} the k of every target against inversion of the batch and known \
         last positions{rest}. Success rate: {}. Mean region: {} m of street. The service (L1) has a \
         localisation error of {} m and reduces {} of the sets below k.",
        best.scheme,
        percent(Some(best.success)),
        decimal(best.metres, 0),
        decimal(best.error, 0),
        percent(Some(best.below_k_by_service)),
    )
}

/// Compares each setting with cells to the same guarantee with reach.
fn cells_against_reach(comparison: &AttackComparison<'_>) -> Vec<String> {
    let mut sentences = Vec::new();
    for scheme in comparison.schemes() {
        let Some((guarantee, cells)) = scheme.split_once("/cells") else { continue };
        let (Some(one), Some(other)) =
            (setting(comparison, scheme), setting(comparison, guarantee))
        else {
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
            "cells{cells} against reach under {guarantee}: region {} m of street against {} m, \
             localisation error of the service {} m against {} m: {verdict}.",
            decimal(one.metres, 0),
            decimal(other.metres, 0),
            decimal(one.error, 0),
            decimal(other.error, 0),
        ));
    }
    sentences
}

/// Describes the attacks that no setting prevents.
fn not_prevented(comparison: &AttackComparison<'_>, best: Option<&str>) -> Option<String> {
    let scheme = best?;
    let linked = comparison.row(scheme, "intersection");
    let figure = |row: Option<&PrivacyRow>, name| percent(row.and_then(|row| row.figure(name)));
    let sybils = comparison.row(scheme, "sybils");
    Some(format!(
        "Not prevented: if disclosures can be linked to one user, {} of the sets are below k after \
         two disclosures and {} after three. With four accounts of the adversary around the target, \
         {} are below k and honest users make up {} of k. A gateway must prevent linking and make \
         accounts expensive. A user whose query expired and who then asks the service directly \
         reveals the position.",
        figure(linked, "below k after two"),
        figure(linked, "below k after three"),
        percent(sybils.and_then(|row| row.below_k)),
        decimal_or_dash(sybils.and_then(|row| row.anonymity), 2),
    ))
}
