//! `meshcloak simulate`: simulates agents on a map and writes their queries.

mod outputs;
mod pictures;
mod plot;
mod summary;

use crate::distinct_files::{self, NamedFile};
use crate::map_args::{MAP_HELP, MapArgs};
use crate::parse::{ask_share, positive_millis};
use crate::picture_file::PictureFormat;
use crate::progress::Console;
use crate::stdout;
use crate::threads::Threads;
use crate::traffic_args::{TrafficArgs, profile};
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use import::{Imported, MapSource, Progress as _};
use outputs::Outputs;
use plot::NewQueriesPlot;
use std::path::{Path, PathBuf};
use summary::SimulationSummary;
use traffic::{AskShare, Profile, Simulation};

/// Arguments of `simulate`.
#[derive(Debug, Args)]
#[command(after_help = "Profiles: p1 and p2 are those of the paper (Table III); city has speed \
limits, congestion, several classes of agents, and agents that stand still. Profile files are \
TOML; crates/traffic/profiles has examples.

Examples:
  meshcloak simulate --users 10000 --out queries.csv
  meshcloak simulate oldenburgGen.node --users 100000 --profile p2 --k 2-10 --dt 10 --out q.csv.gz
  meshcloak simulate --users 10000 --ask-share 10 --out queries.csv
  meshcloak simulate --profile p1 --beside p2 --plot new.svg
  meshcloak simulate --profile city --users 20000 --draw-use use.png
  meshcloak simulate --profile city --draw at.png --at 1800 --trace positions.csv.gz")]
pub struct Simulate {
    #[arg(help = MAP_HELP)]
    map: Option<MapSource>,
    #[command(flatten)]
    how: MapArgs,
    /// Number of agents.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    users: u32,
    #[command(flatten)]
    traffic: TrafficArgs,
    /// Percentage of agents that ask; the others report their presence with k = 1. Adds the column
    /// `asks` [default: all ask, no column].
    #[arg(long, value_name = "PERCENT", value_parser = ask_share)]
    ask_share: Option<AskShare>,
    /// How long a presence report counts, in seconds from 0.001.
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = positive_millis)]
    presence_patience: u64,
    /// Origins and destinations of the agents [default: profile].
    #[arg(long, value_enum)]
    places: Option<PlacesArg>,
    /// File for the queries: .parquet, or .csv or .ndjson, optionally with .gz.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// File for the positions of all agents over time, CSV.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Interval of the positions in the trace, in seconds from 1.
    #[arg(long, value_name = "SECONDS", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    trace_every: u32,
    /// File for the number of new queries, agents and standing agents in each second, CSV.
    #[arg(long, value_name = "FILE")]
    per_second: Option<PathBuf>,
    /// Picture of the positions of all agents at second `--at`.
    #[arg(long, value_name = "OUT.png|OUT.svg")]
    draw: Option<PathBuf>,
    /// Second to draw by `--draw`, from 0.
    #[arg(long, value_name = "SECOND", default_value_t = 30)]
    at: u32,
    /// Picture of how often each street was entered.
    #[arg(long, value_name = "OUT.png|OUT.svg")]
    draw_use: Option<PathBuf>,
    /// Plot of the number of new queries in each second.
    #[arg(long, value_name = "OUT.svg|OUT.png")]
    plot: Option<PathBuf>,
    /// Further profile to plot for the same map and number of agents; may be repeated.
    #[arg(long, value_name = "PROFILE", requires = "plot")]
    beside: Vec<String>,
    /// Print the summary as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    threads: Threads,
}

/// Origins and destinations of the agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlacesArg {
    /// Uniform over all streets, as in the paper.
    Uniform,
    /// As the profile defines.
    Profile,
}

impl Simulate {
    /// Reads the map, runs the simulation, writes the requested files, prints the summary.
    pub fn run(&self, console: &Console) -> Result<()> {
        self.check_files()?;
        for picture in [&self.draw, &self.draw_use, &self.plot].into_iter().flatten() {
            PictureFormat::of(picture)?;
        }
        let own = self.profile(&self.traffic.profile)?;
        let beside = self.beside.iter().map(|name| self.profile(name));
        let beside: Vec<Profile> = beside.collect::<Result<_>>()?;
        self.threads.apply()?;
        let imported = self.how.read(self.map.as_ref(), console)?;
        let simulation = self.begin(&imported, &own, console);
        let summary = self.simulate(&imported, simulation, console)?;
        if let Some(out) = &self.plot {
            let mut plot = NewQueriesPlot::new(&imported, self.users);
            plot.add(&self.traffic.profile, summary.new_queries());
            for (name, profile) in self.beside.iter().zip(&beside) {
                let mut simulation = self.begin(&imported, profile, console);
                let mut other = SimulationSummary::default();
                while let Some(batch) = simulation.step() {
                    other.count(&batch);
                    console.advance(1);
                }
                plot.add(name, other.new_queries());
            }
            console.clear();
            plot.write(out)?;
        }
        stdout::print(&if self.json {
            format!("{:#}\n", summary.json(self, &imported, &own))
        } else {
            summary.table(self.users, &own)
        })
    }

    /// Refuses outputs that would replace an input or each other.
    fn check_files(&self) -> Result<()> {
        let profiles = self.beside.iter().chain([&self.traffic.profile]).map(Path::new);
        let profiles = profiles.filter(|path| path.is_file());
        let profiles = profiles.map(|path| NamedFile { option: "the profile", path });
        let inputs: Vec<_> = profiles.chain(NamedFile::of_map(self.map.as_ref())).collect();
        let outputs = [
            ("--out", &self.out),
            ("--trace", &self.trace),
            ("--per-second", &self.per_second),
            ("--draw", &self.draw),
            ("--draw-use", &self.draw_use),
            ("--plot", &self.plot),
        ];
        distinct_files::check(&inputs, &NamedFile::given(&outputs))
    }

    fn profile(&self, name: &str) -> Result<Profile> {
        let profile = profile(name)?;
        match self.places {
            Some(PlacesArg::Uniform) => Ok(profile.with_uniform_places()),
            _ => Ok(profile),
        }
    }

    /// Builds the simulation of a profile, before its first second.
    fn begin<'a>(
        &self,
        imported: &'a Imported,
        profile: &'a Profile,
        console: &Console,
    ) -> Simulation<'a> {
        console.begin("preparing routes", 0);
        let simulation = Simulation::new(&imported.map, profile, self.traffic.settings(self.users));
        console.begin("simulating", profile.longest_seconds());
        simulation
    }

    /// Runs the simulation to its end and writes its files and pictures.
    fn simulate(
        &self,
        imported: &Imported,
        mut simulation: Simulation,
        console: &Console,
    ) -> Result<SimulationSummary> {
        let map = &imported.map;
        let mut outputs = Outputs::create(self)?;
        let mut summary = SimulationSummary::default();
        let mut drawn = self.draw.is_none();
        while let Some(batch) = simulation.step() {
            outputs.write(map, &batch, &simulation)?;
            summary.count(&batch);
            if let Some(out) = self.draw.as_deref().filter(|_| batch.second == self.at) {
                pictures::agents(imported, &simulation, batch.second, out)?;
                drawn = true;
            }
            console.advance(1);
        }
        console.clear();
        if !drawn {
            bail!("--at {}: the simulation ends at second {}", self.at, summary.last_second());
        }
        if let Some(out) = &self.draw_use {
            pictures::uses(imported, &simulation, out)?;
        }
        outputs.finish()?;
        summary.totals = simulation.totals();
        Ok(summary)
    }
}
