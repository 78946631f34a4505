//! What the guarantees cost, measured on simulated traffic: success as a share of `paper`'s, delay,
//! time, the longest batch, and the length of what is shown.
//!
//! `MESHCLOAK_MAPS=FOLDER cargo run --release -p traffic --example guarantees [PEOPLE [SEED]]` looks
//! at Oldenburg; without that folder at the built-in city. Everyone starts and goes anywhere
//! (`--places uniform`), on one thread, or as many as `threads=2` after the numbers says. With
//! `budget` before the numbers: success against budget. Settings named after them, as in
//! `100000 2 P2-5-10`, are the only ones; with `plain` after them nothing is held.

mod outcome;

use import::{MapSource, Options};
use meshcloak::distance::Atlas;
use meshcloak::guarantee::Guarantee;
use meshcloak::map::StreetMap;
use meshcloak::mesh_cloak::{Hold, Settings as Scheme};
use meshcloak::query::Query;
use outcome::run;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use traffic::{Profile, Settings, Simulation};

const SETTINGS: [(&str, u32, u32); 4] = [("p1", 3, 5), ("p1", 3, 10), ("p2", 5, 5), ("p2", 5, 10)];

/// Who asks on which map.
struct Crowd {
    map: StreetMap,
    people: u32,
    seed: u64,
    /// Which settings; all if none is named.
    only: Vec<String>,
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let budget = arguments.first().is_some_and(|word| word == "budget");
    arguments.drain(..usize::from(budget));
    let mut numbers = arguments.iter().map(|text| text.parse::<u32>().ok());
    let people = numbers.next().flatten().unwrap_or(100_000);
    let seed = numbers.next().flatten().unwrap_or(1).into();
    let mut only: Vec<String> = arguments.iter().skip(2).cloned().collect();
    let named = only.iter().find_map(|word| word.strip_prefix("threads=")?.parse().ok());
    let threads = named.unwrap_or(1);
    only.retain(|word| !word.starts_with("threads="));
    let source = std::env::var_os("MESHCLOAK_MAPS").map(PathBuf::from);
    let source = source.map(|folder| folder.join("oldenburg/oldenburgGen.node"));
    let source = source.map_or_else(MapSource::default, MapSource::File);
    let read = import::read_map(&source, &Options::default(), &());
    let map = read.unwrap_or_else(|error| panic!("{error}")).map;
    println!("{} streets, {people} people, seed {seed}", map.street_count());
    let crowd = Crowd { map, people, seed, only };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| if budget { budgets(&crowd) } else { costs(&crowd) });
}

/// What each guarantee costs.
fn costs(crowd: &Crowd) {
    println!(
        "setting  guarantee         success  share   delay    µs  ratio  worst ms  metres  held back"
    );
    for setting in SETTINGS.into_iter().filter(|setting| crowd.wants(*setting)) {
        let (name, atlas, tape) = crowd.ask(setting);
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
            if longest.is_some() && crowd.only.iter().any(|word| word == "plain") {
                continue;
            }
            let margin = Duration::from_secs(1);
            let hold =
                longest.map(|longest| Hold { max_wait: Duration::from_secs(longest), margin });
            let scheme = Scheme { guarantee, hold, ..Scheme::default() };
            run(&atlas, &tape, scheme).print(&name, what, &paper);
        }
    }
}

/// What the steps that one search may take are good for, as CSV.
fn budgets(crowd: &Crowd) {
    println!("setting,guarantee,budget,success,truncated_batches,us_per_query,worst_ms");
    for setting in [SETTINGS[0], SETTINGS[3]].into_iter().filter(|setting| crowd.wants(*setting)) {
        let (name, atlas, tape) = crowd.ask(setting);
        for guarantee in [Guarantee::Paper, Guarantee::Reciprocal, Guarantee::History] {
            for budget in [1, 3, 10, 30, 100, 300, 1_000, 10_000, 100_000] {
                let scheme = Scheme { guarantee, budget, ..Scheme::default() };
                let outcome = run(&atlas, &tape, scheme);
                let what = format!("{guarantee:?}").to_lowercase();
                println!("{name},{what},{budget},{}", outcome.as_csv());
            }
        }
    }
}

fn label((profile, dt, most): (&str, u32, u32)) -> String {
    format!("{}-{dt}-{most}", profile.to_uppercase())
}

impl Crowd {
    /// Whether a setting is among those that are wanted.
    fn wants(&self, setting: (&str, u32, u32)) -> bool {
        let mut named = self.only.iter().filter(|word| *word != "plain").peekable();
        named.peek().is_none() || named.any(|word| *word == label(setting))
    }

    /// What a setting is called, and what is asked under it.
    fn ask(&self, (profile, dt, most): (&str, u32, u32)) -> (String, Arc<Atlas>, Vec<Vec<Query>>) {
        let settings = Settings {
            users: self.people,
            k: (2, most),
            temporal_tolerance: dt * 1000,
            seed: self.seed,
        };
        let name = label((profile, dt, most));
        let profile = Profile::named(profile).expect("it is built in").with_uniform_places();
        let atlas = Arc::new(Atlas::new(self.map.clone(), profile.largest_constraint()));
        (name, atlas, Simulation::new(&self.map, &profile, settings).tape())
    }
}
