//! How many people could be served at all, whatever is published for whom: an upper bound for
//! every way of grouping under `reciprocal` and `history`, for those who ask in ten seconds of a
//! run, and beside it what was reached for the same people.
//!
//! For the bound nobody is ever served, so in every batch everyone waits whose patience is not over. Who is
//! in no clique then whose members meet her k (under `history`: by those who can have come from
//! where she was) would be in none either if some had left. The bound is not tight: cliques may
//! overlap, groups may not. Also for the bound of an attacker who waits until the batch,
//! `v · (T − t_prev)`, weaker than what is promised.
//!
//! `MESHCLOAK_MAPS=FOLDER cargo run --release -p traffic --example attainable [PEOPLE [SEED]]`:
//! Oldenburg, or without that folder the built-in city; people as in the example `guarantees`.

use import::{MapSource, Options};
use meshcloak::constraint_graph::{Coverage, GraphBuilder};
use meshcloak::distance::{Atlas, LARGEST_DC_MAX};
use meshcloak::engine::{Batch, turn};
use meshcloak::grouping::{Grouping, WhoCounts};
use meshcloak::guarantee::{DEFAULT_HORIZON, Guarantee};
use meshcloak::history::LastPositions;
use meshcloak::map::StreetMap;
use meshcloak::mesh_cloak::{MeshCloak, Settings as Ours};
use meshcloak::query::Query;
use meshcloak::scheme::{Description, Observer, Published, Scheme, State};
use meshcloak::units::Time;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use traffic::{Profile, Settings, Simulation};

/// Whose past counts, and until when the attacker lets a person travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Promise {
    Reciprocal,
    HistoryWhenAsked,
    HistoryWhenPublished,
}

/// Publishes nothing, and notes who could have been served.
struct Nobody {
    atlas: Arc<Atlas>,
    promise: Promise,
    graph: GraphBuilder,
    grouping: Grouping,
    could: BTreeSet<u64>,
    truncated: usize,
    published: Published,
    paper: MeshCloak,
}

/// Those are looked at who ask in these seconds: by then everyone is there, and most ask again.
const WINDOW: Range<u64> = 40..50;

fn is_looked_at(query: &Query) -> bool {
    WINDOW.contains(&(query.asked_at.as_millis() / 1000))
}

impl Scheme for Nobody {
    fn name(&self) -> &'static str {
        "nobody"
    }

    fn describe(&self) -> Description {
        self.paper.describe()
    }

    fn history_horizon(&self) -> Option<Duration> {
        Some(DEFAULT_HORIZON)
    }

    fn cloak(&mut self, state: &State, now: Time, _: &mut dyn Observer) -> &mut Published {
        if now.as_millis() < WINDOW.start * 1000 {
            return &mut self.published;
        }
        let Nobody { atlas, graph, grouping, promise, .. } = self;
        graph.build(atlas, Coverage::Own, &state.waiting);
        let query = |node: u32| &state.waiting[graph.nodes()[node as usize] as usize];
        let k: Vec<u32> = (0..state.waiting.len() as u32).map(|node| query(node).k).collect();
        let who_counts = |node: u32, neighbours: &[u32], counts: &mut [bool]| {
            let Some(before) = state.history.previous(query(node).id) else { return true };
            let until = match promise {
                Promise::HistoryWhenPublished => now,
                _ => query(node).asked_at,
            };
            let most = query(node).speed.unwrap_or_default() * (until - before.at);
            let come = |to: &Query| {
                let length = atlas.distance(before.position, to.position);
                // Longer ways than the atlas knows are granted: the bound stays a bound.
                length.map_or(most > LARGEST_DC_MAX, |length| length <= most)
            };
            for (counts, &other) in counts.iter_mut().zip(neighbours) {
                *counts = come(query(other));
            }
            come(query(node))
        };
        let mut past: Vec<WhoCounts<'_>> = vec![Box::new(who_counts)];
        past.truncate(usize::from(*promise != Promise::Reciprocal));
        grouping.survey(graph.graph(), &k, &mut past, 100_000);
        self.truncated += usize::from(grouping.truncated() || graph.truncated());
        let nodes = 0..state.waiting.len() as u32;
        let could = nodes.filter(|&node| grouping.could_be_grouped(node)).map(query);
        self.could.extend(could.filter(|query| is_looked_at(query)).map(|query| query.id.0));
        &mut self.published
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse().ok());
    let people = arguments.next().flatten().unwrap_or(100_000);
    let seed = arguments.next().flatten().unwrap_or(1);
    let source = std::env::var_os("MESHCLOAK_MAPS").map(PathBuf::from);
    let source = source.map(|folder| folder.join("oldenburg/oldenburgGen.node"));
    let source = source.map_or_else(MapSource::default, MapSource::File);
    let read = import::read_map(&source, &Options::default(), &());
    let map = read.unwrap_or_else(|error| panic!("{error}")).map;
    println!("setting  promise                 served or at most, and of paper");
    for (profile, dt, most) in [("p1", 3, 5), ("p1", 3, 10), ("p2", 5, 5), ("p2", 5, 10)] {
        let settings = Settings {
            users: people,
            k: (2, most),
            temporal_tolerance: dt * 1000,
            seed: seed.into(),
        };
        let name = format!("{}-{dt}-{most}", profile.to_uppercase());
        let profile = Profile::named(profile).expect("it is built in").with_uniform_places();
        measure(&map, &name, &profile, settings);
    }
}

