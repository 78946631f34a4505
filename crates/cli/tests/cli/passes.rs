//! Several commands write to one folder of results: none removes the rows of another.

use crate::evaluate::{EvaluationFixture, TINY};
use crate::program::meshcloak;
use std::fs;

/// Removes what a committed folder does not have.
fn forget_cells(fixture: &EvaluationFixture) {
    for folder in ["cells", "maps", "costs"] {
        fs::remove_dir_all(fixture.path(&format!("out/{folder}"))).unwrap();
    }
}

/// Rows of `runs.csv` in a view.
fn rows_of(fixture: &EvaluationFixture, view: &str) -> Vec<String> {
    let view = format!(",{view},");
    fixture
        .read("out/runs.csv")
        .lines()
        .filter(|line| line.contains(&view))
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_pass_keeps_the_rows_of_the_other_pass_without_its_cells() {
    let views = "views = [\"unlimited\", \"timed\"]\ndt = 3\n";
    let fixture = EvaluationFixture::new(
        &TINY.replace("dt = [3, 5]\n", views).replace(", \"meshcloak-printed\"", ""),
    );
    fixture.run("out", &["--pass", "answers"]).done();
    let (answers, volume) = (rows_of(&fixture, "unlimited"), fixture.read("out/volume.csv"));
    assert_eq!(answers.len(), 1);
    let provenance =
        fixture.read("out/provenance.toml").replace("commits = [\"", "commits = [\"old-");
    fs::write(fixture.path("out/provenance.toml"), provenance).unwrap();
    forget_cells(&fixture);
    let attack = ["attack", "city:500:7", "--users", "200", "--victims", "20", "--attacks", "D"];
    let out = fixture.path("out");
    meshcloak(&[&attack[..], &["--guarantee", "paper", "--out", &out]].concat()).done();
    fixture.run("out", &["--pass", "times"]).done();
    assert_eq!(rows_of(&fixture, "unlimited"), answers);
    assert!(fixture.read("out/volume.csv").starts_with(&volume), "the volume is kept");
    let timed = rows_of(&fixture, "timed");
    assert_eq!(timed.len(), 1);
    assert_eq!(fixture.read("out/maps.csv").lines().count(), 2);
    assert_eq!(fixture.read("out/schemes.csv").lines().count(), 2);
    let provenance = fixture.read("out/provenance.toml");
    let runs = provenance.split("[[file]]").find(|entry| entry.contains("runs.csv")).unwrap();
    assert!(runs.contains("commits = [\"old-") && runs.contains("\", \""), "{provenance}");
    let entry = |name: &str| provenance.matches(&format!("name = \"{name}\"")).count();
    assert_eq!(entry("privacy.csv"), 1, "{provenance}");
    assert!(provenance.contains("cells = 2\n"), "{provenance}");
    forget_cells(&fixture);
    fixture.run("out", &["--pass", "answers"]).done();
    assert_eq!(rows_of(&fixture, "timed"), timed);
    assert_eq!(rows_of(&fixture, "unlimited").len(), 1);
}

#[test]
fn arrivals_select_the_view_of_all_runs() {
    let fixture = EvaluationFixture::new(TINY);
    fixture.run("out", &["--arrivals", "after"]).done();
    assert_eq!((rows_of(&fixture, "after").len(), rows_of(&fixture, "unlimited").len()), (4, 0));
    let fixture = EvaluationFixture::new(TINY);
    fixture.run("out", &["--arrivals", "at"]).done();
    assert_eq!((rows_of(&fixture, "after").len(), rows_of(&fixture, "unlimited").len()), (0, 4));
}
