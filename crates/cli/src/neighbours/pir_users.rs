//! Users who ask MeshCloak, beside private information retrieval: simulated, or recorded trips.

use super::trip_args::{MatchedTrips, TripArgs, note_lost};
use crate::progress::Console;
use crate::table::grouped;
use crate::traffic_args::TrafficArgs;
use anyhow::{Result, bail};
use clap::Args;
use import::Progress as _;
use meshcloak::map::StreetMap;
use meshcloak::query::{Query, QueryId};
use meshcloak::units::Length;
use std::collections::BTreeSet;
use traffic::Simulation;
use traffic::traces::TraceSettings;
use traffic::traces::along::{MatchedTrip, queries_along};

/// Smallest distance constraint of a recorded user, in metres, as in `evaluate`.
const MIN_DC: f64 = 10.0;
/// Longest time of all trips, in seconds.
const MAX_SECONDS: usize = 86_400;

/// Users and their questions.
#[derive(Debug, Args)]
#[command(next_help_heading = "Users")]
pub(super) struct PirUsers {
    /// Number of simulated agents that ask MeshCloak.
    #[arg(long, value_name = "N", default_value_t = 10_000, conflicts_with = "traces",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    users: u32,
    #[command(flatten)]
    pub(super) traffic: TrafficArgs,
    #[command(flatten)]
    trips: TripArgs,
}

/// Queries of each second, and the users in words.
pub(super) struct AskedSeconds {
    pub(super) seconds: Vec<Vec<Query>>,
    pub(super) source: String,
}

impl PirUsers {
    /// Simulates the users, or derives their queries from the trips.
    pub(super) fn read(&self, map: &StreetMap, console: &Console) -> Result<AskedSeconds> {
        let TrafficArgs { profile, seed, .. } = &self.traffic;
        if self.trips.is_given() {
            let (seconds, users) = self.follow(map, console)?;
            let users = grouped(users as u64);
            let source = format!("{users} recorded trips, queries of {profile}, seed {seed}");
            return Ok(AskedSeconds { seconds, source });
        }
        let loaded = self.traffic.profile()?;
        console.begin("simulating", 0);
        let seconds = Simulation::new(map, &loaded, self.traffic.settings(self.users)).record();
        let users = grouped(self.users.into());
        Ok(AskedSeconds { seconds, source: format!("{users} agents of {profile}, seed {seed}") })
    }

    /// Queries along the recorded trips, by second, and the number of trips with queries.
    fn follow(&self, map: &StreetMap, console: &Console) -> Result<(Vec<Vec<Query>>, usize)> {
        let mut settings = TraceSettings::new(&self.traffic.profile()?);
        settings.floor = settings.floor.max(Length::metres(MIN_DC));
        (settings.k, settings.seed) = (self.traffic.k, self.traffic.seed);
        settings.temporal_tolerance = self.traffic.dt;
        let MatchedTrips { trips, sightings, matched } = self.trips.read(map, console)?;
        let rows = trips.trips.iter().zip(&sightings).zip(&matched);
        let rows = rows.map(|((trip, sightings), matched)| MatchedTrip {
            name: &trip.id,
            sightings,
            matched,
        });
        let found = queries_along(rows, &settings);
        // A trip in several pieces has several users.
        let asking: BTreeSet<&str> =
            found.names.iter().filter_map(|name| name.split('#').next()).collect();
        note_lost(trips.trips.len().saturating_sub(asking.len()), console);
        let second = |asked_at: u64| asked_at.div_ceil(1000) as usize;
        let last = found.queries.last().map_or(0, |query| second(query.asked_at));
        if last > MAX_SECONDS {
            bail!("the trips take {} h; --overlay lets them begin within one", last / 3600);
        }
        let mut seconds: Vec<Vec<Query>> = vec![Vec::new(); last + 1];
        for (query, id) in found.queries.iter().zip((1..).map(QueryId)) {
            seconds[second(query.asked_at)].push(query.as_query(id));
        }
        Ok((seconds, asking.len()))
    }
}
