//! What an operator should run, computed from the rows of each case.

use super::case::{Case, Setting};
use crate::report::number::{decimal, percent};
use crate::results::PrivacyRow;
use crate::run::Presence;

/// States the rule of [`sentences`].
pub(super) const RULE: &str = "Region: cell, since a single cell rules out no street of the region; linked cells do (below k: the \
     service). Of the guarantees history with the clock published and reciprocal, an operator should \
     run the first that serves at least half of the askers, without presence if that is enough; if \
     none does, the setting that serves most. Only settings count that left k candidates in every \
     publication against the adversary of their guarantee. With presence, users who do not ask \
     report their position.";

/// Share of the askers that a recommended setting should serve.
const ENOUGH: f64 = 0.5;

/// Share of users who report their presence in the runs that stand for presence, in percent.
const PRESENT: u32 = 90;

/// Names of the users' density if a map was measured at three.
const DENSITIES: [&str; 3] = ["Dense", "Medium", "Sparse"];

/// A guarantee with region `cell`, when all users ask and with presence.
struct Choice {
    guarantee: &'static str,
    clock: Option<&'static str>,
    all_ask: Option<Served>,
    present: Option<Served>,
}

/// What the askers get.
#[derive(Clone, Copy)]
struct Served {
    share: f64,
    delay: f64,
}

/// Returns a sentence for each case that has cells, presence and the attacks that decide.
pub(super) fn sentences(cases: &[Case<'_>]) -> Vec<String> {
    let mut found: Vec<(&Case<'_>, String)> =
        cases.iter().filter_map(|case| Some((case, sentence(case)?))).collect();
    found.sort_by_key(|(case, _)| (case.map, case.configuration, std::cmp::Reverse(case.users)));
    let with_density = |(case, sentence): &(&Case<'_>, String)| {
        let is_same = |other: &&(&Case<'_>, String)| {
            (other.0.map, other.0.configuration) == (case.map, case.configuration)
        };
        let same: Vec<u32> = found.iter().filter(is_same).map(|(case, _)| case.users).collect();
        let rank = same.iter().position(|users| *users == case.users);
        let density = rank.filter(|_| same.len() == DENSITIES.len()).map(|rank| DENSITIES[rank]);
        let density = density.map_or(String::new(), |density| format!("{density}: "));
        format!("{density}{}: {sentence}", case.name())
    };
    found.iter().map(with_density).collect()
}

fn sentence(case: &Case<'_>) -> Option<String> {
    let published = Choice::of(case, "history", Some("published"), &["inversion", "matching-tick"]);
    let reciprocal = Choice::of(case, "reciprocal", None, &["inversion"]);
    let asked =
        Choice::of(case, "history", Some("asked"), &["inversion", "matching-tick", "matching"]);
    let choices = [published, reciprocal];
    if choices.iter().any(|choice| choice.all_ask.is_none() || choice.present.is_none()) {
        return None; // a run or an attack that decides is missing, or a guarantee is broken
    }
    let best = choices.iter().flat_map(Choice::settings);
    let enough = best.clone().find(|(_, _, served)| served.share >= ENOUGH);
    let most = || best.max_by(|a, b| a.2.share.total_cmp(&b.2.share));
    let (choice, with_presence, served) = enough.or_else(most)?;
    let presence = if with_presence { " with presence" } else { "" };
    let others = choices.iter().chain([&asked]).filter(|other| !std::ptr::eq(*other, choice));
    let others: Vec<String> = others.filter_map(Choice::text).collect();
    Some(format!(
        "{}{presence}, which serves {} at a mean delay of {} s ({}). For comparison: {}.",
        choice.name(),
        percent(Some(served.share)),
        decimal(served.delay, 2),
        choice.text()?,
        others.join("; "),
    ))
}

impl Choice {
    /// Reads what a guarantee serves if none of `attacks` leaves fewer than k candidates.
    fn of(
        case: &Case<'_>,
        guarantee: &'static str,
        clock: Option<&'static str>,
        attacks: &[&str],
    ) -> Choice {
        let served = |silent: u32| {
            let is_it = |scheme: &&str| {
                Setting::of(scheme).is_some_and(|setting| {
                    (setting.guarantee.as_str(), setting.clock) == (guarantee, clock)
                        && setting.region.starts_with("cell-")
                        && !matches!(setting.presence, Presence::Absent(_) | Presence::Registered)
                        && setting.presence.share() == silent
                })
            };
            let scheme = case.schemes().into_iter().find(is_it)?;
            let keeps = |attack: &&str| {
                case.value(scheme, attack, |row| row.below_k).is_some_and(|below| below.max <= 0.0)
            };
            let mean = |value: fn(&PrivacyRow) -> Option<f64>| {
                case.value(scheme, "as shown", value).map(|value| value.mean)
            };
            if !attacks.iter().all(keeps) {
                return None;
            }
            Some(Served {
                share: mean(|row| row.success_rate)?,
                delay: mean(|row| row.mean_delay_s)?,
            })
        };
        Choice { guarantee, clock, all_ask: served(0), present: served(PRESENT) }
    }

    /// Settings without and with presence.
    fn settings(&self) -> impl Iterator<Item = (&Choice, bool, Served)> + Clone {
        let settings = [(false, self.all_ask), (true, self.present)];
        settings.into_iter().filter_map(move |(presence, served)| Some((self, presence, served?)))
    }

    fn name(&self) -> String {
        let clock = self.clock.map_or(String::new(), |clock| format!(" (clock {clock})"));
        format!("{}{clock}", self.guarantee)
    }

    fn text(&self) -> Option<String> {
        let (all_ask, present) = (self.all_ask?, self.present?);
        Some(format!(
            "{} {} if all ask, {} if {} % ask and the others are present",
            self.name(),
            percent(Some(all_ask.share)),
            percent(Some(present.share)),
            100 - PRESENT,
        ))
    }
}
