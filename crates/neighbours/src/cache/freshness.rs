//! Freshness of cached content. Objects change at random times, at a constant rate.

/// Expected share of time-averaged staleness: probability that one of `objects` objects has changed
/// since the last update, at a random time between two updates.
///
/// With rate λ, n objects and interval U the age a is uniform in [0, U], and
/// `1 − E[exp(−nλa)] = 1 − (1 − exp(−nλU)) / (nλU)`.
pub fn stale_probability(objects: f64, changes_per_day: f64, days: f64) -> f64 {
    let exponent = objects * changes_per_day * days;
    if exponent < 1e-9 {
        return exponent / 2.0;
    }
    1.0 - (1.0 - (-exponent).exp()) / exponent
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::Town;
    use rand::RngExt as _;

    /// The same probability from drawn ages and changes.
    fn drawn(objects: u32, rate: f64, days: f64, seed: u64) -> f64 {
        let mut random = Town::generator(seed);
        let draws = 30_000;
        let stale = (0..draws).filter(|_| {
            let age = days * random.random::<f64>();
            (0..objects).any(|_| {
                let until_change = -(1.0 - random.random::<f64>()).ln() / rate;
                until_change < age
            })
        });
        stale.count() as f64 / f64::from(draws)
    }

    #[test]
    fn the_formula_agrees_with_drawn_changes() {
        let cases = [(1, 0.01, 7.0), (20, 0.001, 30.0), (5, 0.5, 1.0), (3, 1e-7, 1.0)];
        for (seed, (objects, rate, days)) in cases.into_iter().enumerate() {
            let formula = stale_probability(f64::from(objects), rate, days);
            let drawn = drawn(objects, rate, days, seed as u64);
            assert!((formula - drawn).abs() < 0.01, "{objects} {rate} {days}: {formula} {drawn}");
        }
        assert_eq!(stale_probability(0.0, 1.0, 1.0), 0.0);
    }
}
