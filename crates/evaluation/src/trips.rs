//! Converts trips of files to map coordinates in metres and times from 0.

use import::Coordinates;
use import::traces::{Trip, TripPoint, Trips};
use meshcloak::map::StreetMap;
use meshcloak::units::Point;
use std::time::Duration;
use traffic::matching::Sighting;
use traffic::traces::reports::{Report, Reported};

/// The trace is in degrees and the map has no projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the trace is in lon/lat and the map has no geographic origin; add `--origin LON,LAT`")]
pub struct NoFrame;

/// Start time of the first trip, in milliseconds.
fn earliest(trips: &Trips) -> i64 {
    trips.trips.iter().filter_map(|trip| Some(trip.points.first()?.at)).min().unwrap_or(0)
}

/// Converts the objects of a Brinkhoff trace; the first time stamp is 0.
pub fn reported(trips: &Trips) -> Vec<Reported> {
    let earliest = earliest(trips);
    let report = |point: &TripPoint| Report {
        stamp: u32::try_from((point.at - earliest) / 1000).unwrap_or(u32::MAX),
        point: match point.coordinates {
            Coordinates::Metres(point) => point,
            Coordinates::Degrees(lon_lat) => Point::new(lon_lat.lon, lon_lat.lat),
        },
        speed: point.speed.unwrap_or(0.0),
        k: point.k,
    };
    let object = |trip: &Trip| Reported {
        name: trip.id.clone(),
        reports: trip.points.iter().map(report).collect(),
    };
    trips.trips.iter().map(object).collect()
}

/// Converts every trip to sightings; the first trip begins at 0.
///
/// # Errors
/// [`NoFrame`] if a point is in degrees and the map has no projection.
pub fn sightings(map: &StreetMap, trips: &Trips) -> Result<Vec<Vec<Sighting>>, NoFrame> {
    let earliest = earliest(trips);
    let sighting = |point: &TripPoint| {
        let since = u64::try_from(point.at.saturating_sub(earliest)).unwrap_or(0);
        let point = match point.coordinates {
            Coordinates::Metres(point) => point,
            Coordinates::Degrees(lon_lat) => map.frame().ok_or(NoFrame)?.point(lon_lat),
        };
        Ok(Sighting { at: Duration::from_millis(since), point })
    };
    trips.trips.iter().map(|trip| trip.points.iter().map(sighting).collect()).collect()
}
