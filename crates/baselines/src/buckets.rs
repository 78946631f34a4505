//! Buckets of K (Kalnis et al. 2007): users in a fixed order are divided into runs of K by rank; the
//! last run takes the remainder, up to 2K − 1.
//!
//! Each query uses the bucket of its own K. Members of a bucket with the same K publish the same
//! set, which is reciprocal if all K are equal. With mixed K a bucket also holds users that publish
//! another set; this weakness of the scheme is kept.

use crate::distinct_users::DistinctUsers;
use meshcloak::query::Query;
use meshcloak::scheme::{Observer, Published, Stage, Stats};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Order of a batch and its published buckets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buckets {
    users: DistinctUsers,
    /// Sort key and waiting index of each user.
    keys: Vec<(u64, u32)>,
    /// Waiting indices in the order of the scheme.
    order: Vec<u32>,
    /// By waiting index: rank in the order; [`NONE`] for queries that take no part.
    ranks: Vec<u32>,
    /// Set by K and start of the bucket.
    sets: FxHashMap<(u32, u32), u32>,
}

const NONE: u32 = u32::MAX;

/// Ranks of the bucket of size `k` that holds `rank`; `None` if there are fewer than `k` users.
pub(crate) fn bucket(rank: usize, k: usize, users: usize) -> Option<Range<usize>> {
    let buckets = users.checked_div(k).filter(|&buckets| buckets > 0)?;
    let number = (rank / k).min(buckets - 1);
    let end = if number + 1 == buckets { users } else { (number + 1) * k };
    Some(number * k..end)
}

impl Buckets {
    /// Orders the users of a batch by the `key` of their waiting index.
    pub(crate) fn arrange(
        &mut self,
        waiting: &[Query],
        observer: &mut dyn Observer,
        key: impl Fn(u32) -> u64,
    ) {
        observer.stage(Stage::Graph);
        self.keys.clear();
        self.keys.extend(self.users.select(waiting).iter().map(|&index| (key(index), index)));
        self.keys.sort_unstable();
        observer.stage(Stage::Cliques);
        self.order.clear();
        self.order.extend(self.keys.iter().map(|&(_, index)| index));
        self.ranks.clear();
        self.ranks.resize(waiting.len(), NONE);
        for (rank, &index) in self.order.iter().enumerate() {
            self.ranks[index as usize] = rank as u32;
        }
    }

    /// Publishes the bucket of each query; `add` adds the set of a bucket given by waiting indices.
    pub(crate) fn publish(
        &mut self,
        waiting: &[Query],
        published: &mut Published,
        mut add: impl FnMut(&mut Published, &[u32]) -> u32,
    ) {
        let Buckets { order, ranks, sets, .. } = self;
        published.clear();
        sets.clear();
        for (index, (query, &rank)) in waiting.iter().zip(&*ranks).enumerate() {
            if rank == NONE {
                continue;
            }
            if let Some(run) = bucket(rank as usize, query.k as usize, order.len()) {
                let set = sets
                    .entry((query.k, run.start as u32))
                    .or_insert_with(|| add(published, &order[run.clone()]));
                published.serve(index as u32, *set);
            }
        }
        published.stats =
            Stats { nodes: order.len(), cliques: published.set_count(), ..Stats::default() };
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Reference: divides the order into runs of the query's k, the remainder joins the last run.
    pub(crate) fn bucket_of<'a>(order: &[&'a Query], query: &Query) -> Option<Vec<&'a Query>> {
        let mut runs: Vec<Vec<&Query>> =
            order.chunks(query.k as usize).map(<[&Query]>::to_vec).collect();
        let rest = runs.pop_if(|run| run.len() < query.k as usize).unwrap_or_default();
        runs.last_mut()?.extend(rest);
        runs.into_iter().find(|run| run.iter().any(|other| other.id == query.id))
    }

    #[test]
    fn buckets_hold_k_and_the_last_one_up_to_two_k_less_one() {
        for k in 1..9 {
            for users in 0..60 {
                let runs: Vec<_> = (0..users).map(|rank| bucket(rank, k, users)).collect();
                if users < k {
                    assert!(runs.iter().all(Option::is_none));
                    continue;
                }
                for (rank, run) in runs.iter().enumerate() {
                    let run = run.clone().expect("there are at least k users");
                    assert!(run.contains(&rank));
                    assert!(run.len() == k || run.end == users && run.len() < 2 * k, "{run:?}");
                    assert!(run.clone().all(|other| runs[other] == Some(run.clone())));
                    // Reference: whole buckets from the start while another still fits.
                    let mut start = 0;
                    while start + k <= rank && start + 2 * k <= users {
                        start += k;
                    }
                    assert_eq!(run.start, start, "rank {rank} of {users}, k {k}");
                }
            }
        }
        assert_eq!(bucket(0, 0, 5), None);
    }
}
