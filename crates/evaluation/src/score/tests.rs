use super::*;
use crate::checkpoint::interrupted;
use meshcloak::town::town;
use std::fs;

/// a (0.5 s) succeeds at 1 with b (1 s); c (1 s) expires at 4; d (2 s) is refused as out of
/// order.
const QUERIES: &str = "query,user,t,x,y,k,dt,dc
a,u1,0.5,0,0,2,2,50
b,u2,1,0,0,2,4,50
c,u3,1,0,0,3,2,50
d,u1,2,0,0,2,2,50
";

const OUTCOMES: [&str; 4] = [
    r#"{"query":"a","outcome":"succeeded","at":1.0,"delay":0.5,"k":2,"set":["a","b"],"mesh":["A-B","B-C"],"length":300}"#,
    r#"{"query":"b","outcome":"succeeded","at":1,"set":["c","b"],"rectangle":[0,-10,50,10],"length":50.0}"#,
    r#"{"query":"d","outcome":"refused","at":2.0,"reason":"out-of-order"}"#,
    r#"{"query":"c","outcome":"expired","at":4.0}"#,
];

fn scored(queries: &str, outcomes: &str, map: Option<&StreetMap>) -> Result<OutcomeScore, String> {
    scored_with(Ids::Checked, queries, outcomes, map)
}

fn scored_with(
    ids: Ids,
    queries: &str,
    outcomes: &str,
    map: Option<&StreetMap>,
) -> Result<OutcomeScore, String> {
    let folder = tempfile::tempdir().unwrap();
    let (q, o) = (folder.path().join("q.csv"), folder.path().join("o.ndjson"));
    fs::write(&q, queries).unwrap();
    fs::write(&o, outcomes).unwrap();
    let files = Files { queries: &q, outcomes: &o, map, batch: 1000, ids };
    score(&files, &())
        .map_err(|error| error.to_string().replace(&folder.path().display().to_string(), ""))
}

#[test]
fn metrics_of_four_outcomes_match_hand_computation() {
    let score = scored(QUERIES, &OUTCOMES.join("\n"), None).unwrap();
    let tally = &score.tally;
    assert_eq!((tally.accepted, tally.succeeded, tally.expired, tally.refused()), (3, 2, 1, 1));
    assert_eq!(tally.success_rate(), Some(2.0 / 3.0));
    // (300 + 50) / 2, (150 + 25) / 2, 50 m × 20 m, 2/2 twice, (0.5/2 + 0/4) / 2, (0.5 + 0) / 2.
    assert_eq!(tally.region_metres.value(), Some(175.0));
    assert_eq!(tally.region_metres_per_member.value(), Some(87.5));
    assert_eq!(tally.region_area.value(), Some(1000.0));
    assert_eq!(tally.relative_k.value(), Some(1.0));
    assert_eq!(tally.relative_dt.value(), Some(0.125));
    assert_eq!(tally.delay.value(), Some(0.25));
    assert_eq!(tally.within_two_seconds.value(), Some(1.0));
    // Batch 1: two succeed and one waits; batches 2 and 3: none of one: (2/3 + 0 + 0) / 3.
    assert_eq!(tally.printed_success_rate.value(), Some(2.0 / 9.0));
    assert_eq!((score.below_k, score.counted_twice), (0, 0));
}

