use super::*;

#[test]
fn members_ascend_in_sets_of_any_size() {
    let mut published = Published::default();
    for count in 0..=2 * NETWORK_LEN as u64 + 1 {
        let ids = (0..count).map(|number| QueryId(u64::MAX - number * 5 % 7 - number * 7));
        let mut expected: Vec<QueryId> = ids.clone().collect();
        expected.sort_unstable();
        let set = published.add_mesh(ids, |_| ());
        assert_eq!(published.set(set).members, expected);
    }
}

#[test]
#[should_panic(expected = "by ascending index")]
fn serving_backwards_panics() {
    let mut published = Published::default();
    let set = published.add_mesh([QueryId(1), QueryId(2)].into_iter(), |_| ());
    published.serve(1, set);
    published.serve(0, set);
}
