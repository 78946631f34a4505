//! Attacks during a run: records the disclosures for targets, and runs the attacks that need the
//! whole batch, because batches are not stored.

use super::attack_score::AttackScores;
use super::batch_case::BatchCase;
use super::{AttackPlan, AttackedScheme, Targets};
use crate::checkpoint::Checkpoint;
use attacks::sybils::SYBILS;
use attacks::{Attack, Candidate, RegionDependence, Rerun, RerunResult, SchemeRerun, Snapshot};
use meshcloak::distance::Atlas;
use meshcloak::mix::mix64;
use meshcloak::query::{QueryId, UserId};
use meshcloak::region::Region;
use meshcloak::scheme::{Description, Pace, Published, Scheme, Served, State};
use meshcloak::units::Time;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
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
    /// Number of the last query of each member's user that was published before.
    pub published_before: Arc<[Option<u32>]>,
}

/// Runs the batch attacks on every batch that publishes a query of a target.
pub(super) struct BatchAttacker<'a> {
    atlas: &'a Arc<Atlas>,
    targets: &'a Targets,
    attacks: Vec<Attack>,
    /// The adversary's copy of the scheme. It is built once: some schemes prepare the whole map.
    copy: Mutex<Box<dyn Scheme>>,
    planting: Planting,
    pub rule: RegionDependence,
    /// Whether a batch is cheap to run again. Otherwise the published sets stand for the rerun: a
    /// fresh scheme gives the same result for the same state, which is tested for each.
    is_cheap_to_rerun: bool,
    /// Number of each user's last published query.
    last_published: FxHashMap<UserId, u32>,
    /// Disclosures for targets, in order of time.
    pub disclosures: Vec<TargetDisclosure>,
    pub scores: AttackScores,
    checkpoint: Checkpoint,
}

impl<'a> BatchAttacker<'a> {
    pub(super) fn new(
        scheme: &AttackedScheme,
        atlas: &'a Arc<Atlas>,
        targets: &'a Targets,
        plan: &AttackPlan,
        description: Description,
    ) -> BatchAttacker<'a> {
        let copy = scheme.copy(atlas).expect("the scheme was built for this map before");
        BatchAttacker {
            atlas,
            targets,
            attacks: plan.batch_attacks(),
            copy: Mutex::new(copy),
            planting: Planting { wanted: plan.planted, queries: 0, seen: 0 },
            rule: description.regions,
            is_cheap_to_rerun: description.pace == Pace::Batch,
            last_published: FxHashMap::default(),
            disclosures: Vec::new(),
            scores: AttackScores::default(),
            checkpoint: plan.checkpoint.clone(),
        }
    }

    /// Spreads the planted accounts over a run of `queries` queries.
    #[must_use]
    pub(super) fn planting_among(mut self, queries: usize) -> BatchAttacker<'a> {
        self.planting.queries = queries;
        self
    }

    /// Attacks a batch: the input `state` and the result `published` of the scheme.
    pub(super) fn attack(&mut self, state: &State, now: Time, published: &Published) {
        self.attack_targets(state, now, published);
        for served in published.served() {
            let query = &state.waiting[served.index as usize];
            self.last_published.insert(query.user, query.id.0 as u32);
        }
    }

    fn attack_targets(&mut self, state: &State, now: Time, published: &Published) {
        let is_target = |served: &&Served| {
            let query = &state.waiting[served.index as usize];
            query.asks && self.targets.contains(query.user)
        };
        let hits: Vec<Served> = published.served().iter().filter(is_target).copied().collect();
        if hits.is_empty() {
            return;
        }
        // The adversary's copy of a randomized scheme draws other random numbers, so a batch that
        // is cheap to run is run again instead of replayed.
        let replay = BatchReplay {
            copy: &self.copy,
            state,
            now,
            recorded: (!self.is_cheap_to_rerun).then(|| rerun_result(state, published)),
        };
        let candidates = SchemeRerun::candidates(state);
        let snapshot = Snapshot::new(&candidates, &replay);
        let user_of: FxHashMap<QueryId, UserId> =
            state.waiting.iter().map(|query| (query.id, query.user)).collect();
        let mut sets: BTreeMap<u32, SharedSet> = BTreeMap::new();
        for hit in hits {
            self.checkpoint.pass();
            let shared = sets.entry(hit.set).or_insert_with(|| {
                let set = published.set(hit.set);
                let members = set.members.iter();
                let last = |id: &QueryId| self.last_published.get(user_of.get(id)?).copied();
                SharedSet {
                    members: members.clone().map(|id| id.0 as u32).collect(),
                    published_before: members.map(last).collect(),
                    region: Arc::new(set.region.into_owned()),
                }
            });
            let SharedSet { region, members, published_before } = shared.clone();
            let target = Candidate::from(&state.waiting[hit.index as usize]);
            let case = BatchCase {
                atlas: self.atlas,
                rule: self.rule,
                snapshot: &snapshot,
                target: &target,
                at: now,
                region: &region,
                members: members.len(),
            };
            let planted = self.scores.get(SYBILS.name).map_or(0, |score| score.publications);
            let plants = self.planting.is_chosen(target.id, planted as usize);
            let attacks = self.attacks.iter().filter(|attack| attack.letter != 'G' || plants);
            let named = case.attack(attacks, &mut self.scores);
            let query = target.id.0 as u32;
            self.disclosures.push(TargetDisclosure {
                query,
                at: now,
                region,
                members,
                named,
                published_before,
            });
        }
    }
}

