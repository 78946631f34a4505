//! Workloads of recorded trips.
//!
//! Trips are matched on the whole map, because a trip may use streets outside the largest strongly
//! connected component, and matching it without them finds wrong streets. Schemes run on the
//! component, so queries on other streets are left out.

use crate::experiment::TripSource;
use crate::grid::Population;
use crate::trips::{reported, sightings};
use crate::workload::{Workload, WorkloadError};
use import::traces::{TraceKind, Trips, read_traces};
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::units::Length;
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use traffic::Profile;
use traffic::matching::{MatchSettings, Matcher};
use traffic::traces::along::{MatchedTrip, queries_along};
use traffic::traces::reports::queries_from;
use traffic::traces::{TraceQueries, TraceSettings, overlay};

/// Smallest distance constraint of a trip, in metres; a standing taxi would have none.
const MIN_DC: f64 = 10.0;

/// Largest distance of a report of Brinkhoff's generator from its street, in metres.
const MAX_SNAP: f64 = 50.0;

/// A population that follows recorded trips.
pub(crate) struct TripWorkload<'a> {
    pub population: &'a Population,
    /// Largest strongly connected component of the map.
    pub map: &'a StreetMap,
    pub profile: &'a Profile,
    /// The map folder; relative trip paths start there.
    pub folder: Option<&'a Path>,
}

impl TripWorkload<'_> {
    /// Generates queries along the first trips, one for each user.
    pub(crate) fn follow(&self, trips: &TripSource) -> Result<Workload, WorkloadError> {
        let resolve =
            |file: &PathBuf| self.folder.map_or_else(|| file.clone(), |folder| folder.join(file));
        let files: Vec<PathBuf> = trips.files.iter().map(resolve).collect();
        let mut read = read_traces(&files, &())?;
        read.trips.truncate(self.population.users as usize);
        let mut settings = TraceSettings::new(self.profile);
        settings.floor = settings.floor.max(Length::metres(MIN_DC));
        (settings.k, settings.seed) = (self.population.k, self.population.seed);
        let whole = self.population.map.read_whole()?.map;
        let generated = match read.kind {
            // Each report is a query; a time stamp is the query interval of the profile.
            TraceKind::Brinkhoff => {
                queries_from(&whole, &reported(&read), Some(MAX_SNAP), &settings).0
            }
            _ => self.match_trips(&whole, &read, trips, &settings)?,
        };
        Ok(on_map(self.map, &whole, generated))
    }

    /// Matches trips to streets, all shifted to begin within the overlay window.
    fn match_trips(
        &self,
        whole: &StreetMap,
        read: &Trips,
        trips: &TripSource,
        settings: &TraceSettings,
    ) -> Result<TraceQueries, WorkloadError> {
        let mut seen = sightings(whole, read).map_err(|source| WorkloadError::Frame {
            map: self.population.map.name.clone(),
            source,
        })?;
        overlay(seen.iter_mut(), Duration::from_millis(trips.overlay.into()));
        let matched = Matcher::match_all(whole, MatchSettings::default(), &seen, &|_| ());
        let rows = read.trips.iter().zip(&seen).zip(&matched);
        let rows = rows.map(|((trip, sightings), matched)| MatchedTrip {
            name: &trip.id,
            sightings,
            matched,
        });
        Ok(queries_along(rows, settings))
    }
}

/// Moves queries from the whole map to its largest component; leaves out those on other streets.
fn on_map(map: &StreetMap, whole: &StreetMap, generated: TraceQueries) -> Workload {
    let by_label: FxHashMap<&str, StreetId> =
        map.streets().map(|street| (map.street_label(street), street)).collect();
    let users = generated.names.len();
    let before = generated.queries.len();
    let mut queries = generated.queries;
    queries.retain_mut(|query| {
        let street = by_label.get(whole.street_label(query.position.street));
        street.is_some_and(|&street| {
            query.position.street = street;
            query.position.offset <= map.street(street).length
        })
    });
    let left_out = before - queries.len();
    Workload { queries, users, left_out, ..Workload::default() }
}
