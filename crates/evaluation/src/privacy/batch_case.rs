//! Attacks that need all users of a batch, on one publication for a target.

use super::attack_score::{AttackScores, Observation};
use attacks::ages::AGES;
use attacks::questions::QUESTIONS;
use attacks::{
    Attack, Candidate, KnownPosition, Level, LinkedDisclosure, Posterior, RegionDependence,
    Snapshot, Target, View,
};
use meshcloak::distance::Atlas;
use meshcloak::mix::mix64;
use meshcloak::query::UserId;
use meshcloak::region::Region;
use meshcloak::units::Time;
use std::sync::Arc;
use std::time::Instant;

/// Returns whether an attack needs the batch itself. The intersection attack (F) needs only the
/// candidates of each disclosure; the one on questions (M) has a driver of its own.
pub(super) fn needs_batch(attack: &Attack) -> bool {
    let others = ['F', QUESTIONS.letter, AGES.letter];
    attack.level == Level::Batch && !others.contains(&attack.letter)
}

/// A publication for a target, with the batch.
pub(super) struct BatchCase<'a> {
    pub atlas: &'a Arc<Atlas>,
    pub rule: RegionDependence,
    pub snapshot: &'a Snapshot<'a>,
    pub target: &'a Candidate,
    /// Time of publication.
    pub at: Time,
    pub region: &'a Arc<Region<'static>>,
    /// Size of the target's set.
    pub members: usize,
}

impl BatchCase<'_> {
    /// Scores the attacks. Returns the candidates that the inversion attack (D) leaves, whether or
    /// not it is among `attacks`.
    pub(super) fn attack<'a>(
        &self,
        attacks: impl IntoIterator<Item = &'a Attack>,
        scores: &mut AttackScores,
    ) -> Vec<UserId> {
        let target = self.target;
        let disclosures =
            [LinkedDisclosure::new(target.asked_at, self.at, Arc::clone(self.region))];
        let view = View {
            atlas: self.atlas,
            rule: self.rule,
            target: Target { dc: target.dc, speed: target.speed },
            disclosures: &disclosures,
            attacked: 0,
            previous: None,
            set: None,
            snapshot: Some(self.snapshot),
            candidate_sets: &[],
            prior: None,
        };
        for attack in attacks {
            let plants = attack.letter == 'G';
            // Sybil accounts are planted at the position of the target.
            let known = KnownPosition { at: self.at, position: target.position };
            let view = View { previous: plants.then_some(known), ..view };
            let begun = Instant::now();
            let found = attack.attack(&view);
            let score = scores.of(attack.name);
            score.elapsed += begun.elapsed();
            if found.is_none() && plants {
                continue;
            }
            score.add(&self.observe(attack.letter, found.as_ref()));
            if let ('H', Some(found)) = (attack.letter, &found) {
                score.add_figure("distinct questions", self.distinct_questions() as f64);
                score.add_figure("distinct streets", found.pieces.len() as f64);
            }
        }
        // The snapshot caches its rerun, so this attack is cheap.
        let found = attacks::inversion::INVERSION.attack(&view);
        found.and_then(|found| found.candidates).unwrap_or_default()
    }

    /// Compares the result of an attack with the truth.
    fn observe(&self, letter: char, found: Option<&Posterior>) -> Observation {
        let target = self.target;
        let Some(found) = found else {
            let remaining = Some(self.members);
            let user = Some(target.user.0);
            return Observation { k: target.k, user, remaining, ..Observation::default() };
        };
        let users = found.candidates.as_deref().unwrap_or_default();
        let street = target.position.street;
        let is_named = match letter {
            // Homogeneity counts users on one street once.
            'H' => found.pieces.iter().any(|piece| piece.street == street),
            _ => users.contains(&target.user),
        };
        let map = self.atlas.map();
        let error = found.expected_error(map, map.point(target.position)).filter(|_| is_named);
        Observation {
            k: target.k,
            user: Some(target.user.0),
            remaining: Some(users.len()),
            metres: None,
            error,
            wrong: !is_named,
        }
    }

    /// Returns the number of distinct question kinds among the publishers of the region. Workloads
    /// hold no questions: every query gets one of eight kinds with probabilities 1/2, 1/4, ….
    fn distinct_questions(&self) -> usize {
        let kind = |index: &u32| {
            mix64(self.snapshot.candidates[*index as usize].id.0).leading_zeros().min(7)
        };
        let mut kinds: Vec<u32> =
            self.snapshot.publishers_of(self.region).iter().map(kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds.len()
    }
}
