//! The guard rejects the same sets with any number of threads.

use super::tests::{faulty, queries, road};
use super::*;
use crate::query::UserId;
use crate::units::Length;
#[cfg(test)] // the order of modules does not hold for tests
use crate::{scheme::Scheme as _, scheme::State};

/// Sets of a batch: enough for every one of four threads.
const SETS: usize = 5 * MIN_SHARE;

/// Sets of three queries each. Every fifth one is too small for a member, the next one is no clique,
/// the fifth has a user of the set before it.
fn waiting() -> Vec<Query> {
    let three = queries(&road());
    let mut waiting: Vec<Query> = Vec::new();
    for set in 0..SETS {
        let first = waiting.len();
        for query in &three[..3] {
            let number = waiting.len() as u64;
            waiting.push(Query { id: QueryId(number), user: UserId(number), ..query.clone() });
        }
        match set % 5 {
            0 => waiting[first].k = 4,
            1 => waiting[first].distance_constraint = Length::metres(150.0),
            4 => waiting[first + 1].user = waiting[first - 2].user,
            _ => {}
        }
    }
    waiting
}

#[test]
fn rejections_do_not_depend_on_threads() {
    let mut scheme = faulty(Guarantee::Reciprocal);
    let state = State::with_waiting(waiting());
    let streets = scheme.sets[0].1.clone();
    scheme.sets =
        (0..SETS).map(|set| (vec![3 * set, 3 * set + 1, 3 * set + 2], streets.clone())).collect();
    scheme.served = (0..3 * SETS as u32).map(|index| (index, index / 3)).collect();
    let proposed = scheme.cloak(&state, Time::default(), &mut ()).clone();
    let inspect = |threads: usize, proposed: &Published| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let mut published = proposed.clone();
        let State { waiting, history, accounts, .. } = &state;
        let now = Time::from_millis(11_000);
        let inspected = Inspected { waiting, history, accounts, now };
        let promise = scheme.promise.clone();
        let rejected = pool
            .expect("threads can be started")
            .install(|| Guard::default().inspect(&promise, inspected, &mut published).to_vec());
        (rejected, published)
    };
    let (rejected, published) = inspect(1, &proposed);
    let expected = (0..SETS as u32).filter_map(|set| {
        let violation = match set % 5 {
            0 => Violation::TooSmall,
            1 => Violation::NotClique,
            4 => Violation::UserInTwoSets,
            _ => return None,
        };
        Some(Rejection { set, violation })
    });
    assert_eq!(rejected, expected.collect::<Vec<_>>());
    for threads in [2, 4] {
        assert_eq!(inspect(threads, &proposed), (rejected.clone(), published.clone()));
    }
}
