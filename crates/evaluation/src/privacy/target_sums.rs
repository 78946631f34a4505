//! Uncertainty of a score: intervals by a bootstrap over the targets.
//!
//! Publications of one target are not independent, so whole targets are drawn with replacement.

use super::attack_score::Observation;
use meshcloak::mix::mix64;
use std::collections::BTreeMap;

/// Number of resamples.
const RESAMPLES: u64 = 400;

/// Sums of the observations of one target.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct TargetSum {
    counted: f64,
    below_k: f64,
    located: f64,
    error: f64,
}

/// Sums of the observations of each target, by user.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TargetSums {
    users: BTreeMap<u64, TargetSum>,
}

/// A 95 % interval.
pub type Interval = (f64, f64);

impl TargetSums {
    /// Adds an observation of a user, if it names one.
    pub(super) fn add(&mut self, observation: &Observation) {
        let Some(user) = observation.user else { return };
        let sum = self.users.entry(user).or_default();
        if let Some(remaining) = observation.remaining {
            sum.counted += 1.0;
            let is_below = !observation.wrong && remaining < observation.k as usize;
            sum.below_k += f64::from(u8::from(is_below));
        }
        if let Some(error) = observation.error {
            sum.located += 1.0;
            sum.error += error;
        }
    }

    pub(super) fn join(&mut self, other: TargetSums) {
        for (user, more) in other.users {
            let sum = self.users.entry(user).or_default();
            sum.counted += more.counted;
            sum.below_k += more.below_k;
            sum.located += more.located;
            sum.error += more.error;
        }
    }

    /// Number of targets with a publication.
    pub fn count(&self) -> usize {
        self.users.len()
    }

    /// Interval of the share below k. If all targets agree, a resample cannot differ: then the
    /// interval is that of Wilson with one case for each target.
    pub fn below_k(&self) -> Option<Interval> {
        let (low, high) = self.resampled(|sum| (sum.below_k, sum.counted))?;
        if low < high {
            return Some((low, high));
        }
        let cases = self.users.values().filter(|sum| sum.counted > 0.0).count() as f64;
        let margin = 1.96 * 1.96 / (cases + 1.96 * 1.96);
        Some(if low < 0.5 { (0.0, margin) } else { (1.0 - margin, 1.0) })
    }

    /// Interval of the mean error, in metres.
    pub fn error(&self) -> Option<Interval> {
        self.resampled(|sum| (sum.error, sum.located))
    }

    /// Draws as many targets as there are, many times; returns the 2.5 % and the 97.5 % quantile of
    /// the ratio of the sums. `None` without values.
    fn resampled(&self, of: impl Fn(&TargetSum) -> (f64, f64)) -> Option<Interval> {
        let parts: Vec<(f64, f64)> =
            self.users.values().map(of).filter(|part| part.1 > 0.0).collect();
        let ratio = |resample: u64| {
            let draw = |number: u64| {
                let random = mix64(resample << 32 | number);
                parts[(random % parts.len() as u64) as usize]
            };
            let draws = (0..parts.len() as u64).map(draw);
            let (sum, count) = draws.fold((0.0, 0.0), |(a, b), (c, d)| (a + c, b + d));
            sum / count
        };
        if parts.is_empty() {
            return None;
        }
        let mut ratios: Vec<f64> = (0..RESAMPLES).map(ratio).collect();
        ratios.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| ratios[((RESAMPLES - 1) as f64 * share).round() as usize];
        Some((at(0.025), at(0.975)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(targets: u64, publications: u64) -> TargetSums {
        let mut sums = TargetSums::default();
        for user in 0..targets {
            let remaining = Some(if user % 2 == 0 { 1 } else { 5 });
            let error = Some(if user % 2 == 0 { 0.0 } else { 100.0 });
            let user = Some(user);
            let one = Observation { k: 3, user, remaining, error, ..Observation::default() };
            (0..publications).for_each(|_| sums.add(&one));
        }
        sums
    }

    #[test]
    fn intervals_narrow_with_targets_and_not_with_their_publications() {
        let width = |interval: Option<Interval>| interval.map(|(low, high)| high - low).unwrap();
        let (few, many) = (sums(100, 1), sums(1_600, 1));
        // The standard error of a half is 5 % for 100 targets, so the interval is 20 % wide.
        assert!((0.15..0.25).contains(&width(few.below_k())), "{:?}", few.below_k());
        assert!(width(many.below_k()) < width(few.below_k()) / 2.5);
        assert_eq!(sums(100, 50).below_k(), few.below_k(), "the same targets");
        let (low, high) = few.error().unwrap();
        assert!(low < 50.0 && high > 50.0 && high - low < 25.0, "{low} to {high}");
    }

    #[test]
    fn targets_that_agree_have_an_interval_of_their_number() {
        let mut sums = TargetSums::default();
        for user in 0..40 {
            let (user, remaining) = (Some(user), Some(9));
            sums.add(&Observation { k: 3, user, remaining, ..Observation::default() });
        }
        let (low, high) = sums.below_k().unwrap();
        assert!(low == 0.0 && (0.08..0.09).contains(&high), "{high}");
        assert_eq!((sums.error(), TargetSums::default().below_k()), (None, None));
    }
}
