//! Users of a neighbouring system: simulated agents or recorded trips, as journeys along streets.

use super::trip_args::{MatchedTrips, TripArgs, note_lost};
use crate::map_args::{MAP_HELP, MapArgs};
use crate::picture_file::map_name;
use crate::progress::Console;
use crate::table::grouped;
use crate::traffic_args::profile;
use anyhow::{Result, bail};
use clap::Args;
use import::{Imported, MapSource, Progress as _};
use meshcloak::map::StreetMap;
use traffic::matching::MatchedPiece;
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
    #[arg(long, value_name = "N", default_value_t = 10_000, conflicts_with = "traces",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    users: u32,
    /// Movement of simulated agents: p1, p2, city, or a TOML file.
    #[arg(long, value_name = "PROFILE", default_value = "city", conflicts_with = "traces")]
    profile: String,
    /// Simulated time, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 3600, conflicts_with = "traces",
          value_parser = clap::value_parser!(u32).range(1..=86_400))]
    seconds: u32,
    /// Random seed.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    trips: TripArgs,
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
        let simulated = if self.trips.is_given() { None } else { Some(profile(&self.profile)?) };
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
        let MatchedTrips { trips, sightings, matched } = self.trips.read(map, console)?;
        let mut journeys = Vec::new();
        for ((trip, sightings), matched) in trips.trips.iter().zip(&sightings).zip(&matched) {
            // The longest piece stands for the trip: a user has one journey.
            let longest = |piece: &&MatchedPiece| piece.stops.len();
            let Some(piece) = matched.pieces.iter().rev().max_by_key(longest) else { continue };
            let times = &sightings[piece.first..piece.first + piece.stops.len()];
            journeys.extend(Journey::from_matched(map, trip.id.clone(), piece, times));
        }
        note_lost(trips.trips.len() - journeys.len(), console);
        Ok(journeys)
    }
}
