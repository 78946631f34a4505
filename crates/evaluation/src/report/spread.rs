//! A number of a configuration over its seeds: mean, least and most.

use crate::results::RunRow;

/// A number that was measured once or several times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread {
    pub mean: f64,
    pub least: f64,
    pub most: f64,
    pub count: usize,
}

impl Spread {
    /// Of these; `None` of nothing.
    pub fn of(values: impl Iterator<Item = f64>) -> Option<Spread> {
        let values: Vec<f64> = values.collect();
        let least = values.iter().copied().reduce(f64::min)?;
        let most = values.iter().copied().reduce(f64::max)?;
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        Some(Spread { mean, least, most, count: values.len() })
    }

    /// Every number times a factor.
    pub fn times(self, factor: f64) -> Spread {
        let Spread { mean, least, most, count } = self;
        Spread { mean: mean * factor, least: least * factor, most: most * factor, count }
    }
}

/// A column of `runs.csv`.
pub(super) type Column = fn(&RunRow) -> Option<f64>;

/// What a metric came to on a map under a configuration, over all seeds among `runs`.
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
    fn spread_is_mean_least_and_most_of_what_was_measured() {
        let run = |map: &str, rate| RunRow {
            map: map.into(),
            configuration: "P1-3-5".into(),
            success_rate: rate,
            ..RunRow::default()
        };
        let rows = [run("a", Some(0.5)), run("a", Some(0.7)), run("a", None), run("b", Some(9.0))];
        let runs: Vec<&RunRow> = rows.iter().collect();
        let found = over_seeds(&runs, "a", "P1-3-5", |run| run.success_rate).unwrap();
        assert_eq!((found.mean, found.least, found.most, found.count), (0.6, 0.5, 0.7, 2));
        assert!(over_seeds(&runs, "a", "P2-3-5", |run| run.success_rate).is_none());
    }
}
