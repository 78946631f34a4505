//! `meshcloak neighbours cachecloak`: predicted paths that join the paths of others.

use super::journey_args::JourneyArgs;
use super::output_args::OutputArgs;
use crate::parse::{interval_millis, positive_metres};
use crate::progress::Console;
use crate::threads::Threads;
use anyhow::{Result, bail};
use clap::Args;
use evaluation::neighbours::{Measures, Unit};
use import::Progress as _;
use meshcloak::units::Length;
use neighbours::cachecloak::{
    CacheCloakSettings, ServerOutcome, ServerSettings, TrackedTime, learn, serve, track,
};

const SYSTEM: &str = "cachecloak";

/// Arguments of `neighbours cachecloak`.
#[derive(Debug, Args)]
#[command(
    after_help = "A trusted server answers users from its cache. On a miss it asks the service \
about the most likely path through the user's cell, extended in both directions until it joins \
cached cells. Half of the users are the history that server and adversary learn movement from.

The adversary knows a target's cell once and how fast it moves, then follows it by the requested \
paths. `true cell` is \
the probability it gives to where the target is; `sees nothing` is the same adversary without the \
requests.

Examples:
  meshcloak neighbours cachecloak --users 10000
  meshcloak neighbours cachecloak oldenburgGen.node --lifetime 300 --cell 20 --json
  meshcloak neighbours cachecloak porto.osm.pbf --traces train_1500.csv.gz --overlay"
)]
pub struct CacheCloak {
    #[command(flatten)]
    journeys: JourneyArgs,
    /// Largest length of a cell, a piece of street, in metres from 5.
    #[arg(long, value_name = "METRES", default_value_t = 50.0, value_parser = positive_metres)]
    cell: f64,
    /// Time for which answers are fresh, in seconds from 10.
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = interval_millis)]
    lifetime: u32,
    /// Largest length of a predicted path in each direction, in metres.
    #[arg(long, value_name = "METRES", default_value_t = 20_000.0, value_parser = positive_metres)]
    max_path: f64,
    /// Time before the first target is followed, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    warm_up: u32,
    /// Time for which a target is followed, in seconds, up to 7,200.
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..=7_200))]
    follow: u32,
    /// Time between two measurements, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=7_200))]
    interval: u32,
    /// Largest number of targets.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    targets: u32,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    threads: Threads,
}

impl CacheCloak {
    /// Serves all users, follows the targets, prints the measures.
    pub fn run(&self, console: &Console) -> Result<()> {
        let settings = self.settings()?;
        self.threads.apply()?;
        let population = self.journeys.read(console)?;
        let (map, journeys) = (&population.imported.map, &population.journeys);
        console.begin("learning", 0);
        let mobility = learn(map, journeys, settings.cell);
        console.begin("serving", 0);
        let (requests, server) = serve(map, journeys, &mobility, &settings)?;
        console.begin("following", 0);
        let (tracked, targets) = track(map, journeys, &mobility, &requests, &settings);
        console.clear();
        if targets == 0 {
            bail!(
                "{}: no journey lasts {} s after a warm-up of {} s; use a shorter --warm-up",
                population.source,
                self.interval,
                self.warm_up
            );
        }
        let measures = self.measures(&population.source, &server, &tracked);
        self.output.write(&measures.rows, &[])
    }

    fn settings(&self) -> Result<CacheCloakSettings> {
        if self.cell < 5.0 {
            bail!("--cell {}: expected at least 5 m", self.cell);
        }
        if self.lifetime < 10_000 {
            bail!("--lifetime {}: expected at least 10 s", f64::from(self.lifetime) / 1000.0);
        }
        let max_cells = (self.max_path / self.cell).clamp(1.0, 100_000.0) as usize;
        Ok(CacheCloakSettings {
            cell: Length::metres_down(self.cell),
            server: ServerSettings { lifetime: self.lifetime.into(), max_cells },
            warm_up: self.warm_up,
            follow: self.follow,
            interval: self.interval,
            targets: self.targets as usize,
        })
    }

    fn measures(&self, source: &str, server: &ServerOutcome, tracked: &[TrackedTime]) -> Measures {
        let lifetime = f64::from(self.lifetime) / 1000.0;
        let CacheCloak { cell, max_path, warm_up, .. } = self;
        let setting = format!(
            "cells of {cell} m, lifetime {lifetime} s, paths up to {max_path} m, warm-up {warm_up} s"
        );
        let mut measures = Measures::new(SYSTEM, source, &setting);
        let table = measures.table("server");
        let case = "after warm-up";
        table.put(case, "queries", Unit::Count, server.queries as f64);
        table.put(case, "from the cache", Unit::Share, server.hits.value());
        table.put(case, "paths", Unit::Count, server.requests as f64);
        let length = server.path_cells.value().map(|cells| cells * cell);
        table.put(case, "path", Unit::Metres, length);
        table.put(case, "joined at both ends", Unit::Share, server.joined.value());
        let per_query = server.requested_cells as f64 / (server.queries.max(1)) as f64;
        table.put(case, "cells asked per query", Unit::Number, per_query);
        for row in tracked {
            put_tracked(measures.table("adversary"), row);
        }
        measures
    }
}

fn put_tracked(table: &mut Measures, row: &TrackedTime) {
    let case = format!("after {} s", row.seconds);
    table.put(&case, "targets", Unit::Count, row.excluded.count() as f64);
    for (view, [bits, truth, success]) in [("", row.requests), (", sees nothing", row.nothing)] {
        table.put(&case, &format!("entropy{view}"), Unit::Bits, bits.value());
        table.put(&case, &format!("true cell{view}"), Unit::Share, truth.value());
        table.put(&case, &format!("best guess{view}"), Unit::Share, success.value());
    }
    table.put(&case, "wrongly excluded", Unit::Share, row.excluded.value());
}
