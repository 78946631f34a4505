//! Cost and success of a guarantee with a growing number of users.
//!
//! `MESHCLOAK_MAPS=FOLDER cargo run --release -p bench --example scaling -- [WORD]…` measures
//! Oldenburg; without the folder the built-in city. Words, in any order:
//!
//! ```text
//! users=30000,300000   numbers of users (default 30000,300000)
//! P1-3-5 P2-5-10 …     configurations (default P1-3-5 and P2-3-5)
//! paper reciprocal history published          guarantees (default all); `published` is `history`
//!                                             with the clock `published`, `history` with `asked`
//! popular              starts and destinations of the profile instead of uniform ones
//! city                 the built-in city, whatever MESHCLOAK_MAPS is
//! cell                 region `cell` of 3,000 m, the default of the gateway, but for `paper`
//! unlimited            also measures each guarantee with searches that do not stop at enough members
//! seconds=60           ends after that many seconds (default: when all agents have departed)
//! threads=1,2          numbers of threads (default 1)
//! seed=1 runs=1        number of runs, in turns with other rows; the best counts
//! degrees              prints the distribution of later neighbours as well
//! stages               prints the time of each stage as well
//!
//! The command `cloak` differs from a replay in these, one at a time:
//! cold                 64 MB of other memory are read between two turns
//! shuffled             the queries of a second arrive in another order
//! dc=2000              distances are known up to that many metres, not only to the profile's
//! ```
//!
//! The column `× paper` is the time over that of `paper` with the same threads, `× one` the time with
//! one thread over that of the row. Times are those of the thread that computes, without the time in
//! which other processes ran; with several threads they are times on the clock. The checksum covers id,
//! batch and members of every served query, and the region of every set.

mod clock;
mod measurement;
mod table;

use bench::{NamedMap, Recording, WorkloadConfiguration, in_pool, oldenburg};
use measurement::{Replay, measure};
use meshcloak::distance::Atlas;
use meshcloak::guarantee::{Guarantee, HistoryClock};
use meshcloak::mesh_cloak::{RegionRule, Settings};
use meshcloak::query::QueryId;
use meshcloak::units::Length;
use std::sync::Arc;
use table::Table;
use traffic::{Profile, SimulatedQuery, Simulation};

/// Name, guarantee and clock of a measured scheme.
type Variant = (&'static str, Guarantee, HistoryClock);

const VARIANTS: [Variant; 4] = [
    ("paper", Guarantee::Paper, HistoryClock::Asked),
    ("reciprocal", Guarantee::Reciprocal, HistoryClock::Asked),
    ("history", Guarantee::History, HistoryClock::Asked),
    ("published", Guarantee::History, HistoryClock::Published),
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

    fn variants(&self) -> Vec<Variant> {
        let any = VARIANTS.iter().any(|(name, ..)| self.has(name));
        VARIANTS.into_iter().filter(|(name, ..)| !any || self.has(name)).collect()
    }

    fn settings(&self, (_, guarantee, history_clock): Variant) -> Settings {
        let is_cell = self.has("cell") && guarantee != Guarantee::Paper;
        let cell = is_cell.then(|| RegionRule::Cell(Length::metres(3_000.0)));
        let region = cell.unwrap_or_default();
        Settings { guarantee, history_clock, region, ..Settings::default() }
    }

    fn crowds(&self) -> &'static [bool] {
        if self.has("unlimited") { &[true, false] } else { &[true] }
    }

    fn threads(&self) -> Vec<usize> {
        let threads = self.value("threads").unwrap_or("1").split(',');
        threads.map(|threads| threads.parse().expect("threads are numbers")).collect()
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
    in_pool(1, || run(&selection));
}

fn run(selection: &Selection) {
    let map = if selection.has("city") { NamedMap::built_in().read() } else { oldenburg() };
    println!("{} streets", map.street_count());
    Table::print_header();
    for configuration in selection.configurations() {
        let largest = configuration.profile().largest_constraint();
        let metres = selection.number("dc", 0) as f64;
        let dc_max = largest.max(Length::metres(metres));
        let atlas = Arc::new(Atlas::new(map.clone(), dc_max));
        atlas.fill();
        for users in selection.users() {
            let recording = record(selection, &atlas, configuration, users);
            let label = format!("{:8} {users:8}", configuration.label());
            table(selection, &atlas, &recording).print(&label, selection.has("stages"));
            if selection.has("degrees") {
                println!("{}", measurement::degrees(&atlas, &recording));
            }
        }
    }
}

/// Measures every variant with every number of threads, in turns.
fn table(selection: &Selection, atlas: &Arc<Atlas>, recording: &Recording) -> Table {
    let mut table = Table::default();
    for _ in 0..selection.number("runs", 1) {
        for threads in selection.threads() {
            for variant in selection.variants() {
                for crowds in selection.crowds() {
                    let settings = Settings { crowds: *crowds, ..selection.settings(variant) };
                    let replay = Replay { recording, is_cold: selection.has("cold") };
                    let measured = in_pool(threads, || measure(atlas, replay, settings));
                    table.add(variant.0, threads, *crowds, measured);
                }
            }
        }
    }
    table
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
            let mut queries: Vec<&SimulatedQuery> = second.queries.iter().collect();
            if selection.has("shuffled") {
                queries.sort_by_key(|query| query.user.wrapping_mul(0x9e37_79b9));
            }
            queries.iter().zip(&mut ids).map(|(query, id)| query.as_query(id)).collect()
        })
        .collect()
}
