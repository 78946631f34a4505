//! `meshcloak evaluate`: compares schemes on maps and populations, as in §V of the paper; writes the
//! results as CSV and a report.

mod date;
mod observer;
mod views;

use crate::map_folder::map_folder;
use crate::progress::Console;
use crate::scheme_args::region::RegionArgs;
use crate::scheme_args::{GuaranteeArg, HistoryClockArg};
use crate::stdout;
use crate::stop;
use crate::table::{Table, grouped};
use anyhow::{Context as _, Result, bail};
use clap::Args;
use evaluation::evaluate::{Evaluation, EvaluationSummary, Shard, evaluate};
use evaluation::experiment::Experiment;
use evaluation::provenance::{Program, command_line};
use evaluation::schemes;
use meshcloak::guarantee::Guarantee;
use meshcloak::mesh_cloak::Settings;
use observer::ConsoleProgress;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use views::{ArrivalsArg, PassArg};

/// Arguments of `evaluate`.
#[derive(Debug, Args)]
#[command(after_help = "An experiment is a TOML file; see experiments/. Results are CSV files in \
the output folder, with a report (report.html) built from them. An interrupted evaluation resumes \
where it stopped, and experiments that share a folder share their common runs. Rows of runs that a \
pass does not execute stay in the files. Ctrl-C ends it after \
the current runs and writes the results so far.

Maps by name (oldenburg, stockton, paris, porto, porto-alegre, …) are read from the folder in the \
environment variable MESHCLOAK_MAPS; without it the built-in city replaces them. `+FILE.csv` behind a \
map adds points of interest, as in porto+porto/PORTO_POIs.csv; relative paths start at that folder.

Examples:
  meshcloak evaluate --paper --out results
  meshcloak evaluate --paper --maps oldenburg,porto --users 10000 --seeds 3 --out small
  meshcloak evaluate experiments/fig-success-rate.toml --out results --jobs 2
  meshcloak evaluate experiments/schemes.toml --schemes meshcloak,casper --out baselines
  meshcloak evaluate experiments/schemes.toml --costs baselines --out again
  meshcloak evaluate --paper --shard 2/8 --out part-2
  meshcloak evaluate --paper --pass answers --jobs 2 && meshcloak evaluate --paper --pass times
  meshcloak evaluate --paper --guarantee reciprocal --region cells --cell-length 600 --out cells
  meshcloak evaluate --paper --schemes meshcloak/paper,meshcloak/reciprocal/cells-600 --out both")]
pub struct Evaluate {
    /// Experiment to run, TOML.
    #[arg(value_name = "EXPERIMENT.toml", required_unless_present = "paper")]
    experiment: Option<PathBuf>,
    /// Run all of §V: every table and figure with 100,000 users on five maps and three seeds;
    /// guarantee paper, coverage own, region reach.
    #[arg(long, conflicts_with = "experiment")]
    paper: bool,
    /// Maps: names, paths, or city:STREETS:SEED, each with +FILE.csv for points of interest [default:
    /// those of the experiment].
    #[arg(long, value_name = "MAP,…", value_delimiter = ',')]
    maps: Vec<String>,
    /// Schemes [default: those of the experiment].
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = scheme)]
    schemes: Vec<String>,
    /// Guarantee of the scheme `meshcloak` [default: that of the experiment].
    #[arg(long, value_enum)]
    guarantee: Option<GuaranteeArg>,
    /// Clock of the guarantee history [default: that of the experiment].
    #[arg(long, value_enum)]
    history_clock: Option<HistoryClockArg>,
    #[command(flatten)]
    region: RegionArgs,
    /// Run with the random seeds 1, 2, …, N; N up to 1000 [default: those of the experiment].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: Option<u64>,
    /// Numbers of users [default: those of the experiment].
    #[arg(long, value_name = "N,…", value_delimiter = ',',
          value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    users: Vec<u32>,
    /// Folder for the results.
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,
    /// Number of concurrent runs, 1 to 256. Runs that depend on the clock (views timed and realtime)
    /// always run one at a time, after the others.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,
    /// Threads per run, 1 to 1024 [default: cores divided by jobs].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Folder of an earlier evaluation; the real-time view replays its recorded times.
    #[arg(long, value_name = "DIR")]
    costs: Option<PathBuf>,
    /// Run one of COUNT parts of the grid, for several machines. Copy the output folders of all
    /// parts into one and run without --shard to write the complete results.
    #[arg(long, value_name = "INDEX/COUNT", default_value_t = Shard::ALL)]
    shard: Shard,
    /// Runs to execute: those that do not depend on the clock, those that do (they want a quiet
    /// machine), or both.
    #[arg(long, value_enum, default_value_t = PassArg::Both)]
    pass: PassArg,
    /// Batch that a query joins: the first at or after its time, or the one after that, which is the
    /// other reading of the paper [default: that of the experiment].
    #[arg(long, value_enum)]
    arrivals: Option<ArrivalsArg>,
    /// Also store a small fixed sample of answers, by which `make results-check` recognises results
    /// of other code; it replaces a stored one that shows other answers.
    #[arg(long)]
    sample: bool,
}

