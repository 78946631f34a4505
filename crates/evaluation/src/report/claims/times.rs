//! Claims about processing time, from the timing pass alone.

use super::{Claim, Finding, Verdict};
use crate::load::MAX_LOAD;
use crate::report::batch::{self, BatchRuns};
use crate::report::data::Data;
use crate::report::number::{count, decimal, percent, range, significant};
use crate::report::spread::Spread;
use crate::results::RunRow;
use crate::schemes::PAPER;

/// Claims of §I, §V-B.2 and §V-B.3.
pub(super) const CLAIMS: [Claim; 7] = [
    Claim {
        says: "A query takes about a tenth of a millisecond (§V-B.2)",
        find: time_per_query,
        why: [
            "One thread. The largest clique of each query is found without listing all of them.",
            "One thread, in the timing pass.",
        ],
    },
    Claim {
        says: "Up to 30,000 queries per second (§I)",
        find: rate,
        why: [
            "Inverse of the time per query of the fastest configuration, one thread.",
            "Inverse of the time per query of the fastest configuration, one thread.",
        ],
    },
    Claim {
        says: "Listing the maximal cliques takes a fraction of the time (§V-B.1)",
        find: clique_share,
        why: [
            "Share of the clique stage in the batch as printed (Tomita), and its longest batch.",
            "Share of the clique stage in the batch as printed (Tomita), and its longest batch.",
        ],
    },
    Claim {
        says: "Sequential processing is 298 to 690 times slower than batches (Table IV)",
        find: sequential,
        why: [
            "The same users in both; against our batch and against the batch as printed.",
            "The same users in both. A waiting query is in no clique of its own k, so the cliques to \
             maintain stay small, and ours are flat arrays found by a spatial index; the paper \
             attributes its times to costly set operations.",
        ],
    },
    Claim {
        says: "Maintaining cliques by node is several times faster than by edge (§V-B.3)",
        find: |data| TimeRatios::of(data, "sequential-edges", "sequential").finding(2.0, ""),
        why: [
            "Time by edge divided by time by node; confirmed from a factor of two.",
            "Time by edge divided by time by node. Both times contain distances and meshes, which are the \
             same in both.",
        ],
    },
    Claim {
        says: "MeshCloak is two orders of magnitude faster than CliqueCloak (§I)",
        find: |data| TimeRatios::of(data, "clique-cloak", PAPER).finding(100.0, ""),
        why: [
            "Same queries and machine.",
            "The paper quotes other authors’ times on older machines. Here both run on the same \
             queries and machine, and CliqueCloak has a grid index.",
        ],
    },
    Claim {
        says: "Slow sequential processing lowers the success rate heavily (§V-B.3)",
        find: real_time,
        why: [
            "Success in real time, batch against sequential.",
            "Success in real time, batch against sequential; confirmed below four fifths.",
        ],
    },
];

/// Timed runs with the users of the figures.
fn timed(data: &Data) -> Vec<&RunRow> {
    let users = data.main_runs().first().map_or(0, |run| run.users);
    data.timed_runs().filter(|run| run.users == users).collect()
}

/// Note on runs that other processes disturbed.
pub(super) fn load_note(runs: &[&RunRow]) -> String {
    let is_marked = |run: &&&RunRow| run.max_load().is_some_and(|load| load > MAX_LOAD);
    match runs.iter().filter(is_marked).count() {
        0 => String::new(),
        marked => format!(" ({marked} of {} runs on a loaded machine)", runs.len()),
    }
}

fn time_per_query(data: &Data) -> Option<Finding> {
    let runs = timed(data);
    let ms: Vec<f64> = runs.iter().filter_map(|run| Some(run.us_per_query? / 1000.0)).collect();
    let measured = range(&ms, |ms| significant(ms) + " ms")? + &load_note(&runs);
    Some(Finding { measured, verdict: Verdict::when(ms.iter().all(|&ms| ms <= 0.1)) })
}

fn rate(data: &Data) -> Option<Finding> {
    let runs = timed(data);
    let rates = runs.iter().filter_map(|run| Some(1e6 / run.us_per_query?));
    let max = rates.reduce(f64::max)?;
    let measured = format!("up to {} /s{}", decimal(max, 0), load_note(&runs));
    Some(Finding { measured, verdict: Verdict::when(max >= 30_000.0) })
}

