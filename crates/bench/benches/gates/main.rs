//! Instruction gates: counts of the engine's stages against the committed ones (`make gates`).
//!
//! Instruction counts do not depend on load or clock, so they show regressions that times hide.
//! The program runs itself under callgrind and fails if a stage needs more than
//! [`counts::TOLERANCE`] per cent above its count in `instructions.txt`. `make bless` rewrites that
//! file.

mod callgrind;
mod counts;
mod crowd;
mod meter;
mod workload;

use counts::{Count, Counts};
use std::process::{Command, ExitCode};

/// Environment variable of the child process that callgrind runs.
const CHILD: &str = "MESHCLOAK_BENCH_CHILD";

fn main() -> ExitCode {
    if std::env::var_os(CHILD).is_some() {
        workload::run().print();
        return ExitCode::SUCCESS;
    }
    match check() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("gates: {message}");
            ExitCode::FAILURE
        }
    }
}

fn check() -> Result<(), String> {
    let measured = Counts { compiler: compiler()?, counts: callgrind::count(CHILD)? };
    if std::env::var_os("MESHCLOAK_BLESS").is_some() {
        return measured.write();
    }
    let committed = Counts::read()?;
    println!("Instructions on one thread, {}", measured.compiler);
    println!("{:20} {:>6} {:>12} {:>12} {:>8}", "stage", "per", "committed", "measured", "change");
    for count in &measured.counts {
        let before = committed.count(&count.stage);
        let each = before.map_or("–".into(), |before| format!("{:.1}", before.each));
        let change =
            before.map_or(String::new(), |before| format!("{:+.1} %", count.excess_over(before)));
        let Count { stage, unit, .. } = count;
        println!("{stage:20} {unit:>6} {each:>12} {:>12.1} {change:>8}", count.each);
    }
    measured.compare(&committed)
}

/// Compiler version and target architecture; both change the counts.
fn compiler() -> Result<String, String> {
    let rustc = std::env::var("RUSTC").unwrap_or("rustc".into());
    let output = Command::new(&rustc).arg("--version").output();
    let output = output.map_err(|error| format!("{rustc} --version: {error}"))?;
    let version = String::from_utf8_lossy(&output.stdout);
    Ok(format!("{} for {}", version.trim(), std::env::consts::ARCH))
}
