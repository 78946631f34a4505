//! Recorded trips as users of a neighbouring system, matched to the map.

use crate::parse::interval_millis;
use crate::progress::Console;
use crate::table::grouped;
use anyhow::Result;
use clap::Args;
use evaluation::trips;
use import::Progress as _;
use import::traces::{TraceKind, Trips, read_traces};
use meshcloak::map::StreetMap;
use std::path::PathBuf;
use std::time::Duration;
use traffic::matching::{MatchSettings, Matched, Matcher, Sighting};
use traffic::traces::overlay;

/// Files of recorded trips.
#[derive(Debug, Args)]
pub struct TripArgs {
    /// Recorded trips instead of a simulation: Brinkhoff, taxi CSV or GPX; may be repeated.
    #[arg(long, value_name = "FILE")]
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

/// Trips with their positions and what was matched of each.
pub struct MatchedTrips {
    /// The trips of the files.
    pub trips: Trips,
    /// By trip.
    pub sightings: Vec<Vec<Sighting>>,
    /// By trip.
    pub matched: Vec<Matched>,
}

impl TripArgs {
    /// Whether trips are given.
    pub fn is_given(&self) -> bool {
        !self.traces.is_empty()
    }

    /// Reads the trips and matches them to the map.
    pub fn read(&self, map: &StreetMap, console: &Console) -> Result<MatchedTrips> {
        let trips = read_traces(&self.traces, console);
        console.clear();
        let trips = trips?;
        for note in trips.skips.notes() {
            console.note(&note);
        }
        let sightings = self.sightings(map, &trips)?;
        console.begin("matching", sightings.len() as u64);
        let settings = MatchSettings::default();
        let matched = Matcher::match_all(map, settings, &sightings, &|done| console.advance(done));
        console.clear();
        Ok(MatchedTrips { trips, sightings, matched })
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

/// Notes the trips that are left out.
pub fn note_lost(trips: usize, console: &Console) {
    if trips > 0 {
        let trips = grouped(trips as u64);
        console.note(&format!("{trips} trips are not on the map or do not move; left out"));
    }
}
