//! Progress lines of commands whose standard error is redirected.

use crate::evaluate::{EvaluationFixture, TINY};
use std::process::Command;

/// Runs the program with a line at each step and returns standard error.
fn lines_of(arguments: &[&str]) -> Vec<String> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_meshcloak"));
    let output = program.args(arguments).env("MESHCLOAK_PROGRESS", "0").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stderr).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn a_redirected_evaluation_prints_its_runs() {
    let fixture = EvaluationFixture::new(TINY);
    let lines = lines_of(&["evaluate", &fixture.path("e.toml"), "--out", &fixture.path("out")]);
    for run in ["0/4: ", "1/4: ", "4/4: "] {
        assert!(lines.iter().any(|line| line.starts_with(run)), "{run}: {lines:?}");
    }
    let (experiment, out) = (fixture.path("e.toml"), fixture.path("quiet"));
    let quiet = lines_of(&["evaluate", &experiment, "--quiet", "--out", &out]);
    assert!(quiet.is_empty(), "{quiet:?}");
}

#[test]
fn a_redirected_attack_prints_its_schemes() {
    let schemes = "meshcloak/reciprocal,casper";
    let attack = ["attack", "city:500:7", "--users", "200", "--victims", "20", "--attacks", "D"];
    let lines = lines_of(&[&attack[..], &["--scheme", schemes]].concat());
    for scheme in ["0/2: meshcloak/reciprocal, ", "1/2: casper, "] {
        assert!(lines.iter().any(|line| line.starts_with(scheme)), "{scheme}: {lines:?}");
    }
}
