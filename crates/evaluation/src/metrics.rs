//! The metrics of a run (SPEC §11), added up as it goes.
//!
//! A run tells a [`Tally`] of everyone who was let in, refused, served or disappointed, of every
//! turn, and of every second; what it keeps is small, however long the run is.

use crate::reason::Reason;
use crate::stopwatch::Spent;
use meshcloak::scheme::Stats;
use std::time::Duration;

/// Sums over a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// How many were refused, for each of [`Reason::ALL`].
    pub refusals: [u64; Reason::ALL.len()],
    /// How many were let in.
    pub accepted: u64,
    /// How many were served.
    pub succeeded: u64,
    /// How many waited in vain.
    pub expired: u64,
    /// How many turns there were; of a scheme that works in batches each is a batch.
    pub turns: u64,
    /// In how many a search spent its budget, or edges did not fit into memory.
    pub truncated: u64,
    /// Sets that the guard held back.
    pub suppressed: u64,
    /// Metres of street in the region of everyone served.
    pub region_metres: Mean,
    /// The same, divided by the size of her set.
    pub region_metres_per_member: Mean,
    /// Square metres of the regions that have an area.
    pub region_area: Mean,
    /// Size of the set over k.
    pub relative_k: Mean,
    /// Delay over patience, of those who had any.
    pub relative_dt: Mean,
    /// Seconds from question to publication.
    pub delay: Mean,
    /// The share of those served who waited two seconds at most.
    pub within_two_seconds: Mean,
    /// Succeeded / (succeeded + waiting) of each batch that had either.
    pub printed_success_rate: Mean,
    /// Time inside `turn`.
    pub spent: Spent,
    /// The longest turn.
    pub worst: Duration,
    /// The turn with the most nodes, and among those with the most edges.
    pub largest: Stats,
}

/// Somebody who was served.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Success {
    /// Among how many she wanted to be.
    pub k: u32,
    /// How long she was willing to wait.
    pub tolerance: Duration,
    /// How long she waited.
    pub delay: Duration,
    /// How many are in her set.
    pub members: usize,
    /// Metres of street in its region.
    pub metres: f64,
    /// Square metres of its region, if it has an area.
    pub area: Option<f64>,
}

/// A mean that is added up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mean {
    sum: f64,
    count: u64,
}

impl Mean {
    /// Takes a value into account.
    pub fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    /// Takes all values of another into account.
    pub fn join(&mut self, other: Mean) {
        self.sum += other.sum;
        self.count += other.count;
    }

    /// The mean; `None` of nothing.
    pub fn value(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}

/// The delay that the paper promises for most (§V-B).
const TWO_SECONDS: Duration = Duration::from_secs(2);

impl Tally {
    /// Somebody was refused.
    pub fn refuse(&mut self, reason: Reason) {
        self.refusals[reason as usize] += 1;
    }

    /// Somebody was served.
    pub fn succeed(&mut self, success: &Success) {
        let Success { k, tolerance, delay, members, metres, area } = *success;
        self.succeeded += 1;
        self.region_metres.add(metres);
        self.region_metres_per_member.add(metres / members as f64);
        if let Some(area) = area {
            self.region_area.add(area);
        }
        self.relative_k.add(members as f64 / f64::from(k));
        if tolerance > Duration::ZERO {
            self.relative_dt.add(delay.as_millis() as f64 / tolerance.as_millis() as f64);
        }
        self.delay.add(delay.as_millis() as f64 / 1000.0);
        self.within_two_seconds.add(if delay <= TWO_SECONDS { 1.0 } else { 0.0 });
    }

    /// A turn is over.
    pub fn turn(&mut self, stats: Stats, spent: Spent) {
        self.turns += 1;
        self.truncated += u64::from(stats.truncated);
        self.suppressed += stats.rejected.total() as u64;
        for (sum, spent) in self.spent.iter_mut().zip(spent) {
            *sum += spent;
        }
        self.worst = self.worst.max(spent.iter().sum());
        let size = |stats: Stats| (stats.nodes, stats.edges);
        if size(stats) > size(self.largest) {
            self.largest = stats;
        }
    }

    /// A batch is over, or a second of a scheme that knows no batches: how many were served in it,
    /// and how many still wait.
    pub fn batch(&mut self, succeeded: u64, waiting: u64) {
        if succeeded + waiting > 0 {
            self.printed_success_rate.add(succeeded as f64 / (succeeded + waiting) as f64);
        }
    }

    /// How many were refused.
    pub fn refused(&self) -> u64 {
        self.refusals.iter().sum()
    }

    /// How many there were, refused or not.
    pub fn queries(&self) -> u64 {
        self.accepted + self.refused()
    }

    /// Succeeded / (succeeded + expired).
    pub fn success_rate(&self) -> Option<f64> {
        let ended = self.succeeded + self.expired;
        (ended > 0).then(|| self.succeeded as f64 / ended as f64)
    }