/// What the targets of one set have in common.
#[derive(Clone)]
struct SharedSet {
    region: Arc<Region<'static>>,
    members: Arc<[u32]>,
    published_before: Arc<[Option<u32>]>,
}

/// Reruns of a batch: the recorded result for the unchanged batch, a real run for a modified one.
struct BatchReplay<'a> {
    copy: &'a Mutex<Box<dyn Scheme>>,
    state: &'a State,
    now: Time,
    /// Recorded result; `None` if the unchanged batch is run again as well.
    recorded: Option<RerunResult>,
}

impl Rerun for BatchReplay<'_> {
    fn rerun(&self, candidates: &[Candidate]) -> Option<RerunResult> {
        let BatchReplay { copy, state, now, recorded } = self;
        Some(match recorded {
            Some(result) if candidates.len() == state.waiting.len() => result.clone(),
            _ => SchemeRerun::run(&mut **copy.lock(), state, *now, candidates),
        })
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

/// Chooses the publications around which accounts are planted: as many as wanted, spread over the
/// whole run, or nearly all if there are fewer.
#[derive(Clone, Copy, Debug)]
struct Planting {
    wanted: usize,
    /// Number of queries of the run.
    queries: usize,
    /// Publications for targets so far.
    seen: usize,
}

impl Planting {
    /// Decides about the next publication; `planted` of the chosen ones are scored so far. The share
    /// is what is missing, divided by the publications that are still expected.
    fn is_chosen(&mut self, query: QueryId, planted: usize) -> bool {
        self.seen += 1;
        let progress = (query.0 + 1) as f64 / self.queries.max(1) as f64;
        let left = self.seen as f64 * (1.0 - progress).max(0.0) / progress + 1.0;
        let share = self.wanted.saturating_sub(planted) as f64 / left;
        let draw = mix64(query.0 ^ 0x5B11) as f64 / u64::MAX as f64;
        draw < share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plants around every `every`th of 22,000 queries that is published; returns where.
    fn planted(every: u64) -> Vec<u64> {
        let mut planting = Planting { wanted: 1_000, queries: 22_000, seen: 0 };
        let mut chosen = Vec::new();
        for query in (0..22_000).step_by(every as usize) {
            // Every tenth case is not scored.
            if planting.is_chosen(QueryId(query), chosen.len()) && query / every % 10 != 3 {
                chosen.push(query);
            }
        }
        chosen
    }

    #[test]
    fn as_many_as_wanted_are_planted_over_the_whole_run() {
        for every in [1, 7, 15] {
            let chosen = planted(every);
            assert!((995..=1_000).contains(&chosen.len()), "{every}: {}", chosen.len());
            let early = chosen.iter().filter(|&&query| query < 11_000).count();
            assert!((300..700).contains(&early), "{every}: {early} in the first half");
        }
        // 495 cases can be scored; the first estimate of the number is uncertain.
        assert!(planted(40).len() >= 490, "nearly all if there are fewer");
    }
}
