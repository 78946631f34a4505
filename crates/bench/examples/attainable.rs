//! Upper bound on the success rate of any grouping under `reciprocal` and `history` with both clocks,
//! next to the achieved rates. [`BoundRecorder`] explains why it is a bound.
//!
//! `MESHCLOAK_MAPS=FOLDER cargo run --release -p bench --example attainable -- [AGENTS [SEED
//! [ASK_SHARE]]] [WORD]…` measures the queries of ten seconds on Oldenburg; without the folder in the
//! built-in city. If ASK_SHARE percent of the agents ask (default 100), the others report their
//! presence with k = 1 and the default patience, and rates are those of the askers. Words:
//!
//! ```text
//! cell             region `cell` of the default length
//! P1-3-5 P2-5-10   settings (default P1-3-5, P1-3-10, P2-5-5 and P2-5-10)
//! ```

use bench::{
    BoundRecorder, Recording, ReplayState, WorkloadConfiguration, agents_and_seed, batches,
    in_pool, is_measured, oldenburg, report_presence,
};
use meshcloak::cells::DEFAULT_CELL_LENGTH;
use meshcloak::distance::{Atlas, MAX_DC_MAX};
use meshcloak::guarantee::{Guarantee, HistoryClock};
use meshcloak::mesh_cloak::{MeshCloak, RegionRule, Settings};
use meshcloak::query::Query;
use meshcloak::scheme::Scheme;
use std::ops::Range;
use std::sync::Arc;
use traffic::AskShare;

/// Measured seconds: all agents are present and most have an earlier query.
const WINDOW: Range<u64> = 40..50;

/// Seconds after the window in which measured queries may still be served.
const REST: usize = 12;

const CONFIGURATIONS: [WorkloadConfiguration; 4] = [
    WorkloadConfiguration::new("p1", 3, 5),
    WorkloadConfiguration::new("p1", 3, 10),
    WorkloadConfiguration::new("p2", 5, 5),
    WorkloadConfiguration::new("p2", 5, 10),
];

const GUARANTEES: [(&str, Guarantee, HistoryClock); 4] = [
    ("paper", Guarantee::Paper, HistoryClock::Asked),
    ("reciprocal", Guarantee::Reciprocal, HistoryClock::Asked),
    ("history, asked", Guarantee::History, HistoryClock::Asked),
    ("history, published", Guarantee::History, HistoryClock::Published),
];

fn main() {
    let (numbers, words): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.parse::<u32>().is_ok());
    let (agents, seed) = agents_and_seed(numbers.iter().cloned());
    let share = numbers.get(2).map_or(100, |share| share.parse().expect("numbers are parsed"));
    let share = AskShare::percent(share).expect("the share of askers is at most 100");
    let (regions, labels): (Vec<&String>, Vec<&String>) =
        words.iter().partition(|word| *word == "cell");
    let region = match regions.is_empty() {
        true => RegionRule::default(),
        false => RegionRule::Cell(DEFAULT_CELL_LENGTH),
    };
    let is_known = |label: &&String| CONFIGURATIONS.iter().any(|known| known.label() == **label);
    assert!(labels.iter().all(is_known), "unknown words among {words:?}");
    // A waiting user can have travelled farther than `dc`.
    let atlas = Arc::new(Atlas::new(oldenburg(), MAX_DC_MAX));
    println!("{agents} agents, {share} ask, seed {seed}, {region:?}");
    println!("setting  guarantee             served, of paper   bound, of paper");
    for configuration in CONFIGURATIONS {
        let label = configuration.label();
        if labels.is_empty() || labels.contains(&&label) {
            let mut recording = configuration.record(atlas.map(), agents, seed);
            recording.truncate(WINDOW.end as usize + REST);
            report_presence(&mut recording, share);
            // The searches of the bound are too small for several threads.
            in_pool(1, || measure(&atlas, &label, region, &recording));
        }
    }
}

fn measure(atlas: &Arc<Atlas>, label: &str, region: RegionRule, recording: &Recording) {
    let all = recording.iter().flatten().filter(|query| is_measured(query, &WINDOW)).count() as f64;
    let mut paper = f64::NAN;
    for (name, guarantee, history_clock) in GUARANTEES {
        let settings = Settings { guarantee, history_clock, region, ..Settings::default() };
        let scheme = || MeshCloak::new(Arc::clone(atlas), settings);
        let served = replay(&mut scheme(), recording);
        let mut row = format!("{label:8} {name:20}");
        let mut add = |count: usize| {
            let rate = 100.0 * count as f64 / all;
            if guarantee == Guarantee::Paper {
                paper = rate;
            }
            row += &format!(" {rate:6.2} % {:6.1} %", 100.0 * rate / paper);
        };
        add(served);
        if guarantee != Guarantee::Paper {
            let mut recorder = BoundRecorder::new(scheme(), WINDOW);
            replay(&mut recorder, recording);
            assert!(served <= recorder.max_served(), "{label} {name}: more served than possible");
            add(recorder.max_served());
            row += &format!("  {} undecided", recorder.undecided());
        }
        println!("{row}");
    }
}

/// Number of measured queries that are served.
fn replay(scheme: &mut dyn Scheme, recording: &[Vec<Query>]) -> usize {
    let mut replay = ReplayState::new(scheme);
    let mut served = 0;
    for mut batch in batches(recording) {
        replay.record(&mut batch);
        let done = replay.turn(scheme, batch, &mut ());
        served += done.served.iter().filter(|(query, _)| is_measured(query, &WINDOW)).count();
    }
    served
}
