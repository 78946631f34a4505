//! `--region cells` and `cell`: regions consist of whole cells, or of one; settings without effect
//! are rejected.

use crate::program::meshcloak;
use crate::town::TownFixture;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

/// Two queries at each end of the town and one out of reach of both.
const QUERIES: &str = "\
query,user,t,x,y,k,dt,dc
a,1,0.5,10,0,2,0.5,100
b,2,0.5,20,0,2,0.5,100
c,3,0.5,150,0,2,0.5,20
d,4,0.5,330,0,2,0.5,100
e,5,0.5,340,0,2,0.5,100
";

fn meshes(outcomes: &str) -> BTreeSet<String> {
    let objects = outcomes.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    objects.filter_map(|object| object.get("mesh").map(Value::to_string)).collect()
}

#[test]
fn regions_consist_of_cells_under_each_guarantee() {
    let town = TownFixture::new(QUERIES);
    for guarantee in ["paper", "reciprocal"] {
        let regions = |more: &[&str]| {
            meshes(&town.outcomes(&[&["--guarantee", guarantee][..], more].concat()))
        };
        let reach = regions(&[]);
        let cells = regions(&["--region", "cells", "--cell-length", "100"]);
        assert!(reach.is_disjoint(&cells), "{reach:?} {cells:?}");
        assert!(cells.contains(r#"["s4"]"#), "d and e are on one street: {cells:?}");
        let printed = ["--pipeline", "printed", "--region", "cells", "--cell-length", "100"];
        if guarantee == "paper" {
            assert_eq!(regions(&printed), cells);
        }
    }
}

#[test]
fn sets_lie_in_one_cell_under_each_guarantee() {
    let town = TownFixture::new(QUERIES);
    for guarantee in ["paper", "reciprocal"] {
        let regions = |length: &str| {
            let cell = ["--guarantee", guarantee, "--region", "cell", "--cell-length", length];
            meshes(&town.outcomes(&cell))
        };
        let small = regions("100");
        assert!(small.contains(r#"["s4"]"#) && small.len() <= 2, "{small:?}");
        assert_eq!(regions("3000"), BTreeSet::from([r#"["s1","s2","s3","s4"]"#.to_owned()]));
    }
}

#[test]
fn cells_can_be_balanced_by_popularity() {
    let town = TownFixture::new(QUERIES);
    let file = town.path("q");
    let popular = ["--region", "cells", "--cell-popularity", &file];
    assert!(!meshes(&town.outcomes(&popular)).is_empty());
}

#[test]
fn settings_of_cells_require_cells() {
    let town = TownFixture::new(QUERIES);
    for (arguments, message) in [
        (&["--cell-length", "600"][..], "--cell-length needs --region cells"),
        (&["--cell-popularity", "q.csv"], "--cell-popularity needs --region cells"),
        (&["--scheme", "casper", "--region", "cells"], "--region is a setting of `meshcloak`"),
    ] {
        let run = town.run(arguments);
        assert_eq!(run.code, Some(1), "{arguments:?}");
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
    let run = town.run(&["--region", "cells", "--cell-length", "0"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
}

#[test]
fn cells_are_drawn_in_colours() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("cells.svg").display().to_string();
    let run = meshcloak(&["map", "draw", "city:500:7", &out, "--cells", "--cell-length", "600"]);
    run.done();
    let svg = fs::read_to_string(&out).unwrap();
    assert!(svg.contains("cells of about 600 m of street") && svg.contains("cells #009e73"));
    assert!(svg.contains(" cells<") && svg.contains("median "), "legend");
    let run = meshcloak(&["map", "draw", "city:500:7", &out, "--cell-length", "600"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
}
