//! A fixed cadence of reports does not tell when a user asked, under `history` with the clock
//! `published`: the gateway holds standing questions for a secret part of the reporting interval.

use super::{World, asking};
use crate::fixture::place;
use meshcloak::guarantee::{Guarantee, HistoryClock};
use meshcloak::query::UserId;
use std::collections::{BTreeMap, BTreeSet};

const USERS: usize = 24;
/// Seconds between two reports of a user.
const INTERVAL: u64 = 10;

/// All users report at the same seconds, on one street. Returns for each user how many seconds after
/// the last report its queries left, once the gateway knows the interval.
async fn lags(clock: HistoryClock) -> Vec<Vec<u64>> {
    let mut world = World::with(|config, _| {
        (config.engine.guarantee, config.engine.history_clock) = (Guarantee::History, clock);
    })
    .await;
    let names: Vec<String> = (0..USERS).map(|number| format!("user{number}")).collect();
    for name in &names {
        world.put_settings(name, &asking()).await;
    }
    let ids = world.fixture.gateway.user_ids();
    let users: Vec<UserId> = names.iter().map(|name| ids.named("okapi-app", name)).collect();
    let mut lags: BTreeMap<UserId, Vec<u64>> = BTreeMap::new();
    for second in 0..160 {
        if second % INTERVAL == 0 {
            for (number, name) in names.iter().enumerate() {
                world.report(name, place(3, 0.3 + 0.4 * number as f64 / USERS as f64)).await;
            }
        }
        world.ticks(1).await;
        for user in world.fixture.left.iter().filter(|_| second >= 80) {
            lags.entry(*user).or_default().push(second % INTERVAL);
        }
    }
    users.iter().filter_map(|user| lags.remove(user)).collect()
}

#[tokio::test]
async fn what_leaves_does_not_follow_the_cadence_of_the_reports() {
    // With the clock `asked` nothing is held: everyone leaves with the first batch after a report.
    let asked = lags(HistoryClock::Asked).await;
    assert_eq!(asked.len(), USERS);
    assert!(asked.iter().flatten().all(|&lag| lag == 0), "{asked:?}");
    // With the clock `published` queries leave at any time of the interval: those of all users
    // together, and those of one user.
    let published = lags(HistoryClock::Published).await;
    assert!(published.iter().flatten().count() > 3 * USERS, "{published:?}");
    let mut at_lag = [0; INTERVAL as usize];
    published.iter().flatten().for_each(|&lag| at_lag[lag as usize] += 1);
    let largest = at_lag.iter().max().expect("an interval");
    assert!(
        at_lag.iter().all(|&count| count > 0 && 4 * largest < at_lag.iter().sum()),
        "{at_lag:?}"
    );
    let distinct = |lags: &Vec<u64>| lags.iter().collect::<BTreeSet<_>>().len();
    let spread = published.iter().filter(|lags| distinct(lags) >= 3).count();
    assert!(2 * spread > published.len(), "{published:?}");
}
