//! Cost and success of a guarantee with a growing number of users.
//!
//! `MESHCLOAK_MAPS=FOLDER cargo run --release -p bench --example scaling -- [WORD]…` measures
//! Oldenburg; without the folder the built-in city. Words, in any order:
//!
//! ```text
//! users=30000,300000   numbers of users (default 30000,300000)
//! P1-3-5 P2-5-10 …     configurations (default P1-3-5 and P2-3-5)
//! paper reciprocal history                    guarantees (default all)
//! popular              starts and destinations of the profile instead of uniform ones
//! city                 the built-in city, whatever MESHCLOAK_MAPS is
//! seconds=60           ends after that many seconds (default: when all agents have departed)
//! seed=1 threads=1 runs=1
//! degrees              prints the distribution of later neighbours as well
//! ```
//!
//! Times are those of the thread that computes, without the time in which other processes ran
//! (Linux); with several threads they are times on the clock. The checksum covers id, batch and
//! members of every served query.

mod clock;
mod measurement;

use bench::{NamedMap, Recording, WorkloadConfiguration, in_pool, oldenburg};
use measurement::{Measurement, measure};
use meshcloak::distance::Atlas;
use meshcloak::guarantee::Guarantee;
use meshcloak::mesh_cloak::Settings;
use meshcloak::query::QueryId;
use std::sync::Arc;
use traffic::{Profile, Simulation};

const GUARANTEES: [(&str, Guarantee); 3] = [
    ("paper", Guarantee::Paper),
    ("reciprocal", Guarantee::Reciprocal),
    ("history", Guarantee::History),
];

/// What the words of the command select.
struct Selection {
    words: Vec<String>,
}

impl Selection {
    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|other| other == word)
    }

    fn value(&self, key: &str) -> Option<&str> {
        self.words.iter().find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    }

    fn number(&self, key: &str, default: usize) -> usize {
        self.value(key).map_or(default, |text| text.parse().expect("the value is a number"))
    }

    fn users(&self) -> Vec<u32> {
        let users = self.value("users").unwrap_or("30000,300000").split(',');
        users.map(|users| users.parse().expect("users are numbers")).collect()
    }

    fn configurations(&self) -> Vec<WorkloadConfiguration> {
        let labels = self.words.iter().filter(|word| word.starts_with('P'));
        let mut all: Vec<_> = labels.map(|label| configuration(label)).collect();
        if all.is_empty() {
            all = ["P1-3-5", "P2-3-5"].map(configuration).into();
        }
        all
    }

    fn guarantees(&self) -> Vec<(&'static str, Guarantee)> {
        let any = GUARANTEES.iter().any(|(name, _)| self.has(name));
        GUARANTEES.into_iter().filter(|(name, _)| !any || self.has(name)).collect()
    }
}

/// Parses a label such as `P2-5-10`.
fn configuration(label: &str) -> WorkloadConfiguration {
    let parts: Vec<&str> = label.split('-').collect();
    let [profile, dt, max_k] = parts[..] else { panic!("`{label}` is no label such as P2-5-10") };
    let profile = if profile == "P1" { "p1" } else { "p2" };
    let number = |text: &str| text.parse().expect("dt and k are numbers");
    WorkloadConfiguration::new(profile, number(dt), number(max_k))
}

fn main() {
    let selection = Selection { words: std::env::args().skip(1).collect() };
    in_pool(selection.number("threads", 1), || run(&selection));
}

fn run(selection: &Selection) {
    let map = if selection.has("city") { NamedMap::built_in().read() } else { oldenburg() };
    println!("{} streets", map.street_count());
    println!("{}", Measurement::HEADER);
    for configuration in selection.configurations() {
        let dc_max = configuration.profile().largest_constraint();
        let atlas = Arc::new(Atlas::new(map.clone(), dc_max));
        atlas.fill();
        for users in selection.users() {
            let recording = record(selection, &atlas, configuration, users);
            for (name, guarantee) in selection.guarantees() {
                let settings = Settings { guarantee, ..Settings::default() };
                let runs = 0..selection.number("runs", 1);
                let runs = runs.map(|_| measure(&atlas, &recording, settings));
                let best = runs.min_by(|a, b| a.seconds.total_cmp(&b.seconds));
                let label = format!("{:8} {users:8} {name:10}", configuration.label());
                best.into_iter().for_each(|best| println!("{label} {}", best.row()));
            }
            if selection.has("degrees") {
                println!("{}", measurement::degrees(&atlas, &recording));
            }
        }
    }
}

/// Simulates the users, up to the selected number of seconds.
fn record(
    selection: &Selection,
    atlas: &Atlas,
    configuration: WorkloadConfiguration,
    users: u32,
) -> Recording {
    let profile = match selection.has("popular") {
        true => Profile::named(configuration.profile).expect("the profile is built in"),
        false => configuration.profile(),
    };
    let settings = configuration.settings(users, selection.number("seed", 1) as u64);
    let mut simulation = Simulation::new(atlas.map(), &profile, settings);
    let seconds = selection.number("seconds", usize::MAX);
    let mut ids = (1..).map(QueryId);
    let steps = std::iter::from_fn(|| simulation.step()).take(seconds);
    steps
        .map(|second| {
            let queries = second.queries.iter().zip(&mut ids);
            queries.map(|(query, id)| query.as_query(id)).collect()
        })
        .collect()
}