impl Evaluate {
    /// Runs what is missing, writes the results, prints their paths.
    pub fn run(&self, console: &Console) -> Result<()> {
        let experiment = self.experiment()?;
        let maps = map_folder(experiment.grids.iter().flat_map(|grid| &grid.maps), console);
        let start = Instant::now();
        stop::announce();
        let evaluation = Evaluation {
            experiment: &experiment,
            out: &self.out,
            maps: maps.as_deref(),
            jobs: self.jobs.into(),
            threads: self.threads.map(usize::from),
            costs: self.costs.as_deref(),
            shard: self.shard,
            pass: self.pass.into(),
            with_sample: self.sample,
            program: program(),
        };
        let finished = evaluate(&evaluation, &ConsoleProgress::new(console));
        console.clear();
        let mut finished = finished?;
        let page = self.out.join("report.html");
        evaluation::report::report(&self.out, &page)?;
        finished.files.push(page);
        if finished.jobs < self.jobs.into() {
            console.note(&format!("memory allows {} concurrent jobs", finished.jobs));
        }
        if finished.commits.len() > 1 {
            let commits = finished.commits.join(", ");
            console.note(&format!("the results mix several commits: {commits}"));
        }
        stdout::print(&table(&finished, start.elapsed()))
    }

    fn experiment(&self) -> Result<Experiment> {
        let mut experiment = match &self.experiment {
            Some(file) => {
                let text =
                    std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
                Experiment::from_toml(file, &text)?
            }
            None => Experiment::paper(),
        };
        for grid in &mut experiment.grids {
            let replace = |values: &mut Vec<String>, given: &Vec<String>| {
                if !given.is_empty() {
                    values.clone_from(given);
                }
            };
            if !self.paper {
                replace(&mut grid.maps, &self.maps);
            }
            replace(&mut grid.schemes, &self.schemes);
            self.apply_settings(&mut grid.schemes)?;
            if let Some(arrivals) = self.arrivals {
                arrivals.apply(&mut grid.views);
            }
            if !self.users.is_empty() {
                grid.users.clone_from(&self.users);
            }
            if let Some(seeds) = self.seeds {
                grid.seeds = (1..=seeds).collect();
            }
        }
        if self.paper && !self.maps.is_empty() {
            experiment.restrict_maps(&self.maps);
        }
        if self.costs.as_ref().is_some_and(|folder| !folder.is_dir()) {
            bail!(
                "--costs {}: no such folder; expected the output folder of an earlier evaluation",
                self.costs.as_deref().unwrap_or(Path::new("")).display()
            );
        }
        Ok(experiment)
    }

    /// Replaces the scheme `meshcloak` by the variant with the given guarantee and region.
    fn apply_settings(&self, schemes: &mut [String]) -> Result<()> {
        self.region.check()?;
        if self.guarantee.is_none() && self.history_clock.is_none() && !self.region.is_given() {
            return Ok(());
        }
        for scheme in schemes.iter_mut() {
            let Some(mut settings) = schemes::settings(scheme) else { continue };
            if settings != (Settings { guarantee: settings.guarantee, ..Settings::default() }) {
                continue;
            }
            settings.guarantee = self.guarantee.map_or(settings.guarantee, Into::into);
            if settings.guarantee == Guarantee::History {
                settings.history_clock =
                    self.history_clock.map_or(settings.history_clock, Into::into);
            }
            settings.region = self.region.rule();
            *scheme = schemes::named(settings);
        }
        Ok(())
    }
}

fn scheme(name: &str) -> Result<String, String> {
    schemes::canonical(name).map_err(|problem| problem.to_string())
}

/// Returns the running program, for the provenance of results.
pub(crate) fn program() -> Program {
    Program {
        commit: env!("MESHCLOAK_COMMIT").to_owned(),
        rustc: env!("MESHCLOAK_RUSTC").to_owned(),
        date: date::now(),
        command: command_line(std::env::args()),
    }
}

fn table(finished: &EvaluationSummary, elapsed: Duration) -> String {
    let mut table = Table::default();
    table.heading("Evaluation");
    table.row("runs", grouped(finished.cells as u64));
    table.row("reused", grouped(finished.known as u64));
    table.row("concurrent", grouped(finished.jobs as u64));
    table.row("time", format_duration(elapsed));
    let mut text = table.render();
    text.push_str("\nFiles\n");
    for file in &finished.files {
        text.push_str(&format!("  {}\n", file.display()));
    }
    text
}

/// Formats a duration, as in `2 min 5 s`.
pub(super) fn format_duration(duration: Duration) -> String {
    match duration.as_secs() {
        seconds @ 0..60 => format!("{seconds}.{} s", duration.subsec_millis() / 100),
        seconds @ 60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        seconds => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}
