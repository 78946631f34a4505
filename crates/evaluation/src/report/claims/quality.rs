//! Claims about who is served, among how many, how soon, and on how much street.

use super::pairs::{Measured, measured, ordered, values};
use super::{Claim, Finding, Holds};
use crate::report::data::Data;
use crate::report::number::{count, decimal, percent, range};

/// All of them, in the order of §V.
pub(super) fn claims(data: &Data) -> Vec<Claim> {
    let mut all = success(data);
    all.extend(mesh(data));
    all.extend(relative(data));
    all
}

fn success(data: &Data) -> Vec<Claim> {
    let rates = measured(data, |run| run.success_rate);
    let words = range(&values(&rates), |rate| percent(Some(rate)));
    let words = words.map_or(String::new(), |words| format!("; success {words}"));
    let smaller_k = |a: &Measured<'_>, b: &Measured<'_>| {
        a.is_beside(b)
            && a.configuration.dt == b.configuration.dt
            && a.configuration.k_max < b.configuration.k_max
    };
    let printed = ordered(&measured(data, |run| run.printed_success_rate), longer_dt, "");
    // The paper's own ratio has to agree before its claim is confirmed.
    let by_dt = ordered(&rates, longer_dt, "").map(|found| match &printed {
        Some(printed) => Finding {
            ours: format!("{}; by the ratio as printed {}", found.ours, printed.ours),
            holds: if found.holds == printed.holds { found.holds } else { Holds::InPart },
        },
        None => found,
    });
    vec![
        Claim {
            claim: "Success falls with larger k",
            paper: "a figure",
            finding: ordered(&rates, smaller_k, &words),
            remark: "Same map, profile and dt; ours divides by succeeded + expired.",
        },
        Claim {
            claim: "Success falls with smaller dt",
            paper: "a figure",
            finding: by_dt,
            remark: "Same map, profile and k; who waits longer meets more people. In the ratio as \
                     printed all who wait longer weigh against it.",
        },
        Claim {
            claim: "Success is higher in P2 than in P1",
            paper: "a figure",
            finding: ordered(&rates, p2_over_p1, ""),
            remark: "Same map, k and dt; P2 asks more rarely, so its constraints are longer and \
                     its graphs denser.",
        },
    ]
}

fn longer_dt(a: &Measured<'_>, b: &Measured<'_>) -> bool {
    a.is_beside(b)
        && a.configuration.k_max == b.configuration.k_max
        && a.configuration.dt > b.configuration.dt
}

fn shorter_dt(a: &Measured<'_>, b: &Measured<'_>) -> bool {
    longer_dt(b, a)
}

fn p2_over_p1(a: &Measured<'_>, b: &Measured<'_>) -> bool {
    let key = |one: &Measured<'_>| (one.configuration.k_max, one.configuration.dt);
    let profiles = (a.configuration.profile.as_str(), b.configuration.profile.as_str());
    a.map == b.map && key(a) == key(b) && profiles == ("p2", "p1")
}

fn mesh(data: &Data) -> Vec<Claim> {
    let whole = measured(data, |run| run.region_metres);
    let each = measured(data, |run| run.region_metres_per_member);
    let share = |all: &[Measured<'_>]| -> Vec<f64> {
        let part = |one: &Measured<'_>| Some(one.value / data.map(one.map)?.street_km);
        all.iter().filter_map(part).collect()
    };
    let (of_whole, of_each) = (share(&whole), share(&each));
    let per_mille = |value: f64| decimal(value, 2) + " ‰";
    let thousandth = range(&of_whole, per_mille).zip(range(&of_each, per_mille));
    let near = of_each.iter().all(|&part| (0.33..=3.0).contains(&part));
    vec![
        Claim {
            claim: "A mesh is about a thousandth of the total street length",
            paper: "1 ‰",
            finding: thousandth.map(|(whole, each)| Finding {
                ours: format!("{whole}; divided by the size of the set {each}"),
                holds: Holds::when(near),
            }),
            remark: "The paper does not say over what it averages; we count it as confirmed where \
                     the length by member is within a factor of three.",
        },
        Claim {
            claim: "Mesh length is stable across profiles and k",
            paper: "“quite stable”",
            finding: stable(&whole, &each),
            remark: "Largest over smallest on the same map; constraints of P2 are 2.6 times as \
                     long on average, so reach is longer.",
        },
        Claim {
            claim: "Meshes are longer on maps with more street",
            paper: "Paris and Singapore above the others",
            finding: ordered(&each, |a, b| longer_map(data, a, b), ", divided by the set"),
            remark: "Same configuration on two maps; ours differ less in street length than the \
                     paper’s, and how dense streets are matters more than how many.",
        },
    ]
}

