//! Users of a neighbouring system: simulated agents or recorded trips, as journeys along streets.

use crate::map_args::{MAP_HELP, MapArgs};
use crate::parse::interval_millis;
use crate::picture_file::map_name;
use crate::progress::Console;
use crate::table::grouped;
use crate::traffic_args::profile;
use anyhow::{Result, bail};
use clap::Args;
use evaluation::trips;
use import::traces::{TraceKind, Trips, read_traces};
use import::{Imported, MapSource, Progress as _};
use meshcloak::map::StreetMap;
use std::path::PathBuf;
use std::time::Duration;
use traffic::matching::{MatchSettings, Matched, MatchedPiece, Matcher, Sighting};
use traffic::traces::overlay;
use traffic::{Journey, Simulation, SimulationSettings};

/// Map and users.
#[derive(Debug, Args)]
#[command(next_help_heading = "Users")]
pub struct JourneyArgs {
    #[arg(help = MAP_HELP)]
    map: Option<MapSource>,
    #[command(flatten)]
    how: MapArgs,
    /// Number of simulated agents.
    #[arg(long, value_name = "N", default_value_t = 10_000,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    users: u32,
    /// Movement of simulated agents: p1, p2, city, or a TOML file.
    #[arg(long, value_name = "PROFILE", default_value = "city")]
    profile: String,
    /// Simulated time, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 3600,
          value_parser = clap::value_parser!(u32).range(1..=86_400))]
    seconds: u32,
    /// Random seed.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// Recorded trips instead of a simulation: Brinkhoff, taxi CSV or GPX; may be repeated.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["users", "profile", "seconds"])]
    traces: Vec<PathBuf>,
    /// Shift all recorded trips so that they begin within this many seconds [default: off; without
    /// a number: 3600].
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "3600",
          value_parser = interval_millis, requires = "traces")]
    overlay: Option<u32>,
    /// Length of a time stamp of a Brinkhoff trace, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = interval_millis)]
    stamp: u32,
}

/// A map and the journeys of its users.
pub struct Population {
    /// The map.
    pub imported: Imported,
    /// One journey per user, at least two.
    pub journeys: Vec<Journey>,
    /// Map and population in words.
    pub source: String,
}

impl JourneyArgs {
    /// Reads the map and simulates or reads the users.
    pub fn read(&self, console: &Console) -> Result<Population> {
        let simulated = if self.traces.is_empty() { Some(profile(&self.profile)?) } else { None };
        let imported = self.how.read(self.map.as_ref(), console)?;
        let map = map_name(&imported);
        let (journeys, source) = match simulated {
            Some(profile) => {
                let users = self.users;
                let settings = SimulationSettings { users, seed: self.seed, ..Default::default() };
                console.begin("preparing routes", 0);
                let simulation = Simulation::new(&imported.map, &profile, settings);
                let seconds = profile.longest_seconds().min(u64::from(self.seconds));
                console.begin("simulating", seconds);
                let journeys = simulation.record_journeys(self.seconds, &|| console.advance(1));
                let count = grouped(journeys.len() as u64);
                let JourneyArgs { profile, seed, .. } = self;
                (journeys, format!("{map}, {count} agents of {profile}, {seconds} s, seed {seed}"))
            }
            None => {
                let journeys = self.matched(&imported.map, console)?;
                let count = grouped(journeys.len() as u64);
                (journeys, format!("{map}, {count} recorded trips"))
            }
        };
        console.clear();
        if journeys.len() < 2 {
            bail!("{source}: {} journeys on the map; expected at least 2", journeys.len());
        }
        Ok(Population { imported, journeys, source })
    }

    fn matched(&self, map: &StreetMap, console: &Console) -> Result<Vec<Journey>> {
        let trips = read_traces(&self.traces, console);
        console.clear();
        let trips = trips?;
        for note in trips.skips.notes() {
            console.note(&note);
        }
        let sightings = self.sightings(map, &trips)?;
        console.begin("matching", sightings.len() as u64);
        let matched: Vec<Matched> =
            Matcher::match_all(map, MatchSettings::default(), &sightings, &|done| {
                console.advance(done);
            });
        console.clear();
        let mut journeys = Vec::new();
        for ((trip, sightings), matched) in trips.trips.iter().zip(&sightings).zip(&matched) {
            // The longest piece stands for the trip: a user has one journey.
            let longest = |piece: &&MatchedPiece| piece.stops.len();
            let Some(piece) = matched.pieces.iter().rev().max_by_key(longest) else { continue };
            let times = &sightings[piece.first..piece.first + piece.stops.len()];
            journeys.extend(Journey::from_matched(map, trip.id.clone(), piece, times));
        }
        let lost = trips.trips.len() - journeys.len();
        if lost > 0 {
            let lost = grouped(lost as u64);
            console.note(&format!("{lost} trips are not on the map or do not move; left out"));
        }
        Ok(journeys)
    }

    fn sightings(&self, map: &StreetMap, trips: &Trips) -> Result<Vec<Vec<Sighting>>> {
        let mut sightings = trips::sightings(map, trips)?;
        if trips.kind == TraceKind::Brinkhoff {
            for sighting in sightings.iter_mut().flatten() {
                sighting.at = sighting.at * self.stamp / 1000;
            }
        }
        if let Some(window) = self.overlay {
            overlay(sightings.iter_mut(), Duration::from_millis(window.into()));
        }
        Ok(sightings)
    }
}
