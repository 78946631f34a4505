//! `--region cells`: whole cells are shown, more of them if so many are wanted, and settings that
//! would have no effect are refused.

use crate::desk::Desk;
use crate::program::meshcloak;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

/// Two at one end of the town, two at the other, and one who reaches neither.
const CROWD: &str = "\
query,user,t,x,y,k,dt,dc
a,1,0.5,10,0,2,0.5,100
b,2,0.5,20,0,2,0.5,100
c,3,0.5,150,0,2,0.5,20
d,4,0.5,330,0,2,0.5,100
e,5,0.5,340,0,2,0.5,100
";

fn regions(outcomes: &str) -> BTreeSet<String> {
    let objects = outcomes.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    objects.filter_map(|object| object.get("mesh").map(Value::to_string)).collect()
}

#[test]
fn regions_are_made_of_cells_under_every_guarantee() {
    let desk = Desk::new(CROWD);
    for guarantee in ["paper", "reciprocal"] {
        let shown = |more: &[&str]| {
            regions(&desk.outcomes(&[&["--guarantee", guarantee][..], more].concat()))
        };
        let reach = shown(&[]);
        let cells = shown(&["--region", "cells", "--cell-length", "100"]);
        let more = shown(&["--region", "cells", "--cell-length", "100", "--min-cells", "50"]);
        assert!(reach.is_disjoint(&cells), "{reach:?} {cells:?}");
        assert!(cells.contains(r#"["s4"]"#), "d and e are on one street: {cells:?}");
        assert_eq!(more, BTreeSet::from([r#"["s1","s2","s3","s4"]"#.to_owned()]));
        let printed = ["--pipeline", "printed", "--region", "cells", "--cell-length", "100"];
        if guarantee == "paper" {
            assert_eq!(shown(&printed), cells);
        }
    }
}

#[test]
fn cells_can_be_equally_popular() {
    let desk = Desk::new(CROWD);
    let file = desk.path("q");
    let popular = ["--region", "cells", "--cell-popularity", &file];
    assert!(!regions(&desk.outcomes(&popular)).is_empty());
}

#[test]
fn settings_of_cells_need_cells() {
    let desk = Desk::new(CROWD);
    for (arguments, message) in [
        (&["--cell-length", "600"][..], "--cell-length needs --region cells"),
        (&["--region", "reach", "--min-cells", "2"], "--min-cells needs --region cells"),
        (&["--cell-popularity", "q.csv"], "--cell-popularity needs --region cells"),
        (&["--scheme", "casper", "--region", "cells"], "--region is a setting of `meshcloak`"),
    ] {
        let run = desk.run(arguments);
        assert_eq!(run.code, Some(1), "{arguments:?}");
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
    let run = desk.run(&["--region", "cells", "--cell-length", "0"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
}

#[test]
fn cells_are_drawn_in_colours() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("cells.svg").display().to_string();
    let run = meshcloak(&["map", "draw", "city:500:7", &out, "--cells", "--cell-length", "600"]);
    run.done();
    let svg = fs::read_to_string(&out).unwrap();
    assert!(svg.contains("cells of about 600 m") && svg.contains("cells #009e73"));
    let run = meshcloak(&["map", "draw", "city:500:7", &out, "--cell-length", "600"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
}
