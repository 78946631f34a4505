//! Attacks on the guarantees: thousands of random batches in which most users have an earlier
//! position, and on which the printed method fails.
//!
//! Inversion runs the algorithm again; reachability and matching use only disclosures, earlier
//! positions, speeds and the map, with a search of their own.

mod attacked_turn;

use attacked_turn::{AttackedTurn, Found, Pasts};
use attacks::{SchemeRerun, Snapshot};
use meshcloak::constraint_graph::Coverage;
use meshcloak::distance::{Atlas, MAX_DC_MAX};
use meshcloak::engine::{Batch, turn};
use meshcloak::guarantee::{DEFAULT_HORIZON, Guarantee, HistoryClock};
use meshcloak::guard::{Guard, Inspected, Promise};
use meshcloak::history::{Horizon, LastPositions};
use meshcloak::mesh::MeshRule;
use meshcloak::mesh_cloak::{MeshCloak, RegionRule, Settings};
use meshcloak::presence::PresenceRule;
use meshcloak::query::{Query, QueryId};
use meshcloak::scheme::{Description, Observer, Published, Scheme, State};
use meshcloak::town::Town;
use meshcloak::units::{Length, Speed, Time};
use rand::RngExt as _;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// MeshCloak observed by attacks and by the guard. A promise that exceeds the settings is an injected
/// fault, which both must detect.
struct ObservedScheme {
    inner: MeshCloak,
    settings: Settings,
    atlas: Arc<Atlas>,
    promised: Guarantee,
    pasts: Pasts,
    found: Found,
}

/// Returns how many sets the guard rejects.
fn inspect(promise: &Promise, state: &State, now: Time, published: &mut Published) -> usize {
    let State { waiting, history, accounts, .. } = state;
    let inspected = Inspected { waiting, history, accounts, now };
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
    fn history_horizon(&self) -> Option<Horizon> {
        Some(DEFAULT_HORIZON.into())
    }

    fn promise(&self) -> Option<Promise> {
        self.inner.promise()
    }

    fn cloak(&mut self, state: &State, now: Time, observer: &mut dyn Observer) -> &mut Published {
        let ObservedScheme { inner, settings, atlas, promised, pasts, found } = self;
        let published = inner.cloak(state, now, observer);
        let (guarantee, coverage) = (*promised, Coverage::Own);
        let promise = Promise {
            guarantee,
            history_clock: settings.history_clock,
            coverage,
            across_accounts: false,
            presence: PresenceRule::default(),
            cells: None,
            atlas: Arc::clone(atlas),
        };
        let mut copy = published.clone();
        found.batches += 1;
        found.faults += inspect(&promise, state, now, &mut copy);
        let (atlas, settings) = (&*atlas, *settings);
        let make = || -> Box<dyn Scheme> { Box::new(MeshCloak::new(Arc::clone(atlas), settings)) };
        let candidates = SchemeRerun::candidates(state);
        let rerun = SchemeRerun { make: &make, state, now };
        let snapshot = Snapshot::new(&candidates, &rerun);
        let turn = AttackedTurn { atlas, state, now, snapshot: &snapshot, published, pasts };
        *found += turn.attack();
        pasts.publish(state, published);
        published
    }
}

/// Time from a query to its batch.
const LAG: Duration = Duration::from_secs(2);

