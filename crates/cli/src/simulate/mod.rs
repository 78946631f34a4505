//! `meshcloak simulate`: people who live on a map and ask; their queries go into a file.

pub mod options;
mod outputs;
mod pictures;
mod plot;
mod summary;

use crate::answer;
use crate::map_args::{MAP_HELP, MapArgs};
use crate::progress::Console;
use crate::threads::Threads;
use anyhow::{Context, Result, bail};
use clap::Args;
use import::{Imported, MapSource, Progress as _};
use options::{PlacesArg, k_range, milliseconds};
use outputs::Outputs;
pub use outputs::record;
use pictures::kind_of;
use plot::NewQueries;
use std::path::{Path, PathBuf};
use summary::Summary;
use traffic::{Profile, Simulation, SimulationSettings};

/// Arguments of `simulate`.
#[derive(Debug, Args)]
#[command(after_help = "Profiles: p1 and p2 are those of the paper (Table III); city has street \
limits, crowded streets, several classes of people, and people who stand still. A FILE is TOML, \
as those in crates/traffic/profiles.

Examples:
  meshcloak simulate --users 10000 --out queries.csv
  meshcloak simulate oldenburgGen.node --users 100000 --profile p2 --k 2-10 --dt 10 --out q.csv.gz
  meshcloak simulate --profile p1 --beside p2 --plot new.svg
  meshcloak simulate --profile city --users 20000 --draw-use use.png
  meshcloak simulate --profile city --draw at.png --at 1800 --trace positions.csv.gz")]
pub struct Simulate {
    #[arg(help = MAP_HELP)]
    map: Option<MapSource>,
    #[command(flatten)]
    how: MapArgs,
    /// How many people.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    users: u32,
    /// How they move and ask: p1, p2, city, or a file.
    #[arg(long, value_name = "PROFILE", default_value = "p1")]
    profile: String,
    /// Where people start and go, whatever the profile says.
    #[arg(long, value_enum)]
    places: Option<PlacesArg>,
    /// Smallest and largest k; drawn for each query.
    #[arg(long, value_name = "LEAST-MOST", default_value = "2-5", value_parser = k_range)]
    k: (u32, u32),
    /// How long everyone waits, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "3", value_parser = milliseconds)]
    dt: u32,
    /// What chance begins with: same seed, same queries.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// File of queries to write: .csv or .ndjson, either also with .gz.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// File of everyone's positions over time to write, as CSV.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Seconds between two positions in the trace.
    #[arg(long, value_name = "SECONDS", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    trace_every: u32,
    /// CSV file to write: for each second new queries, people, people standing.
    #[arg(long, value_name = "FILE")]
    per_second: Option<PathBuf>,
    /// Picture to write of where everyone is at one moment.
    #[arg(long, value_name = "OUT.png|OUT.svg")]
    draw: Option<PathBuf>,
    /// That moment, in seconds.
    #[arg(long, value_name = "SECOND", default_value_t = 30)]
    at: u32,
    /// Picture to write of how much each street was used.
    #[arg(long, value_name = "OUT.png|OUT.svg")]
    draw_use: Option<PathBuf>,
    /// Plot to write of the new queries in each second.
    #[arg(long, value_name = "OUT.svg|OUT.png")]
    plot: Option<PathBuf>,
    /// Another profile to plot for the same people on the same map; may be repeated.
    #[arg(long, value_name = "PROFILE", requires = "plot")]
    beside: Vec<String>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    threads: Threads,
}

impl Simulate {
    /// Reads the map, lets people live on it, writes what was asked for.
    pub fn run(&self, console: &Console) -> Result<()> {
        for picture in [&self.draw, &self.draw_use, &self.plot].into_iter().flatten() {
            kind_of(picture)?;
        }
        let own = self.profile(&self.profile)?;
        let beside = self.beside.iter().map(|name| self.profile(name));
        let beside: Vec<Profile> = beside.collect::<Result<_>>()?;
        self.threads.keep()?;
        let imported = self.how.read(self.map.as_ref(), console)?;
        let simulation = self.begin(&imported, &own, console);
        let summary = self.live(&imported, simulation, console)?;
        if let Some(out) = &self.plot {
            let mut plot = NewQueries::new(&imported, self.users);
            plot.add(&self.profile, summary.new_queries());
            for (name, profile) in self.beside.iter().zip(&beside) {
                let mut simulation = self.begin(&imported, profile, console);
                let mut other = Summary::default();
                while let Some(batch) = simulation.step() {
                    other.count(&batch);
                    console.advance(1);
                }
                plot.add(name, other.new_queries());
            }
            console.clear();
            plot.write(out)?;
        }
        if self.json {
            answer::print(&format!("{:#}\n", summary.json(self, &imported, &own)))?;
        } else {
            answer::print(&summary.table(self.users, &own))?;
        }
        Ok(())
    }

    fn profile(&self, name: &str) -> Result<Profile> {
        let profile = profile(name)?;
        match self.places {
            Some(PlacesArg::Uniform) => Ok(profile.with_uniform_places()),
            _ => Ok(profile),
        }
    }

    /// The people of a profile, before their first second.
    fn begin<'a>(
        &self,
        imported: &'a Imported,
        profile: &'a Profile,
        console: &Console,
    ) -> Simulation<'a> {
        let settings = SimulationSettings {
            users: self.users,
            k: self.k,
            temporal_tolerance: self.dt,
            seed: self.seed,
        };
        console.begin("preparing routes", 0);
        let simulation = Simulation::new(&imported.map, profile, settings);
        console.begin("simulating", profile.longest_seconds());
        simulation
    }

    fn live(
        &self,
        imported: &Imported,
        mut simulation: Simulation,
        console: &Console,
    ) -> Result<Summary> {
        let map = &imported.map;
        let mut outputs = Outputs::create(self)?;
        let mut summary = Summary::default();
        let mut drawn = self.draw.is_none();
        while let Some(batch) = simulation.step() {
            outputs.write(map, &batch, &simulation)?;
            summary.count(&batch);
            if let Some(out) = self.draw.as_deref().filter(|_| batch.second == self.at) {
                pictures::people(imported, &simulation, batch.second, out)?;
                drawn = true;
            }
            console.advance(1);
        }
        console.clear();
        if !drawn {
            bail!("--at {}: the last second is {}", self.at, summary.last_second());
        }
        if let Some(out) = &self.draw_use {
            pictures::uses(imported, &simulation, out)?;
        }
        outputs.finish()?;
        summary.totals = simulation.totals();
        Ok(summary)
    }
}

/// A built-in profile, or that of a file.
pub fn profile(name: &str) -> Result<Profile> {
    if let Some(profile) = Profile::named(name) {
        return Ok(profile);
    }
    let text = std::fs::read_to_string(Path::new(name)).with_context(|| {
        format!("{name}: no such profile; expected {} or a file", Profile::NAMES.join(", "))
    })?;
    Profile::from_toml(&text).with_context(|| name.to_owned())
}
