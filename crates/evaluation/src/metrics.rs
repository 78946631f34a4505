//! Metrics of a run (docs/SPEC.md §11), accumulated in constant memory.

pub use crate::mean::Mean;
use crate::reason::Reason;
use crate::stopwatch::Spent;
use meshcloak::engine::Turn;
use meshcloak::guard::Violation;
use meshcloak::scheme::Stats;
use std::time::Duration;

/// Sums and means over a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Refused queries, by the order of [`Reason::ALL`].
    pub refusals: [u64; Reason::ALL.len()],
    /// Accepted queries with a question. All metrics are of these, unless stated.
    pub accepted: u64,
    /// Accepted presence reports.
    pub present: u64,
    /// Succeeded queries.
    pub succeeded: u64,
    /// Expired queries.
    pub expired: u64,
    /// Queries that a newer one of the same user replaced.
    pub replaced: u64,
    /// Turns; for a batch scheme the number of batches.
    pub turns: u64,
    /// Turns in which a search reached its budget or the edges exceeded the memory limit.
    pub truncated: u64,
    /// Sets rejected by the guard.
    pub rejected: u64,
    /// The same by violation, in the order of [`Violation::ALL`].
    pub rejections: [u64; Violation::ALL.len()],
    /// Sets deferred by `hold`, counted in every turn.
    pub held: u64,
    /// Sets without an asker, counted in every turn.
    pub idle: u64,
    /// Street length of the region in metres, per succeeded query.
    pub region_metres: Mean,
    /// The same divided by the size of the set.
    pub region_metres_per_member: Mean,
    /// Area of the region in m², for regions that have one.
    pub region_area: Mean,
    /// Largest of these areas; `None` if no region has one.
    pub max_region_area: Option<f64>,
    /// Size of the set / k.
    pub relative_k: Mean,
    /// k by users: members of the set, whether they ask or not.
    pub k_by_users: Mean,
    /// k by askers: members of the set that ask.
    pub k_by_askers: Mean,
    /// Delay / temporal tolerance, without queries of zero tolerance.
    pub relative_dt: Mean,
    /// Seconds from query to publication.
    pub delay: Mean,
    /// Share of succeeded queries with a delay of at most two seconds.
    pub within_two_seconds: Mean,
    /// Succeeded / (succeeded + waiting) per batch, without empty batches.
    pub printed_success_rate: Mean,
    /// Time inside `turn`, per stage.
    pub spent: Spent,
    /// Longest turn.
    pub worst: Duration,
    /// Turn with the most nodes, then the most edges.
    pub largest: Stats,
}

/// A succeeded query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Success {
    /// Requested k.
    pub k: u32,
    /// Temporal tolerance.
    pub tolerance: Duration,
    /// Time from query to publication.
    pub delay: Duration,
    /// Size of the set.
    pub members: usize,
    /// Members of the set that ask.
    pub asking: usize,
    /// Street length of the region, in metres.
    pub metres: f64,
    /// Area of the region in m², if it has one.
    pub area: Option<f64>,
}

/// Counts the members of each set of a turn that ask: all but the presence reports that it serves. A
/// member may be served by another set.
pub fn count_asking(turn: &Turn<'_>) -> Vec<usize> {
    let sets = 0..turn.published.set_count() as u32;
    let mut asking: Vec<usize> = sets.map(|set| turn.published.set(set).members.len()).collect();
    for (_, set) in turn.served.iter().filter(|(query, _)| !query.asks) {
        asking[*set as usize] -= 1;
    }
    asking
}

/// Delay that the paper reports for most queries (§V-B).
const TWO_SECONDS: Duration = Duration::from_secs(2);

impl Tally {
    /// Counts a refused query.
    pub fn refuse(&mut self, reason: Reason) {
        self.refusals[reason as usize] += 1;
    }

    /// Counts a succeeded query.
    pub fn succeed(&mut self, success: &Success) {
        let Success { k, tolerance, delay, members, asking, metres, area } = *success;
        self.succeeded += 1;
        self.region_metres.add(metres);
        self.region_metres_per_member.add(metres / members as f64);
        if let Some(area) = area {
            self.region_area.add(area);
            self.max_region_area = Some(self.max_region_area.map_or(area, |max| max.max(area)));
        }
        self.relative_k.add(members as f64 / f64::from(k));
        self.k_by_users.add(members as f64);
        self.k_by_askers.add(asking as f64);
        if tolerance > Duration::ZERO {
            self.relative_dt.add(delay.as_millis() as f64 / tolerance.as_millis() as f64);
        }
        self.delay.add(delay.as_millis() as f64 / 1000.0);
        self.within_two_seconds.add(if delay <= TWO_SECONDS { 1.0 } else { 0.0 });
    }

    /// Counts a turn.
    pub fn turn(&mut self, stats: Stats, spent: Spent) {
        self.turns += 1;
        self.truncated += u64::from(stats.truncated);
        self.rejected += stats.rejected.total() as u64;
        for (sum, violation) in self.rejections.iter_mut().zip(Violation::ALL) {
            *sum += stats.rejected.count(violation) as u64;
        }
        self.held += stats.held as u64;
        self.idle += stats.idle as u64;
        for (sum, spent) in self.spent.iter_mut().zip(spent) {
            *sum += spent;
        }
        self.worst = self.worst.max(spent.iter().sum());
        let size = |stats: Stats| (stats.nodes, stats.edges);
        if size(stats) > size(self.largest) {
            self.largest = stats;
        }
    }

