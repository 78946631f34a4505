//! The `meshcloak` command: one file per subcommand; everything it does is done by the libraries.
//!
//! Exit codes: 0 done, 1 the input or the machine did not allow it, 2 the command was misspelt,
//! 130 interrupted.

mod answer;
mod attack;
mod cloak;
mod drive;
mod evaluate;
mod keys;
mod map;
mod map_args;
mod metrics;
mod pois;
mod progress;
mod report;
mod scheme_args;
mod score;
mod serve;
mod simulate;
mod table;
mod threads;
mod traces;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Returns freed memory to the system within seconds. Results are allocated by one thread and freed
/// by another, hundreds of thousands at a time; the system's allocator keeps such memory.
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Hides where people are among others they could be, on real street maps.
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

Exit codes: 0 done; 1 the input or the machine did not allow it; 2 the command was misspelt")]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print nothing but the result: no progress, no notes.
    #[arg(long, short, global = true)]
    quiet: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Look at street maps, convert them, draw them.
    #[command(subcommand, after_help = MAP_EXAMPLES)]
    Map(map::MapCommand),
    /// Let people live on a map and write what they ask.
    Simulate(simulate::Simulate),
    /// Turn trips that others recorded into queries.
    Traces(traces::Traces),
    /// Hide the people of a file of queries among one another.
    Cloak(cloak::Cloak),
    /// Try schemes on maps and crowds, as the paper does.
    Evaluate(evaluate::Evaluate),
    /// Say what a scheme's promises are worth against somebody who tries.
    Attack(attack::Attack),
    /// Make the report of an evaluation again, from its files of results.
    Report(report::Report),
    /// Say what became of queries, from files of any origin.
    Score(score::Score),
    /// Run the gateway.
    Serve(serve::Serve),
    /// Let simulated people ask a running gateway, and compare what they get with the truth.
    Drive(drive::Drive),
    /// Make, list and revoke the keys of the gateway's accounts.
    #[command(subcommand)]
    Keys(keys::Keys),
    /// Put a map's points of interest into a database that the gateway can ask.
    #[command(subcommand)]
    Pois(pois::PoisCommand),
}

const MAP_EXAMPLES: &str = "Examples:
  meshcloak map info porto.osm.pbf
  meshcloak map convert porto.osm.pbf porto.meshmap
  meshcloak map draw porto.meshmap porto.png";

fn main() -> ExitCode {
    let cli = Cli::parse();
    let console = progress::Console::new(cli.quiet);
    // The gateway has an orderly end of its own.
    if !matches!(cli.command, Command::Serve(_)) {
        // Without it an interrupted run leaves half-written files behind, and works as well.
        ctrlc::set_handler(|| {
            import::discard_unfinished();
            std::process::exit(130);
        })
        .ok();
    }
    let done = match cli.command {
        Command::Map(command) => map::run(&command, &console),
        Command::Simulate(simulate) => simulate.run(&console),
        Command::Traces(traces) => traces.run(&console),
        Command::Cloak(cloak) => cloak.run(&console),
        Command::Evaluate(evaluate) => evaluate.run(&console),
        Command::Attack(attack) => attack.run(&console),
        Command::Report(report) => report.run(),
        Command::Score(score) => score.run(&console),
        Command::Serve(serve) => serve.run(&console),
        Command::Drive(drive) => drive.run(&console),
        Command::Keys(keys) => keys.run(),
        Command::Pois(command) => command.run(&console),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            console.clear();
            eprintln!("meshcloak: {error:#}");
            ExitCode::FAILURE
        }
    }
}
