//! Findings from the attack results: for each adversary, the setting of MeshCloak that serves most
//! queries and keeps every k. The section "Choosing" says which setting to run.

use super::super::number::{decimal, percent};
use super::super::spread::Spread;
use super::comparison::{AttackComparison, with_distance};
use crate::results::PrivacyRow;
use crate::schemes;
use std::cmp::Ordering;

/// What an adversary knows, and the attacks of which none may leave a set below k.
struct Adversary {
    knowledge: &'static str,
    attacks: &'static [&'static str],
}

/// Adversaries by ascending knowledge; each also mounts the attacks of those before it.
const ADVERSARIES: [Adversary; 3] = [
    Adversary { knowledge: "all positions of a batch", attacks: &["as shown", "inversion"] },
    Adversary {
        knowledge: "everyone’s past and the times of publication, too",
        attacks: &["matching-tick"],
    },
    Adversary {
        knowledge: "everyone’s past and the times of asking, too",
        attacks: &["matching", "known-point"],
    },
];

/// The attack that combines all that the service has.
const SERVICE: &str = "together";

/// The section of the documents that weighs the settings.
const POINTER: &str = "Which of them to run depends on the density of the users, on presence and on \
what an adversary can know: docs/EVALUATION.md, section Choosing, compares them at three densities.";

/// Cost and attack results of one setting, over the seeds.
struct RatedSetting<'a> {
    scheme: &'a str,
    /// Success rate.
    success: Spread,
    /// Mean street length of a region.
    metres: Spread,
    /// Mean localisation error of the service (L1) in metres, if measured.
    error: Option<Spread>,
    /// Share of the publications that leave the service (L1) fewer than k candidates, if measured.
    below_k: Option<Spread>,
}

/// Returns the findings as sentences; none without results of inversion.
pub(super) fn sentences(comparison: &AttackComparison<'_>) -> Vec<String> {
    let settings = settings(comparison);
    if settings.is_empty() {
        return Vec::new(); // not all of the attacks that decide were run
    }
    let mut sentences = Vec::new();
    let mut attacks: Vec<&str> = Vec::new();
    let mut strictest = None;
    for adversary in &ADVERSARIES {
        let ran = adversary.attacks.iter().copied().filter(|attack| has_run(comparison, attack));
        let known = attacks.len();
        attacks.extend(ran);
        if attacks.len() == known {
            continue;
        }
        let keeps = |setting: &&RatedSetting<'_>| preserves_k(comparison, setting.scheme, &attacks);
        let kept: Vec<&RatedSetting<'_>> = settings.iter().filter(keeps).collect();
        strictest = kept.iter().copied().min_by(|a, b| better(a, b)).or(strictest);
        sentences.push(finding(adversary, &kept, settings.len()));
    }
    sentences.extend(cells_against_reach(&settings));
    sentences.extend(strictest.and_then(|best| not_prevented(comparison, best.scheme)));
    sentences.push(POINTER.to_owned());
    sentences
}

/// Returns MeshCloak's settings whose batches were inverted.
fn settings<'a>(comparison: &AttackComparison<'a>) -> Vec<RatedSetting<'a>> {
    let rated = |scheme: &'a str| {
        schemes::settings(schemes::presence(scheme).0)?;
        comparison.value(scheme, "inversion", |row| row.below_k)?;
        Some(RatedSetting {
            scheme,
            success: comparison.value(scheme, "as shown", |row| row.success_rate)?,
            metres: comparison.value(scheme, "as shown", |row| row.region_metres)?,
            error: comparison.value(scheme, SERVICE, |row| row.error_m),
            below_k: comparison.value(scheme, SERVICE, |row| row.below_k),
        })
    };
    comparison.schemes().into_iter().filter_map(rated).collect()
}

fn has_run(comparison: &AttackComparison<'_>, attack: &str) -> bool {
    comparison.rows.iter().any(|row| row.attack == attack)
}

/// Whether none of the attacks leaves a publication below k in any seed.
fn preserves_k(comparison: &AttackComparison<'_>, scheme: &str, attacks: &[&str]) -> bool {
    attacks.iter().all(|attack| {
        let below = comparison.value(scheme, attack, |row| row.below_k);
        below.is_some_and(|below| below.max <= 0.0)
    })
}

/// Orders settings by success rate, then localisation error of the service. Rates are compared in
/// steps of 0.5 percentage points, so that noise does not decide.
fn better(a: &RatedSetting<'_>, b: &RatedSetting<'_>) -> Ordering {
    let step = |setting: &RatedSetting<'_>| (setting.success.mean * 200.0).round();
    let error = |setting: &RatedSetting<'_>| setting.error.map_or(0.0, |error| error.mean);
    step(b).total_cmp(&step(a)).then(error(b).total_cmp(&error(a)))
}

