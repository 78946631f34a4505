//! Claims about mesh length. The paper does not say whether a query counts the mesh of its set or its
//! own part of it, and its maps are not ours, so every reading is computed for all maps alike.

use super::pairs::{MetricValue, metric_values, ordered};
use super::{Claim, Finding, Verdict};
use crate::report::data::Data;
use crate::report::number::{decimal, range};
use crate::report::page::HtmlTable;
use crate::report::paper;
use crate::report::spread::Column;

/// Claims of §V-B.2 about Figure 13.
pub(super) const CLAIMS: [Claim; 3] = [
    Claim {
        says: "The mesh of a query is about 1 ‰ of the total street length (§V-B.2)",
        find: share_of_streets,
        why: [
            "Mesh of the set, divided by the street length of its map, within a factor of three.",
            "The mesh of a whole set is longer; the paper does not say whether it divides by the \
             members of the set, which comes nearer. All divisors: section “Average mesh length” of \
             the report.",
        ],
    },
    Claim {
        says: "Mesh length is quite stable across profiles and k (§V-B.2)",
        find: stable,
        why: [
            "Largest divided by smallest value on one map.",
            "Largest divided by smallest value on one map. Distance constraints of P2 are 2.6 times \
             as long on average, and a mesh grows with the square of them.",
        ],
    },
    Claim {
        says: "Meshes are longer on Paris and Singapore, which have more street (§V-B.2)",
        find: longer_maps,
        why: [
            "Paris and Porto (for Singapore) against the other maps with less street.",
            "Our extracts of Paris and Porto have a third of the paper’s street length; the density \
             of streets decides more than their total.",
        ],
    },
];

/// A reading of "mesh length per query".
struct Numerator {
    name: &'static str,
    column: Column,
}

const NUMERATORS: [Numerator; 2] = [
    Numerator { name: "mesh of the set", column: |run| run.region_metres },
    Numerator { name: "mesh / members of the set", column: |run| run.region_metres_per_member },
];

/// A reading of "total street length": name, and length in km on one of our maps.
type Divisor = (&'static str, fn(&Data, &str) -> Option<f64>);

const DIVISORS: [Divisor; 2] = [
    ("streets of our map", |data, map| data.map(map).map(|row| row.street_km)),
    ("streets of the paper’s map", |_, map| paper::map(map).map(|map| map.street_km)),
];

/// Returns the shares of all maps and configurations in ‰.
fn shares(data: &Data, numerator: &Numerator, divisor: &Divisor) -> Vec<f64> {
    let all = metric_values(data, numerator.column);
    all.iter().filter_map(|one| Some(one.value / divisor.1(data, one.map)?)).collect()
}

/// Smallest and largest share that is about 1 ‰.
const ABOUT_ONE: std::ops::RangeInclusive<f64> = 0.33..=3.0;

fn per_mille(value: f64) -> String {
    decimal(value, 2) + " ‰"
}

fn share_of_streets(data: &Data) -> Option<Finding> {
    let [whole, each] = &NUMERATORS;
    let (whole, each) = (shares(data, whole, &DIVISORS[0]), shares(data, each, &DIVISORS[0]));
    let is_near = |shares: &[f64]| {
        let mean = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
        ABOUT_ONE.contains(&mean)
    };
    let measured =
        format!("{}; per member {}", range(&whole, per_mille)?, range(&each, per_mille)?);
    Some(Finding { measured, verdict: Verdict::in_readings(is_near(&whole), is_near(&each)) })
}

/// Builds the table of what each divisor gives.
pub(in crate::report) fn divisors(data: &Data) -> HtmlTable {
    let mut table = HtmlTable::default();
    for numerator in &NUMERATORS {
        for divisor in &DIVISORS {
            let shares = shares(data, numerator, divisor);
            let mean = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
            table.record([
                ("length per query", numerator.name.to_owned()),
                ("divided by", divisor.0.to_owned()),
                ("mean", per_mille(mean)),
                ("range over maps and configurations", {
                    range(&shares, per_mille).unwrap_or("–".to_owned())
                }),
            ]);
        }
    }
    table
}

fn stable(data: &Data) -> Option<Finding> {
    let [whole, each] =
        NUMERATORS.map(|numerator| largest_ratio(&metric_values(data, numerator.column)));
    let (whole, each) = (whole?, each?);
    let words = |ratio| decimal(ratio, 1) + "×";
    Some(Finding {
        measured: format!("differs by up to {}; per member {}", words(whole), words(each)),
        verdict: Verdict::in_readings(whole <= 1.5, each <= 1.5),
    })
}

/// Returns the largest ratio of two values on the same map.
fn largest_ratio(all: &[MetricValue<'_>]) -> Option<f64> {
    let pairs = all.iter().flat_map(|a| all.iter().map(move |b| (a, b)));
    let ratios = pairs.filter(|(a, b)| a.map == b.map).map(|(a, b)| a.value / b.value);
    ratios.filter(|ratio| ratio.is_finite()).reduce(f64::max)
}

/// Maps that the paper names, as replaced here.
const NAMED: [&str; 2] = ["paris", "porto"];

fn longer_maps(data: &Data) -> Option<Finding> {
    let street = |map: &str| data.map(map).map_or(0.0, |row| row.street_km);
    let is_pair = |a: &MetricValue<'_>, b: &MetricValue<'_>| {
        a.configuration == b.configuration
            && NAMED.contains(&a.map)
            && !NAMED.contains(&b.map)
            && street(a.map) > street(b.map)
    };
    ordered(&metric_values(data, |run| run.region_metres), is_pair)
}
