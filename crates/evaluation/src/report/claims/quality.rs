//! Claims about success rate, set size, delay and the promise of reciprocity.

use super::pairs::{MetricValue, longer_dt, metric_values, ordered, p2_over_p1, values};
use super::{Claim, Finding, Verdict};
use crate::distinct::sorted_distinct;
use crate::report::data::Data;
use crate::report::number::{decimal, percent, range};
use crate::report::spread::Spread;
use crate::results::RunRow;
use crate::schemes::PAPER;

/// Claims in the order of §V.
pub(super) const CLAIMS: [Claim; 9] = [
    Claim {
        says: "Members of a set are reciprocal: a user can be any of at least k (§I, §II-A)",
        find: reciprocity,
        why: [
            "Each region leads to at least k users even if all positions are known.",
            "Each query takes its own largest clique, so sets overlap. An adversary who knows the \
             positions runs the algorithm for every member and keeps those who give the same region.",
        ],
    },
    Claim {
        says: "Success falls with larger k (§V-B.2)",
        find: by_k,
        why: ["Fewer cliques reach a larger k.", "Same map, profile and dt."],
    },
    Claim {
        says: "Success falls with smaller dt (§V-B.2)",
        find: by_dt,
        why: [
            "A longer dt gives a query more candidates.",
            "It holds if each query counts once. The printed ratio divides by SUCCEEDED + WAITING of \
             every batch, in which a query that waits longer counts more often.",
        ],
    },
    Claim {
        says: "Success is higher in P2 than in P1 (§V-B.2)",
        find: |data| ordered(&metric_values(data, |run| run.success_rate), p2_over_p1),
        why: [
            "Users of P2 ask less often, so their distance constraints are longer and graphs denser.",
            "Same map, k and dt.",
        ],
    },
    Claim {
        says: "Relative k is always above one (§V-B.2)",
        find: |data| {
            let k = metric_values(data, |run| run.relative_k);
            all_above(&k, 1.0, |value| decimal(value, 2))
        },
        why: ["A set has at least k members by construction.", "A set is smaller than k."],
    },
    Claim {
        says: "Relative k is fairly independent of dt (§V-B.2)",
        find: relative_k_by_dt,
        why: [
            "A served query leaves the waiting list, so a longer dt hardly makes the graph denser.",
            "The largest difference on one map, profile and k is above 10 %.",
        ],
    },
    Claim {
        says: "Relative k is higher in P2 (§V-B.2)",
        find: |data| ordered(&metric_values(data, |run| run.relative_k), p2_over_p1),
        why: ["Denser graphs have larger cliques.", "Same map, k and dt."],
    },
    Claim {
        says: "Relative dt falls considerably with dt (§V-B.2)",
        find: |data| {
            let shorter = |a: &MetricValue<'_>, b: &MetricValue<'_>| longer_dt(b, a);
            ordered(&metric_values(data, |run| run.relative_dt), shorter)
        },
        why: [
            "Most queries are served by the first batch, whatever their dt.",
            "Same map, profile and k.",
        ],
    },
    Claim {
        says: "Most queries are cloaked within two seconds (§V-B.2)",
        find: within_two_seconds,
        why: [
            "Most queries find their set in the first batch. It holds also if a query joins the \
             batch after the next.",
            "Share of the succeeded queries, each counted.",
        ],
    },
];

fn reciprocity(data: &Data) -> Option<Finding> {
    let rows = data.privacy.iter().filter(|row| row.scheme == PAPER && row.attack == "inversion");
    let below = Spread::of(rows.filter_map(|row| row.below_k))?;
    let measured = format!("{} of publications lead to fewer than k", percent(Some(below.mean)));
    Some(Finding { measured, verdict: Verdict::when(below.max == 0.0) })
}

fn by_k(data: &Data) -> Option<Finding> {
    let rates = metric_values(data, |run| run.success_rate);
    let words = range(&values(&rates), |rate| percent(Some(rate)))?;
    let smaller_k = |a: &MetricValue<'_>, b: &MetricValue<'_>| {
        a.has_same_map_and_profile(b)
            && a.configuration.dt == b.configuration.dt
            && a.configuration.k_max < b.configuration.k_max
    };
    let found = ordered(&rates, smaller_k)?;
    Some(Finding { measured: format!("{}; success {words}", found.measured), ..found })
}

/// Judges by both ratios: confirmed only if the printed one agrees.
fn by_dt(data: &Data) -> Option<Finding> {
    let ours = ordered(&metric_values(data, |run| run.success_rate), longer_dt)?;
    let printed = ordered(&metric_values(data, |run| run.printed_success_rate), longer_dt)?;
    let holds = |found: &Finding| found.verdict == Verdict::Confirmed;
    Some(Finding {
        measured: format!("{}; by the ratio as printed {}", ours.measured, printed.measured),
        verdict: Verdict::in_readings(
            holds(&ours) && holds(&printed),
            holds(&ours) || holds(&printed),
        ),
    })
}

/// Formats the range of `all` and confirms a claim if every value is above `min`.
fn all_above(all: &[MetricValue<'_>], min: f64, write: fn(f64) -> String) -> Option<Finding> {
    let verdict = Verdict::when(all.iter().all(|one| one.value > min));
    range(&values(all), write).map(|measured| Finding { measured, verdict })
}

fn relative_k_by_dt(data: &Data) -> Option<Finding> {
    let k = metric_values(data, |run| run.relative_k);
    let pairs = k.iter().flat_map(|a| k.iter().map(move |b| (a, b)));
    let same_but_dt = pairs.filter(|(a, b)| longer_dt(a, b) || longer_dt(b, a));
    let ratio = same_but_dt.map(|(a, b)| a.value / b.value).reduce(f64::max)?;
    let measured = format!("differs by up to {}", percent(Some(ratio - 1.0)));
    Some(Finding { measured, verdict: Verdict::when(ratio < 1.1) })
}

fn within_two_seconds(data: &Data) -> Option<Finding> {
    let shares = metric_values(data, |run| run.served_within_2s);
    let found = all_above(&shares, 0.5, |share| percent(Some(share)))?;
    let late: Vec<f64> = data.late_runs().filter_map(|run| run.served_within_2s).collect();
    let late_range = range(&late, |share| percent(Some(share)));
    let seeds = |runs: &[&RunRow]| sorted_distinct(runs.iter().map(|run| run.seed)).len();
    let has_fewer = seeds(&data.late_runs().collect::<Vec<_>>()) < seeds(&data.main_runs());
    let note = if has_fewer { " (fewer seeds)" } else { "" };
    let late_words =
        late_range.map_or(String::new(), |words| format!("; a batch later {words}{note}"));
    Some(Finding { measured: format!("{}{late_words}", found.measured), ..found })
}
