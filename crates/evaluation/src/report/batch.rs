//! Section "Table IV": batch against sequential processing. Reports of own experiments show it without
//! the figures of the paper.

use super::data::Data;
use super::number::{count, percent, significant};
use super::page::{HtmlTable, ReportSection};
use super::paper::{self, PaperTimes, map_title};
use super::spread::{Column, FormatSpread as _, Spread};
use crate::distinct::sorted_distinct;
use crate::schemes::PAPER;

/// Runs of one map, user count and dt on P1 with k ≤ 5.
pub(super) struct BatchRuns<'a> {
    pub data: &'a Data,
    pub map: &'a str,
    pub users: u32,
    pub dt: f64,
}

impl BatchRuns<'_> {
    /// Summarises a column over the seeds of a scheme in a view.
    fn spread(&self, scheme: &str, view: &str, column: Column) -> Option<Spread> {
        let runs = self.data.runs.iter().filter(|run| {
            (run.map.as_str(), run.users, run.dt) == (self.map, self.users, self.dt)
                && (run.scheme.as_str(), run.view.as_str()) == (scheme, view)
                && run.configuration.starts_with("P1-")
                && run.k_max == 5
        });
        Spread::of(runs.filter_map(column))
    }

    /// Processing time in ms/query: that of the timing pass, if there was one.
    fn ms(&self, scheme: &str) -> Option<Spread> {
        self.timed(scheme, |run| run.us_per_query).map(|micros| micros.times(0.001))
    }

    /// Summary of a column in the timing pass, else with unlimited time; of the paper's results in the
    /// timing pass only.
    fn timed(&self, scheme: &str, column: Column) -> Option<Spread> {
        let timed = self.spread(scheme, "timed", column);
        match self.data.is_paper() {
            true => timed,
            false => timed.or_else(|| self.spread(scheme, "unlimited", column)),
        }
    }

    /// Success rate with unlimited time; the timing pass gives the same answers.
    fn unlimited_success(&self, scheme: &str) -> Option<Spread> {
        let rate: Column = |run| run.success_rate;
        self.spread(scheme, "unlimited", rate).or_else(|| self.spread(scheme, "timed", rate))
    }

    /// Processing time of `slow` divided by that of `fast`.
    pub fn ratio(&self, slow: &str, fast: &str) -> Option<f64> {
        Some(self.ms(slow)?.mean / self.ms(fast)?.mean).filter(|ratio| ratio.is_finite())
    }
}

/// Returns every row of the paper's table for which batch and sequential processing ran, by
/// descending user count.
pub(super) fn measured(data: &Data) -> Vec<(&'static PaperTimes, BatchRuns<'_>)> {
    let mut all = Vec::new();
    for users in sorted_distinct(data.runs.iter().map(|run| run.users)).into_iter().rev() {
        for row in &paper::TIMES {
            let here = BatchRuns { data, map: row.ours, users, dt: row.dt };
            if here.ratio("sequential", PAPER).is_some() {
                all.push((row, here));
            }
        }
    }
    all
}

/// Builds the section.
pub(super) fn section(data: &Data) -> ReportSection {
    let title = match data.is_paper() {
        true => "Table IV: batch against sequential processing",
        false => "Batch against sequential processing",
    };
    let mut section = ReportSection::new("batch", title);
    let rows = measured(data);
    if rows.is_empty() {
        section.leave_out(match data.is_paper() {
            true => "the timing pass has no such runs (meshcloak evaluate --paper --pass times).",
            false => {
                "requires meshcloak/paper and sequential on Oldenburg or Porto Alegre, P1, k ≤ 5, dt \
                 3 or 5 s (experiments/tab-4-sequential.toml)."
            }
        });
        return section;
    }
    if !data.is_paper() {
        let mut table = time_table(&rows);
        table.drop_columns(|name| name.ends_with(", paper"));
        section.table(&table);
        section.paragraph(
            "“As printed” is the batch with the paper’s algorithms and without our optimisations.",
        );
        section.heading("Success rate when processing takes time");
        section.table(&success_table(&rows));
        return section;
    }
    section.table(&time_table(&rows));
    section.paragraph(
        "Porto Alegre replaces Hanoi. “As printed” is the batch with the paper’s algorithms and \
         without our optimisations. All schemes run all users over the whole time. Several seeds: \
         mean (lowest–highest). Our sequential processing stores cliques in flat arrays \
         and finds neighbours by a spatial index; the paper attributes its times to costly set \
         operations.",
    );
    section.heading("Success rate when processing takes time");
    section.table(&success_table(&rows));
    section.paper_note("states without a number that slow processing lowers the success rate.");
    section
}

fn row_name(row: &PaperTimes) -> String {
    format!("{}-P1 (dt={}, k=5)", map_title(row.ours), row.dt)
}

fn time_table(rows: &[(&PaperTimes, BatchRuns<'_>)]) -> HtmlTable {
    let mut table = HtmlTable::default();
    for (row, here) in rows {
        let ms = |scheme: &str| here.ms(scheme).format(significant);
        let ratio = here.ratio("sequential", PAPER);
        table.record([
            ("configuration", row_name(row)),
            ("users", count(here.users.into())),
            ("batch (ms/query)", ms(PAPER)),
            ("batch, paper", significant(row.batch_ms)),
            ("batch as printed (ms/query)", ms("meshcloak-printed")),
            ("by node (ms/query)", ms("sequential")),
            ("by node, paper", significant(row.sequential_ms)),
            ("by edge (ms/query)", ms("sequential-edges")),
            ("CliqueCloak (ms/query)", ms("clique-cloak")),
            ("by node / batch", ratio.map_or("–".to_owned(), |ratio| significant(ratio) + "×")),
            ("by node / batch, paper", significant(row.ratio) + "×"),
        ]);
    }
    table
}

fn success_table(rows: &[(&PaperTimes, BatchRuns<'_>)]) -> HtmlTable {
    let mut table = HtmlTable::default();
    for (row, here) in rows {
        let share = |value| percent(Some(value));
        let real_time =
            |scheme| here.spread(scheme, "realtime", |run| run.success_rate).format(share);
        let unlimited = |scheme| here.unlimited_success(scheme).format(share);
        table.record([
            ("configuration", row_name(row)),
            ("users", count(here.users.into())),
            ("batch, unlimited", unlimited(PAPER)),
            ("batch, real time", real_time(PAPER)),
            ("by node, unlimited", unlimited("sequential")),
            ("by node, real time", real_time("sequential")),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::RunRow;

    #[test]
    fn own_experiments_are_not_compared_with_the_paper() {
        let run = |scheme: &str, us_per_query| RunRow {
            map: "oldenburg".into(),
            users: 400,
            configuration: "P1-3-5".into(),
            k_max: 5,
            dt: 3.0,
            scheme: scheme.into(),
            view: "unlimited".into(),
            us_per_query: Some(us_per_query),
            ..RunRow::default()
        };
        let data = Data { runs: vec![run(PAPER, 2.0), run("sequential", 6.0)], ..Data::default() };
        let (html, _) = super::super::page::page("t", vec![section(&data)]);
        assert!(html.contains("3.00×") && html.contains("Batch against sequential"), "{html}");
        for word in ["Table IV", ", paper", "Hanoi", "<b>The paper</b>"] {
            assert!(!html.contains(word), "{word}");
        }
    }
}