fn measure(map: &StreetMap, name: &str, profile: &Profile, settings: Settings) {
    // Somebody who waits can have come farther than her constraint.
    let atlas = Arc::new(Atlas::new(map.clone(), LARGEST_DC_MAX));
    let tape = Simulation::new(map, profile, settings).tape();
    let all = tape.iter().flatten().filter(|query| is_looked_at(query)).count() as f64;
    let mut paper = 0.0;
    for guarantee in [Guarantee::Paper, Guarantee::Reciprocal, Guarantee::History] {
        let scheme = Ours { guarantee, ..Ours::default() };
        let mut scheme = MeshCloak::new(Arc::clone(&atlas), scheme);
        let served = run(&mut scheme, &tape) as f64 / all;
        if guarantee == Guarantee::Paper {
            paper = served;
        }
        let what = format!("{guarantee:?} serves");
        println!("{name:8} {what:22} {:6.2} %  {:6.2} %", 100.0 * served, 100.0 * served / paper);
    }
    for promise in [Promise::Reciprocal, Promise::HistoryWhenAsked, Promise::HistoryWhenPublished] {
        let mut nobody = Nobody {
            atlas: Arc::clone(&atlas),
            promise,
            graph: GraphBuilder::default(),
            grouping: Grouping::default(),
            could: BTreeSet::new(),
            truncated: 0,
            published: Published::default(),
            paper: MeshCloak::new(Arc::clone(&atlas), Ours::default()),
        };
        run(&mut nobody, &tape);
        let could = nobody.could.len() as f64 / all;
        println!(
            "{name:8} {:22} {:6.2} %  {:6.2} %  {} truncated",
            format!("{promise:?}"),
            100.0 * could,
            100.0 * could / paper,
            nobody.truncated,
        );
    }
}

/// How many are served of those who are looked at.
fn run(scheme: &mut dyn Scheme, tape: &[Vec<Query>]) -> usize {
    let mut state = State::default();
    let mut positions = scheme.history_horizon().map(LastPositions::new);
    let mut served = 0;
    for second in 0..WINDOW.end as usize + 12 {
        let now = Time::from_millis(second as u64 * 1000);
        let arrivals = tape.get(second).cloned().unwrap_or_default();
        if let Some(positions) = &mut positions {
            positions.record_all(&arrivals, &mut state.history);
        }
        let batch = Batch { now, arrivals, cancelled: Vec::new() };
        let done = turn(scheme, &mut state, batch, &mut ());
        served += done.served.iter().filter(|(query, _)| is_looked_at(query)).count();
    }
    served
}
