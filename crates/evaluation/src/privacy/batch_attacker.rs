//! Attacks during a run: records the disclosures for targets, and runs the attacks that need the
//! whole batch, because batches are not stored.

use super::attack_score::AttackScores;
use super::batch_case::BatchCase;
use super::{AttackPlan, AttackedScheme, Targets};
use attacks::{Attack, Candidate, RegionDependence, Rerun, RerunResult, SchemeRerun, Snapshot};
use meshcloak::distance::Atlas;
use meshcloak::mix::mix64;
use meshcloak::query::UserId;
use meshcloak::region::Region;
use meshcloak::scheme::{Pace, Published, Served, State};
use meshcloak::units::Time;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A publication for a target.
#[derive(Clone, Debug)]
pub(crate) struct TargetDisclosure {
    /// Number of the target's query.
    pub query: u32,
    pub at: Time,
    pub region: Arc<Region<'static>>,
    /// Numbers of the queries of the target's set.
    pub members: Arc<[u32]>,
    /// Candidate users of the region.
    pub named: Vec<UserId>,
}

/// Runs the batch attacks on every batch that publishes a query of a target.
pub(super) struct BatchAttacker<'a> {
    scheme: &'a AttackedScheme,
    atlas: &'a Arc<Atlas>,
    targets: &'a Targets,
    attacks: Vec<Attack>,
    /// Remaining queries around which accounts are planted.
    to_plant: usize,
    pub rule: RegionDependence,
    /// Whether a batch is cheap to run again. Otherwise the published sets stand for the rerun: a
    /// fresh scheme gives the same result for the same state, which is tested for each.
    is_cheap_to_rerun: bool,
    /// Disclosures for targets, in order of time.
    pub disclosures: Vec<TargetDisclosure>,
    pub scores: AttackScores,
}

impl<'a> BatchAttacker<'a> {
    pub(super) fn new(
        scheme: &'a AttackedScheme,
        atlas: &'a Arc<Atlas>,
        targets: &'a Targets,
        plan: &AttackPlan,
    ) -> BatchAttacker<'a> {
        let description = scheme.make(atlas).describe();
        BatchAttacker {
            scheme,
            atlas,
            targets,
            attacks: plan.batch_attacks(),
            to_plant: plan.planted,
            rule: description.regions,
            is_cheap_to_rerun: description.pace == Pace::Batch,
            disclosures: Vec::new(),
            scores: AttackScores::default(),
        }
    }

    /// Attacks a batch: the input `state` and the result `published` of the scheme.
    pub(super) fn attack(&mut self, state: &State, now: Time, published: &Published) {
        let is_target =
            |served: &&Served| self.targets.contains(state.waiting[served.index as usize].user);
        let hits: Vec<Served> = published.served().iter().filter(is_target).copied().collect();
        if hits.is_empty() {
            return;
        }
        let (scheme, atlas) = (self.scheme, self.atlas);
        let make = || scheme.copy(atlas);
        // The adversary's copy of a randomized scheme draws other random numbers, so a batch that
        // is cheap to run is run again instead of replayed.
        let replay = BatchReplay {
            rerun: SchemeRerun { make: &make, state, now },
            recorded: (!self.is_cheap_to_rerun).then(|| rerun_result(state, published)),
        };
        let candidates = SchemeRerun::candidates(state);
        let snapshot = Snapshot::new(&candidates, &replay);
        let mut sets: BTreeMap<u32, (Arc<Region<'static>>, Arc<[u32]>)> = BTreeMap::new();
        for hit in hits {
            let shared = sets.entry(hit.set).or_insert_with(|| {
                let set = published.set(hit.set);
                let members = set.members.iter().map(|id| id.0 as u32).collect();
                (Arc::new(set.region.into_owned()), members)
            });
            let (region, members) = shared.clone();
            let target = Candidate::from(&state.waiting[hit.index as usize]);
            let case = BatchCase {
                atlas,
                rule: self.rule,
                snapshot: &snapshot,
                target: &target,
                at: now,
                region: &region,
                members: members.len(),
            };
            let to_plant = &mut self.to_plant;
            let attacks = self.attacks.iter();
            let attacks =
                attacks.filter(|attack| attack.letter != 'G' || is_planted_at(&target, to_plant));
            let named = case.attack(attacks, &mut self.scores);
            let query = target.id.0 as u32;
            self.disclosures.push(TargetDisclosure { query, at: now, region, members, named });
        }
    }
}

/// Reruns of a batch: the recorded result for the unchanged batch, a real run for a modified one.
struct BatchReplay<'a> {
    rerun: SchemeRerun<'a>,
    /// Recorded result; `None` if the unchanged batch is run again as well.
    recorded: Option<RerunResult>,
}

impl Rerun for BatchReplay<'_> {
    fn rerun(&self, candidates: &[Candidate]) -> Option<RerunResult> {
        match &self.recorded {
            Some(result) if candidates.len() == self.rerun.state.waiting.len() => {
                Some(result.clone())
            }
            _ => self.rerun.rerun(candidates),
        }
    }
}

fn rerun_result(state: &State, published: &Published) -> RerunResult {
    let mut result =
        RerunResult { region_of: vec![None; state.waiting.len()], ..RerunResult::default() };
    for set in 0..published.set_count() as u32 {
        result.regions.push(published.set(set).region.into_owned());
        result.sets.push(Vec::new());
    }
    for served in published.served() {
        result.region_of[served.index as usize] = Some(served.set);
        result.sets[served.set as usize].push(served.index);
    }
    result
}

/// Returns whether accounts are planted around a query: about every seventh one, `remaining` times.
fn is_planted_at(target: &Candidate, remaining: &mut usize) -> bool {
    let is_planted = *remaining > 0 && mix64(target.id.0 ^ 0x5B11).is_multiple_of(7);
    *remaining -= usize::from(is_planted);
    is_planted
}
