//! Claims about success rate, set size, delay and mesh length.

use super::pairs::{MetricValue, metric_values, ordered, values};
use super::{Claim, Finding, Verdict};
use crate::report::data::Data;
use crate::report::number::{count, decimal, percent, range};

/// Returns the claims in the order of §V.
pub(super) fn claims(data: &Data) -> Vec<Claim> {
    let mut all = success(data);
    all.extend(mesh(data));
    all.extend(relative_k(data));
    all.extend(delays(data));
    all.push(graph_size(data));
    all
}

fn success(data: &Data) -> Vec<Claim> {
    let rates = metric_values(data, |run| run.success_rate);
    let words = range(&values(&rates), |rate| percent(Some(rate)));
    let words = words.map_or(String::new(), |words| format!("; success rate {words}"));
    let smaller_k = |a: &MetricValue<'_>, b: &MetricValue<'_>| {
        a.has_same_map_and_profile(b)
            && a.configuration.dt == b.configuration.dt
            && a.configuration.k_max < b.configuration.k_max
    };
    let printed = ordered(&metric_values(data, |run| run.printed_success_rate), longer_dt, "");
    // The claim is confirmed only if the paper's ratio agrees.
    let by_dt = ordered(&rates, longer_dt, "").map(|found| match &printed {
        Some(printed) => Finding {
            measured: format!("{}; by the ratio as printed {}", found.measured, printed.measured),
            verdict: match found.verdict == printed.verdict {
                true => found.verdict,
                false => Verdict::Partly,
            },
        },
        None => found,
    });
    vec![
        Claim {
            claim: "Success falls with larger k",
            paper: "a figure",
            finding: ordered(&rates, smaller_k, &words),
            remark: "Same map, profile and dt; success rate = succeeded / (succeeded + expired).",
        },
        Claim {
            claim: "Success falls with smaller dt",
            paper: "a figure",
            finding: by_dt,
            remark: "Same map, profile and k. A longer dt gives a query more candidates; the ratio \
                     as printed counts waiting queries in every batch, so it falls with longer dt.",
        },
        Claim {
            claim: "Success is higher in P2 than in P1",
            paper: "a figure",
            finding: ordered(&rates, p2_over_p1, ""),
            remark: "Same map, k and dt. Users of P2 ask less often, so their distance constraints \
                     are longer and their graphs denser.",
        },
    ]
}

fn longer_dt(a: &MetricValue<'_>, b: &MetricValue<'_>) -> bool {
    a.has_same_map_and_profile(b)
        && a.configuration.k_max == b.configuration.k_max
        && a.configuration.dt > b.configuration.dt
}

fn shorter_dt(a: &MetricValue<'_>, b: &MetricValue<'_>) -> bool {
    longer_dt(b, a)
}

fn p2_over_p1(a: &MetricValue<'_>, b: &MetricValue<'_>) -> bool {
    let key = |one: &MetricValue<'_>| (one.configuration.k_max, one.configuration.dt);
    let profiles = (a.configuration.profile.as_str(), b.configuration.profile.as_str());
    a.map == b.map && key(a) == key(b) && profiles == ("p2", "p1")
}

fn mesh(data: &Data) -> Vec<Claim> {
    let whole = metric_values(data, |run| run.region_metres);
    let per_member = metric_values(data, |run| run.region_metres_per_member);
    vec![
        Claim {
            claim: "A mesh is about a thousandth of the total street length",
            paper: "1 ‰",
            finding: share_of_streets(data, &whole, &per_member),
            remark: "The paper does not define the average; confirmed if the length per member is \
                     within a factor of three.",
        },
        Claim {
            claim: "Mesh length is stable across profiles and k",
            paper: "“quite stable”",
            finding: stable(&whole, &per_member),
            remark: "Largest divided by smallest value on the same map. Distance constraints of P2 \
                     are 2.6 times as long on average.",
        },
        Claim {
            claim: "Meshes are longer on maps with more street",
            paper: "Paris and Singapore above the others",
            finding: ordered(&per_member, |a, b| longer_map(data, a, b), ", per member"),
            remark: "Same configuration on two maps. The maps differ less in street length than the \
                     paper’s, and street density matters more than street length.",
        },
    ]
}

