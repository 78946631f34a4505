//! `meshcloak report` on the results of a small evaluation.

use crate::evaluate::{EvaluationFixture, TINY};
use crate::program::meshcloak;
use std::fs;

#[test]
fn the_report_can_be_rebuilt_from_the_result_files() {
    let fixture = EvaluationFixture::new(TINY);
    let run = fixture.run("out", &[]).done();
    assert!(run.stdout.contains("report.html"), "{run:?}");
    let page = fixture.read("out/report.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("MeshCloak: Tiny"));
    assert!(fixture.read("out/plots/success-rate.csv").starts_with("panel,line,x,y"));
    for kept in ["cells", "maps", "costs"] {
        fs::remove_dir_all(fixture.path(&format!("out/{kept}"))).unwrap();
    }
    let again = fixture.path("again/report.html");
    fs::create_dir(fixture.path("again")).unwrap();
    meshcloak(&["report", &fixture.path("out"), "--out", &again]).done();
    assert_eq!(fixture.read("again/report.html"), page);
    assert!(fixture.read("again/plots/success-rate.svg").starts_with("<svg"));
    meshcloak(&["report", &fixture.path("out")]).done();
    assert_eq!(fixture.read("out/report.html"), page);
}

#[test]
fn a_report_without_results_names_the_missing_file() {
    let fixture = EvaluationFixture::new(TINY);
    let run = meshcloak(&["report", &fixture.path("")]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("no results") && run.stderr.contains("runs.csv"), "{run:?}");
    fs::write(fixture.path("runs.csv"), "map,users\na,b\n").unwrap();
    let run = meshcloak(&["report", &fixture.path("")]);
    assert!(run.code == Some(1) && run.stderr.contains("runs.csv"), "{run:?}");
}
