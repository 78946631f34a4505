//! Claims about processing time, growth and areas.

use super::pairs::{metric_values, values};
use super::{Claim, Finding, Verdict};
use crate::report::batch::{self, BatchRuns};
use crate::report::data::Data;
use crate::report::number::{count, decimal, percent, range, significant};
use crate::report::spread::Spread;
use crate::results::RunRow;
use crate::schemes::PAPER;

/// Returns the claims in the order of §V.
pub(super) fn claims(data: &Data) -> Vec<Claim> {
    let mut all = times(data);
    all.extend(ratios(data));
    all.extend(growth(data));
    all
}

fn times(data: &Data) -> Vec<Claim> {
    let micros = values(&metric_values(data, |run| run.us_per_query));
    let ms: Vec<f64> = micros.iter().map(|micros| micros / 1000.0).collect();
    let rates: Vec<f64> = micros.iter().map(|micros| 1e6 / micros).collect();
    let fast = rates.iter().filter(|&&rate| rate >= 30_000.0).count();
    vec![
        Claim {
            claim: "A query takes about a tenth of a millisecond or less",
            paper: "0.1 ms; 0.0137 – 0.0410 ms in Table IV",
            finding: range(&ms, |ms| significant(ms) + " ms").map(|measured| Finding {
                measured,
                verdict: Verdict::when(ms.iter().all(|&ms| ms <= 0.1)),
            }),
            remark: "Different machine, several threads; the largest clique of each query is found \
                     without listing all cliques.",
        },
        Claim {
            claim: "Up to 30,000 queries per second",
            paper: "30,000 /s",
            finding: range(&rates, |rate| decimal(rate, 0) + " /s").map(|measured| Finding {
                measured,
                verdict: Verdict::of_share(fast, rates.len()),
            }),
            remark: "Inverse of the time per query at the load of the run; partly confirmed if only \
                     some configurations reach the rate.",
        },
    ]
}

/// Time ratios of two schemes, for the largest user count with which both ran.
struct TimeRatios {
    users: u32,
    ratios: Vec<f64>,
}

impl TimeRatios {
    fn of(data: &Data, slow: &str, fast: &str) -> TimeRatios {
        let ratio = |here: &BatchRuns<'_>| Some((here.users, here.ratio(slow, fast)?));
        let all: Vec<(u32, f64)> =
            batch::measured(data).iter().filter_map(|(_, here)| ratio(here)).collect();
        let users = all.iter().map(|(users, _)| *users).max().unwrap_or(0);
        let largest = all.into_iter().filter(|(count, _)| *count == users);
        TimeRatios { users, ratios: largest.map(|(_, ratio)| ratio).collect() }
    }

    fn range(&self) -> Option<String> {
        range(&self.ratios, |ratio| significant(ratio) + "×")
    }

    /// Confirms a claim if every ratio is at least `min`; `suffix` follows the range.
    fn finding(&self, min: f64, suffix: &str) -> Option<Finding> {
        let users = count(self.users.into());
        Some(Finding {
            measured: format!("{}{suffix} ({users} users)", self.range()?),
            verdict: Verdict::when(self.ratios.iter().all(|&ratio| ratio >= min)),
        })
    }
}

fn ratios(data: &Data) -> Vec<Claim> {
    let printed = TimeRatios::of(data, "sequential", "meshcloak-printed").range();
    let printed =
        printed.map_or(String::new(), |range| format!("; against the batch as printed {range}"));
    vec![
        Claim {
            claim: "Sequential processing is 300–690 times slower than batches",
            paper: "298× – 690×",
            finding: TimeRatios::of(data, "sequential", PAPER).finding(100.0, &printed),
            remark: "Our sequential implementation is optimised (flat arrays, spatial index). \
                     Confirmed from two orders of magnitude.",
        },
        Claim {
            claim: "By node is several times faster than by edge",
            paper: "“several times”",
            finding: TimeRatios::of(data, "sequential-edges", "sequential").finding(2.0, ""),
            remark: "Time by edge divided by time by node; confirmed from a factor of two.",
        },
        Claim {
            claim: "MeshCloak is two orders of magnitude faster than CliqueCloak",
            paper: "several to tens of ms for CliqueCloak",
            finding: TimeRatios::of(data, "clique-cloak", PAPER).finding(100.0, ""),
            remark: "The paper quotes times of other authors on older machines. Here both schemes \
                     run on the same queries and machine, and CliqueCloak uses a grid index.",
        },
    ]
}

