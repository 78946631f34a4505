//! What the guarantees cost, measured on simulated traffic: success as a share of `paper`'s, delay,
//! time, the longest batch, and the length of what is shown.
//!
//! `MESHCLOAK_MAPS=FOLDER cargo run --release -p traffic --example guarantees [PEOPLE]` looks at
//! Oldenburg; without that folder at the built-in city. Everyone starts and goes anywhere
//! (`--places uniform`), on one thread.

use import::{MapSource, Options};
use meshcloak::distance::Atlas;
use meshcloak::engine::{Batch, turn};
use meshcloak::guarantee::Guarantee;
use meshcloak::map::StreetMap;
use meshcloak::mesh_cloak::{Hold, MeshCloak, Settings as Scheme};
use meshcloak::query::Query;
use meshcloak::scheme::State;
use meshcloak::units::Time;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use traffic::{Profile, Settings, Simulation};

/// The length of what is shown is looked at for one of so many who are served.
const EVERY: usize = 20;

fn main() {
    let people = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(100_000);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
    one.install(|| measure(people));
}

fn measure(people: u32) {
    let source = std::env::var_os("MESHCLOAK_MAPS").map(PathBuf::from);
    let source = source.map(|folder| folder.join("oldenburg/oldenburgGen.node"));
    let source = source.map_or_else(MapSource::default, MapSource::File);
    let read = import::read_map(&source, &Options::default(), &());
    let map = read.unwrap_or_else(|error| panic!("{error}")).map;
    println!("{} streets, {people} people", map.street_count());
    println!(
        "setting  guarantee         success  share   delay    µs  ratio  worst ms  metres  held back"
    );
    for (profile, dt, most) in [("p1", 3, 5), ("p1", 3, 10), ("p2", 5, 5), ("p2", 5, 10)] {
        let settings = Settings {
            users: people,
            k: (2, most),
            temporal_tolerance: dt * 1000,
            ..Settings::default()
        };
        let name = format!("{}-{dt}-{most}", profile.to_uppercase());
        let profile = Profile::named(profile).expect("it is built in").with_uniform_places();
        let atlas = Arc::new(Atlas::new(map.clone(), profile.largest_constraint()));
        let tape = tape(&map, &profile, settings);
        let paper = run(&atlas, &tape, Scheme::default());
        paper.print(&name, "paper", &paper);
        for (what, guarantee, longest) in [
            ("reciprocal", Guarantee::Reciprocal, None),
            ("  --hold 1", Guarantee::Reciprocal, Some(1)),
            ("  --hold 2", Guarantee::Reciprocal, Some(2)),
            ("  --hold", Guarantee::Reciprocal, Some(10)),
            ("history", Guarantee::History, None),
            ("  --hold", Guarantee::History, Some(10)),
        ] {
            let margin = Duration::from_secs(1);
            let hold =
                longest.map(|longest| Hold { longest: Duration::from_secs(longest), margin });
            let scheme = Scheme { guarantee, hold, ..Scheme::default() };
            run(&atlas, &tape, scheme).print(&name, what, &paper);
        }
    }
}

/// What is asked, second by second.
fn tape(map: &StreetMap, profile: &Profile, settings: Settings) -> Vec<Vec<Query>> {
    Simulation::new(map, profile, settings).tape()
}

/// What came of a tape.
#[derive(Default)]
struct Outcome {
    succeeded: usize,
    expired: usize,
    delay: Duration,
    spent: Duration,
    worst: Duration,
    metres: f64,
    looked_at: usize,
    suppressed: usize,
    truncated: usize,
}

impl Outcome {
    fn success(&self) -> f64 {
        self.succeeded as f64 / (self.succeeded + self.expired).max(1) as f64
    }

    fn print(&self, setting: &str, what: &str, paper: &Outcome) {
        let asked = (self.succeeded + self.expired) as f64;
        println!(
            "{setting:8} {what:16} {:7.2} % {:6.2} % {:5.2} s {:6.2} {:5.2}× {:8.1} {:8.0} {:6}{}",
            100.0 * self.success(),
            100.0 * self.success() / paper.success(),
            self.delay.as_secs_f64() / self.succeeded.max(1) as f64,
            self.spent.as_secs_f64() * 1e6 / asked,
            self.spent.as_secs_f64() / paper.spent.as_secs_f64(),
            self.worst.as_secs_f64() * 1e3,
            self.metres / self.looked_at.max(1) as f64,
            self.suppressed,
            if self.truncated > 0 {
                format!("  {} truncated", self.truncated)
            } else {
                String::new()
            }
        );
    }
}

fn run(atlas: &Arc<Atlas>, tape: &[Vec<Query>], settings: Scheme) -> Outcome {
    let mut scheme = MeshCloak::new(Arc::clone(atlas), settings);
    let mut state = State::default();
    let mut outcome = Outcome::default();
    for second in 0..tape.len() + 12 {
        let now = Time::from_millis(second as u64 * 1000);
        let arrivals = tape.get(second).cloned().unwrap_or_default();
        let begun = Instant::now();
        let batch = Batch { now, arrivals, cancelled: Vec::new() };
        let done = turn(&mut scheme, &mut state, batch, &mut ());
        let spent = begun.elapsed();
        outcome.spent += spent;
        outcome.worst = outcome.worst.max(spent);
        outcome.succeeded += done.served.len();
        outcome.expired += done.expired.len();
        outcome.delay +=
            done.served.iter().map(|(query, _)| now - query.asked_at).sum::<Duration>();
        outcome.suppressed += done.published.stats.suppressed;
        outcome.truncated += usize::from(done.published.stats.truncated);
        for (_, set) in done.served.iter().step_by(EVERY) {
            outcome.metres += done.published.set(*set).region.metres(atlas.map());
            outcome.looked_at += 1;
        }
    }
    outcome
}