fn finding(adversary: &Adversary, kept: &[&RatedSetting<'_>], tried: usize) -> String {
    let Adversary { knowledge, .. } = adversary;
    let Some(best) = kept.iter().min_by(|a, b| better(a, b)) else {
        return format!(
            "Adversary knows {knowledge}: none of {tried} settings of MeshCloak keeps every k."
        );
    };
    let service = best.error.zip(best.below_k).map_or(String::new(), |(error, below)| {
        format!(
            "; the service (L1), which links regions, has a localisation error of {} m and leaves \
             fewer than k in {}",
            metres(error),
            share(below),
        )
    });
    let (verb, which) = match kept.len() {
        1 => ("keeps", format!("It is {}, which serves", best.scheme)),
        _ => ("keep", format!("Of these {} serves most:", best.scheme)),
    };
    format!(
        "Adversary knows {knowledge}: {} of {tried} settings of MeshCloak {verb} every k. {which} {} \
         of the queries; mean region {} m of street{service}.",
        kept.len(),
        share(best.success),
        metres(best.metres),
    )
}

/// Compares each setting with cells to the same setting with reach.
fn cells_against_reach(settings: &[RatedSetting<'_>]) -> Vec<String> {
    let is_cell = |word: &&str| word.starts_with("cell");
    let mut sentences = Vec::new();
    for one in settings {
        let Some(cell) = one.scheme.split('/').find(is_cell) else { continue };
        let words: Vec<&str> = one.scheme.split('/').filter(|word| !is_cell(word)).collect();
        let reach = words.join("/");
        let Some(other) = settings.iter().find(|setting| setting.scheme == reach) else { continue };
        let (Some(known), Some(known_by_reach)) = (one.error, other.error) else { continue };
        let (Some(below), Some(below_by_reach)) = (one.below_k, other.below_k) else { continue };
        let verdict = [
            compare_means(one.metres, other.metres, ["shorter", "equally long", "longer"]),
            compare_means(known, known_by_reach, ["smaller error", "equal error", "larger error"]),
            compare_means(
                below,
                below_by_reach,
                ["less often below k", "as often below k", "more often below k"],
            ),
        ];
        sentences.push(format!(
            "{cell} against reach under {reach}: {} served against {}, region {} m of street against \
             {} m, localisation error of the service {} m against {} m, publications that leave the \
             service fewer than k candidates {} against {}: {}.",
            share(one.success),
            share(other.success),
            metres(one.metres),
            metres(other.metres),
            metres(known),
            metres(known_by_reach),
            share(below),
            share(below_by_reach),
            verdict.join(", "),
        ));
    }
    sentences
}

/// Returns the word for `one` being less than, equal to, or greater than `other`, by their means.
fn compare_means(one: Spread, other: Spread, words: [&'static str; 3]) -> &'static str {
    let [less, equal, greater] = words;
    match one.mean.total_cmp(&other.mean) {
        Ordering::Less => less,
        Ordering::Equal => equal,
        Ordering::Greater => greater,
    }
}

/// Describes the attacks that no setting prevents, as far as they were run.
fn not_prevented(comparison: &AttackComparison<'_>, scheme: &str) -> Option<String> {
    let text = |attack: &str, column: &dyn Fn(&PrivacyRow) -> Option<f64>| {
        Some(share(comparison.value(scheme, attack, column)?))
    };
    let two = text("intersection", &|row| row.figure("below k after two"));
    let three = text("intersection", &|row| row.figure("below k after three"));
    let linked = two.zip(three).map(|(two, three)| {
        format!(
            "if disclosures can be linked to one user, {two} of the sets are below k after two \
             disclosures and {three} after three"
        )
    });
    let sybils = text("sybils", &|row| row.below_k).map(|below| {
        format!("with four accounts of the adversary around the target, {below} are below k")
    });
    let found: Vec<String> = [linked, sybils].into_iter().flatten().collect();
    (!found.is_empty()).then(|| {
        format!(
            "Not prevented by {scheme}: {}. A gateway must prevent linking and make accounts \
             expensive. A user whose query expired and who then asks the service directly reveals \
             the position.",
            found.join("; ")
        )
    })
}

fn share(value: Spread) -> String {
    with_distance(Some(value), |share| percent(Some(share)))
}

fn metres(value: Spread) -> String {
    with_distance(Some(value), |metres| decimal(metres, 0))
}
