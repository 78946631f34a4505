//! Caché (Amini et al. 2011): content of whole regions is fetched in advance, and questions are
//! answered on the device.
//!
//! Each user names two places, here the beginning and the end of the journey. All cells within a
//! radius of them are fetched at every update. A question about the objects within a range is
//! answered if all cells that it meets are on the device; the answer is then exact, but as old as the
//! last update. With an unlimited radius this is "download the city".

mod content_grid;
mod freshness;
#[cfg(test)]
mod tests;

pub use content_grid::{AnswerSize, ContentGrid, GridTooFine};
pub use freshness::stale_probability;

use crate::statistics::Average;
use meshcloak::map::{PoiId, StreetMap};
use meshcloak::units::Point;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::hash::{Hash as _, Hasher as _};
use traffic::Journey;

/// Settings of regions and questions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CacheSettings {
    /// Radius of the region around each of a user's places, in metres; infinite: the whole city.
    pub radius: f64,
    /// Range of a question, in metres.
    pub range: f64,
    /// Milliseconds between two questions on a journey.
    pub interval: u64,
}

/// A user's region and questions.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct UserCache {
    cells: u64,
    bytes: u64,
    region: u64,
    answered: Vec<u32>,
    questions: u32,
    answer_bytes: u64,
}

/// Measures over all users.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CacheOutcome {
    /// Number of questions.
    pub questions: u64,
    /// Share of questions that the device can answer.
    pub answered: Average,
    /// Area of a user's region, in square metres.
    pub area: Average,
    /// Share of the city's cells in a user's region.
    pub city_share: Average,
    /// Bytes of a user's region.
    pub bytes: Average,
    /// Share of users whose region no other user has.
    pub unique: Average,
    /// Number of objects of each answered question.
    pub objects: Vec<u32>,
    /// Bytes of the answers, had they been asked for one by one.
    pub answer_bytes: Average,
}

impl CacheOutcome {
    /// Share of answered questions with at least one object that has changed since the last update.
    pub fn stale_answers(&self, changes_per_day: f64, days: f64) -> Option<f64> {
        let stale = |&objects: &u32| stale_probability(objects.into(), changes_per_day, days);
        self.objects.iter().map(stale).collect::<Average>().value()
    }
}

/// Cells of a user's region, ascending.
pub fn region(grid: &ContentGrid, places: &[Point], radius: f64) -> Vec<u32> {
    if radius.is_infinite() {
        return (0..grid.count() as u32).collect();
    }
    let cells = places.iter().flat_map(|&place| grid.within(place, radius));
    let mut cells: Vec<u32> = cells.collect();
    cells.sort_unstable();
    cells.dedup();
    cells
}

/// Objects within `range` of a point according to the cells of a region; `None` if a cell is missing.
pub fn answer(
    map: &StreetMap,
    grid: &ContentGrid,
    region: &[u32],
    point: Point,
    range: f64,
) -> Option<Vec<PoiId>> {
    let mut found = Vec::new();
    for cell in grid.within(point, range) {
        region.binary_search(&cell).ok()?;
        let near = |poi: &PoiId| map.poi(*poi).point.distance(point) <= range;
        found.extend(grid.objects(cell).iter().copied().filter(near));
    }
    found.sort_unstable();
    Some(found)
}

/// Measures regions and questions of all users.
pub fn evaluate(
    map: &StreetMap,
    grid: &ContentGrid,
    journeys: &[Journey],
    size: AnswerSize,
    settings: &CacheSettings,
) -> CacheOutcome {
    let user = |journey: &Journey| user(map, grid, journey, size, settings);
    let users: Vec<UserCache> = journeys.par_iter().map(user).collect();
    let mut same: FxHashMap<u64, u32> = FxHashMap::default();
    for user in &users {
        *same.entry(user.region).or_default() += 1;
    }
    let mut outcome = CacheOutcome::default();
    for user in users {
        outcome.area.add(user.cells as f64 * grid.cell_area());
        outcome.city_share.add(user.cells as f64 / grid.count() as f64);
        outcome.bytes.add(user.bytes as f64);
        outcome.unique.add_share(same[&user.region] == 1);
        outcome.questions += u64::from(user.questions);
        let answered = user.answered.len() as u32;
        (0..user.questions).for_each(|index| outcome.answered.add_share(index < answered));
        if answered > 0 {
            outcome.answer_bytes.add(user.answer_bytes as f64 / f64::from(answered));
        }
        outcome.objects.extend(user.answered);
    }
    outcome
}

fn user(
    map: &StreetMap,
    grid: &ContentGrid,
    journey: &Journey,
    size: AnswerSize,
    settings: &CacheSettings,
) -> UserCache {
    let (start, end) = (journey.start(), journey.end());
    let places: Vec<Point> = [start, end].iter().filter_map(|&at| journey.point(map, at)).collect();
    let cells = region(grid, &places, settings.radius);
    let mut hasher = rustc_hash::FxHasher::default();
    cells.hash(&mut hasher);
    let mut user = UserCache {
        cells: cells.len() as u64,
        bytes: cells.iter().map(|&cell| grid.bytes(cell)).sum(),
        region: hasher.finish(),
        ..UserCache::default()
    };
    for at in (start..=end).step_by(settings.interval.max(1) as usize) {
        let Some(point) = journey.point(map, at) else { continue };
        user.questions += 1;
        if let Some(found) = answer(map, grid, &cells, point, settings.range) {
            user.answered.push(found.len() as u32);
            let bytes = found.iter().map(|&poi| size.object(map, poi)).sum::<u64>();
            user.answer_bytes += size.empty + bytes;
        }
    }
    user
}
