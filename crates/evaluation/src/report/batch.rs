//! Table IV: batches against one query at a time.

use super::data::Data;
use super::number::{count, percent, three};
use super::page::{Section, Table};
use super::paper::{self, PaperTimes, map_title};
use super::spread::{Column, Spread};
use crate::schemes::PAPER;

/// The mean of a column over the seeds of a scheme on P1 with k up to 5.
pub(super) struct Times<'a> {
    pub data: &'a Data,
    pub map: &'a str,
    pub users: u32,
    pub dt: f64,
}

impl Times<'_> {
    /// Of a scheme in a view.
    pub fn column(&self, scheme: &str, view: &str, column: Column) -> Option<f64> {
        let runs = self.data.runs.iter().filter(|run| {
            (run.map.as_str(), run.users, run.dt) == (self.map, self.users, self.dt)
                && (run.scheme.as_str(), run.view.as_str()) == (scheme, view)
                && run.configuration.starts_with("P1-")
                && run.k_max == 5
        });
        Spread::of(runs.filter_map(column)).map(|found| found.mean)
    }

    /// Milliseconds of a query.
    pub fn ms(&self, scheme: &str) -> Option<f64> {
        self.column(scheme, "unlimited", |run| run.us_per_query).map(|micros| micros / 1000.0)
    }

    /// How many times slower one scheme is than another.
    pub fn ratio(&self, slow: &str, fast: &str) -> Option<f64> {
        Some(self.ms(slow)? / self.ms(fast)?).filter(|ratio| ratio.is_finite())
    }
}

/// All rows of the table for which batches and one-by-one ran: the paper's row and our number of
/// people, the largest first.
pub(super) fn measured(data: &Data) -> Vec<(&'static PaperTimes, Times<'_>)> {
    let mut users: Vec<u32> = data.runs.iter().map(|run| run.users).collect();
    users.sort_unstable_by(|a, b| b.cmp(a));
    users.dedup();
    let mut all = Vec::new();
    for users in users {
        for row in &paper::TIMES {
            let times = Times { data, map: row.ours, users, dt: row.dt };
            if times.ratio("sequential", PAPER).is_some() {
                all.push((row, times));
            }
        }
    }
    all
}

/// The section.
pub(super) fn section(data: &Data) -> Section {
    let mut section = Section::new("batch", "Table IV: batch against sequential processing");
    let rows = measured(data);
    if rows.is_empty() {
        section.missing(
            "it needs meshcloak/paper and sequential on Oldenburg or Porto Alegre, P1, k up to 5, dt 3 \
             or 5 s (experiments/tab-4-sequential.toml).",
        );
        return section;
    }
    let mut times = Table::new([
        "configuration",
        "people",
        "batch (ms/query)",
        "batch, paper’s",
        "as printed (ms/query)",
        "by node (ms/query)",
        "by node, paper’s",
        "by edge (ms/query)",
        "CliqueCloak (ms/query)",
        "by node / batch",
        "by node / batch, paper’s",
    ]);
    let mut success = Table::new([
        "configuration",
        "people",
        "batch, unlimited",
        "batch, real time",
        "by node, unlimited",
        "by node, real time",
    ]);
    for (row, here) in &rows {
        let name = format!("{}-P1 (dt={}, k=5)", map_title(row.ours), row.dt);
        let ms = |scheme: &str| here.ms(scheme).map_or("–".to_owned(), three);
        let ratio = here.ratio("sequential", PAPER);
        times.row([
            name.clone(),
            count(here.users.into()),
            ms(PAPER),
            three(row.batch_ms),
            ms("meshcloak-printed"),
            ms("sequential"),
            three(row.sequential_ms),
            ms("sequential-edges"),
            ms("clique-cloak"),
            ratio.map_or("–".to_owned(), |ratio| three(ratio) + "×"),
            three(row.ratio) + "×",
        ]);
        let rate = |scheme, view| percent(here.column(scheme, view, |run| run.success_rate));
        success.row([
            name,
            count(here.users.into()),
            rate(PAPER, "unlimited"),
            rate(PAPER, "realtime"),
            rate("sequential", "unlimited"),
            rate("sequential", "realtime"),
        ]);
    }
    section.table(&times);
    section.say(
        "Porto Alegre stands for Hanoi. “As printed” is the batch by the paper’s own algorithms \
         without our shortcuts. The paper measures 100,000 people; with fewer, graphs are \
         sparser and there are fewer cliques to keep. Our sequential \
         processing keeps its cliques in flat arrays and asks an index for neighbours; the paper \
         attributes its times to costly set operations.",
    );
    section.heading("Success when processing takes time");
    section.table(&success);
    section.paper("says without a number that slow processing costs success, for queries expire.");
    section
}
