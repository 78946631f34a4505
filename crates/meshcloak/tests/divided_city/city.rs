//! A random city, run by one engine or by several that own some of its cells.

use meshcloak::accounts::AccountId;
use meshcloak::cells::Cells;
use meshcloak::constraint_graph::Coverage;
use meshcloak::distance::{Atlas, MAX_DC_MAX};
use meshcloak::engine::{Batch, turn};
use meshcloak::guarantee::{Admission, Guarantee, HistoryClock};
use meshcloak::history::PastPosition;
use meshcloak::map::StreetId;
use meshcloak::mesh_cloak::{Hold, MeshCloak, RegionRule, Settings};
use meshcloak::naive;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::scheme::State;
use meshcloak::town::Town;
use meshcloak::units::{Length, Speed, Time};
use rand::RngExt as _;
use std::sync::Arc;
use std::time::Duration;

const SECONDS: u64 = 30;

const CLOCKS: [HistoryClock; 2] = [HistoryClock::Asked, HistoryClock::Published];

/// An accepted query with what comes with it.
#[derive(Clone)]
struct Arrival {
    query: Query,
    previous: Option<PastPosition>,
    account: AccountId,
    /// Second at which its user cancels it, if ever.
    cancelled_at: u64,
}

/// What happened in one tick, by the ids of the workload, sorted.
#[derive(Debug, Default, PartialEq)]
pub struct Events {
    /// Members and region of each set.
    sets: Vec<(Vec<u64>, Vec<StreetId>)>,
    pub served: Vec<u64>,
    pub expired: Vec<u64>,
    pub replaced: Vec<u64>,
    pub cancelled: Vec<u64>,
    pub disclosed: Vec<Vec<StreetId>>,
}

impl Events {
    /// Adds the events of another engine.
    fn add(&mut self, other: Events) {
        self.sets.extend(other.sets);
        self.served.extend(other.served);
        self.expired.extend(other.expired);
        self.replaced.extend(other.replaced);
        self.cancelled.extend(other.cancelled);
        self.disclosed.extend(other.disclosed);
    }

    fn sort(&mut self) {
        let Events { sets, served, expired, replaced, cancelled, disclosed } = self;
        sets.sort();
        disclosed.sort();
        [served, expired, replaced, cancelled].into_iter().for_each(|ids| ids.sort_unstable());
    }
}

/// Input of one tick for all engines.
struct Tick<'a> {
    now: Time,
    arrivals: Vec<&'a Arrival>,
    cancelled: Vec<u64>,
    withdrawn: Vec<u64>,
}

/// An engine with ids of its own.
struct Part {
    scheme: MeshCloak,
    state: State,
    /// Id in the workload of each query.
    ids: Vec<u64>,
}

impl Part {
    fn new(atlas: &Arc<Atlas>, settings: Settings) -> Part {
        let scheme = MeshCloak::new(Arc::clone(atlas), settings);
        Part { scheme, state: State::default(), ids: Vec::new() }
    }

    /// Runs one turn with the arrivals that `is_own` selects; returns what happened.
    fn turn(&mut self, town: &Town, tick: &Tick<'_>, is_own: impl Fn(&Query) -> bool) -> Events {
        let Part { scheme, state, ids } = self;
        let mut batch = Batch { now: tick.now, ..Batch::default() };
        for arrival in tick.arrivals.iter().filter(|arrival| is_own(&arrival.query)) {
            let id = QueryId(ids.len() as u64);
            ids.push(arrival.query.id.0);
            state.history.set_previous(id, arrival.previous);
            state.accounts.set(id, arrival.account);
            batch.arrivals.push(with_id(&arrival.query, id));
        }
        let own = |id: &u64| ids.iter().position(|own| own == id).map(|own| QueryId(own as u64));
        batch.cancelled = tick.cancelled.iter().chain(&tick.withdrawn).filter_map(own).collect();
        let done = turn(scheme, state, batch, &mut ());
        let id_of = |id: QueryId| ids[id.0 as usize];
        let ids_of = |list: &[Query]| list.iter().map(|query| id_of(query.id)).collect();
        let sets = (0..done.published.set_count() as u32).map(|number| {
            let set = done.published.set(number);
            let mut members: Vec<u64> = set.members.iter().map(|&id| id_of(id)).collect();
            members.sort_unstable();
            (members, set.region.streets(&town.map).into_owned())
        });
        let disclosures = done.disclosures().into_iter();
        let mut events = Events {
            sets: sets.collect(),
            served: done.served.iter().map(|(query, _)| id_of(query.id)).collect(),
            expired: ids_of(&done.expired),
            replaced: ids_of(&done.replaced),
            cancelled: ids_of(&done.cancelled),
            disclosed: disclosures.map(|d| d.region.streets(&town.map).into_owned()).collect(),
        };
        let is_withdrawn = |id: &mut u64| tick.withdrawn.contains(id);
        events.replaced.extend(events.cancelled.extract_if(.., is_withdrawn));
        events
    }
}

fn with_id(query: &Query, id: QueryId) -> Query {
    let mut query = query.clone();
    query.id = id;
    query
}

/// A city with a workload and a division into cells.
pub struct City {
    pub town: Town,
    atlas: Arc<Atlas>,
    pub cells: Cells,
    settings: Settings,
    arrivals: Vec<Arrival>,
    /// Whether the divided city does step 3.
    pub withdraws: bool,
    /// Whether the engines of the divided city do step 5.
    pub tells_what_left: bool,
}

