//! MobiMix (Palanisamy & Liu 2011): mix-zones at road junctions.
//!
//! Inside a zone no position is reported, and each user leaves it with a new pseudonym. The service
//! sees which pseudonyms disappear and appear, when and on which street, and tries to link them.
//!
//! Journeys with even numbers are the adversary's history and decide where zones are placed; those
//! with odd numbers are the targets. All users mix.

mod anonymity_set;
mod attack;
mod outcome;
mod placement;
mod rectangle;
mod scene;
#[cfg(test)]
mod tests;
mod visits;
mod zone;

pub use attack::{RemainingAnonymity, ZoneAttack};
pub use outcome::{AttackOutcome, KindOutcome, Meetings};
pub use placement::Zones;
pub use rectangle::{JunctionRectangle, LegEnd};
pub use scene::ZoneScene;
pub use visits::{Visit, visits};
pub use zone::{HiddenPart, Zone, ZoneExtent};

use anonymity_set::SetFinder;
use attack::ZoneAdversary;
use meshcloak::map::StreetMap;
use outcome::{TargetVisits, VisitOutcome, attack_outcomes};
use rayon::prelude::*;
use traffic::Journey;
use traffic::TrafficModel;

/// Construction of zones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZoneKind {
    /// A square around the junction; all users inside at one time are mixed.
    Rectangular,
    /// The same square; users who enter within a time window are mixed.
    Windowed,
    /// A rectangle shifted so that the junction is equally far in time from all sides; windowed.
    Shifted,
    /// Only the ways out, as far as the timing attack requires; windowed.
    NonRectangular,
}

impl ZoneKind {
    /// All kinds, in the order of the paper.
    pub const ALL: [ZoneKind; 4] =
        [ZoneKind::Rectangular, ZoneKind::Windowed, ZoneKind::Shifted, ZoneKind::NonRectangular];

    /// Name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            ZoneKind::Rectangular => "rectangular",
            ZoneKind::Windowed => "windowed",
            ZoneKind::Shifted => "shifted",
            ZoneKind::NonRectangular => "non-rectangular",
        }
    }
}

/// Settings of zones and attacks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MobimixSettings {
    /// Number of zones.
    pub zones: usize,
    /// Half side of a rectangle in metres.
    pub half_side: f64,
    /// Largest difference of entry times of mixed users, in milliseconds.
    pub window: u64,
    /// Smallest pairwise entropy of effectively anonymous users, 0 to 1.
    pub alpha: f64,
    /// Candidates that a user wants.
    pub k: u32,
}

impl Default for MobimixSettings {
    fn default() -> MobimixSettings {
        MobimixSettings { zones: 80, half_side: 100.0, window: 4_000, alpha: 0.9, k: 3 }
    }
}

/// Knowledge from past journeys: those with even numbers.
pub fn history(map: &StreetMap, journeys: &[Journey]) -> TrafficModel {
    TrafficModel::learn(map, journeys.iter().step_by(2))
}

/// Whether a journey is a target.
fn is_target(user: u32) -> bool {
    user % 2 == 1
}

/// Places zones of one kind, lets all users pass them, and attacks the targets.
///
/// Time O(visits × size of anonymity sets); the result does not depend on the number of threads.
pub fn evaluate(
    map: &StreetMap,
    journeys: &[Journey],
    model: &TrafficModel,
    settings: &MobimixSettings,
    kind: ZoneKind,
) -> KindOutcome {
    let zones = Zones::place(map, model, settings, kind);
    let visits = visits(map, &zones, model, journeys);
    let attacked = zones.all().par_iter().zip(&visits);
    let attacked = attacked.map(|(zone, visits)| attack_zone(zone, visits, model, settings));
    let mut attacked: Vec<VisitOutcome> =
        attacked.collect::<Vec<_>>().into_iter().flatten().collect();
    attacked.sort_by_key(|visit| (visit.user, visit.left));
    let mut meetings = Meetings::default();
    let mut rest = attacked.as_slice();
    for (user, journey) in journeys.iter().enumerate().filter(|(user, _)| is_target(*user as u32)) {
        let (visits, others) =
            rest.split_at(rest.partition_point(|visit| visit.user as usize <= user));
        rest = others;
        meetings.add(&TargetVisits { start: journey.start(), visits }, settings.k);
    }
    let hidden = |zone: &Zone| zone.hidden_metres(map, model);
    let seconds = |zone: &Zone| zone.window.map(|window| window as f64 / 1000.0);
    KindOutcome {
        kind,
        zones: zones.all().len(),
        hidden_metres: zones.all().iter().map(hidden).collect(),
        window_seconds: zones.all().iter().filter_map(seconds).collect(),
        visits: visits.iter().map(|visits| visits.len() as u64).sum(),
        truncated: attacked.iter().filter(|visit| visit.is_truncated).count() as u64,
        attacks: attack_outcomes(&attacked, settings),
        meetings,
    }
}

fn attack_zone(
    zone: &Zone,
    visits: &[Visit],
    model: &TrafficModel,
    settings: &MobimixSettings,
) -> Vec<VisitOutcome> {
    let finder = SetFinder::new(visits, zone.window);
    let mut set = Vec::new();
    let mut outcomes = Vec::new();
    for (index, target) in visits.iter().enumerate().filter(|visit| is_target(visit.1.user)) {
        let is_truncated = finder.find(index, &mut set);
        let others: Vec<&Visit> = set.iter().map(|&other| &visits[other as usize]).collect();
        let remaining = ZoneAttack::ALL.map(|attack| {
            ZoneAdversary { zone, model, attack }.attack(target, &others, settings.alpha)
        });
        outcomes.push(VisitOutcome {
            user: target.user,
            left: target.left,
            set_len: others.len() + 1,
            is_truncated,
            remaining,
        });
    }
    outcomes
}
