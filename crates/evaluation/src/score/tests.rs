use super::*;
use meshcloak::town::town;
use std::fs;

/// a asks at 0.5 and is served at 1 with b, who asked at 1; c asks at 1 and expires at 4; d, asked
/// at 2, is out of order for whoever refused it.
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

fn scored(queries: &str, outcomes: &str, map: Option<&StreetMap>) -> Result<Score, String> {
    let folder = tempfile::tempdir().unwrap();
    let (q, o) = (folder.path().join("q.csv"), folder.path().join("o.ndjson"));
    fs::write(&q, queries).unwrap();
    fs::write(&o, outcomes).unwrap();
    let files = Files { queries: &q, outcomes: &o, map, batch: 1000 };
    score(&files, &())
        .map_err(|error| error.to_string().replace(&folder.path().display().to_string(), ""))
}

#[test]
fn a_file_of_four_is_scored_as_on_paper() {
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
    // Batch 1: two of two and one who waits; batches 2 and 3: none of one: (2/3 + 0 + 0) / 3.
    assert_eq!(tally.printed_success_rate.value(), Some(2.0 / 9.0));
    assert_eq!((score.below_k, score.counted_twice), (0, 0));
}

#[test]
fn with_a_map_regions_are_measured_and_streets_must_exist() {
    let town = town("A 0,0  B 100,0  C 300,0 | A-B B-C");
    let score = scored(QUERIES, &OUTCOMES.join("\n"), Some(&town.map)).unwrap();
    // 100 + 200, and the 50 m of A-B within the rectangle.
    assert_eq!(score.tally.region_metres.value(), Some(175.0));
    let elsewhere = OUTCOMES.join("\n").replace("B-C", "C-D");
    let message = scored(QUERIES, &elsewhere, Some(&town.map)).unwrap_err();
    let expected =
        "/o.ndjson, line 1: the region of query `a` holds `C-D`, which is no street of the map";
    assert_eq!(message, expected);
    let twice = OUTCOMES.join("\n").replace("B-C", "A-B");
    let message = scored(QUERIES, &twice, Some(&town.map)).unwrap_err();
    assert_eq!(message, "/o.ndjson, line 1: the region of query `a` holds a street twice");
}

#[test]
fn too_few_people_and_people_counted_twice_are_counted() {
    let alone = OUTCOMES.join("\n").replace(r#"["c","b"]"#, r#"["b"]"#);
    let score = scored(QUERIES, &alone, None).unwrap();
    assert_eq!((score.below_k, score.counted_twice), (1, 0));
    let twice = OUTCOMES.join("\n").replace(r#"["a","b"]"#, r#"["a","d"]"#);
    let score = scored(QUERIES, &twice, None).unwrap();
    assert_eq!((score.below_k, score.counted_twice), (1, 1));
}

#[test]
fn contradictions_are_named_with_their_line() {
    let whole = OUTCOMES.join("\n");
    let cases = [
        (
            r#""at":1,"set""#,
            r#""at":6,"set""#,
            ", line 2: query `b` was served before it was asked, or after its patience was over",
        ),
        (
            r#""delay":0.5"#,
            r#""delay":0.4"#,
            ", line 1: the delay of query `a` is not the time from question to outcome",
        ),
        (r#""k":2"#, r#""k":3"#, ", line 1: the k of query `a` is not the one it asked for"),
        (
            r#"["c","b"]"#,
            r#"["c"]"#,
            ", line 2: the set of query `b` does not hold the query itself",
        ),
        (
            r#"["c","b"]"#,
            r#"["e","b"]"#,
            ", line 2: the set of query `b` holds `e`, which is not in the file of queries",
        ),
        (r#"["c","b"]"#, r#"["b","b"]"#, ", line 2: the set of query `b` holds `b` twice"),
        (r#""query":"c""#, r#""query":"e""#, ", line 4: query `e` is not in the file of queries"),
        (r#""query":"c""#, r#""query":"a""#, ", line 4: query `a` has an outcome already"),
        (
            r#""query":"c""#,
            r#""query":null"#,
            ", line 4: query `null` is not in the file of queries",
        ),
        (r#""at":4.0"#, r#""at":3.0"#, ", line 4: query `c` expired before its patience was over"),
        (
            r#""at":4.0"#,
            r#""at":"soon""#,
            ", line 4: `at` is \"soon\"; expected seconds from 0 with at most three decimals",
        ),
        (
            "expired",
            "gone",
            ", line 4: `outcome` is \"gone\"; expected succeeded, expired or refused",
        ),
        ("out-of-order", "rain", ", line 3: `reason` is \"rain\"; expected a reason of SPEC §8"),
        (
            r#","length":50.0"#,
            "",
            ", line 2: the region of query `b` has no `length`, and there is no map to measure it on",
        ),
        (r#""set":["c","b"],"#, "", ", line 2: no `set`"),
        ("[0,-10,50,10]", "[0,1]", ", line 2: `rectangle` is [0,1]; expected [x0,y0,x1,y1]"),
        (OUTCOMES[3], "", ": queries without an outcome: 1; the first is `c`"),
    ];
    for (from, to, message) in cases {
        let found = scored(QUERIES, &whole.replace(from, to), None).unwrap_err();
        assert_eq!(found, format!("/o.ndjson{message}"));
    }
    let broken = format!("{}\n{{\"query\"", OUTCOMES[0]);
    assert!(
        scored(QUERIES, &broken, None).unwrap_err().starts_with("/o.ndjson, line 2: no outcome: ")
    );
    assert!(scored("a,b\n", &whole, None).unwrap_err().contains("/q.csv"));
}

#[test]
fn refused_rows_that_are_no_queries_leave_the_query_of_their_id_alone() {
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
fn a_long_silence_counts_no_more_batches_than_a_run_holds() {
    let queries = "query,user,t,x,y,k,dt,dc\na,u1,0,0,0,2,9000,50\n";
    let outcome = r#"{"query":"a","outcome":"expired","at":9001.0}"#;
    let score = scored(queries, outcome, None).unwrap();
    // Batch 0 and 3,600 quiet ones in which she waits; the last has nobody.
    let mut expected = Tally { accepted: 1, expired: 1, ..Tally::default() };
    (0..3_601).for_each(|_| expected.batch(0, 1));
    assert_eq!(score.tally, expected);
}