/// Mesh length divided by the total street length of its map, in ‰.
fn share_of_streets(
    data: &Data,
    whole: &[MetricValue<'_>],
    per_member: &[MetricValue<'_>],
) -> Option<Finding> {
    let shares = |all: &[MetricValue<'_>]| -> Vec<f64> {
        let share = |one: &MetricValue<'_>| Some(one.value / data.map(one.map)?.street_km);
        all.iter().filter_map(share).collect()
    };
    let per_mille = |value: f64| decimal(value, 2) + " ‰";
    let member_shares = shares(per_member);
    let (whole, each) = (range(&shares(whole), per_mille)?, range(&member_shares, per_mille)?);
    let is_near = member_shares.iter().all(|share| (0.33..=3.0).contains(share));
    let measured = format!("{whole}; divided by the size of the set {each}");
    Some(Finding { measured, verdict: Verdict::when(is_near) })
}

fn longer_map(data: &Data, a: &MetricValue<'_>, b: &MetricValue<'_>) -> bool {
    let street = |one: &MetricValue<'_>| data.map(one.map).map(|row| row.street_km);
    a.configuration == b.configuration && street(a) > street(b) && street(b).is_some()
}

/// Returns the largest ratio of two values among the pairs selected by `is_pair`.
fn largest_ratio(
    all: &[MetricValue<'_>],
    is_pair: impl Fn(&MetricValue<'_>, &MetricValue<'_>) -> bool,
) -> Option<f64> {
    let pairs = all.iter().flat_map(|a| all.iter().map(move |b| (a, b)));
    let ratios = pairs.filter(|(a, b)| is_pair(a, b)).map(|(a, b)| a.value / b.value);
    ratios.filter(|ratio| ratio.is_finite()).reduce(f64::max)
}

fn stable(whole: &[MetricValue<'_>], per_member: &[MetricValue<'_>]) -> Option<Finding> {
    let same_map = |a: &MetricValue<'_>, b: &MetricValue<'_>| a.map == b.map;
    let (whole, each) = (largest_ratio(whole, same_map)?, largest_ratio(per_member, same_map)?);
    let words = |ratio| decimal(ratio, 1) + "×";
    let measured = format!("differs by up to {}; per member {}", words(whole), words(each));
    Some(Finding { measured, verdict: Verdict::when(each <= 1.5) })
}

/// Formats the range of `all` and confirms a claim if every value is above `min`.
fn all_above(all: &[MetricValue<'_>], min: f64, write: fn(f64) -> String) -> Option<Finding> {
    let verdict = Verdict::when(all.iter().all(|one| one.value > min));
    range(&values(all), write).map(|measured| Finding { measured, verdict })
}

fn relative_k(data: &Data) -> Vec<Claim> {
    let k = metric_values(data, |run| run.relative_k);
    let same_but_dt = |a: &MetricValue<'_>, b: &MetricValue<'_>| longer_dt(a, b) || longer_dt(b, a);
    vec![
        Claim {
            claim: "Relative k is above one",
            paper: "> 1",
            finding: all_above(&k, 1.0, |value| decimal(value, 2)),
            remark: "A published set has at least k members, so the value cannot be below one.",
        },
        Claim {
            claim: "Relative k does not depend on dt",
            paper: "“fairly independent”",
            finding: largest_ratio(&k, same_but_dt).map(|ratio| Finding {
                measured: format!("differs by up to {}", percent(Some(ratio - 1.0))),
                verdict: Verdict::when(ratio < 1.1),
            }),
            remark: "Same map, profile and k; confirmed if the difference is below 10 %.",
        },
        Claim {
            claim: "Relative k is higher in P2",
            paper: "a figure",
            finding: ordered(&k, p2_over_p1, ""),
            remark: "Same map, k and dt; denser graphs have larger cliques.",
        },
    ]
}

fn delays(data: &Data) -> Vec<Claim> {
    let within_2s = metric_values(data, |run| run.served_within_2s);
    vec![
        Claim {
            claim: "Relative dt falls with dt",
            paper: "a figure",
            finding: ordered(&metric_values(data, |run| run.relative_dt), shorter_dt, ""),
            remark: "Same map, profile and k.",
        },
        Claim {
            claim: "Most queries are cloaked within two seconds",
            paper: "“most”",
            finding: all_above(&within_2s, 0.5, |share| percent(Some(share))),
            remark: "Share of succeeded queries, counted individually; the paper multiplies means.",
        },
    ]
}

fn graph_size(data: &Data) -> Claim {
    let runs = data.main_runs();
    let nodes = runs.iter().map(|run| run.largest_nodes).max();
    let edges = runs.iter().map(|run| run.largest_edges).max();
    Claim {
        claim: "Constraint graphs grow to 25,000 nodes and 130,000 edges",
        paper: "25,000 and 130,000",
        finding: nodes.zip(edges).map(|(nodes, edges)| Finding {
            measured: format!("{} and {}", count(nodes as u64), count(edges as u64)),
            verdict: Verdict::when(
                (12_500..=50_000).contains(&nodes) && (65_000..=260_000).contains(&edges),
            ),
        }),
        remark: "Batch with the most nodes; confirmed within a factor of two. Both numbers grow with \
                 the number of users.",
    }
}
