//! Instruction gate of the gateway's path of one query (`make gates`): a line of a stream through
//! intake, submission, batch, service, refinement and the line of its answer. Times are measured by
//! `meshcloak drive --bench`.

#[path = "../../../bench/benches/gates/callgrind.rs"]
mod callgrind;
#[path = "../../../bench/benches/gates/counts.rs"]
mod counts;
#[path = "../../../bench/benches/gates/gate.rs"]
mod gate;
#[path = "../../../bench/benches/gates/meter.rs"]
#[expect(dead_code, reason = "stages of a turn are counted by the gates of the engine")]
mod meter;
mod workload;

fn main() -> std::process::ExitCode {
    gate::run(workload::run)
}
