//! `meshcloak evaluate`: schemes on maps and crowds, as in §V of the paper; results as CSV, and a report.

mod date;

use crate::answer;
use crate::progress::Console;
use crate::scheme_args::GuaranteeArg;
use crate::scheme_args::region::RegionArgs;
use crate::table::{Table, grouped};
use anyhow::{Context as _, Result, bail};
use clap::Args;
use evaluation::evaluate::{CellProgress, Evaluation, Finished, evaluate};
use evaluation::experiment::Experiment;
use evaluation::provenance::Program;
use evaluation::schemes;
use meshcloak::mesh_cloak::Settings;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Arguments of `evaluate`.
#[derive(Debug, Args)]
#[command(after_help = "An experiment is a TOML file; see experiments/. Results are CSV files in \
the output folder, with a report (report.html) made from them. What is done stays done: an evaluation that was interrupted, or killed, is taken \
up where it was, and experiments that share a folder share what they have in common.

Maps by name (oldenburg, stockton, paris, porto, porto-alegre, …) lie in the folder that the \
environment variable MESHCLOAK_MAPS names; without it the built-in city takes their place.

Examples:
  meshcloak evaluate --paper --out results
  meshcloak evaluate --paper --maps oldenburg,porto --users 10000 --seeds 3 --out small
  meshcloak evaluate experiments/fig-success-rate.toml --out results --jobs 2
  meshcloak evaluate experiments/schemes.toml --schemes meshcloak,casper --out rivals
  meshcloak evaluate experiments/schemes.toml --costs rivals --out again
  meshcloak evaluate --paper --guarantee reciprocal --region cells --cell-length 600 --out cells
  meshcloak evaluate --paper --schemes meshcloak/paper,meshcloak/reciprocal/cells-600 --out both")]
pub struct Evaluate {
    /// Experiment to run.
    #[arg(value_name = "EXPERIMENT.toml", required_unless_present = "paper")]
    experiment: Option<PathBuf>,
    /// Run the whole of §V: five maps, both profiles, every k and dt of Table III; guarantee paper,
    /// coverage own, region reach.
    #[arg(long, conflicts_with = "experiment")]
    paper: bool,
    /// Maps to use instead: names, paths, or city:STREETS:SEED.
    #[arg(long, value_name = "MAP,…", value_delimiter = ',')]
    maps: Vec<String>,
    /// Schemes to try instead.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = scheme)]
    schemes: Vec<String>,
    /// What MeshCloak promises to whom, instead.
    #[arg(long, value_enum)]
    guarantee: Option<GuaranteeArg>,
    #[command(flatten)]
    region: RegionArgs,
    /// How many seeds to try instead, from 1.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: Option<u64>,
    /// How many people instead.
    #[arg(long, value_name = "N,…", value_delimiter = ',',
          value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    users: Vec<u32>,
    /// Folder of results.
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,
    /// How many runs at once; times are least disturbed with one.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,
    /// Threads of each run; unless given, the cores are shared out.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Folder of an earlier evaluation whose recorded times the real-time view replays.
    #[arg(long, value_name = "DIR")]
    costs: Option<PathBuf>,
}

