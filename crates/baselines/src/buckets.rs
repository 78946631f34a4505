//! Buckets of K (Kalnis et al. 2007): people in a fixed order are cut into runs of K by rank; the
//! last run takes the rest, up to 2K − 1.
//!
//! Everyone's bucket is that of her own K. All of a bucket with the same K get the same set, which
//! is reciprocity for one K; among mixed K a bucket also holds people who publish another, and
//! that weakness is kept.

use meshcloak::query::Query;
use meshcloak::scheme::{Published, Stats};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The order of a batch, and which of its buckets are published.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buckets {
    /// Places in the waiting list, in the order of the scheme.
    order: Vec<u32>,
    /// By place: the rank in the order; [`NONE`] of a user's later queries.
    ranks: Vec<u32>,
    /// By K and where the bucket begins: its set.
    sets: FxHashMap<(u32, u32), u32>,
}

const NONE: u32 = u32::MAX;

/// The ranks of the bucket of K that holds a rank; `None` if there are fewer than K people.
pub(crate) fn bucket(rank: usize, k: usize, people: usize) -> Option<Range<usize>> {
    let buckets = people.checked_div(k).filter(|&buckets| buckets > 0)?;
    let number = (rank / k).min(buckets - 1);
    let end = if number + 1 == buckets { people } else { (number + 1) * k };
    Some(number * k..end)
}

impl Buckets {
    /// Takes the order of a batch: places in a waiting list of that length.
    pub(crate) fn arrange(&mut self, waiting: usize, order: impl Iterator<Item = u32>) {
        self.order.clear();
        self.order.extend(order);
        self.ranks.clear();
        self.ranks.resize(waiting, NONE);
        for (rank, &place) in self.order.iter().enumerate() {
            self.ranks[place as usize] = rank as u32;
        }
    }

    /// Publishes everyone's bucket; `add` adds the set of a bucket, told by places.
    pub(crate) fn publish(
        &mut self,
        waiting: &[Query],
        published: &mut Published,
        mut add: impl FnMut(&mut Published, &[u32]) -> u32,
    ) {
        let Buckets { order, ranks, sets } = self;
        published.clear();
        sets.clear();
        for (place, (query, &rank)) in waiting.iter().zip(&*ranks).enumerate() {
            if rank == NONE {
                continue;
            }
            if let Some(run) = bucket(rank as usize, query.k as usize, order.len()) {
                let set = sets
                    .entry((query.k, run.start as u32))
                    .or_insert_with(|| add(published, &order[run.clone()]));
                published.serve(place as u32, *set);
            }
        }
        published.stats =
            Stats { nodes: order.len(), cliques: published.set_count(), ..Stats::default() };
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Naively, who shares a bucket with somebody: people in their order are cut into runs of her
    /// k, and what is left over joins the last.
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
            for people in 0..60 {
                let runs: Vec<_> = (0..people).map(|rank| bucket(rank, k, people)).collect();
                if people < k {
                    assert!(runs.iter().all(Option::is_none));
                    continue;
                }
                for (rank, run) in runs.iter().enumerate() {
                    let run = run.clone().expect("there are enough people");
                    assert!(run.contains(&rank));
                    assert!(run.len() == k || run.end == people && run.len() < 2 * k, "{run:?}");
                    assert!(run.clone().all(|other| runs[other] == Some(run.clone())));
                    // Naively: whole buckets from the beginning while another still fits.
                    let mut start = 0;
                    while start + k <= rank && start + 2 * k <= people {
                        start += k;
                    }
                    assert_eq!(run.start, start, "rank {rank} of {people}, k {k}");
                }
            }
        }
        assert_eq!(bucket(0, 0, 5), None);
    }
}
