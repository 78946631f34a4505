//! How much the choices of PAPER.md matter, measured on simulated traffic.
//!
//! `MESHCLOAK_MAPS=FOLDER cargo run --release -p traffic --example departures [PEOPLE]` looks at
//! Oldenburg, Paris and Porto; without that folder at the built-in city.

mod meshes;

use import::{MapSource, Options};
use meshcloak::constraint_graph::{Coverage, GraphBuilder};
use meshcloak::distance::Atlas;
use meshcloak::engine::{Batch, turn};
use meshcloak::map::StreetMap;
use meshcloak::mesh_cloak::{MeshCloak, Settings as Scheme};
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::scheme::State;
use meshcloak::units::Time;
use meshes::meshes;
use std::path::PathBuf;
use std::sync::Arc;
use traffic::{Profile, Settings, Simulation};

/// Of this many batches one is looked at street by street.
const EVERY: usize = 10;

fn main() {
    let people = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(100_000);
    for (name, source) in maps() {
        let read = import::read_map(&source, &Options::default(), &());
        let map = read.unwrap_or_else(|error| panic!("{name}: {error}")).map;
        println!("{name}: {} streets, {people} people", map.street_count());
        for profile_name in ["p1", "p2"] {
            let profile = Profile::named(profile_name).expect("it is built in");
            let atlas = Arc::new(Atlas::new(map.clone(), profile.largest_constraint()));
            println!(" {profile_name}, dc_max {}", atlas.dc_max());
            squares(&atlas);
            let usual = tape(&map, &profile, Settings { users: people, ..Settings::default() });
            meshes(&atlas, &usual);
            coverage(&atlas, &usual);
            println!("  every street alike as start and destination:");
            let uniform = profile.clone().with_uniform_places();
            let settings = Settings { users: people, ..Settings::default() };
            meshes(&atlas, &tape(&map, &uniform, settings));
            if profile_name == "p1" {
                for (dt, most) in [(3000, 5), (5000, 5), (10_000, 10)] {
                    let temporal_tolerance = dt;
                    let settings = Settings { users: people, k: (2, most), ..Settings::default() };
                    let settings = Settings { temporal_tolerance, ..settings };
                    same_user(&atlas, &tape(&map, &profile, settings), (dt, most));
                }
            }
        }
    }
}

fn maps() -> Vec<(&'static str, MapSource)> {
    let Some(folder) = std::env::var_os("MESHCLOAK_MAPS").map(PathBuf::from) else {
        return vec![("built-in city", MapSource::default())];
    };
    let files = [
        ("Oldenburg", "oldenburg/oldenburgGen.node"),
        ("Paris", "paris/paris.nodes.csv.gz"),
        ("Porto", "porto/porto-city.osm.pbf"),
    ];
    files.map(|(name, file)| (name, MapSource::File(folder.join(file)))).into()
}

/// What is asked, second by second.
type Tape = Vec<Vec<Query>>;