fn clique_share(data: &Data) -> Option<Finding> {
    let is_printed = |run: &&RunRow| run.scheme == "meshcloak-printed" && run.view == "timed";
    let runs: Vec<&RunRow> = data.runs.iter().filter(is_printed).collect();
    let shares: Vec<f64> =
        runs.iter().filter_map(|run| Some(run.us_cliques? / run.us_per_query?)).collect();
    let worst = runs.iter().map(|run| run.worst_batch_ms).reduce(f64::max)?;
    let share = range(&shares, |share| percent(Some(share)))?;
    let small = shares.iter().all(|&share| share < 0.5);
    Some(Finding {
        measured: format!(
            "{share} of the batch; worst batch {} ms{}",
            decimal(worst, 0),
            load_note(&runs)
        ),
        verdict: Verdict::in_readings(small && worst < 1000.0, small),
    })
}

/// Time ratios of two schemes, for the largest user count with which both ran.
struct TimeRatios {
    users: u32,
    ratios: Vec<f64>,
    /// Note on the load of their runs.
    note: String,
}

impl TimeRatios {
    fn of(data: &Data, slow: &str, fast: &str) -> TimeRatios {
        let ratio = |here: &BatchRuns<'_>| Some((here.users, here.ratio(slow, fast)?));
        let all: Vec<(u32, f64)> =
            batch::measured(data).iter().filter_map(|(_, here)| ratio(here)).collect();
        let users = all.iter().map(|(users, _)| *users).max().unwrap_or(0);
        let largest = all.into_iter().filter(|(count, _)| *count == users);
        let is_used = |run: &&RunRow| {
            run.users == users && run.view == "timed" && [slow, fast].contains(&run.scheme.as_str())
        };
        let note = load_note(&data.runs.iter().filter(is_used).collect::<Vec<_>>());
        TimeRatios { users, ratios: largest.map(|(_, ratio)| ratio).collect(), note }
    }

    fn range(&self) -> Option<String> {
        range(&self.ratios, |ratio| significant(ratio) + "×")
    }

    /// Confirms a claim if every ratio is at least `min`; `suffix` follows the range.
    fn finding(&self, min: f64, suffix: &str) -> Option<Finding> {
        let users = count(self.users.into());
        Some(Finding {
            measured: format!("{}{suffix} ({users} users){}", self.range()?, self.note),
            verdict: Verdict::when(self.ratios.iter().all(|&ratio| ratio >= min)),
        })
    }
}

fn sequential(data: &Data) -> Option<Finding> {
    let printed = TimeRatios::of(data, "sequential", "meshcloak-printed").range();
    let printed =
        printed.map_or(String::new(), |range| format!("; against the batch as printed {range}"));
    TimeRatios::of(data, "sequential", PAPER).finding(100.0, &printed)
}

fn real_time(data: &Data) -> Option<Finding> {
    let rate = |scheme: &str| {
        let is_here = |run: &&RunRow| run.scheme == scheme && run.view == "realtime";
        Spread::of(data.runs.iter().filter(is_here).filter_map(|run| run.success_rate))
    };
    let (batch, sequential) = (rate(PAPER)?, rate("sequential")?);
    let runs: Vec<&RunRow> = data.runs.iter().filter(|run| run.view == "realtime").collect();
    let words = |found: Spread| percent(Some(found.mean));
    Some(Finding {
        measured: format!(
            "{} in batches, {} sequentially{}",
            words(batch),
            words(sequential),
            load_note(&runs)
        ),
        verdict: Verdict::when(sequential.mean < 0.8 * batch.mean),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_on_a_loaded_machine_are_marked_by_their_largest_load() {
        let run = |before, during| RunRow {
            load_before: Some(before),
            load_during: Some(during),
            load_after: Some(0.0),
            ..RunRow::default()
        };
        let runs = [run(0.1, 0.1), run(0.9, 0.1), run(0.0, 0.31), RunRow::default()];
        let runs: Vec<&RunRow> = runs.iter().collect();
        assert_eq!(load_note(&runs), " (2 of 4 runs on a loaded machine)");
        assert_eq!(load_note(&runs[..1]), "");
    }
}
