//! Overlay of trips from different times, to obtain a dense population.

use crate::matching::Sighting;
use std::time::Duration;

/// Moves the start of each trip to its time since the earliest trip modulo `window`. Durations do not
/// change.
pub fn overlay<'a>(trips: impl Iterator<Item = &'a mut Vec<Sighting>>, window: Duration) {
    let trips: Vec<_> = trips.collect();
    let earliest = trips.iter().filter_map(|trip| Some(trip.first()?.at)).min();
    let (Some(earliest), false) = (earliest, window.is_zero()) else {
        return;
    };
    for trip in trips {
        let Some(begin) = trip.first().map(|sighting| sighting.at) else {
            continue;
        };
        let rest = begin.saturating_sub(earliest).as_nanos() % window.as_nanos();
        let rest = Duration::from_nanos(u64::try_from(rest).unwrap_or(u64::MAX));
        for sighting in trip.iter_mut() {
            sighting.at = sighting.at.saturating_sub(begin) + rest;
        }
    }
}
