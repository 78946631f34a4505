//! Registered users between their queries: they report no question and count towards k.

use crate::workload::Workload;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::units::Time;
use rustc_hash::FxHashSet;
use std::time::Duration;

/// Last reports of all users of a workload.
pub(super) struct RegisteredCrowd {
    /// Last query of each user, the first one before it is asked, by ascending user.
    last: Vec<Query>,
    /// Id of the next report; above those of the workload.
    next: u64,
    /// Scratch buffer: users with a waiting query.
    asking: FxHashSet<UserId>,
}

impl RegisteredCrowd {
    /// Creates the crowd of a workload, each user at the position of the first query.
    pub(super) fn of(workload: &Workload) -> RegisteredCrowd {
        let queries = 0..workload.queries.len();
        let mut last: Vec<Query> =
            queries.map(|index| workload.query(index, Duration::ZERO)).collect();
        last.sort_by_key(|query| (query.user, query.id));
        last.dedup_by_key(|query| query.user);
        let next = workload.queries.len() as u64;
        RegisteredCrowd { last, next, asking: FxHashSet::default() }
    }

    /// Adds a report of each user without a waiting query to the arrivals of a batch with a
    /// query that asks. Reports expire before the next batch.
    pub(super) fn join(&mut self, now: Time, waiting: &[Query], arrivals: &mut Vec<Query>) {
        self.asking.clear();
        for query in waiting.iter().filter(|query| query.asks).chain(arrivals.iter()) {
            self.asking.insert(query.user);
        }
        for query in arrivals.iter() {
            if let Ok(index) = self.last.binary_search_by_key(&query.user, |last| last.user) {
                self.last[index] = query.clone();
            }
        }
        if self.asking.is_empty() {
            return;
        }
        for last in self.last.iter().filter(|last| !self.asking.contains(&last.user)) {
            let mut report = last.clone();
            report.id = QueryId(self.next);
            report.asked_at = now;
            report.temporal_tolerance = Duration::ZERO;
            report.asks = false;
            arrivals.push(report);
            self.next += 1;
        }
    }
}