impl City {
    /// Several queries per user that move between cells. `region` gets the length of cells.
    pub fn random(seed: u64, guarantee: Guarantee, region: impl Fn(Length) -> RegionRule) -> City {
        let town = Town::random(200 + seed * 5);
        let mut random = Town::generator(seed + 31);
        let length = Length::metres([60.0, 150.0, 400.0][random.random_range(0..3)]);
        // Past positions beyond the dc_max of the atlas need a search.
        let dc_max = [MAX_DC_MAX, Length::metres(150.0)][random.random_range(0..2)];
        let atlas = Arc::new(Atlas::new(town.map.clone(), dc_max));
        let hold = Hold { max_wait: Duration::from_secs(2), margin: Duration::from_secs(1) };
        let settings = Settings {
            guarantee,
            history_clock: CLOCKS[seed as usize % 2],
            coverage: [Coverage::Own, Coverage::Both][random.random_range(0..2)],
            region: region(length),
            hold: random.random_bool(0.3).then_some(hold),
            across_accounts: guarantee != Guarantee::Paper && random.random_bool(0.2),
            budget: [20_000, 20_000, 3][random.random_range(0..3)],
            ..Settings::default()
        };
        let mut workload = town.random_queries(&mut random, 300);
        for query in &mut workload {
            query.asked_at = Time::from_millis(random.random_range(0..SECONDS * 1_000 - 7_000));
        }
        workload.sort_by_key(|query| query.asked_at);
        let mut admission = Admission::new(HistoryClock::Asked, Duration::from_secs(10));
        let mut arrivals = Vec::new();
        for (number, mut query) in (0..).zip(workload) {
            query.id = QueryId(1_000 + 7 * number);
            query.user = UserId(random.random_range(0..60));
            query.k = random.random_range(1..=3).max(2);
            query.distance_constraint = query.distance_constraint.min(dc_max);
            query.asks = random.random_bool(0.8);
            query.temporal_tolerance = Duration::from_millis(random.random_range(0..7_000));
            query.speed = Some(Speed::metres_per_second(random.random_range(20.0..900.0)));
            let Ok(previous) = admission.admit(&atlas, &mut query) else { continue };
            let account = AccountId(query.user.0 as u32 % 3);
            let second = query.asked_at.as_millis().div_ceil(1_000);
            let cancelled_at = match random.random_bool(0.1) {
                true => second + random.random_range(0..3),
                false => u64::MAX,
            };
            arrivals.push(Arrival { query, previous, account, cancelled_at });
        }
        let cells = Cells::new(&town.map, length);
        let withdraws = guarantee.has_one_query_per_user();
        City { town, atlas, cells, settings, arrivals, withdraws, tells_what_left: true }
    }

    /// Runs the city with several engines; `engine_of` returns the engine of a query.
    pub fn run(&self, engines: usize, engine_of: impl Fn(&Query) -> usize) -> Vec<Events> {
        let mut parts: Vec<Part> =
            (0..engines).map(|_| Part::new(&self.atlas, self.settings)).collect();
        let mut ticks = Vec::new();
        for second in 0..=SECONDS {
            let now = Time::from_millis(second * 1_000);
            let arrives =
                |arrival: &&Arrival| arrival.query.asked_at.as_millis().div_ceil(1_000) == second;
            let arrivals: Vec<&Arrival> = self.arrivals.iter().filter(arrives).collect();
            let all = self.arrivals.iter().filter(|arrival| arrival.cancelled_at == second);
            let cancelled = all.map(|arrival| arrival.query.id.0).collect();
            let mut tick = Tick { now, arrivals, cancelled, withdrawn: Vec::new() };
            if self.withdraws && engines > 1 {
                tick.withdrawn = self.withdrawn(&parts, &tick);
            }
            let mut events = Events::default();
            for (number, part) in parts.iter_mut().enumerate() {
                events.add(part.turn(&self.town, &tick, |query| engine_of(query) == number));
            }
            events.sort();
            if self.tells_what_left {
                self.tell_what_left(&mut parts, &events.served);
            }
            ticks.push(events);
        }
        assert!(parts.iter().all(|part| part.state.waiting.is_empty()));
        ticks
    }

    /// Tells every engine the positions that have left in this tick (step 5).
    fn tell_what_left(&self, parts: &mut [Part], served: &[u64]) {
        for id in served {
            let index = self.arrivals.binary_search_by_key(id, |arrival| arrival.query.id.0);
            let Query { user, asked_at, position, speed, .. } =
                self.arrivals[index.expect("ids ascend")].query;
            parts
                .iter_mut()
                .for_each(|part| part.state.history.insert_left(user, asked_at, position, speed));
        }
    }

    /// Returns the queries that step 3 withdraws.
    fn withdrawn(&self, parts: &[Part], tick: &Tick<'_>) -> Vec<u64> {
        let waiting = parts.iter().flat_map(|part| {
            let id_of = |query: &Query| QueryId(part.ids[query.id.0 as usize]);
            part.state.waiting.iter().map(move |query| with_id(query, id_of(query)))
        });
        let arriving = tick.arrivals.iter().map(|arrival| arrival.query.clone());
        let mut queries: Vec<Query> = waiting.chain(arriving).collect();
        queries.retain(|q| !q.has_expired(tick.now) && !tick.cancelled.contains(&q.id.0));
        queries.sort_by_key(|query| query.id); // ids ascend in order of arrival
        naive::replaced(&queries).into_iter().map(|id| id.0).collect()
    }
}
