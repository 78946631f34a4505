//! Attacks on all publications of one turn of the engine.

use attacks::inversion::INVERSION;
use attacks::matching::{MATCHING, MATCHING_TICK};
use attacks::reachability::FROM_A_KNOWN_POINT;
use attacks::{
    KnownMember, KnownPosition, KnownSet, LinkedDisclosure, Posterior, Snapshot, Target, View,
};
use meshcloak::distance::Atlas;
use meshcloak::map::Position;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::scheme::{Published, RegionDependence, Served, State};
use meshcloak::units::Time;
use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::sync::Arc;

/// Counts of attacks and guard over many batches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    pub batches: usize,
    pub publications: usize,
    /// Publications of users with an earlier position.
    pub with_a_past: usize,
    /// Publications of presence reports, as members of sets of others.
    pub present: usize,
    /// Fewer than k candidates after inversion.
    pub inverted: usize,
    /// Fewer than k candidates after reachability.
    pub reached: usize,
    /// Fewer than k candidates after matching, if the times of asking are known.
    pub matched: usize,
    /// The same, of members of sets in which reachability leaves every member k candidates.
    pub only_matched: usize,
    /// Fewer than k candidates after matching, if only the times of publication are known.
    pub matched_tick: usize,
    /// Sets that the guard rejects.
    pub faults: usize,
    /// Attacks that excluded the true position or user.
    pub wrong: usize,
}

impl AddAssign for Found {
    fn add_assign(&mut self, other: Found) {
        self.batches += other.batches;
        self.publications += other.publications;
        self.with_a_past += other.with_a_past;
        self.present += other.present;
        self.inverted += other.inverted;
        self.reached += other.reached;
        self.matched += other.matched;
        self.only_matched += other.only_matched;
        self.matched_tick += other.matched_tick;
        self.faults += other.faults;
        self.wrong += other.wrong;
    }
}

/// One turn of the engine with all that an adversary can know about it.
pub struct AttackedTurn<'a> {
    pub atlas: &'a Arc<Atlas>,
    pub state: &'a State,
    pub now: Time,
    pub snapshot: &'a Snapshot<'a>,
    pub published: &'a Published,
    pub pasts: &'a Pasts,
}

/// What adversaries know of the past.
#[derive(Default)]
pub struct Pasts {
    /// Previous query of the user of each query.
    pub accepted: BTreeMap<QueryId, KnownPosition>,
    /// Last published query of each user.
    pub published: BTreeMap<UserId, KnownPosition>,
}

impl Pasts {
    pub fn new(waves: &[Vec<Query>]) -> Pasts {
        let mut accepted = BTreeMap::new();
        for (before, after) in waves.iter().zip(waves.iter().skip(1)) {
            for (before, after) in before.iter().zip(after) {
                accepted.insert(after.id, known_position(before));
            }
        }
        Pasts { accepted, published: BTreeMap::new() }
    }

    /// Notes what a turn publishes.
    pub fn publish(&mut self, state: &State, published: &Published) {
        let served = published.served().iter().map(|s| &state.waiting[s.index as usize]);
        self.published.extend(served.map(|query| (query.user, known_position(query))));
    }
}

impl AttackedTurn<'_> {
    /// Attacks all publications.
    pub fn attack(&self) -> Found {
        let mut all = Found::default();
        for set in 0..self.published.set_count() as u32 {
            let own = self.published.served().iter().filter(|served| served.set == set);
            let mut found = Found::default();
            own.for_each(|&served| found += self.attack_publication(served));
            found.only_matched = if found.reached == 0 { found.matched } else { 0 };
            all += found;
        }
        all
    }

    /// Attacks the publication of one served query.
    fn attack_publication(&self, served: Served) -> Found {
        let AttackedTurn { atlas, state, now, snapshot, published, pasts } = *self;
        let target = &state.waiting[served.index as usize];
        let set = published.set(served.set);
        let region = Arc::new(set.region.clone().into_owned());
        let disclosures = [LinkedDisclosure::new(target.asked_at, now, region)];
        let past = pasts.accepted.get(&target.id).copied();
        let member = |id: &QueryId| state.waiting.iter().find(|query| query.id == *id);
        let members: Vec<&Query> = set.members.iter().filter_map(member).collect();
        let known = self.known_set(&members, target.id);
        let view = View {
            atlas,
            rule: RegionDependence::Fixed,
            target: Target { dc: target.distance_constraint, speed: target.speed },
            disclosures: &disclosures,
            attacked: 0,
            previous: past,
            set: Some(&known),
            snapshot: Some(snapshot),
            candidate_sets: &[],
            prior: None,
        };
        let mut found = Found { publications: 1, ..Found::default() };
        found.with_a_past = usize::from(past.is_some());
        found.present = usize::from(!target.asks);
        let inverted = INVERSION.attack(&view);
        let candidates = inverted.and_then(|found| found.candidates).expect("a snapshot");
        found.wrong += usize::from(!candidates.contains(&target.user));
        found.inverted = usize::from(candidates.len() < target.k as usize);
        let mut is_below_k = |posterior: Posterior| {
            let held = members.iter().filter(|member| posterior.holds(member.position));
            found.wrong += usize::from(!posterior.holds(target.position));
            held.count() < target.k as usize
        };
        let reached = FROM_A_KNOWN_POINT.attack(&view).map(&mut is_below_k);
        let matched = MATCHING.attack(&view).map(&mut is_below_k);
        let matched_tick = MATCHING_TICK.attack(&view).map(is_below_k);
        found.reached = usize::from(reached == Some(true));
        found.matched = usize::from(matched == Some(true));
        found.matched_tick = usize::from(matched_tick == Some(true));
        found
    }

    fn known_set(&self, members: &[&Query], target: QueryId) -> KnownSet {
        let known = |query: &&Query| KnownMember {
            accepted: self.pasts.accepted.get(&query.id).copied(),
            published: self.pasts.published.get(&query.user).copied(),
            speed: query.speed,
            asked_at: query.asked_at,
        };
        let mut places: Vec<Position> = members.iter().map(|query| query.position).collect();
        places.sort_unstable();
        let target = members.iter().position(|query| query.id == target).expect("a member");
        KnownSet { places, members: members.iter().map(known).collect(), target }
    }
}

fn known_position(query: &Query) -> KnownPosition {
    KnownPosition { at: query.asked_at, position: query.position }
}
