//! Turns of dense batches: crowds (docs/SPEC.md §6), under each guarantee.

use crate::meter::{Meter, TurnStages};
use crate::workload::{DC_MAX, batches, count_turns};
use bench::WorkloadConfiguration;
use meshcloak::distance::Atlas;
use meshcloak::engine::Batch;
use meshcloak::guarantee::Guarantee;
use meshcloak::map::StreetMap;
use meshcloak::mesh_cloak::{MeshCloak, Settings};
use std::ops::Range;
use std::sync::Arc;

/// A query has about as many neighbours as on Oldenburg with 300,000 agents.
const AGENTS: u32 = 30_000;
const SECONDS: Range<u64> = 55..61;

const PAPER: TurnStages = TurnStages {
    grouping: "crowd_paper_grouping",
    guard: "crowd_paper_guard",
    rest: "crowd_paper_rest",
};
const RECIPROCAL: TurnStages = TurnStages {
    grouping: "crowd_reciprocal_grouping",
    guard: "crowd_reciprocal_guard",
    rest: "crowd_reciprocal_rest",
};
const HISTORY: TurnStages = TurnStages {
    grouping: "crowd_history_grouping",
    guard: "crowd_history_guard",
    rest: "crowd_history_rest",
};

/// Counts the turns of profile `p2` in the small city.
pub fn count(meter: &mut Meter, map: &StreetMap) {
    let configuration = WorkloadConfiguration::new("p2", 3, 5);
    let batches: Vec<Batch> = batches(map, configuration, AGENTS, SECONDS);
    let queries = batches.iter().map(|batch| batch.arrivals.len()).sum();
    let atlas = Arc::new(Atlas::new(map.clone(), DC_MAX));
    atlas.fill();
    for (guarantee, stages, whole) in [
        (Guarantee::Paper, PAPER, "crowd_paper_turn"),
        (Guarantee::Reciprocal, RECIPROCAL, "crowd_reciprocal_turn"),
        (Guarantee::History, HISTORY, "crowd_history_turn"),
    ] {
        let settings = Settings { guarantee, ..Settings::default() };
        let mut scheme = MeshCloak::new(Arc::clone(&atlas), settings);
        count_turns(meter, &mut scheme, stages, &batches);
        meter.divide(whole, queries, "query");
    }
}
