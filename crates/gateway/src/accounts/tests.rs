//! Tests of accounts and keys.

use super::*;
use crate::config::Config;
use crate::keys::LimitOverrides;
use futures_util::FutureExt as _;

#[test]
fn a_key_gives_access_to_its_account_until_it_is_revoked() {
    let limits = Config::default().limits;
    let mut file = KeyFile::default();
    let one =
        file.add("one", LimitOverrides { k_max: Some(5), ..LimitOverrides::default() }).unwrap();
    let two = file.add("two", LimitOverrides::default()).unwrap();
    let directory = Directory::empty().updated(&file, limits);
    let account = directory.account(Some(&one.secret)).unwrap();
    assert_eq!((&*account.name, account.limits.k_max), ("one", 5));
    assert_eq!(&*directory.account(Some(&two.secret)).unwrap().name, "two");
    for secret in [None, Some(""), Some("mc_00"), Some(&*one.id)] {
        assert!(directory.account(secret).is_none());
    }
    let [mut of_one, mut of_two] =
        [&one, &two].map(|key| directory.access(Some(&key.secret)).unwrap());
    file.revoke(&one.id).unwrap();
    let later = directory.updated(&file, limits);
    directory.revoke_missing(&later);
    assert!(of_one.revoked().now_or_never().is_some(), "its streams and sockets end");
    assert!(of_two.revoked().now_or_never().is_none(), "those of other keys do not");
    assert!(later.account(Some(&one.secret)).is_none());
    assert!(later.current(account).is_none());
    let (before, after) = (directory.account(Some(&two.secret)), later.account(Some(&two.secret)));
    assert!(Arc::ptr_eq(before.unwrap(), after.unwrap()), "an unchanged account keeps its tickets");
}

#[test]
fn a_reload_does_not_limit_the_users_of_the_demo() {
    let limits = Config::default().limits;
    let open = Directory::open_to_all(limits);
    let updated = open.updated(&KeyFile::default(), limits);
    let users = |directory: &Directory| directory.account(None).map(|open| open.limits().users);
    assert_eq!((users(&open), users(&updated)), (Some(usize::MAX), Some(usize::MAX)));
}
