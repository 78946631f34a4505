//! Mean, minimum and maximum of a metric over seeds.

use crate::results::RunRow;

/// Summary of repeated measurements of one number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread {
    pub mean: f64,
    pub min: f64,
    pub max: f64,
    pub count: usize,
}

impl Spread {
    /// Summarises `values`; `None` if there are none.
    pub fn of(values: impl Iterator<Item = f64>) -> Option<Spread> {
        let values: Vec<f64> = values.collect();
        let min = values.iter().copied().reduce(f64::min)?;
        let max = values.iter().copied().reduce(f64::max)?;
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        Some(Spread { mean, min, max, count: values.len() })
    }

    /// Multiplies mean, minimum and maximum by `factor`.
    pub fn times(self, factor: f64) -> Spread {
        let Spread { mean, min, max, count } = self;
        Spread { mean: mean * factor, min: min * factor, max: max * factor, count }
    }
}

/// Formats a summary, or a dash without one.
pub(super) trait FormatSpread {
    /// Formats the mean, followed by `(min–max)` if there are several measurements.
    fn format(self, write: impl Fn(f64) -> String) -> String;
}

impl FormatSpread for Option<Spread> {
    fn format(self, write: impl Fn(f64) -> String) -> String {
        match self {
            None => "–".to_owned(),
            Some(Spread { mean, count: 1, .. }) => write(mean),
            Some(Spread { mean, min, max, .. }) => {
                format!("{} ({}–{})", write(mean), write(min), write(max))
            }
        }
    }
}

/// A column of `runs.csv`.
pub(super) type Column = fn(&RunRow) -> Option<f64>;

/// Summarises a metric of one map and configuration over all seeds in `runs`.
pub(super) fn over_seeds(
    runs: &[&RunRow],
    map: &str,
    configuration: &str,
    column: Column,
) -> Option<Spread> {
    let these = runs.iter().filter(|run| run.map == map && run.configuration == configuration);
    Spread::of(these.filter_map(|run| column(run)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_summarises_the_values_of_one_map_and_configuration() {
        let run = |map: &str, rate| RunRow {
            map: map.into(),
            configuration: "P1-3-5".into(),
            success_rate: rate,
            ..RunRow::default()
        };
        let rows = [run("a", Some(0.5)), run("a", Some(0.7)), run("a", None), run("b", Some(9.0))];
        let runs: Vec<&RunRow> = rows.iter().collect();
        let found = over_seeds(&runs, "a", "P1-3-5", |run| run.success_rate).unwrap();
        assert_eq!((found.mean, found.min, found.max, found.count), (0.6, 0.5, 0.7, 2));
        assert!(over_seeds(&runs, "a", "P2-3-5", |run| run.success_rate).is_none());
        assert_eq!(Some(found).format(|value| value.to_string()), "0.6 (0.5–0.7)");
    }
}
