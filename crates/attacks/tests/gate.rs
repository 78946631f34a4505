//! Attacks on the guarantees: thousands of random batches in which most users have an earlier
//! position, and on which the printed method fails.
//!
//! Inversion runs the algorithm again; reachability uses only disclosures, one earlier position, a
//! speed and the map, with its own search.

use attacks::inversion::INVERSION;
use attacks::reachability::FROM_A_KNOWN_POINT;
use attacks::{
    KnownPosition, LinkedDisclosure, RegionDependence, SchemeRerun, Snapshot, Target, View,
};
use meshcloak::cells::CellRule;
use meshcloak::constraint_graph::Coverage;
use meshcloak::distance::{Atlas, MAX_DC_MAX};
use meshcloak::engine::{Batch, turn};
use meshcloak::guarantee::{DEFAULT_HORIZON, Guarantee};
use meshcloak::guard::{Guard, Inspected, Promise};
use meshcloak::history::LastPositions;
use meshcloak::mesh_cloak::{MeshCloak, RegionRule, Settings};
use meshcloak::query::{Query, QueryId};
use meshcloak::scheme::{Description, Observer, Published, Scheme, Served, State};
use meshcloak::town::Town;
use meshcloak::units::{Length, Speed, Time};
use rand::RngExt as _;
use std::ops::{AddAssign, Range};
use std::sync::Arc;
use std::time::Duration;

/// MeshCloak observed by attacks and by the guard. A promise that exceeds the settings is an injected
/// fault, which both must detect.
struct ObservedScheme {
    inner: MeshCloak,
    settings: Settings,
    atlas: Arc<Atlas>,
    promised: Guarantee,
    found: Found,
}

/// Counts of attacks and guard over many batches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Found {
    batches: usize,
    publications: usize,
    /// Publications of users with an earlier position.
    with_a_past: usize,
    /// Fewer than k candidates after inversion.
    inverted: usize,
    /// Fewer than k candidates after reachability.
    reached: usize,
    /// Sets that the guard rejects.
    faults: usize,
    /// Attacks that excluded the true position or user.
    wrong: usize,
}

impl AddAssign for Found {
    fn add_assign(&mut self, other: Found) {
        self.batches += other.batches;
        self.publications += other.publications;
        self.with_a_past += other.with_a_past;
        self.inverted += other.inverted;
        self.reached += other.reached;
        self.faults += other.faults;
        self.wrong += other.wrong;
    }
}

/// Returns how many sets the guard rejects.
fn inspect(promise: &Promise, state: &State, published: &mut Published) -> usize {
    let State { waiting, history, accounts, .. } = state;
    let inspected = Inspected { waiting, history, accounts };
    Guard::default().inspect(promise, inspected, published).len()
}

impl Scheme for ObservedScheme {
    fn name(&self) -> &'static str {
        "observed"
    }

    fn describe(&self) -> Description {
        self.inner.describe()
    }

    /// Keeps history for attack and guard, whether the scheme needs it or not.
    fn history_horizon(&self) -> Option<Duration> {
        Some(DEFAULT_HORIZON)
    }

    fn promise(&self) -> Option<Promise> {
        self.inner.promise()
    }

    fn cloak(&mut self, state: &State, now: Time, observer: &mut dyn Observer) -> &mut Published {
        let ObservedScheme { inner, settings, atlas, promised, found } = self;
        let published = inner.cloak(state, now, observer);
        let (guarantee, coverage) = (*promised, Coverage::Own);
        let promise = Promise {
            guarantee,
            coverage,
            across_accounts: false,
            cells: None,
            atlas: Arc::clone(atlas),
        };
        let mut copy = published.clone();
        found.batches += 1;
        found.faults += inspect(&promise, state, &mut copy);
        let (atlas, settings) = (&*atlas, *settings);
        let make = || -> Box<dyn Scheme> { Box::new(MeshCloak::new(Arc::clone(atlas), settings)) };
        let candidates = SchemeRerun::candidates(state);
        let rerun = SchemeRerun { make: &make, state, now };
        let snapshot = Snapshot::new(&candidates, &rerun);
        let turn = AttackedTurn { atlas, state, now, snapshot: &snapshot, published };
        for &served in published.served() {
            *found += turn.attack(served);
        }
        published
    }
}

/// One turn of the engine with all that an adversary can know about it.
struct AttackedTurn<'a> {
    atlas: &'a Arc<Atlas>,
    state: &'a State,
    now: Time,
    snapshot: &'a Snapshot<'a>,
    published: &'a Published,
}