fn longer_map(data: &Data, a: &Measured<'_>, b: &Measured<'_>) -> bool {
    let street = |one: &Measured<'_>| data.map(one.map).map(|row| row.street_km);
    a.configuration == b.configuration && street(a) > street(b) && street(b).is_some()
}

/// By how much a metric differs between configurations of the same map, at most.
fn largest_ratio(
    all: &[Measured<'_>],
    is_pair: impl Fn(&Measured<'_>, &Measured<'_>) -> bool,
) -> Option<f64> {
    let pairs = all.iter().flat_map(|a| all.iter().map(move |b| (a, b)));
    let ratios = pairs.filter(|(a, b)| is_pair(a, b)).map(|(a, b)| a.value / b.value);
    ratios.filter(|ratio| ratio.is_finite()).reduce(f64::max)
}

fn stable(whole: &[Measured<'_>], each: &[Measured<'_>]) -> Option<Finding> {
    let same_map = |a: &Measured<'_>, b: &Measured<'_>| a.map == b.map;
    let (whole, each) = (largest_ratio(whole, same_map)?, largest_ratio(each, same_map)?);
    let words = |ratio| decimal(ratio, 1) + "×";
    let holds = Holds::when(each <= 1.5);
    let ours = format!("differs by up to {}; divided by the set {}", words(whole), words(each));
    Some(Finding { ours, holds })
}

fn relative(data: &Data) -> Vec<Claim> {
    let k = measured(data, |run| run.relative_k);
    let dt = measured(data, |run| run.relative_dt);
    let soon = measured(data, |run| run.served_within_2s);
    let two = |value: f64| decimal(value, 2);
    let least = |all: &[Measured<'_>]| values(all).into_iter().reduce(f64::min).unwrap_or(0.0);
    let nodes = data.main().iter().map(|run| run.largest_nodes).max();
    let edges = data.main().iter().map(|run| run.largest_edges).max();
    let same_but_dt = |a: &Measured<'_>, b: &Measured<'_>| longer_dt(a, b) || longer_dt(b, a);
    vec![
        Claim {
            claim: "Relative k is above one",
            paper: "> 1",
            finding: range(&values(&k), two)
                .map(|ours| Finding { ours, holds: Holds::when(least(&k) > 1.0) }),
            remark: "Nobody is served in a set smaller than her k, so it cannot be below one.",
        },
        Claim {
            claim: "Relative k does not depend on dt",
            paper: "“fairly independent”",
            finding: largest_ratio(&k, same_but_dt).map(|ratio| Finding {
                ours: format!("differs by up to {}", percent(Some(ratio - 1.0))),
                holds: Holds::when(ratio < 1.1),
            }),
            remark: "Same map, profile and k; confirmed where it differs by less than a tenth.",
        },
        Claim {
            claim: "Relative k is higher in P2",
            paper: "a figure",
            finding: ordered(&k, p2_over_p1, ""),
            remark: "Same map, k and dt; denser graphs have larger cliques.",
        },
        Claim {
            claim: "Relative dt falls with dt",
            paper: "a figure",
            finding: ordered(&dt, shorter_dt, ""),
            remark: "Same map, profile and k.",
        },
        Claim {
            claim: "Most queries are cloaked within two seconds",
            paper: "“most”",
            finding: range(&values(&soon), |share| percent(Some(share)))
                .map(|ours| Finding { ours, holds: Holds::when(least(&soon) > 0.5) }),
            remark: "Of those who were served, counted one by one; the paper multiplies means.",
        },
        Claim {
            claim: "Constraint graphs grow to 25,000 nodes and 130,000 edges",
            paper: "25,000 and 130,000",
            finding: nodes.zip(edges).map(|(nodes, edges)| Finding {
                ours: format!("{} and {}", count(nodes as u64), count(edges as u64)),
                holds: Holds::when(
                    (12_500..=50_000).contains(&nodes) && (65_000..=260_000).contains(&edges),
                ),
            }),
            remark: "The largest batch with the most nodes; confirmed within a factor of two. It \
                     grows with the number of people.",
        },
    ]
}
