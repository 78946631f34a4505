//! Summary of a simulation as a table or as JSON.

use super::Simulate;
use crate::table::{Table, decimal, grouped};
use import::Imported;
use serde_json::{Value, json};
use traffic::{Profile, SimulatedBatch, Totals};

/// Counts over all seconds.
#[derive(Debug, Default)]
pub struct SimulationSummary {
    /// Totals of the simulation.
    pub totals: Totals,
    new: Vec<u64>,
    agent_seconds: u64,
    standing_seconds: u64,
}

impl SimulationSummary {
    /// Adds a second.
    pub fn count(&mut self, batch: &SimulatedBatch) {
        self.new.push(batch.queries.len() as u64);
        self.agent_seconds += u64::from(batch.present);
        self.standing_seconds += u64::from(batch.standing);
    }

    /// Last simulated second.
    pub fn last_second(&self) -> usize {
        self.new.len().saturating_sub(1)
    }

    /// New queries in each second.
    pub fn new_queries(&self) -> &[u64] {
        &self.new
    }

    fn mean_new(&self) -> f64 {
        self.totals.queries as f64 / self.new.len().max(1) as f64
    }

    fn travelled_km(&self) -> f64 {
        self.totals.travelled as f64 / 1e9
    }

    /// Mean speed in metres per second, including standing agents.
    fn mean_speed(&self) -> f64 {
        self.travelled_km() * 1000.0 / self.agent_seconds.max(1) as f64
    }

    fn standing_share(&self) -> f64 {
        self.standing_seconds as f64 / self.agent_seconds.max(1) as f64
    }

    /// Formats the summary as a table.
    pub fn table(&self, users: u32, profile: &Profile) -> String {
        let extreme = |found: Option<&u64>| grouped(found.copied().unwrap_or(0));
        let mut table = Table::default();
        table.heading("Simulation");
        table.row("agents", grouped(users.into()));
        table.row("queries", grouped(self.totals.queries));
        table.row("seconds", grouped(self.new.len() as u64));
        table.row("largest dc", format!("{} m", decimal(profile.largest_constraint().as_metres())));
        table.heading("New queries per second");
        table.row("smallest", extreme(self.new.iter().min()));
        table.row("mean", decimal(self.mean_new()));
        table.row("largest", extreme(self.new.iter().max()));
        table.heading("Movement");
        table.row("travelled", format!("{} km", decimal(self.travelled_km())));
        table.row("mean speed", format!("{} m/s", decimal(self.mean_speed())));
        table.row("standing", format!("{:.1} %", self.standing_share() * 100.0));
        table.row("changes of route", grouped(self.totals.changes_of_route));
        table.render()
    }

    /// Returns the summary as one JSON object.
    pub fn json(&self, arguments: &Simulate, imported: &Imported, profile: &Profile) -> Value {
        json!({
            "map": imported.provenance.source,
            "profile": arguments.traffic.profile,
            "seed": arguments.traffic.seed,
            "people": arguments.users,
            "queries": self.totals.queries,
            "seconds": self.new.len(),
            "largest_dc": profile.largest_constraint().as_metres(),
            "new_per_second": {
                "fewest": self.new.iter().min(),
                "mean": self.mean_new(),
                "most": self.new.iter().max(),
            },
            "travelled_km": self.travelled_km(),
            "mean_speed": self.mean_speed(),
            "standing_share": self.standing_share(),
            "changes_of_route": self.totals.changes_of_route,
        })
    }
}
