//! Cost of the guarantees on simulated traffic: success as a share of `paper`'s, delay, time, the
//! slowest batch, and the length of the regions.
//!
//! `MESHCLOAK_MAPS=FOLDER cargo run --release -p bench --example guarantees [budget] [AGENTS [SEED
//! [WORD]…]]` measures Oldenburg; without the folder the built-in city. Uniform places, one thread.
//! `budget` measures success against the work budget instead. Words: `threads=2`, `plain` (without
//! `hold`), and labels such as `P2-5-10` (only these configurations).

mod outcome;

use bench::{Recording, WorkloadConfiguration, agents_and_seed, in_pool, oldenburg};
use meshcloak::distance::Atlas;
use meshcloak::guarantee::{Guarantee, HistoryClock};
use meshcloak::map::StreetMap;
use meshcloak::mesh_cloak::{Hold, Settings};
use outcome::replay;
use std::sync::Arc;
use std::time::Duration;

const CONFIGURATIONS: [WorkloadConfiguration; 4] = [
    WorkloadConfiguration::new("p1", 3, 5),
    WorkloadConfiguration::new("p1", 3, 10),
    WorkloadConfiguration::new("p2", 5, 5),
    WorkloadConfiguration::new("p2", 5, 10),
];

/// Map and population of a measurement.
struct Experiment {
    map: StreetMap,
    agents: u32,
    seed: u64,
    /// Labels of the measured configurations; empty means all.
    labels: Vec<String>,
    /// Whether rows with `hold` are left out.
    is_plain: bool,
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_budget = arguments.first().is_some_and(|word| word == "budget");
    arguments.drain(..usize::from(is_budget));
    let (agents, seed) = agents_and_seed(arguments.iter().cloned());
    let mut labels: Vec<String> = arguments.iter().skip(2).cloned().collect();
    let threads = labels.iter().find_map(|word| word.strip_prefix("threads=")?.parse().ok());
    let is_plain = labels.iter().any(|word| word == "plain");
    labels.retain(|word| !word.starts_with("threads=") && word != "plain");
    let map = oldenburg();
    println!("{} streets, {agents} agents, seed {seed}", map.street_count());
    let experiment = Experiment { map, agents, seed, labels, is_plain };
    in_pool(threads.unwrap_or(1), || {
        if is_budget { experiment.print_budgets() } else { experiment.print_costs() }
    });
}

impl Experiment {
    /// Prints a table of the guarantees.
    fn print_costs(&self) {
        println!(
            "setting  guarantee          success  share   delay    µs  ratio  worst ms  metres  rejected"
        );
        for configuration in CONFIGURATIONS.into_iter().filter(|c| self.is_selected(*c)) {
            let name = configuration.label();
            let (atlas, recording) = self.record(configuration);
            let paper = replay(&atlas, &recording, Settings::paper());
            paper.print(&name, "paper", &paper);
            let (asked, published) = (HistoryClock::Asked, HistoryClock::Published);
            for (row, guarantee, history_clock, hold) in [
                ("reciprocal", Guarantee::Reciprocal, asked, None),
                ("  --hold 1", Guarantee::Reciprocal, asked, Some(1)),
                ("  --hold 2", Guarantee::Reciprocal, asked, Some(2)),
                ("  --hold", Guarantee::Reciprocal, asked, Some(10)),
                ("history", Guarantee::History, asked, None),
                ("  --hold", Guarantee::History, asked, Some(10)),
                ("history published", Guarantee::History, published, None),
                ("  --hold", Guarantee::History, published, Some(10)),
            ] {
                if hold.is_some() && self.is_plain {
                    continue;
                }
                let margin = Duration::from_secs(1);
                let hold =
                    hold.map(|longest| Hold { max_wait: Duration::from_secs(longest), margin });
                let settings = Settings { guarantee, history_clock, hold, ..Settings::default() };
                replay(&atlas, &recording, settings).print(&name, row, &paper);
            }
        }
    }

    /// Prints success against the work budget of a search, as CSV.
    fn print_budgets(&self) {
        println!("setting,guarantee,budget,success,truncated_batches,us_per_query,worst_ms");
        let ends = [CONFIGURATIONS[0], CONFIGURATIONS[3]];
        for configuration in ends.into_iter().filter(|c| self.is_selected(*c)) {
            let name = configuration.label();
            let (atlas, recording) = self.record(configuration);
            for guarantee in [Guarantee::Paper, Guarantee::Reciprocal, Guarantee::History] {
                for budget in [1, 3, 10, 30, 100, 300, 1_000, 10_000, 100_000] {
                    let settings = Settings { guarantee, budget, ..Settings::default() };
                    let outcome = replay(&atlas, &recording, settings);
                    let guarantee = format!("{guarantee:?}").to_lowercase();
                    println!("{name},{guarantee},{budget},{}", outcome.as_csv());
                }
            }
        }
    }

    fn is_selected(&self, configuration: WorkloadConfiguration) -> bool {
        self.labels.is_empty() || self.labels.contains(&configuration.label())
    }

    fn record(&self, configuration: WorkloadConfiguration) -> (Arc<Atlas>, Recording) {
        let dc_max = configuration.profile().largest_constraint();
        let atlas = Arc::new(Atlas::new(self.map.clone(), dc_max));
        atlas.fill();
        (atlas, configuration.record(&self.map, self.agents, self.seed))
    }
}
