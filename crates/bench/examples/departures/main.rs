//! Effect of the departures from the paper (PAPER.md) on simulated traffic.
//!
//! `MESHCLOAK_MAPS=FOLDER cargo run --release -p bench --example departures [AGENTS]` measures
//! Oldenburg, Paris and Porto; without the folder the built-in city.

mod meshes;

use bench::{Recording, agents_and_seed, batches, maps};
use meshcloak::constraint_graph::{Coverage, GraphBuilder};
use meshcloak::distance::Atlas;
use meshcloak::engine::turn;
use meshcloak::map::StreetMap;
use meshcloak::mesh_cloak::{MeshCloak, Settings as SchemeSettings};
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::scheme::State;
use meshcloak::units::Point;
use meshes::meshes;
use std::collections::BTreeMap;
use std::sync::Arc;
use traffic::{Profile, Simulation, SimulationSettings};

/// Meshes and edges are measured in every n-th batch.
const SAMPLING: usize = 10;

fn main() {
    let (agents, _) = agents_and_seed(std::env::args().skip(1));
    for named in maps() {
        let map = named.read();
        println!("{}: {} streets, {agents} agents", named.name, map.street_count());
        for profile in ["p1", "p2"] {
            measure(
                &map,
                profile,
                SimulationSettings { users: agents, ..SimulationSettings::default() },
            );
        }
    }
}