impl Evaluate {
    /// Runs what is not done yet, writes the results, says where they are.
    pub fn run(&self, console: &Console) -> Result<()> {
        let experiment = self.experiment()?;
        let maps = std::env::var_os("MESHCLOAK_MAPS").map(PathBuf::from);
        if maps.is_none() && experiment.grids.iter().any(|grid| grid.maps.iter().any(by_name)) {
            console.note("MESHCLOAK_MAPS is not set; the built-in city takes the place of maps");
        }
        let begun = Instant::now();
        let evaluation = Evaluation {
            experiment: &experiment,
            out: &self.out,
            maps: maps.as_deref(),
            jobs: self.jobs.into(),
            threads: self.threads.map(usize::from),
            costs: self.costs.as_deref(),
            program: program(),
        };
        let finished = evaluate(&evaluation, &Bar { console });
        console.clear();
        let mut finished = finished?;
        let page = self.out.join("report.html");
        evaluation::report::report(&self.out, &page)?;
        finished.files.push(page);
        if finished.jobs < self.jobs.into() {
            console.note(&format!("memory allows {} at once", finished.jobs));
        }
        if finished.commits.len() > 1 {
            let commits = finished.commits.join(", ");
            console.note(&format!("results of several commits: {commits}"));
        }
        answer::print(&table(&finished, begun.elapsed()))
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
            let replace = |of_grid: &mut Vec<String>, given: &Vec<String>| {
                if !given.is_empty() {
                    of_grid.clone_from(given);
                }
            };
            replace(&mut grid.maps, &self.maps);
            replace(&mut grid.schemes, &self.schemes);
            self.set(&mut grid.schemes)?;
            if !self.users.is_empty() {
                grid.users.clone_from(&self.users);
            }
            if let Some(seeds) = self.seeds {
                grid.seeds = (1..=seeds).collect();
            }
        }
        if self.costs.as_ref().is_some_and(|folder| !folder.is_dir()) {
            bail!(
                "--costs {}: no such folder",
                self.costs.as_deref().unwrap_or(Path::new("")).display()
            );
        }
        Ok(experiment)
    }
}

impl Evaluate {
    /// Gives MeshCloak the settings that were asked for, among these schemes.
    fn set(&self, schemes: &mut [String]) -> Result<()> {
        self.region.check()?;
        if self.guarantee.is_none() && self.region.given().is_none() {
            return Ok(());
        }
        for scheme in schemes.iter_mut() {
            let Some(mut settings) = schemes::settings(scheme) else { continue };
            if settings != (Settings { guarantee: settings.guarantee, ..Settings::default() }) {
                continue;
            }
            settings.guarantee = self.guarantee.map_or(settings.guarantee, Into::into);
            settings.region = self.region.rule();
            *scheme = schemes::named(settings);
        }
        Ok(())
    }
}

/// Whether a map is meant that lies in the folder of maps.
fn by_name(map: &String) -> bool {
    evaluation::maps::NAMES.iter().any(|(name, _)| name == map)
}

fn scheme(name: &str) -> Result<String, String> {
    schemes::canonical(name).ok_or_else(|| format!("expected one of {}", schemes::expected()))
}

fn program() -> Program {
    Program {
        commit: env!("MESHCLOAK_COMMIT").to_owned(),
        rustc: env!("MESHCLOAK_RUSTC").to_owned(),
        date: date::now(),
        command: std::env::args().collect::<Vec<_>>().join(" "),
    }
}

fn table(finished: &Finished, elapsed: Duration) -> String {
    let mut table = Table::default();
    table.heading("Evaluation");
    table.row("runs", grouped(finished.cells as u64));
    table.row("known before", grouped(finished.known as u64));
    table.row("at once", grouped(finished.jobs as u64));
    table.row("time", spelt(elapsed));
    let mut text = table.render();
    text.push_str("\nFiles\n");
    for file in &finished.files {
        text.push_str(&format!("  {}\n", file.display()));
    }
    text
}

/// Shows how far the evaluation is.
struct Bar<'a> {
    console: &'a Console,
}

impl CellProgress for Bar<'_> {
    fn progress(&self, done: usize, of: usize, left: Option<Duration>) {
        if left.is_none() {
            self.console.begin_cells(of as u64);
        }
        let words =
            left.map_or("evaluating".to_owned(), |left| format!("about {} left", spelt(left)));
        self.console.reach(done as u64, words);
    }
}

/// A span as people say it.
fn spelt(span: Duration) -> String {
    match span.as_secs() {
        seconds @ 0..60 => format!("{seconds}.{} s", span.subsec_millis() / 100),
        seconds @ 60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        seconds => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}