impl AttackedTurn<'_> {
    /// Attacks the publication of one served query.
    fn attack(&self, served: Served) -> Found {
        let AttackedTurn { atlas, state, now, snapshot, published } = *self;
        let target = &state.waiting[served.index as usize];
        let set = published.set(served.set);
        let region = Arc::new(set.region.clone().into_owned());
        let disclosures = [LinkedDisclosure::new(target.asked_at, now, region)];
        let past = state.history.previous(target.id);
        let view = View {
            atlas,
            rule: RegionDependence::Fixed,
            target: Target { dc: target.distance_constraint, speed: target.speed },
            disclosures: &disclosures,
            attacked: 0,
            previous: past.map(|past| KnownPosition { at: past.at, position: past.position }),
            snapshot: Some(snapshot),
            candidate_sets: &[],
            prior: None,
        };
        let mut found = Found { publications: 1, ..Found::default() };
        found.with_a_past = usize::from(past.is_some());
        let inverted = INVERSION.attack(&view);
        let candidates = inverted.and_then(|found| found.candidates).expect("a snapshot");
        found.wrong += usize::from(!candidates.contains(&target.user));
        found.inverted = usize::from(candidates.len() < target.k as usize);
        if let Some(posterior) = FROM_A_KNOWN_POINT.attack(&view) {
            let member = |id: &QueryId| state.waiting.iter().find(|query| query.id == *id);
            let members = set.members.iter().filter_map(member);
            let possible = members.filter(|member| posterior.holds(member.position)).count();
            found.wrong += usize::from(!posterior.holds(target.position));
            found.reached = usize::from(possible < target.k as usize);
        }
        found
    }
}

/// Each user asks three times, ten seconds apart, from positions reachable from the previous one.
fn waves(town: &Town, atlas: &Atlas, seed: u64) -> Vec<Vec<Query>> {
    let mut random = Town::generator(seed + 31);
    let mut first = town.random_queries(&mut random, 6 + seed as usize % 22);
    for (number, query) in first.iter_mut().enumerate() {
        query.user.0 = number as u64;
        query.asked_at = Time::from_millis(1_000);
        query.speed = Some(Speed::metres_per_second(random.random_range(5.0..80.0)));
    }
    let mut waves = vec![first];
    for wave in 1..3_u64 {
        let mut next = waves[wave as usize - 1].clone();
        for query in &mut next {
            query.id = QueryId(query.id.0 + 1_000);
            query.asked_at = Time::from_millis(1_000 + wave * 10_000);
            query.k = random.random_range(2..=4);
            let farthest = query.speed.unwrap_or_default() * Duration::from_secs(10);
            let near = |to| atlas.distance(query.position, to).is_some_and(|d| d <= farthest);
            let mut positions = (0..20).map(|_| town.position(&mut random));
            if let Some(position) = positions.find(|&to| near(to)) {
                query.position = position;
            }
        }
        waves.push(next);
    }
    waves
}

/// Runs MeshCloak with these settings while promising another guarantee.
fn run(seeds: Range<u64>, settings: Settings, promised: Guarantee) -> Found {
    let mut all = Found::default();
    for seed in seeds {
        let town = Town::random(seed % 600);
        let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
        let inner = MeshCloak::new(Arc::clone(&atlas), settings);
        let found = Found::default();
        let mut scheme =
            ObservedScheme { inner, settings, atlas: Arc::clone(&atlas), promised, found };
        let mut state = State::default();
        let mut positions = LastPositions::new(DEFAULT_HORIZON);
        for arrivals in waves(&town, &atlas, seed) {
            let now = arrivals[0].asked_at;
            positions.record_all(&arrivals, &mut state.history);
            turn(&mut scheme, &mut state, Batch { now, arrivals, ..Batch::default() }, &mut ());
        }
        assert_eq!(
            scheme.found.wrong, 0,
            "seed {seed}: an attack excluded the true position or user\n{town}"
        );
        all += scheme.found;
    }
    assert!(
        2 * all.with_a_past >= all.publications,
        "half of the publications have an earlier position: {all:?}"
    );
    all
}

fn settings(guarantee: Guarantee) -> Settings {
    Settings { guarantee, ..Settings::default() }
}

const CELLS: RegionRule =
    RegionRule::Cells(CellRule { length: Length::from_units(300 * 32), min_cells: 1 });

#[test]
fn paper_falls_to_inversion_and_reachability() {
    let found = run(0..1_000, settings(Guarantee::Paper), Guarantee::Paper);
    assert!(found.batches == 3_000 && found.publications > 10_000, "{found:?}");
    assert!(found.inverted * 20 > found.publications, "{found:?}");
    assert!(found.reached * 20 > found.publications, "{found:?}");
}

#[test]
fn reciprocal_never_falls_below_k_under_inversion() {
    for region in [RegionRule::default(), CELLS] {
        let settings = Settings { region, ..settings(Guarantee::Reciprocal) };
        let found = run(0..1_000, settings, Guarantee::Reciprocal);
        assert!(found.publications > 5_000, "{found:?}");
        assert_eq!((found.inverted, found.faults), (0, 0), "{found:?}");
        assert!(found.reached > 100, "reciprocal promises nothing about reachability: {found:?}");
    }
}

#[test]
fn history_never_falls_below_k() {
    for region in [RegionRule::default(), CELLS] {
        let settings = Settings { region, ..settings(Guarantee::History) };
        let found = run(0..1_000, settings, Guarantee::History);
        assert!(found.publications > 2_000, "{found:?}");
        assert_eq!((found.inverted, found.reached, found.faults), (0, 0, 0), "{found:?}");
    }
}

#[test]
fn injected_faults_are_found_by_attacks_and_guard() {
    let found = run(0..300, settings(Guarantee::Paper), Guarantee::Reciprocal);
    assert!(found.inverted > 100 && found.faults > 100, "{found:?}");
    let found = run(0..300, settings(Guarantee::Reciprocal), Guarantee::History);
    assert!(found.reached > 50 && found.faults > 50, "{found:?}");
}
