//! A gate: counts the instructions of a workload and compares them with the committed counts.

use crate::callgrind;
use crate::counts::{Count, Counts};
use crate::meter::Meter;
use std::process::{Command, ExitCode};

/// Environment variable of the child process that callgrind runs.
const CHILD: &str = "MESHCLOAK_BENCH_CHILD";

/// Runs the gate; in the child process, runs the workload.
pub fn run(workload: fn() -> Meter) -> ExitCode {
    if std::env::var_os(CHILD).is_some() {
        workload().print();
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