    /// Counts a batch (a second for sequential schemes) by its succeeded and still waiting
    /// queries.
    pub fn batch(&mut self, succeeded: u64, waiting: u64) {
        if succeeded + waiting > 0 {
            self.printed_success_rate.add(succeeded as f64 / (succeeded + waiting) as f64);
        }
    }

    /// Returns the number of refused queries.
    pub fn refused(&self) -> u64 {
        self.refusals.iter().sum()
    }

    /// Returns the number of accepted and refused queries, presence reports included.
    pub fn queries(&self) -> u64 {
        self.accepted + self.present + self.refused()
    }

    /// Returns succeeded / (succeeded + expired + replaced).
    pub fn success_rate(&self) -> Option<f64> {
        let ended = self.succeeded + self.expired + self.replaced;
        (ended > 0).then(|| self.succeeded as f64 / ended as f64)
    }

    /// Returns `spent` in microseconds per accepted query.
    pub fn us_per_query(&self, spent: Duration) -> Option<f64> {
        (self.accepted > 0).then(|| spent.as_secs_f64() * 1e6 / self.accepted as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    /// Three queries: set of 2 after 1 s of 4 s on 300 m; set of 6 for k = 2 after 2.001 s on 900 m
    /// with an area; set of 3 with zero tolerance.
    fn three() -> Tally {
        let mut tally = Tally::default();
        let success = |k, tolerance, delay, members, metres, area| Success {
            k,
            tolerance: MS(tolerance),
            delay: MS(delay),
            members,
            asking: members,
            metres,
            area,
        };
        tally.succeed(&success(2, 4_000, 1_000, 2, 300.0, None));
        tally.succeed(&success(2, 10_000, 2_001, 6, 900.0, Some(40_000.0)));
        tally.succeed(&success(3, 0, 0, 3, 600.0, Some(10_000.0)));
        tally
    }

    #[test]
    fn region_lengths_are_means_over_succeeded_queries() {
        // (300 + 900 + 600) / 3 = 600; (300/2 + 900/6 + 600/3) / 3 = (150 + 150 + 200) / 3.
        let tally = three();
        assert_eq!(tally.region_metres.value(), Some(600.0));
        assert_eq!(tally.region_metres_per_member.value(), Some(500.0 / 3.0));
    }

    #[test]
    fn region_area_is_a_mean_over_regions_with_an_area() {
        // (40,000 + 10,000) / 2: a mesh has none.
        assert_eq!(three().region_area.value(), Some(25_000.0));
        assert_eq!(three().max_region_area, Some(40_000.0));
    }

    #[test]
    fn relative_k_is_set_size_over_k() {
        // (2/2 + 6/2 + 3/3) / 3 = 5/3.
        assert_eq!(three().relative_k.value(), Some(5.0 / 3.0));
    }

    #[test]
    fn relative_dt_excludes_queries_of_zero_tolerance() {
        // (1/4 + 2.001/10) / 2 = 0.4501 / 2.
        assert_eq!(three().relative_dt.value(), Some((0.25 + 0.2001) / 2.0));
    }

    #[test]
    fn a_delay_of_exactly_two_seconds_is_within_two_seconds() {
        // (1 + 2.001 + 0) / 3 = 1.0003…; two of three: 2.001 s exceeds two seconds.
        let mut tally = three();
        assert_eq!(tally.delay.value(), Some(3.001 / 3.0));
        assert_eq!(tally.within_two_seconds.value(), Some(2.0 / 3.0));
        let (tolerance, delay) = (MS(3_000), MS(2_000));
        let sizes =
            Success { k: 2, tolerance, delay, members: 2, asking: 1, metres: 1.0, area: None };
        let exactly = sizes;
        tally.succeed(&exactly);
        assert_eq!(tally.within_two_seconds.value(), Some(3.0 / 4.0));
    }

    #[test]
    fn success_rate_excludes_waiting_queries() {
        // 3 of 3 + 1.
        let tally = Tally { accepted: 9, expired: 1, ..three() };
        assert_eq!(tally.success_rate(), Some(0.75));
        // 3 of 3 + 1 + 2.
        assert_eq!(Tally { replaced: 2, ..tally }.success_rate(), Some(0.5));
        assert_eq!(Tally::default().success_rate(), None);
    }

    #[test]
    fn the_printed_rate_is_a_mean_over_nonempty_batches() {
        // 3 of 3 + 1, nothing at all, 1 of 1 + 4: (0.75 + 0.2) / 2.
        let mut tally = Tally::default();
        for (succeeded, waiting) in [(3, 1), (0, 0), (1, 4)] {
            tally.batch(succeeded, waiting);
        }
        assert_eq!(tally.printed_success_rate.value(), Some((0.75 + 0.2) / 2.0));
    }

    #[test]
    fn times_are_summed_by_stage_and_the_worst_turn_by_total() {
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
    fn the_largest_graph_has_the_most_nodes_then_edges() {
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
    fn refusals_are_counted_by_reason() {
        for (index, reason) in Reason::ALL.into_iter().enumerate() {
            let mut tally = Tally { accepted: 2, ..Tally::default() };
            tally.refuse(reason);
            assert_eq!((tally.refusals[index], tally.refused()), (1, 1), "{reason:?}");
            assert_eq!(tally.queries(), 3);
        }
    }
}