fn tape(map: &StreetMap, profile: &Profile, settings: Settings) -> Tape {
    Simulation::new(map, profile, settings).tape()
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// Algorithm 1 cuts squares; how many terminals they hold, and how many can be reached.
fn squares(atlas: &Atlas) {
    let map = atlas.map();
    let side = atlas.dc_max().as_metres();
    let inside: usize = map
        .terminals()
        .map(|u| {
            let u = map.terminal(u);
            let near =
                |v: meshcloak::units::Point| (v.x - u.x).abs() <= side && (v.y - u.y).abs() <= side;
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

/// Edges and successes under either reading of mutual coverage, and how many sets are reciprocal.
fn coverage(atlas: &Arc<Atlas>, tape: &Tape) {
    let mut graphs = [GraphBuilder::default(), GraphBuilder::default()];
    let mut edges = [0, 0];
    let own = fold(atlas, Coverage::Own, tape, |waiting| {
        for (at, coverage) in [Coverage::Own, Coverage::Both].into_iter().enumerate() {
            edges[at] += graphs[at].build(atlas, coverage, waiting).edge_count();
        }
    });
    let both = fold(atlas, Coverage::Both, tape, |_| {});
    println!(
        "  edges own {}, both {} ({:.1} % fewer); success own {:.2} %, both {:.2} %",
        edges[0],
        edges[1],
        percent(edges[0] - edges[1], edges[0]),
        percent(own.succeeded, own.succeeded + own.expired),
        percent(both.succeeded, both.succeeded + both.expired)
    );
    println!(
        "  printed success rate {:.2} %; sets of which some member publishes another or none: \
         {:.1} % of successes; truncated batches {}",
        100.0 * own.printed_rate / own.batches.max(1) as f64,
        percent(own.not_reciprocal, own.succeeded),
        own.truncated
    );
}

/// Without the rule that k counts people: how often a set holds one person twice.
fn same_user(atlas: &Arc<Atlas>, tape: &Tape, (dt, most): (u32, u32)) {
    let users: Vec<UserId> = tape.iter().flatten().map(|query| query.user).collect();
    let nameless = |query: &Query| Query { user: UserId(query.id.0), ..query.clone() };
    let nameless: Tape = tape.iter().map(|batch| batch.iter().map(nameless).collect()).collect();
    let mut scheme = MeshCloak::new(Arc::clone(atlas), Scheme::default());
    let mut state = State::default();
    let (mut succeeded, mut twice, mut too_few) = (0, 0, 0);
    for (second, arrivals) in batches(&nameless) {
        let turn = turn(&mut scheme, &mut state, batch(second, arrivals), &mut ());
        for (query, set) in &turn.served {
            let members = turn.published.set(*set).members;
            let mut people: Vec<UserId> =
                members.iter().map(|id| users[id.0 as usize - 1]).collect();
            people.sort_unstable();
            people.dedup();
            succeeded += 1;
            twice += usize::from(people.len() < members.len());
            too_few += usize::from(people.len() < query.k as usize);
        }
    }
    println!(
        "  users ignored, dt {dt} ms, k 2-{most}: the sets of {twice} of {succeeded} successes \
         ({:.2} %) hold one person twice, {too_few} ({:.2} %) fewer than k people",
        percent(twice, succeeded),
        percent(too_few, succeeded)
    );
}

/// What came of a tape.
#[derive(Default)]
struct Outcome {
    succeeded: usize,
    expired: usize,
    not_reciprocal: usize,
    truncated: usize,
    batches: usize,
    /// Sum over batches of succeeded / (succeeded + waiting), as the paper has it.
    printed_rate: f64,
}

/// Runs a tape through the engine; `look` sees who waits in one of [`EVERY`] batches.
fn fold(
    atlas: &Arc<Atlas>,
    coverage: Coverage,
    tape: &Tape,
    mut look: impl FnMut(&[Query]),
) -> Outcome {
    let settings = Scheme { coverage, ..Scheme::default() };
    let mut scheme = MeshCloak::new(Arc::clone(atlas), settings);
    let mut state = State::default();
    let mut outcome = Outcome::default();
    for (second, arrivals) in batches(tape) {
        let batch = batch(second, arrivals);
        if second.is_multiple_of(EVERY) {
            let mut waiting = [&state.waiting[..], arrivals].concat();
            waiting.retain(|query| !query.has_expired(batch.now));
            look(&waiting);
        }
        let turn = turn(&mut scheme, &mut state, batch, &mut ());
        let set_of: std::collections::BTreeMap<QueryId, u32> =
            turn.served.iter().map(|(query, set)| (query.id, *set)).collect();
        let alike = |set: u32| {
            turn.published.set(set).members.iter().all(|id| set_of.get(id) == Some(&set))
        };
        outcome.not_reciprocal += turn.served.iter().filter(|(_, set)| !alike(*set)).count();
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

/// The batches of a tape, and empty ones until nobody waits.
fn batches(tape: &Tape) -> impl Iterator<Item = (usize, &[Query])> {
    tape.iter().map(Vec::as_slice).chain(std::iter::repeat_n(&[][..], 12)).enumerate()
}

fn batch(second: usize, arrivals: &[Query]) -> Batch {
    let now = Time::from_millis(second as u64 * 1000);
    Batch { now, arrivals: arrivals.to_vec(), cancelled: Vec::new() }
}
