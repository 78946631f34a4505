//! From trips as files hold them to people on the map: its metres, and time from 0.

use import::Coordinates;
use import::traces::{Trip, TripPoint, Trips};
use meshcloak::map::StreetMap;
use meshcloak::units::Point;
use std::time::Duration;
use traffic::matching::Sighting;
use traffic::traces::reports::{Report, Reported};

/// A trace in degrees on a map that knows none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the trace is in lon/lat and the map has none; give `--origin LON,LAT`")]
pub struct NoFrame;

/// When the first trip begins.
fn earliest(trips: &Trips) -> i64 {
    trips.trips.iter().filter_map(|trip| Some(trip.points.first()?.at)).min().unwrap_or(0)
}

/// The objects of a Brinkhoff trace; the first time stamp is 0.
pub fn reported(trips: &Trips) -> Vec<Reported> {
    let earliest = earliest(trips);
    let report = |point: &TripPoint| Report {
        stamp: u32::try_from((point.at - earliest) / 1000).unwrap_or(u32::MAX),
        point: match point.coordinates {
            Coordinates::Metres(point) => point,
            Coordinates::Degrees(place) => Point::new(place.lon, place.lat),
        },
        speed: point.speed.unwrap_or(0.0),
        k: point.k,
    };
    let person = |trip: &Trip| Reported {
        name: trip.id.clone(),
        reports: trip.points.iter().map(report).collect(),
    };
    trips.trips.iter().map(person).collect()
}

/// The sightings of every trip; the first trip begins at 0.
pub fn sightings(map: &StreetMap, trips: &Trips) -> Result<Vec<Vec<Sighting>>, NoFrame> {
    let frame = map.frame().ok_or(NoFrame)?;
    let earliest = earliest(trips);
    let sighting = |point: &TripPoint| Sighting {
        at: Duration::from_millis(u64::try_from(point.at.saturating_sub(earliest)).unwrap_or(0)),
        point: match point.coordinates {
            Coordinates::Metres(point) => point,
            Coordinates::Degrees(place) => frame.point(place),
        },
    };
    Ok(trips.trips.iter().map(|trip| trip.points.iter().map(sighting).collect()).collect())
}
