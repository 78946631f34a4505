//! Pairwise comparison of configurations.

use super::{Finding, Verdict};
use crate::report::configuration::{RunConfiguration, configurations};
use crate::report::data::Data;
use crate::report::spread::{Column, over_seeds};

/// Mean of a metric on one map under one configuration.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MetricValue<'a> {
    pub map: &'a str,
    pub configuration: RunConfiguration,
    pub value: f64,
}

impl MetricValue<'_> {
    /// Whether both have the same map and profile.
    pub fn has_same_map_and_profile(&self, other: &Self) -> bool {
        self.map == other.map && self.configuration.profile == other.configuration.profile
    }
}

/// Returns a metric for all maps and configurations of the main runs.
pub(super) fn metric_values(data: &Data, column: Column) -> Vec<MetricValue<'_>> {
    let runs = data.main_runs();
    let mut all = Vec::new();
    for map in data.maps_of(&runs) {
        for configuration in configurations(&runs) {
            if let Some(found) = over_seeds(&runs, map, &configuration.name, column) {
                all.push(MetricValue { map, configuration, value: found.mean });
            }
        }
    }
    all
}

/// Returns the plain values.
pub(super) fn values(all: &[MetricValue<'_>]) -> Vec<f64> {
    all.iter().map(|one| one.value).collect()
}

/// Whether both have the same map, profile and k, and the first a longer dt.
pub(super) fn longer_dt(a: &MetricValue<'_>, b: &MetricValue<'_>) -> bool {
    a.has_same_map_and_profile(b)
        && a.configuration.k_max == b.configuration.k_max
        && a.configuration.dt > b.configuration.dt
}

/// Whether both have the same map, k and dt, the first with P2 and the second with P1.
pub(super) fn p2_over_p1(a: &MetricValue<'_>, b: &MetricValue<'_>) -> bool {
    let key = |one: &MetricValue<'_>| (one.configuration.k_max, one.configuration.dt);
    let profiles = (a.configuration.profile.as_str(), b.configuration.profile.as_str());
    a.map == b.map && key(a) == key(b) && profiles == ("p2", "p1")
}

/// Relative difference below which two values count as equal: seeds differ by as much.
const TIE: f64 = 0.005;

/// Counts the pairs selected by `is_pair` whose first value is at least the second, up to [`TIE`].
/// Returns `None` without pairs.
pub(super) fn ordered(
    all: &[MetricValue<'_>],
    is_pair: impl Fn(&MetricValue<'_>, &MetricValue<'_>) -> bool,
) -> Option<Finding> {
    let pairs =
        || all.iter().flat_map(|a| all.iter().map(move |b| (a, b))).filter(|(a, b)| is_pair(a, b));
    let total = pairs().count();
    let held = pairs().filter(|(a, b)| a.value >= b.value * (1.0 - TIE)).count();
    let measured = format!("in {held} of {total} pairs");
    (total > 0).then(|| Finding { measured, verdict: Verdict::of_share(held, total) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(dt: f64, value: f64) -> MetricValue<'static> {
        let (name, profile) = (String::new(), "p1".to_owned());
        let configuration = RunConfiguration { name, profile, k_max: 5, dt };
        MetricValue { map: "a", configuration, value }
    }

    #[test]
    fn each_pair_is_counted_once_and_ties_hold() {
        let all = [one(3.0, 0.5), one(4.0, 0.499), one(5.0, 0.4)];
        let found = ordered(&all, longer_dt).unwrap();
        // 4 over 3 is a tie; 5 is below both.
        assert_eq!((found.measured.as_str(), found.verdict), ("in 1 of 3 pairs", Verdict::Refuted));
        let found = ordered(&all, |a, b| longer_dt(b, a)).unwrap();
        assert_eq!(
            (found.measured.as_str(), found.verdict),
            ("in 3 of 3 pairs", Verdict::Confirmed)
        );
        assert_eq!(ordered(&all[..1], longer_dt), None);
    }
}
