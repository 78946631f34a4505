//! Trips of different hours laid over each other, so that there is a crowd.

use crate::matching::Sighting;
use std::time::Duration;

/// Folds the beginnings of all trips into one window: a trip that begins `n` windows and a rest
/// after the first trip begins at that rest. How long trips take is not changed.
pub fn overlay<'a>(trips: impl Iterator<Item = &'a mut Vec<Sighting>>, window: Duration) {
    let trips: Vec<_> = trips.collect();
    let earliest = trips.iter().filter_map(|trip| Some(trip.first()?.at)).min();
    let (Some(earliest), false) = (earliest, window.is_zero()) else {
        return;
    };
    for trip in trips {
        let Some(begin) = trip.first().map(|seen| seen.at) else {
            continue;
        };
        let rest = begin.saturating_sub(earliest).as_nanos() % window.as_nanos();
        let rest = Duration::from_nanos(u64::try_from(rest).unwrap_or(u64::MAX));
        for seen in trip.iter_mut() {
            seen.at = seen.at.saturating_sub(begin) + rest;
        }
    }
}