fn growth(data: &Data) -> Vec<Claim> {
    vec![
        Claim {
            claim: "Graph time grows nearly linearly with the number of users",
            paper: "“nearly linear”",
            finding: graph_growth(data),
            remark: "Graph time per query at the largest user count divided by that at the \
                     smallest, same map and configuration; linear growth is 1×. The number of edges \
                     grows with the square of the density.",
        },
        Claim {
            claim: "Matrix time grows nearly linearly with the number of terminals",
            paper: "“nearly linear”",
            finding: matrix_growth(data),
            remark: "The maps also differ in the number of terminals within reach.",
        },
        Claim {
            claim: "Areas of ICliqueCloak grow up to 80 % of the map",
            paper: "80 %",
            finding: areas(data),
            remark: "Measured is the mean of a run; the paper quotes the worst case reported by the \
                     authors of ICliqueCloak.",
        },
    ]
}

/// Whether growth by `size` with `time_of_each` per element has an exponent of at most 1.25.
fn nearly_linear(size: f64, time_of_each: f64) -> Verdict {
    let fourth = time_of_each * time_of_each * time_of_each * time_of_each;
    Verdict::when(fourth <= size)
}

/// Growth between the smallest and the largest user count of one map and configuration.
struct GraphGrowth {
    /// Ratio of the user counts.
    users: f64,
    /// Ratio of the graph times per query.
    time: f64,
}

impl GraphGrowth {
    fn of(runs: &[&RunRow], run: &RunRow) -> Option<GraphGrowth> {
        let same =
            |other: &&&RunRow| (&other.map, &other.configuration) == (&run.map, &run.configuration);
        let users = || runs.iter().filter(same).map(|other| other.users);
        let graph_time = |users: u32| {
            let selected = runs.iter().filter(same).filter(|other| other.users == users);
            Spread::of(selected.filter_map(|other| other.us_graph)).map(|found| found.mean)
        };
        let (small, large) = (users().min()?, users().max()?);
        (small < large).then_some(())?;
        Some(GraphGrowth {
            users: f64::from(large) / f64::from(small),
            time: graph_time(large)? / graph_time(small)?,
        })
    }
}

fn graph_growth(data: &Data) -> Option<Finding> {
    let runs: Vec<&RunRow> = data.paper_runs().collect();
    let all: Vec<GraphGrowth> = runs.iter().filter_map(|run| GraphGrowth::of(&runs, run)).collect();
    let users = all.iter().map(|growth| growth.users).reduce(f64::max)?;
    let widest = all.iter().filter(|growth| growth.users == users);
    let times: Vec<f64> = widest.map(|growth| growth.time).collect();
    let max = times.iter().copied().reduce(f64::max)?;
    let each = range(&times, |ratio| decimal(ratio, 1) + "×")?;
    let measured = format!("{}× the users: {each} the time per query", decimal(users, 0));
    Some(Finding { measured, verdict: nearly_linear(users, max) })
}

fn matrix_growth(data: &Data) -> Option<Finding> {
    let small = data.maps.iter().min_by_key(|map| map.nodes)?;
    let large = data.maps.iter().max_by_key(|map| map.nodes)?;
    let size = large.nodes as f64 / small.nodes as f64;
    let time = large.matrix_ms / small.matrix_ms;
    (large.nodes > small.nodes && time.is_finite()).then(|| Finding {
        measured: format!(
            "{} → {} nodes: {}× the nodes, {}× the time",
            count(small.nodes),
            count(large.nodes),
            decimal(size, 1),
            decimal(time, 1)
        ),
        verdict: nearly_linear(size, time / size),
    })
}

fn areas(data: &Data) -> Option<Finding> {
    let runs = data.runs.iter().filter(|run| run.scheme == "i-clique-cloak");
    let shares: Vec<f64> = runs
        .filter_map(|run| {
            Some(
                run.max_region_area_m2.or(run.region_area_m2)? / 1e6 / data.map(&run.map)?.area_km2,
            )
        })
        .filter(|share| share.is_finite())
        .collect();
    let max = shares.iter().copied().reduce(f64::max)?;
    let measured = range(&shares, |share| percent(Some(share)))?;
    Some(Finding { measured, verdict: Verdict::when(max >= 0.4) })
}