    /// Microseconds of each accepted query.
    pub fn us_per_query(&self, spent: Duration) -> Option<f64> {
        (self.accepted > 0).then(|| spent.as_secs_f64() * 1e6 / self.accepted as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    /// Three people: a pair within 1 s of 4 s on 300 m, a set of six for k = 2 at once on 900 m
    /// with an area, and one who had no patience at all.
    fn three() -> Tally {
        let mut tally = Tally::default();
        let success = |k, tolerance, delay, members, metres, area| Success {
            k,
            tolerance: MS(tolerance),
            delay: MS(delay),
            members,
            metres,
            area,
        };
        tally.succeed(&success(2, 4_000, 1_000, 2, 300.0, None));
        tally.succeed(&success(2, 10_000, 2_001, 6, 900.0, Some(40_000.0)));
        tally.succeed(&success(3, 0, 0, 3, 600.0, Some(10_000.0)));
        tally
    }

    #[test]
    fn region_length_is_a_mean_over_people_both_ways() {
        // (300 + 900 + 600) / 3 = 600; (300/2 + 900/6 + 600/3) / 3 = (150 + 150 + 200) / 3.
        let tally = three();
        assert_eq!(tally.region_metres.value(), Some(600.0));
        assert_eq!(tally.region_metres_per_member.value(), Some(500.0 / 3.0));
    }

    #[test]
    fn region_area_is_a_mean_over_those_who_have_one() {
        // (40,000 + 10,000) / 2: a mesh has none.
        assert_eq!(three().region_area.value(), Some(25_000.0));
    }

    #[test]
    fn relative_k_is_set_size_over_k() {
        // (2/2 + 6/2 + 3/3) / 3 = 5/3.
        assert_eq!(three().relative_k.value(), Some(5.0 / 3.0));
    }

    #[test]
    fn relative_dt_leaves_out_who_had_no_patience() {
        // (1/4 + 2.001/10) / 2 = 0.4501 / 2.
        assert_eq!(three().relative_dt.value(), Some((0.25 + 0.2001) / 2.0));
    }

    #[test]
    fn delay_is_in_seconds_and_two_seconds_are_within_two_seconds() {
        // (1 + 2.001 + 0) / 3 = 1.0003…; two of three, for 2.001 s is too late.
        let mut tally = three();
        assert_eq!(tally.delay.value(), Some(3.001 / 3.0));
        assert_eq!(tally.within_two_seconds.value(), Some(2.0 / 3.0));
        let (tolerance, delay) = (MS(3_000), MS(2_000));
        let exactly = Success { k: 2, tolerance, delay, members: 2, metres: 1.0, area: None };
        tally.succeed(&exactly);
        assert_eq!(tally.within_two_seconds.value(), Some(3.0 / 4.0));
    }

    #[test]
    fn success_rate_is_over_those_whose_wait_has_ended() {
        // 3 of 3 + 1.
        let tally = Tally { accepted: 9, expired: 1, ..three() };
        assert_eq!(tally.success_rate(), Some(0.75));
        assert_eq!(Tally::default().success_rate(), None);
    }

    #[test]
    fn the_printed_rate_is_a_mean_over_batches_that_had_anybody() {
        // 3 of 3 + 1, nothing at all, 1 of 1 + 4: (0.75 + 0.2) / 2.
        let mut tally = Tally::default();
        for (succeeded, waiting) in [(3, 1), (0, 0), (1, 4)] {
            tally.batch(succeeded, waiting);
        }
        assert_eq!(tally.printed_success_rate.value(), Some((0.75 + 0.2) / 2.0));
    }

    #[test]
    fn time_adds_up_by_stage_and_the_worst_turn_is_the_longest_whole() {
        // Turns of 1+2+3+4+5 = 15 ms and 0+9+0+0+1 = 10 ms over 5 queries: 25,000 µs / 5.
        let mut tally = Tally { accepted: 5, ..Tally::default() };
        tally.turn(Stats::default(), [1, 2, 3, 4, 5].map(MS));
        tally.turn(Stats::default(), [0, 9, 0, 0, 1].map(MS));
        assert_eq!(tally.spent, [1, 11, 3, 4, 6].map(MS));
        assert_eq!(tally.worst, MS(15));
        assert_eq!(tally.us_per_query(tally.spent.iter().sum()), Some(5_000.0));
        assert_eq!(tally.us_per_query(tally.spent[1]), Some(2_200.0));
        assert_eq!(Tally::default().us_per_query(MS(1)), None);
    }

    #[test]
    fn the_largest_graph_has_the_most_nodes_then_edges_and_truncated_turns_count() {
        let mut tally = Tally::default();
        for (nodes, edges, truncated) in [(3, 9, false), (4, 1, true), (4, 2, true), (2, 99, false)]
        {
            let stats = Stats { nodes, edges, truncated, ..Stats::default() };
            tally.turn(stats, Spent::default());
        }
        assert_eq!((tally.largest.nodes, tally.largest.edges), (4, 2));
        assert_eq!((tally.turns, tally.truncated), (4, 2));
    }

    #[test]
    fn reasons_count_in_their_own_place() {
        for (place, reason) in Reason::ALL.into_iter().enumerate() {
            let mut tally = Tally { accepted: 2, ..Tally::default() };
            tally.refuse(reason);
            assert_eq!((tally.refusals[place], tally.refused()), (1, 1), "{reason:?}");
            assert_eq!(tally.queries(), 3);
        }
    }
}
