//! Instruction gates: counts of the engine's stages against the committed ones (`make gates`).
//!
//! Instruction counts do not depend on load or clock, so they show regressions that times hide.
//! The program runs itself under callgrind and fails if a stage needs more than
//! [`counts::TOLERANCE`] per cent above its count in `instructions.txt`. `make bless` rewrites that
//! file.

mod callgrind;
mod counts;
mod crowd;
mod gate;
mod meter;
mod workload;

fn main() -> std::process::ExitCode {
    gate::run(workload::run)
}