fn measure(map: &StreetMap, profile_name: &str, settings: SimulationSettings) {
    let profile = Profile::named(profile_name).expect("the profile is built in");
    let atlas = Arc::new(Atlas::new(map.clone(), profile.largest_constraint()));
    println!(" {profile_name}, dc_max {}", atlas.dc_max());
    squares(&atlas);
    let recording = Simulation::new(map, &profile, settings).record();
    meshes(&atlas, &recording);
    coverage(&atlas, &recording);
    println!("  uniform start and destination:");
    let uniform = profile.clone().with_uniform_places();
    meshes(&atlas, &Simulation::new(map, &uniform, settings).record());
    if profile_name == "p1" {
        for (dt, max_k) in [(3000, 5), (5000, 5), (10_000, 10)] {
            let settings = SimulationSettings { k: (2, max_k), temporal_tolerance: dt, ..settings };
            println!("  users ignored, dt {dt} ms, k 2-{max_k}:");
            same_user(&atlas, &Simulation::new(map, &profile, settings).record());
        }
    }
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// Terminals in the squares of Algorithm 1, and terminals within `dc_max`.
fn squares(atlas: &Atlas) {
    let map = atlas.map();
    let side = atlas.dc_max().as_metres();
    let inside: usize = map
        .terminals()
        .map(|u| {
            let u = map.terminal(u);
            let near = |v: Point| (v.x - u.x).abs() <= side && (v.y - u.y).abs() <= side;
            map.terminals().filter(|&v| near(map.terminal(v))).count()
        })
        .sum();
    let terminals = map.terminal_count() as f64;
    println!(
        "  terminals in a square {:.0}, within dc_max {:.0}",
        inside as f64 / terminals,
        atlas.matrix().pair_count() as f64 / terminals
    );
}

/// Edges and success under both coverage rules, and the share of sets that are not reciprocal.
fn coverage(atlas: &Arc<Atlas>, recording: &Recording) {
    let mut graphs = [GraphBuilder::default(), GraphBuilder::default()];
    let mut edges = [0, 0];
    let own = replay(atlas, Coverage::Own, recording, |waiting| {
        for (index, coverage) in [Coverage::Own, Coverage::Both].into_iter().enumerate() {
            edges[index] += graphs[index].build(atlas, coverage, waiting).edge_count();
        }
    });
    let both = replay(atlas, Coverage::Both, recording, |_| {});
    println!(
        "  edges own {}, both {} ({:.1} % fewer); success own {:.2} %, both {:.2} %",
        edges[0],
        edges[1],
        percent(edges[0] - edges[1], edges[0]),
        percent(own.succeeded, own.succeeded + own.expired),
        percent(both.succeeded, both.succeeded + both.expired)
    );
    println!(
        "  printed success rate {:.2} %; successes whose set is not published by all its members: \
         {:.1} %; truncated batches {}",
        100.0 * own.printed_rate / own.batches.max(1) as f64,
        percent(own.not_reciprocal, own.succeeded),
        own.truncated
    );
}

/// Sets that hold two queries of one user if k counts queries instead of users.
fn same_user(atlas: &Arc<Atlas>, recording: &Recording) {
    let users: Vec<UserId> = recording.iter().flatten().map(|query| query.user).collect();
    let anonymous = |query: &Query| {
        let mut query = query.clone();
        query.user = UserId(query.id.0);
        query
    };
    let anonymous: Recording =
        recording.iter().map(|second| second.iter().map(anonymous).collect()).collect();
    let mut scheme = MeshCloak::new(Arc::clone(atlas), SchemeSettings::paper());
    let mut state = State::default();
    let (mut succeeded, mut twice, mut too_few) = (0, 0, 0);
    for batch in batches(&anonymous) {
        let turn = turn(&mut scheme, &mut state, batch, &mut ());
        for (query, set) in &turn.served {
            let members = turn.published.set(*set).members;
            let mut distinct: Vec<UserId> =
                members.iter().map(|id| users[id.0 as usize - 1]).collect();
            distinct.sort_unstable();
            distinct.dedup();
            succeeded += 1;
            twice += usize::from(distinct.len() < members.len());
            too_few += usize::from(distinct.len() < query.k as usize);
        }
    }
    println!(
        "    the sets of {twice} of {succeeded} successes ({:.2} %) hold a user twice, {too_few} \
         ({:.2} %) fewer than k users",
        percent(twice, succeeded),
        percent(too_few, succeeded)
    );
}

/// Outcome of a replay.
#[derive(Default)]
struct Outcome {
    succeeded: usize,
    expired: usize,
    not_reciprocal: usize,
    truncated: usize,
    batches: usize,
    /// Sum over batches of succeeded / (succeeded + waiting), the paper's success rate.
    printed_rate: f64,
}

/// Replays the queries; `inspect` receives the waiting list of every [`SAMPLING`]th batch.
fn replay(
    atlas: &Arc<Atlas>,
    coverage: Coverage,
    recording: &Recording,
    mut inspect: impl FnMut(&[Query]),
) -> Outcome {
    let settings = SchemeSettings { coverage, ..SchemeSettings::paper() };
    let mut scheme = MeshCloak::new(Arc::clone(atlas), settings);
    let mut state = State::default();
    let mut outcome = Outcome::default();
    for (second, batch) in batches(recording).enumerate() {
        if second.is_multiple_of(SAMPLING) {
            let mut waiting = [&state.waiting[..], &batch.arrivals].concat();
            waiting.retain(|query| !query.has_expired(batch.now));
            inspect(&waiting);
        }
        let turn = turn(&mut scheme, &mut state, batch, &mut ());
        let set_of: BTreeMap<QueryId, u32> =
            turn.served.iter().map(|(query, set)| (query.id, *set)).collect();
        let is_reciprocal = |set: u32| {
            turn.published.set(set).members.iter().all(|id| set_of.get(id) == Some(&set))
        };
        outcome.not_reciprocal +=
            turn.served.iter().filter(|(_, set)| !is_reciprocal(*set)).count();
        outcome.succeeded += turn.served.len();
        outcome.expired += turn.expired.len();
        outcome.truncated += usize::from(turn.published.stats.truncated);
        let (served, waiting) = (turn.served.len(), state.waiting.len());
        if served + waiting > 0 {
            outcome.batches += 1;
            outcome.printed_rate += served as f64 / (served + waiting) as f64;
        }
    }
    outcome
}
