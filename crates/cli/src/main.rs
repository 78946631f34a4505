//! The `meshcloak` command: one module per subcommand, on top of the library crates.
//!
//! Exit codes: 0 success, 1 invalid input or a failed operation, 2 invalid command line,
//! 130 interrupted.

mod attack;
mod cloak;
mod cluster_command;
mod cluster_process;
mod costs;
mod distinct_files;
mod doctor;
mod drive;
mod evaluate;
mod generate;
mod health;
mod keys;
mod map;
mod map_args;
mod map_folder;
mod metrics;
mod neighbours;
mod parse;
mod picture_file;
mod pois;
mod progress;
mod progress_lines;
mod provenance_file;
mod report;
mod scheme_args;
mod score;
mod serve;
mod signals;
mod simulate;
mod skipped;
mod stdout;
mod stop;
mod table;
mod threads;
mod traces;
mod traffic_args;
mod user_token;

use clap::{CommandFactory as _, Parser, Subcommand};
use std::process::ExitCode;
use std::time::Duration;

/// Returns freed memory to the system within seconds. Results are allocated by one thread and freed
/// by another, hundreds of thousands at a time; the system's allocator would retain that memory.
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Location privacy on street maps: k-anonymous queries to location-based services.
#[derive(Debug, Parser)]
#[command(name = "meshcloak", version, arg_required_else_help = true, max_term_width = 100)]
#[command(after_help = "Examples:
  meshcloak map info
  meshcloak map draw porto.osm.pbf porto.png
  meshcloak simulate --users 10000 --out q.csv && meshcloak cloak --queries q.csv --out o.ndjson
  meshcloak evaluate --paper --users 10000 --out results
  meshcloak attack --users 10000
  meshcloak report results
  meshcloak help map convert

Progress: a bar on a terminal, else a line every MESHCLOAK_PROGRESS seconds (default 10; 0: at each \
step).
Exit codes: 0 success; 1 invalid input or a failed operation; 2 invalid command line; 130 \
interrupted")]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print only the result and errors: no progress, no notes.
    #[arg(long, short, global = true)]
    quiet: bool,
    /// Seconds between progress lines if standard error is not a terminal; 0: a line at each step.
    #[arg(long, global = true, hide = true, env = "MESHCLOAK_PROGRESS", default_value_t = 10,
          value_parser = clap::value_parser!(u64).range(..=86_400))]
    progress_seconds: u64,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Describe, convert or draw a street map.
    #[command(subcommand, after_help = MAP_EXAMPLES)]
    Map(map::MapCommand),
    /// Simulate agents on a map and write their queries.
    Simulate(simulate::Simulate),
    /// Convert recorded trips to queries.
    Traces(traces::Traces),
    /// Cloak a file of queries: find anonymity sets and their regions.
    Cloak(cloak::Cloak),
    /// Compare schemes on maps and populations, as in §V of the paper.
    Evaluate(evaluate::Evaluate),
    /// Measure how far attacks reduce the anonymity that a scheme guarantees.
    Attack(attack::Attack),
    /// Measure what the service and the user pay for each answered query.
    Costs(costs::Costs),
    /// Measure systems that hide users by other means than cloaking.
    #[command(subcommand, after_help = neighbours::EXAMPLES)]
    Neighbours(neighbours::NeighboursCommand),
    /// Rebuild the report of an evaluation from its result files.
    Report(report::Report),
    /// Compute all metrics from a file of queries and a file of outcomes.
    Score(score::Score),
    /// Run the gateway.
    Serve(serve::Serve),
    /// Examine what a gateway depends on, and say what to do.
    Doctor(doctor::Doctor),
    /// Send simulated queries to a running gateway and check the answers.
    Drive(drive::Drive),
    /// Ask a running gateway whether it accepts queries; for health checks of containers.
    Health(health::Health),
    /// Write man pages and shell completions, for packages.
    #[command(hide = true)]
    Generate(generate::Generate),
    /// Create, list and revoke API keys of the gateway.
    #[command(subcommand)]
    Keys(keys::Keys),
    /// Show a cluster of frontends and engines, or move a city.
    #[command(subcommand)]
    Cluster(cluster_command::ClusterCommand),
    /// Load the points of interest of a map into a PostGIS database.
    #[command(subcommand)]
    Pois(pois::PoisCommand),
}

const MAP_EXAMPLES: &str = "Examples:
  meshcloak map info porto.osm.pbf
  meshcloak map convert porto.osm.pbf porto.meshmap
  meshcloak map draw porto.meshmap porto.png";

fn main() -> ExitCode {
    let cli = Cli::parse();
    let interval = Duration::from_secs(cli.progress_seconds);
    let console = progress::Console::new(cli.quiet, interval);
    // The gateway handles signals itself.
    if !matches!(cli.command, Command::Serve(_)) {
        // Without the handler temporary files would stay; the command still works.
        ctrlc::set_handler(stop::handle_signal).ok();
    }
    let result = match cli.command {
        Command::Map(command) => map::run(&command, &console),
        Command::Simulate(simulate) => simulate.run(&console),
        Command::Traces(traces) => traces.run(&console),
        Command::Cloak(cloak) => cloak.run(&console),
        Command::Evaluate(evaluate) => evaluate.run(&console),
        Command::Attack(attack) => attack.run(&console),
        Command::Costs(costs) => costs.run(&console),
        Command::Neighbours(command) => neighbours::run(&command, &console),
        Command::Report(report) => report.run(),
        Command::Score(score) => score.run(&console),
        Command::Serve(serve) => serve.run(&console),
        Command::Doctor(doctor) => doctor.run(&console),
        Command::Drive(drive) => drive.run(&console),
        Command::Health(health) => health.run(),
        Command::Generate(generate) => generate.run(Cli::command()),
        Command::Keys(keys) => keys.run(),
        Command::Cluster(command) => command.run(),
        Command::Pois(command) => command.run(&console),
    };
    match result {
        Ok(()) if stop::is_requested() => ExitCode::from(stop::INTERRUPTED),
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            console.clear();
            eprintln!("meshcloak: {}", message(&error));
            ExitCode::FAILURE
        }
    }
}

/// Joins the messages of an error and its causes; a cause that the message already contains is left
/// out.
fn message(error: &anyhow::Error) -> String {
    error.chain().skip(1).fold(error.to_string(), |text, cause| {
        let cause = cause.to_string();
        if text.contains(&cause) { text } else { format!("{text}: {cause}") }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::anyhow;

    #[test]
    fn a_cause_is_named_once() {
        let error = anyhow!("disk full").context("a.csv: disk full").context("cannot write");
        assert_eq!(message(&error), "cannot write: a.csv: disk full");
        let error = anyhow!("disk full").context("a.csv");
        assert_eq!(message(&error), "a.csv: disk full");
    }
}
