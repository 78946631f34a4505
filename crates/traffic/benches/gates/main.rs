//! Instruction counts of the fast engine's stages, compared with committed ones: `make gates`.
//!
//! Counts depend on neither load nor clock, so a change that makes a stage slower is seen where
//! times would hide it. This program runs itself under callgrind and fails when a stage needs more
//! than [`ledger::TOLERANCE`] above its number in `instructions.txt`; `make bless` renews those.

mod callgrind;
mod ledger;
mod stages;
mod workload;

use ledger::{Count, Ledger};
use std::process::{Command, ExitCode};

const CHILD: &str = "MESHCLOAK_BENCH_CHILD";

fn main() -> ExitCode {
    if std::env::var_os(CHILD).is_some() {
        println!("{}", workload::run().map(|size| size.to_string()).join(" "));
        return ExitCode::SUCCESS;
    }
    match judge() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("gates: {message}");
            ExitCode::FAILURE
        }
    }
}

fn judge() -> Result<(), String> {
    let now = Ledger { compiler: compiler()?, counts: callgrind::count(CHILD)? };
    if std::env::var_os("MESHCLOAK_BLESS").is_some() {
        return now.write();
    }
    let before = Ledger::read()?;
    println!("Instructions on one thread, {}", now.compiler);
    println!("{:20} {:>6} {:>12} {:>12} {:>8}", "stage", "per", "committed", "now", "change");
    for count in &now.counts {
        let before = before.count(&count.stage);
        let committed = before.map_or("–".into(), |before| format!("{:.1}", before.each));
        let change = before.map_or(String::new(), |before| format!("{:+.1} %", count.over(before)));
        let Count { stage, unit, each, .. } = count;
        println!("{stage:20} {unit:>6} {committed:>12} {each:>12.1} {change:>8}");
    }
    now.compare(&before)
}

/// Which compiler builds for which machine, for both change what is counted.
fn compiler() -> Result<String, String> {
    let rustc = std::env::var("RUSTC").unwrap_or("rustc".into());
    let output = Command::new(&rustc).arg("--version").output();
    let output = output.map_err(|error| format!("{rustc} --version: {error}"))?;
    let version = String::from_utf8_lossy(&output.stdout);
    Ok(format!("{} for {}", version.trim(), std::env::consts::ARCH))
}
