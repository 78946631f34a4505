//! Comparing configurations pair by pair.

use super::{Finding, Holds};
use crate::report::configuration::{Configuration, configurations};
use crate::report::data::Data;
use crate::report::spread::{Column, over_seeds};

/// What a metric came to on a map under a configuration.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Measured<'a> {
    pub map: &'a str,
    pub configuration: Configuration,
    pub value: f64,
}

impl Measured<'_> {
    /// Whether both are of one map and one profile.
    pub fn is_beside(&self, other: &Self) -> bool {
        self.map == other.map && self.configuration.profile == other.configuration.profile
    }
}

/// A metric over all maps and configurations of the main runs.
pub(super) fn measured(data: &Data, column: Column) -> Vec<Measured<'_>> {
    let runs = data.main();
    let mut all = Vec::new();
    for map in data.maps_of(&runs) {
        for configuration in configurations(&runs) {
            if let Some(found) = over_seeds(&runs, map, &configuration.name, column) {
                all.push(Measured { map, configuration, value: found.mean });
            }
        }
    }
    all
}

/// The values alone.
pub(super) fn values(measured: &[Measured<'_>]) -> Vec<f64> {
    measured.iter().map(|one| one.value).collect()
}

/// In how many of the pairs that `is_pair` picks the first is at least the second; and some words
/// after it.
pub(super) fn ordered(
    measured: &[Measured<'_>],
    is_pair: impl Fn(&Measured<'_>, &Measured<'_>) -> bool,
    words: &str,
) -> Option<Finding> {
    let pairs = || {
        measured
            .iter()
            .flat_map(|a| measured.iter().map(move |b| (a, b)))
            .filter(|(a, b)| is_pair(a, b))
    };
    let all = pairs().count();
    let held = pairs().filter(|(a, b)| a.value >= b.value).count();
    let holds = match held {
        _ if held == all => Holds::Yes,
        0 => Holds::No,
        _ => Holds::InPart,
    };
    (all > 0).then(|| Finding { ours: format!("in {held} of {all} pairs{words}"), holds })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_once_each_and_ties_hold() {
        let one = |dt, value| Measured {
            map: "a",
            configuration: Configuration {
                name: String::new(),
                profile: "p1".into(),
                k_max: 5,
                dt,
            },
            value,
        };
        let all = [one(3.0, 0.5), one(4.0, 0.5), one(5.0, 0.4)];
        let later = |a: &Measured<'_>, b: &Measured<'_>| a.configuration.dt > b.configuration.dt;
        let found = ordered(&all, later, "").unwrap();
        // 4 over 3 is a tie; 5 is below both.
        assert_eq!((found.ours.as_str(), found.holds), ("in 1 of 3 pairs", Holds::InPart));
        assert_eq!(ordered(&all[..1], later, ""), None);
    }
}
