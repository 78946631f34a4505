//! `meshcloak cloak --guarantee`: reciprocal sets and the admission check of `history`.

use crate::program::meshcloak;
use crate::town::TownFixture;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

/// c is adjacent to a, b and to d, e, f. Under `paper` it publishes the larger clique and never the
/// region of a and b.
const TWO_CLIQUES: &str = "\
query,user,t,x,y,k,dt,dc
a,1,0.5,10,0,3,0.5,200
b,2,0.5,20,0,3,0.5,200
c,3,0.5,150,0,2,0.5,200
d,4,0.5,330,0,2,0.5,200
e,5,0.5,340,0,2,0.5,200
f,6,0.5,350,0,2,0.5,200
";

fn sets(outcomes: &str) -> BTreeMap<String, Option<Value>> {
    let objects = outcomes.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    objects
        .map(|object| {
            let query = object["query"].as_str().unwrap().to_owned();
            (query, object.get("set").cloned())
        })
        .collect()
}

#[test]
fn paper_sets_are_not_published_by_all_members_reciprocal_sets_are() {
    let town = TownFixture::new(TWO_CLIQUES);
    let printed = sets(&town.outcomes(&["--guarantee", "paper"]));
    assert_eq!(printed["a"], Some(serde_json::json!(["a", "b", "c"])));
    assert_eq!(printed["c"], Some(serde_json::json!(["c", "d", "e", "f"])));
    let found = sets(&town.outcomes(&["--guarantee", "reciprocal"]));
    for set in found.values().flatten() {
        for member in set.as_array().unwrap() {
            assert_eq!(found[member.as_str().unwrap()].as_ref(), Some(set), "{found:?}");
        }
    }
    assert!(found.values().all(Option::is_some), "a, b, c and d, e, f: {found:?}");
    assert_eq!(found, sets(&town.outcomes(&[])), "reciprocal is the default");
}

/// u1 and u2 move 100 m in 5 s; u1 declares 20 m/s, u2 19 m/s, u3 no speed.
const TRIP: &str = "\
query,user,t,x,y,k,dt,dc,speed
a1,u1,1,10,0,2,1,100,20
b1,u2,1,10,0,2,1,100,19
c1,u3,1,10,0,2,1,100,
a2,u1,6,110,0,2,1,100,20
b2,u2,6,110,0,2,1,100,19
d2,u4,6,100,0,2,1,100,20
";

/// u1 walks 150 m, which takes 150 s; u2 is new at each moment.
const WALK: &str = "\
query,user,t,x,y,k,dt,dc,speed
a1,u1,1,10,0,2,1,200,1
b1,u2,1,20,0,2,1,200,1
a2,u1,151,160,0,2,1,200,1
b2,u3,151,340,0,2,1,200,1
";

#[test]
fn history_remembers_a_walker_until_it_can_have_travelled_the_distance() {
    let town = TownFixture::new(WALK);
    let is_published = |horizon: &[&str]| {
        let found = sets(&town.outcomes(&[&["--guarantee", "history"], horizon].concat()));
        assert!(found["a1"].is_some() && found["b1"].is_some(), "{found:?}");
        found["a2"].is_some()
    };
    // From x = 10 the walker cannot have come to x = 340 in 150 s.
    assert!(!is_published(&[]));
    assert!(is_published(&["--horizon", "60"]), "the past is forgotten");
    assert!(!is_published(&["--horizon", "60", "--horizon-distance", "200"]));
    let refused = town.run(&["--horizon-distance", "200"]);
    assert!(refused.stderr.contains("--horizon-distance needs --guarantee history"), "{refused:?}");
}

#[test]
fn history_refuses_missing_speeds_and_users_faster_than_declared() {
    let town = TownFixture::new(TRIP);
    let outcomes = town.outcomes(&["--guarantee", "history"]);
    let refused = |query: &str, at: &str, reason: &str| {
        let line =
            format!(r#"{{"query":"{query}","outcome":"refused","at":{at},"reason":"{reason}"}}"#);
        assert!(outcomes.contains(&line), "{line} in\n{outcomes}");
    };
    refused("c1", "1.0", "speed");
    refused("b2", "6.0", "faster-than-declared");
    let sets = sets(&outcomes);
    assert_eq!(sets["a1"], Some(serde_json::json!(["a1", "b1"])));
    assert_eq!(sets["a2"], Some(serde_json::json!(["a2", "d2"])));
    let forgotten = town.outcomes(&["--guarantee", "history", "--horizon", "4"]);
    assert!(!forgotten.contains("faster-than-declared"), "{forgotten}");
}

#[test]
fn history_excludes_members_that_cannot_come_from_the_past_position() {
    // A straight road: u1 moves from 0 to 100; the others are at 180 and 190.
    let road = "query,user,t,x,y,k,dt,dc,speed\n\
                a1,u1,1,0,0,2,0,100,20\n\
                a2,u1,6,100,0,3,0,100,20\n\
                b2,u2,6,180,0,2,0,100,20\n\
                c2,u3,6,190,0,2,0,100,20\n";
    let town = TownFixture::new(road);
    let reciprocal = sets(&town.outcomes(&["--guarantee", "reciprocal"]));
    assert_eq!(reciprocal["a2"], Some(serde_json::json!(["a2", "b2", "c2"])));
    let history = sets(&town.outcomes(&["--guarantee", "history"]));
    assert_eq!(history["a2"], None);
    assert_eq!(history["b2"], Some(serde_json::json!(["b2", "c2"])));
}

#[test]
fn outcomes_do_not_depend_on_the_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let map = "city:500:3";
    meshcloak(&["simulate", map, "--users", "400", "--out", &path("q.csv")]).done();
    for guarantee in ["reciprocal", "history"] {
        let run = |threads: &str| {
            let (queries, out) = (path("q.csv"), path("o"));
            let how = ["--guarantee", guarantee, "--threads", threads];
            let mut all = vec!["cloak", map, "--queries", &queries, "--out", &out];
            all.extend(how);
            meshcloak(&all).done();
            fs::read_to_string(out).unwrap()
        };
        let one = run("1");
        assert!(one.contains("succeeded"), "{guarantee}");
        assert!(one == run("2") && one == run("8"), "{guarantee}");
    }
}

#[test]
fn a_set_is_held_for_a_neighbour_while_all_members_can_wait() {
    // b and c could be published at 1; a needs both of them once d arrives.
    let text = "query,user,t,x,y,k,dt,dc\n\
                a,1,1,150,0,4,3,50\n\
                b,2,1,110,0,2,3,50\n\
                c,3,1,115,0,2,3,50\n\
                e,5,1,190,0,2,3,50\n\
                d,4,2,120,0,2,3,50\n";
    let town = TownFixture::new(text);
    let at_once = sets(&town.outcomes(&["--guarantee", "reciprocal"]));
    assert_eq!(at_once["b"], Some(serde_json::json!(["b", "c"])));
    assert_eq!((&at_once["a"], &at_once["d"]), (&None, &None), "{at_once:?}");
    let held = sets(&town.outcomes(&["--guarantee", "reciprocal", "--hold"]));
    assert_eq!(held["a"], Some(serde_json::json!(["a", "b", "c", "d"])), "{held:?}");
    let run = town.run(&["--guarantee", "paper", "--hold"]);
    assert!(run.code == Some(1) && run.stderr.contains("--hold needs"), "{run:?}");
    let run = town.run(&["--guarantee", "reciprocal", "--hold", "2000"]);
    assert!(run.code == Some(1) && run.stderr.contains("at most"), "{run:?}");
}
