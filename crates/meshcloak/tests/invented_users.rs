//! `across_accounts` against an account that invents users around a target.

use meshcloak::mesh_cloak::Settings;
use meshcloak::town::town;
use meshcloak::{AccountId, Atlas, Engine, Length, Query, Time, UserId};
use std::sync::Arc;
use std::time::Duration;

const TARGET: AccountId = AccountId(1);
const ADVERSARY: AccountId = AccountId(2);

/// Returns the sizes of the set of the target among `friends` of its own account, and of the set
/// without the invented users, if the target is served.
fn attack(across_accounts: bool, friends: u64, invented: u64) -> Option<(usize, usize)> {
    let town = town("A 0,0  B 400,0 | A-B");
    let atlas = Arc::new(Atlas::new(town.map.clone(), Length::metres(2_000.0)));
    let settings = Settings { across_accounts, ..Settings::default() };
    let mut engine = Engine::new(Arc::clone(&atlas), settings);
    let query = |user: u64, k| {
        Query::builder(UserId(user), town.at("A-B", 100.0 + user as f64))
            .k(k)
            .dt(Duration::from_secs(9))
            .dc(Length::metres(300.0))
            .build(atlas.dc_max())
            .expect("in range")
    };
    let target = engine.submit_for(TARGET, query(0, 4)).expect("accepted");
    for user in 1..=friends {
        engine.submit_for(TARGET, query(user, 2)).expect("accepted");
    }
    for user in 100..100 + invented {
        engine.submit_for(ADVERSARY, query(user, 2)).expect("accepted");
    }
    let turn = engine.tick(Time::from_millis(1_000));
    let set = turn.served.iter().find(|(query, _)| query.id == target)?.1;
    let members = turn.served.iter().filter(|(_, of)| *of == set);
    let (size, honest) = members.fold((0, 0), |(size, honest), (query, _)| {
        (size + 1, honest + usize::from(query.user.0 < 100))
    });
    Some((size, honest))
}

#[test]
fn invented_users_of_one_account_do_not_count() {
    for invented in [3, 4, 20] {
        assert_eq!(attack(false, 0, invented), Some((1 + invented as usize, 1)), "identified");
        assert_eq!(attack(true, 0, invented), None, "the target is not published");
        assert_eq!(attack(true, 2, invented), None, "three users of the account are too few");
        let (_, honest) = attack(true, 3, invented).expect("four users of the account are enough");
        assert_eq!(honest, 4);
    }
}