#[test]
fn a_replaced_query_counts_with_the_expired_and_ends_while_it_waits() {
    let replaced = OUTCOMES.join("\n").replace(r#""expired","at":4.0"#, r#""replaced","at":3.0"#);
    let tally = scored(QUERIES, &replaced, None).unwrap().tally;
    assert_eq!((tally.accepted, tally.succeeded, tally.expired, tally.replaced), (3, 2, 0, 1));
    assert_eq!(tally.success_rate(), Some(2.0 / 3.0));
    let late = replaced.replace(r#""replaced","at":3.0"#, r#""replaced","at":3.001"#);
    let message = scored(QUERIES, &late, None).unwrap_err();
    let expected =
        "/o.ndjson, line 4: query `c` was replaced before its time or after its deadline";
    assert_eq!(message, expected);
}

#[test]
fn a_map_measures_regions_and_checks_streets() {
    let town = town("A 0,0  B 100,0  C 300,0 | A-B B-C");
    let score = scored(QUERIES, &OUTCOMES.join("\n"), Some(&town.map)).unwrap();
    // 100 + 200, and the 50 m of A-B within the rectangle.
    assert_eq!(score.tally.region_metres.value(), Some(175.0));
    let elsewhere = OUTCOMES.join("\n").replace("B-C", "C-D");
    let message = scored(QUERIES, &elsewhere, Some(&town.map)).unwrap_err();
    let expected = "/o.ndjson, line 1: the region of query `a` contains `C-D`, which is not a street of the map";
    assert_eq!(message, expected);
    let twice = OUTCOMES.join("\n").replace("B-C", "A-B");
    let message = scored(QUERIES, &twice, Some(&town.map)).unwrap_err();
    assert_eq!(message, "/o.ndjson, line 1: the region of query `a` contains a street twice");
}

#[test]
fn small_sets_and_repeated_users_are_counted() {
    let alone = OUTCOMES.join("\n").replace(r#"["c","b"]"#, r#"["b"]"#);
    let score = scored(QUERIES, &alone, None).unwrap();
    assert_eq!((score.below_k, score.counted_twice), (1, 0));
    let twice = OUTCOMES.join("\n").replace(r#"["a","b"]"#, r#"["a","d"]"#);
    let score = scored(QUERIES, &twice, None).unwrap();
    assert_eq!((score.below_k, score.counted_twice), (1, 1));
}

/// Replaced text, replacement and expected error.
const CONTRADICTIONS: &[(&str, &str, &str)] = &[
    (
        r#""at":1,"set""#,
        r#""at":6,"set""#,
        ", line 2: query `b` succeeded before its time or after its deadline",
    ),
    (
        r#""delay":0.5"#,
        r#""delay":0.4"#,
        ", line 1: the delay of query `a` differs from the time between query and outcome",
    ),
    (r#""k":2"#, r#""k":3"#, ", line 1: the k of query `a` differs from the query file"),
    (
        r#"["c","b"]"#,
        r#"["c"]"#,
        ", line 2: the set of query `b` does not contain the query itself",
    ),
    (
        r#"["c","b"]"#,
        r#"["e","b"]"#,
        ", line 2: the set of query `b` contains `e`, which is not in the query file",
    ),
    (r#"["c","b"]"#, r#"["b","b"]"#, ", line 2: the set of query `b` contains `b` twice"),
    (r#""query":"c""#, r#""query":"e""#, ", line 4: query `e` is not in the query file"),
    (r#""query":"c""#, r#""query":"a""#, ", line 4: query `a` has a second outcome"),
    (r#""query":"c""#, r#""query":null"#, ", line 4: query `null` is not in the query file"),
    (r#""at":4.0"#, r#""at":3.0"#, ", line 4: query `c` expired before its deadline"),
    (
        r#""at":4.0"#,
        r#""at":"soon""#,
        ", line 4: `at` is \"soon\"; expected seconds from 0 with at most three decimals",
    ),
    (
        "expired",
        "gone",
        ", line 4: `outcome` is \"gone\"; expected succeeded, expired, replaced, present or refused",
    ),
    (
        "out-of-order",
        "rain",
        ", line 3: `reason` is \"rain\"; expected a reason of docs/SPEC.md §8",
    ),
    (
        r#","length":50.0"#,
        "",
        ", line 2: the region of query `b` has no `length`, and no map is given to measure it",
    ),
    (r#""set":["c","b"],"#, "", ", line 2: missing field `set`"),
    ("[0,-10,50,10]", "[0,1]", ", line 2: `rectangle` is [0,1]; expected [x0,y0,x1,y1]"),
    (OUTCOMES[3], "", ": queries without an outcome: 1; the first is `c`"),
];

#[test]
fn contradictions_are_reported_with_their_line() {
    let whole = OUTCOMES.join("\n");
    for &(from, to, message) in CONTRADICTIONS {
        let found = scored(QUERIES, &whole.replace(from, to), None).unwrap_err();
        assert_eq!(found, format!("/o.ndjson{message}"));
    }
    let broken = format!("{}\n{{\"query\"", OUTCOMES[0]);
    assert!(
        scored(QUERIES, &broken, None)
            .unwrap_err()
            .starts_with("/o.ndjson, line 2: invalid outcome: ")
    );
    assert!(scored("a,b\n", &whole, None).unwrap_err().contains("/q.csv"));
}

#[test]
fn unique_ids_give_the_same_score_and_errors_at_the_same_line() {
    let whole = OUTCOMES.join("\n");
    let malformed = format!("{QUERIES}e,u5,3,x,0,2,2,50\n,u5,3\n");
    let refused = r#"{"query":"e","outcome":"refused","at":2.0,"reason":"malformed"}"#;
    let nameless = refused.replace(r#""e""#, "null");
    let with_refused =
        whole.replace(OUTCOMES[3], &format!("{refused}\n{nameless}\n{}", OUTCOMES[3]));
    for (queries, outcomes) in [(QUERIES, &whole), (&malformed, &with_refused)] {
        let score = scored(queries, outcomes, None);
        assert!(score.is_ok(), "{score:?}");
        assert_eq!(scored_with(Ids::Unique, queries, outcomes, None), score);
    }
    let place = |error: &str| error.split(": ").next().unwrap().to_owned();
    for &(from, to, message) in CONTRADICTIONS {
        let outcomes = whole.replace(from, to);
        let found = scored_with(Ids::Unique, QUERIES, &outcomes, None).unwrap_err();
        assert_eq!(place(&found), place(&format!("/o.ndjson{message}")), "{found}");
    }
    // `b` ended before the set of `c`.
    let late = OUTCOMES[1].replace("[\"c\",\"b\"]", "[\"b\"]");
    let last = r#"{"query":"c","outcome":"succeeded","at":3,"set":["c","b"],"length":1}"#;
    let outcomes = [OUTCOMES[0], &late, OUTCOMES[2], last].join("\n");
    assert!(scored(QUERIES, &outcomes, None).is_ok());
    let found = scored_with(Ids::Unique, QUERIES, &outcomes, None).unwrap_err();
    assert!(found.starts_with("/o.ndjson, line 4: the set of query `c` contains `b`"), "{found}");
    // `a` is not kept after the outcome of `d`.
    let repeated = [OUTCOMES[0], OUTCOMES[1], OUTCOMES[2], OUTCOMES[0]].join("\n");
    let found = scored_with(Ids::Unique, QUERIES, &repeated, None).unwrap_err();
    assert!(found.starts_with("/o.ndjson, line 4: query `a` is not waiting"), "{found}");
}

#[test]
fn refused_duplicate_rows_do_not_end_the_query_of_their_id() {
    let queries = format!("{QUERIES}a,u9,3,0,0,2,2,50\nq,u9,3\n");
    let refusals = [
        r#"{"query":"a","outcome":"refused","at":3.0,"reason":"duplicate-id"}"#,
        r#"{"query":null,"outcome":"refused","at":3.0,"reason":"malformed"}"#,
    ];
    let outcomes = format!("{}\n{}", OUTCOMES.join("\n"), refusals.join("\n"));
    let score = scored(&queries, &outcomes, None).unwrap();
    assert_eq!((score.tally.refused(), score.tally.queries()), (3, 6));
}

#[test]
fn idle_batches_are_counted_up_to_the_limit() {
    let queries = "query,user,t,x,y,k,dt,dc\na,u1,0,0,0,2,9000,50\n";
    let outcome = r#"{"query":"a","outcome":"expired","at":9001.0}"#;
    let score = scored(queries, outcome, None).unwrap();
    // Batch 0 and 3,600 idle batches in which the query waits; the last batch is empty.
    let mut expected = Tally { accepted: 1, expired: 1, ..Tally::default() };
    (0..3_601).for_each(|_| expected.batch(0, 1));
    assert_eq!(score.tally, expected);
}

#[test]
fn reading_outcomes_ends_at_its_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let (q, o) = (folder.path().join("q.csv"), folder.path().join("o.ndjson"));
    fs::write(&q, QUERIES).unwrap();
    fs::write(&o, OUTCOMES.join("\n")).unwrap();
    let read = |checkpoint| {
        let queries = QueryReader::open(&q, &()).unwrap();
        let outcomes = OutcomeReader::open(&o).unwrap().with_checkpoint(checkpoint);
        let conditions = ScoreConditions { map: None, batch: 1000, ids: Ids::Checked };
        assert!(score_rows(queries, &q, outcomes, conditions).is_ok());
    };
    // One before each row, and one before the end of the file.
    assert_eq!(interrupted(usize::MAX, read), (5, true));
    assert_eq!(interrupted(3, read), (3, false));
}
