//! Records commit and compiler version for the provenance of results.

use std::path::Path;
use std::process::Command;

fn main() {
    let commit = output("git", &["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]);
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    println!("cargo::rustc-env=MESHCLOAK_COMMIT={}", commit.unwrap_or("unknown".into()));
    println!(
        "cargo::rustc-env=MESHCLOAK_RUSTC={}",
        output(&rustc, &["--version"]).unwrap_or("unknown".into())
    );
    // A commit appends to the log; a change of any crate makes the tree dirty.
    let log = output("git", &["rev-parse", "--git-path", "logs/HEAD"]);
    for path in log.iter().map(String::as_str).chain(["build.rs", ".."]) {
        if Path::new(path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}

/// Returns the first line of a command's output, if the command succeeds.
fn output(command: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(command).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let line = text.lines().next()?.trim();
    (output.status.success() && !line.is_empty()).then(|| line.to_owned())
}
