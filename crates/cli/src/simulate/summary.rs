//! What a simulation came to, as a table.

use crate::table::{Table, decimal, grouped};
use traffic::{Batch, Profile, Totals};

/// Counts over all seconds.
#[derive(Debug, Default)]
pub struct Summary {
    /// What the simulation itself counted.
    pub totals: Totals,
    new: Vec<u64>,
    people_seconds: u64,
    standing_seconds: u64,
}

impl Summary {
    /// Takes note of a second.
    pub fn count(&mut self, batch: &Batch) {
        self.new.push(batch.queries.len() as u64);
        self.people_seconds += u64::from(batch.present);
        self.standing_seconds += u64::from(batch.standing);
    }

    /// The last second that passed.
    pub fn last_second(&self) -> usize {
        self.new.len().saturating_sub(1)
    }

    /// The table.
    pub fn table(&self, users: u32, profile: &Profile) -> String {
        let seconds = self.new.len().max(1);
        let queries = self.totals.queries;
        let km = self.totals.travelled as f64 / 1e9;
        let share = |part: u64, whole: u64| part as f64 / whole.max(1) as f64;
        let extreme = |found: Option<&u64>| grouped(found.copied().unwrap_or(0));
        let mut table = Table::default();
        table.heading("Simulation");
        table.row("people", grouped(users.into()));
        table.row("queries", grouped(queries));
        table.row("seconds", grouped(seconds as u64));
        table.row("largest dc", format!("{} m", decimal(profile.largest_constraint().as_metres())));
        table.heading("New queries in a second");
        table.row("fewest", extreme(self.new.iter().min()));
        table.row("mean", decimal(queries as f64 / seconds as f64));
        table.row("most", extreme(self.new.iter().max()));
        table.heading("Movement");
        table.row("travelled", format!("{} km", decimal(km)));
        table.row(
            "mean speed",
            format!("{} m/s", decimal(km * 1000.0 / self.people_seconds.max(1) as f64)),
        );
        let standing = share(self.standing_seconds, self.people_seconds);
        table.row("standing", format!("{:.1} %", standing * 100.0));
        table.row("changes of route", grouped(self.totals.changes_of_route));
        table.render()
    }
}
