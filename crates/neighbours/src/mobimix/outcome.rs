//! Measures of a mix-zone deployment.

use super::attack::{RemainingAnonymity, ZoneAttack};
use super::{MobimixSettings, ZoneKind};
use crate::statistics::Average;

/// Averages over all visits of the targets under one attack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttackOutcome {
    /// The attack.
    pub attack: ZoneAttack,
    /// Effective anonymity.
    pub effective: Average,
    /// Share of visits after which at least k users are effectively anonymous.
    pub at_least_k: Average,
    /// Entropy in bits.
    pub bits: Average,
    /// Probability that the adversary names the right user.
    pub success: Average,
}

/// How often users meet in zones at all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Meetings {
    /// Zones that a user passes.
    pub zones_per_user: Average,
    /// Share of users who pass a zone.
    pub passes_a_zone: Average,
    /// Share of visits without any other user.
    pub alone: Average,
    /// Share of users who leave some zone with at least k candidates in the anonymity set.
    pub mixed: Average,
    /// The same, effective under the combined attack.
    pub effectively_mixed: Average,
    /// Seconds from the start of the journey to the first such zone, of users who reach one.
    pub seconds_to_mix: Average,
}

/// Result for one kind of zone.
#[derive(Clone, Debug, PartialEq)]
pub struct KindOutcome {
    /// Kind of the zones.
    pub kind: ZoneKind,
    /// Number of zones.
    pub zones: usize,
    /// Hidden street length of a zone, in metres.
    pub hidden_metres: Average,
    /// Window of a zone in seconds.
    pub window_seconds: Average,
    /// Number of visits of all users.
    pub visits: u64,
    /// Number of visits of the targets whose anonymity set was truncated.
    pub truncated: u64,
    /// One row per attack.
    pub attacks: Vec<AttackOutcome>,
    /// Rarity of meetings.
    pub meetings: Meetings,
}

/// Result of one visit of a target.
#[derive(Clone, Debug)]
pub(super) struct VisitOutcome {
    pub user: u32,
    pub left: u64,
    /// Users in the anonymity set, with the target.
    pub set_len: usize,
    pub is_truncated: bool,
    pub remaining: [RemainingAnonymity; ZoneAttack::ALL.len()],
}

/// Sums the results of visits for each attack.
pub(super) fn attack_outcomes(
    visits: &[VisitOutcome],
    settings: &MobimixSettings,
) -> Vec<AttackOutcome> {
    let outcome = |(index, attack): (usize, ZoneAttack)| {
        let mut row = AttackOutcome {
            attack,
            effective: Average::default(),
            at_least_k: Average::default(),
            bits: Average::default(),
            success: Average::default(),
        };
        for visit in visits {
            let remaining = visit.remaining[index];
            row.effective.add(remaining.effective as f64);
            row.at_least_k.add_share(remaining.effective >= settings.k as usize);
            row.bits.add(remaining.bits);
            row.success.add(remaining.success);
        }
        row
    };
    ZoneAttack::ALL.into_iter().enumerate().map(outcome).collect()
}

/// Start of the journey of each target, and its visits.
pub(super) struct TargetVisits<'a> {
    pub start: u64,
    pub visits: &'a [VisitOutcome],
}

impl Meetings {
    /// Adds a target and all of its visits, in order of time.
    pub(super) fn add(&mut self, target: &TargetVisits<'_>, k: u32) {
        let k = k as usize;
        let visits = target.visits;
        self.zones_per_user.add(visits.len() as f64);
        self.passes_a_zone.add_share(!visits.is_empty());
        for visit in visits {
            self.alone.add_share(visit.set_len == 1);
        }
        self.mixed.add_share(visits.iter().any(|visit| visit.set_len >= k));
        let combined = ZoneAttack::ALL.len() - 1;
        let first = visits.iter().find(|visit| visit.remaining[combined].effective >= k);
        self.effectively_mixed.add_share(first.is_some());
        if let Some(first) = first {
            self.seconds_to_mix.add(first.left.saturating_sub(target.start) as f64 / 1000.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meetings_count_users_and_visits_as_by_hand() {
        let visit = |left: u64, set_len: usize, effective: usize| VisitOutcome {
            user: 1,
            left,
            set_len,
            is_truncated: false,
            remaining: [RemainingAnonymity { effective, bits: 0.0, success: 1.0 }; 4],
        };
        let mut meetings = Meetings::default();
        // Alone; among three, of whom one is excluded; among three.
        let visits = [visit(4_000, 1, 1), visit(6_000, 3, 2), visit(9_000, 3, 3)];
        meetings.add(&TargetVisits { start: 1_000, visits: &visits }, 3);
        meetings.add(&TargetVisits { start: 2_000, visits: &visits[..2] }, 3);
        meetings.add(&TargetVisits { start: 3_000, visits: &visits[..1] }, 3);
        meetings.add(&TargetVisits { start: 4_000, visits: &[] }, 3);
        assert_eq!(meetings.zones_per_user.value(), Some(1.5));
        assert_eq!(meetings.passes_a_zone.value(), Some(0.75));
        assert_eq!(meetings.alone.value(), Some(0.5));
        assert_eq!(meetings.mixed.value(), Some(0.5));
        assert_eq!(meetings.effectively_mixed.value(), Some(0.25));
        assert_eq!(meetings.seconds_to_mix.value(), Some(8.0));
    }
}
