//! Interrupted commands leave the results of what was done.

use crate::evaluate::{EvaluationFixture, TINY};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs the program, sends SIGINT when `is_begun`, and returns its output.
fn interrupted(arguments: &[&str], is_begun: impl Fn() -> bool) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_meshcloak"))
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !is_begun() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn an_interrupted_evaluation_writes_the_results_so_far() {
    let more = "users = [300, 400]\nseeds = 8\n";
    let fixture = EvaluationFixture::new(&TINY.replace("users = 200\n", more));
    let (experiment, out) = (fixture.path("e.toml"), fixture.path("out"));
    let cells = Path::new(&out).join("cells");
    let is_begun = || {
        fs::read_dir(&cells).is_ok_and(|files| {
            let names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
            names.filter(|name| name.ends_with(".json")).count() >= 2
        })
    };
    let output = interrupted(&["evaluate", &experiment, "--out", &out], is_begun);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("partial results"), "{stderr}");
    let rows = fixture.read("out/runs.csv").lines().count() - 1;
    assert!((2..64).contains(&rows), "{rows} of 64 runs");
    assert!(fixture.read("out/report.html").contains("MeshCloak: Tiny"));
}

#[test]
fn an_interrupted_attack_keeps_the_schemes_that_are_done() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().display().to_string();
    let schemes = "meshcloak/paper,meshcloak/reciprocal,meshcloak/history,casper,hilbert-cloak";
    let arguments = ["attack", "city:500:7", "--users", "400", "--victims", "50", "--scheme"];
    let arguments = [&arguments[..], &[schemes, "--out", &out]].concat();
    let file = folder.path().join("privacy.csv");
    let output = interrupted(&arguments, || file.is_file());
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let rows = fs::read_to_string(&file).unwrap();
    assert!(rows.lines().count() > 5 && rows.contains("meshcloak/paper"), "{rows}");
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(table.contains("meshcloak/paper: ") && !table.contains("hilbert-cloak"), "{table}");
}
