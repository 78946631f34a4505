//! Compares a stored sample with a computed one: counts exactly, rates by intervals.

use super::Sample;
use crate::results::{PrivacyRow, RunRow};

/// Largest relative difference of two means.
const MEAN_TOLERANCE: f64 = 1e-3;

/// Standard errors that two rates may differ: a 95 % interval.
const RATE_ERRORS: f64 = 1.96;

/// Describes what differs; empty if both samples show the same answers.
pub fn differences(stored: &Sample, computed: &Sample) -> Vec<String> {
    let mut found = Vec::new();
    let name = |row: &RunRow| {
        [&row.map, &row.configuration, &row.scheme, &row.view].map(String::as_str).join(" ")
    };
    pair(&stored.runs, &computed.runs, name, compare_runs, &mut found);
    let name =
        |row: &PrivacyRow| format!("{} {}, attack {}", row.configuration, row.scheme, row.attack);
    pair(&stored.attacks, &computed.attacks, name, compare_attacks, &mut found);
    found
}

/// A difference in one column: name and both values.
type Difference = (&'static str, String, String);

/// Compares rows of the same name.
fn pair<R>(
    stored: &[R],
    computed: &[R],
    name: impl Fn(&R) -> String,
    compare: impl Fn(&R, &R) -> Vec<Difference>,
    found: &mut Vec<String>,
) {
    for row in stored {
        match computed.iter().find(|other| name(other) == name(row)) {
            Some(other) => {
                let words = |(column, was, is): Difference| {
                    format!("{}: {column} was {was} and is {is}", name(row))
                };
                found.extend(compare(row, other).into_iter().map(words));
            }
            None => found.push(format!("{}: is not computed any more", name(row))),
        }
    }
    for row in computed {
        if !stored.iter().any(|other| name(other) == name(row)) {
            found.push(format!("{}: is not in the stored sample", name(row)));
        }
    }
}

fn count(column: &'static str, was: u64, is: u64) -> Option<Difference> {
    (was != is).then(|| (column, was.to_string(), is.to_string()))
}

fn mean(column: &'static str, was: Option<f64>, is: Option<f64>) -> Option<Difference> {
    differs(column, was, is, |was| was.abs() * MEAN_TOLERANCE + 1e-6)
}

/// Compares rates of `cases` cases.
fn rate(column: &'static str, was: Option<f64>, is: Option<f64>, cases: u64) -> Option<Difference> {
    differs(column, was, is, |was| {
        let error = (was * (1.0 - was)).max(0.0) / cases.max(1) as f64;
        RATE_ERRORS * error.sqrt() + 1e-6
    })
}

fn differs(
    column: &'static str,
    was: Option<f64>,
    is: Option<f64>,
    tolerance: impl Fn(f64) -> f64,
) -> Option<Difference> {
    let is_equal = match (was, is) {
        (Some(was), Some(is)) => (was - is).abs() <= tolerance(was),
        (was, is) => was == is,
    };
    let text = |value: Option<f64>| value.map_or("absent".to_owned(), |value| value.to_string());
    (!is_equal).then(|| (column, text(was), text(is)))
}

fn compare_runs(was: &RunRow, is: &RunRow) -> Vec<Difference> {
    let all = [
        count("queries", was.queries, is.queries),
        count("succeeded", was.succeeded, is.succeeded),
        count("expired", was.expired, is.expired),
        count("refused", was.refused, is.refused),
        count("largest_nodes", was.largest_nodes as u64, is.largest_nodes as u64),
        count("largest_edges", was.largest_edges as u64, is.largest_edges as u64),
        mean("region_metres", was.region_metres, is.region_metres),
        mean("region_metres_per_member", was.region_metres_per_member, is.region_metres_per_member),
        mean("region_area_m2", was.region_area_m2, is.region_area_m2),
        mean("max_region_area_m2", was.max_region_area_m2, is.max_region_area_m2),
        mean("mean_delay_s", was.mean_delay_s, is.mean_delay_s),
        mean("printed_success_rate", was.printed_success_rate, is.printed_success_rate),
        mean("served_within_2s", was.served_within_2s, is.served_within_2s),
        mean("relative_k", was.relative_k, is.relative_k),
        mean("relative_dt", was.relative_dt, is.relative_dt),
        rate("success_rate", was.success_rate, is.success_rate, was.queries),
    ];
    all.into_iter().flatten().collect()
}

fn compare_attacks(was: &PrivacyRow, is: &PrivacyRow) -> Vec<Difference> {
    let all = [
        count("publications", was.publications, is.publications),
        rate("below_k", was.below_k, is.below_k, was.publications),
        rate("alone", was.alone, is.alone, was.publications),
        rate("wrong", was.wrong, is.wrong, was.publications),
        mean("metres_left", was.metres_left, is.metres_left),
        mean("error_m", was.error_m, is.error_m),
    ];
    all.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Sample {
        let run = RunRow {
            map: "town".into(),
            configuration: "P1-3-5".into(),
            scheme: "a".into(),
            view: "after".into(),
            succeeded: 50,
            success_rate: Some(0.5),
            queries: 100,
            relative_k: Some(1.5),
            ..RunRow::default()
        };
        let attack = PrivacyRow {
            attack: "inversion".into(),
            publications: 100,
            below_k: Some(0.3),
            ..PrivacyRow::default()
        };
        Sample { runs: vec![run], attacks: vec![attack] }
    }

    #[test]
    fn counts_are_compared_exactly_and_rates_by_their_interval() {
        let stored = sample();
        assert_eq!(differences(&stored, &stored), Vec::<String>::new());
        let mut other = sample();
        other.runs[0].succeeded = 51;
        assert_eq!(
            differences(&stored, &other),
            ["town P1-3-5 a after: succeeded was 50 and is 51"]
        );
        let mut other = sample();
        // The standard error is 0.046.
        other.attacks[0].below_k = Some(0.38);
        assert_eq!(differences(&stored, &other), Vec::<String>::new());
        other.attacks[0].below_k = Some(0.40);
        assert_eq!(differences(&stored, &other).len(), 1);
        let mut other = sample();
        other.runs[0].relative_k = Some(1.51);
        assert_eq!(
            differences(&stored, &other),
            ["town P1-3-5 a after: relative_k was 1.5 and is 1.51"]
        );
    }

    #[test]
    fn missing_and_additional_rows_are_differences() {
        let (stored, empty) = (sample(), Sample::default());
        assert_eq!(differences(&stored, &empty).len(), 2);
        assert_eq!(differences(&empty, &stored).len(), 2);
    }
}