/// Each user asks three times, ten seconds apart, from positions reachable from the previous one.
fn waves(town: &Town, atlas: &Atlas, seed: u64) -> Vec<Vec<Query>> {
    let mut random = Town::generator(seed + 31);
    let mut first = town.random_queries(&mut random, 6 + seed as usize % 22);
    for (number, query) in first.iter_mut().enumerate() {
        query.user.0 = number as u64;
        query.asked_at = Time::from_millis(1_000);
        query.temporal_tolerance = Duration::from_secs(5);
        query.speed = Some(Speed::metres_per_second(random.random_range(5.0..80.0)));
        // In every third town one user in three is present without a question.
        if seed.is_multiple_of(3) && number % 3 == 2 {
            (query.asks, query.k) = (false, 1);
        }
    }
    let mut waves = vec![first];
    for wave in 1..3_u64 {
        let mut next = waves[wave as usize - 1].clone();
        for query in &mut next {
            query.id = QueryId(query.id.0 + 1_000);
            query.asked_at = Time::from_millis(1_000 + wave * 10_000);
            query.k = random.random_range(if query.asks { 2..=4 } else { 1..=2 });
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
        let waves = waves(&town, &atlas, seed);
        let (pasts, found) = (Pasts::new(&waves), Found::default());
        let mut scheme =
            ObservedScheme { inner, settings, atlas: Arc::clone(&atlas), promised, pasts, found };
        let mut state = State::default();
        let mut positions = LastPositions::new(DEFAULT_HORIZON);
        for arrivals in waves {
            let now = arrivals[0].asked_at + LAG;
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

/// Regions, and the least share of the publications with `reach` that a test expects of each.
const REGIONS: [(RegionRule, f64); 3] = [
    (RegionRule::Mesh(MeshRule::Reach), 1.0),
    (RegionRule::Cells(Length::from_units(300 * 32)), 1.0),
    (RegionRule::Cell(Length::from_units(1000 * 32)), 0.3),
];

#[test]
fn paper_falls_to_inversion_and_reachability() {
    let found = run(0..1_000, settings(Guarantee::Paper), Guarantee::Paper);
    assert!(found.batches == 3_000 && found.publications > 10_000, "{found:?}");
    assert!(found.inverted * 20 > found.publications, "{found:?}");
    assert!(found.reached * 20 > found.publications, "{found:?}");
}

#[test]
fn reciprocal_never_falls_below_k_under_inversion() {
    for (region, share) in REGIONS {
        let settings = Settings { region, ..settings(Guarantee::Reciprocal) };
        let found = run(0..1_000, settings, Guarantee::Reciprocal);
        assert!(found.publications as f64 > 5_000.0 * share, "{region:?}: {found:?}");
        assert_eq!((found.inverted, found.faults), (0, 0), "{found:?}");
        assert!(found.present as f64 > 500.0 * share, "{region:?}: {found:?}");
        assert!(found.reached > 50, "reciprocal promises nothing about reachability: {found:?}");
    }
}

#[test]
fn history_never_falls_below_k() {
    for (region, share) in REGIONS {
        let settings = Settings { region, ..settings(Guarantee::History) };
        let found = run(0..1_000, settings, Guarantee::History);
        assert!(found.publications as f64 > 2_000.0 * share, "{region:?}: {found:?}");
        assert!(found.present as f64 > 200.0 * share, "{region:?}: {found:?}");
        assert_eq!((found.inverted, found.reached, found.faults), (0, 0, 0), "{found:?}");
        assert_eq!((found.matched, found.matched_tick), (0, 0), "{found:?}");
    }
}

#[test]
fn history_by_publications_withstands_an_adversary_who_knows_only_their_times() {
    for (region, share) in REGIONS {
        let history_clock = HistoryClock::Published;
        let settings = Settings { region, history_clock, ..settings(Guarantee::History) };
        let found = run(0..1_000, settings, Guarantee::History);
        assert!(found.publications as f64 > 2_000.0 * share, "{region:?}: {found:?}");
        assert!(found.present as f64 > 200.0 * share, "{region:?}: {found:?}");
        assert_eq!((found.inverted, found.matched_tick, found.faults), (0, 0, 0), "{found:?}");
        assert!(found.matched > 50, "the times of asking are not covered: {found:?}");
    }
}

#[test]
fn injected_faults_are_found_by_attacks_and_guard() {
    let found = run(0..300, settings(Guarantee::Paper), Guarantee::Reciprocal);
    assert!(found.inverted > 100 && found.faults > 100, "{found:?}");
    let found = run(0..300, settings(Guarantee::Reciprocal), Guarantee::History);
    assert!(found.reached > 50 && found.faults > 50, "{found:?}");
}

#[test]
fn without_the_condition_of_components_matching_finds_users() {
    // Sets in which every member can reach k places, but assignments leave some member fewer.
    let found = run(0..3_000, settings(Guarantee::Reciprocal), Guarantee::Reciprocal);
    assert!(found.only_matched > 10 && found.matched > found.reached, "{found:?}");
    assert!(found.matched_tick > 100, "{found:?}");
}
