//! CacheCloak (Meyerowitz & Roy Choudhury 2009): a trusted server asks the service about predicted
//! paths that join the paths of others, and answers users from its cache.
//!
//! Journeys with even numbers are the history from which server and adversary learn; targets are
//! journeys with odd numbers. All users are served.

mod adversary;
mod events;
mod mobility;
#[cfg(test)]
mod naive;
mod server;
mod street_cells;
#[cfg(test)]
mod tests;

pub use adversary::{Tracker, TrackerScratch, TrackerState};
pub use events::cell_events;
pub use mobility::Mobility;
pub use server::{CellEvent, PathRequest, ServerSettings};
pub use street_cells::StreetCells;

use crate::statistics::Average;
use meshcloak::map::StreetMap;
use meshcloak::units::Length;
use parking_lot::Mutex;
use rayon::prelude::*;
use server::Server;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::iter::Peekable;
use traffic::Journey;
use traffic::TrafficModel;

/// Settings of the system and of the attack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CacheCloakSettings {
    /// Largest length of a cell.
    pub cell: Length,
    /// Settings of the server.
    pub server: ServerSettings,
    /// Time before the first target is followed, in seconds: the cache fills.
    pub warm_up: u32,
    /// Time for which a target is followed, in seconds.
    pub follow: u32,
    /// Seconds between two measurements.
    pub interval: u32,
    /// Largest number of targets.
    pub targets: usize,
}

impl Default for CacheCloakSettings {
    fn default() -> CacheCloakSettings {
        CacheCloakSettings {
            cell: Length::metres(50.0),
            server: ServerSettings { lifetime: 600_000, max_cells: 400 },
            warm_up: 600,
            follow: 600,
            interval: 60,
            targets: 100,
        }
    }
}

/// Work of the server.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ServerOutcome {
    /// Entries of users into cells after the warm-up.
    pub queries: u64,
    /// Share that was answered from the cache.
    pub hits: Average,
    /// Number of requested paths.
    pub requests: u64,
    /// Cells of a path.
    pub path_cells: Average,
    /// Share of paths that join cached cells at both ends.
    pub joined: Average,
    /// Cells that were asked about, of all requests.
    pub requested_cells: u64,
}

/// The adversary after some time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TrackedTime {
    /// Seconds since the target's position was known.
    pub seconds: u32,
    /// Entropy in bits, probability of the true cell, probability of a right guess: with requests.
    pub requests: [Average; 3],
    /// The same for an adversary who sees nothing.
    pub nothing: [Average; 3],
    /// Share of targets whose true cell is excluded.
    pub excluded: Average,
}

/// Learns from the history.
pub fn learn(map: &StreetMap, journeys: &[Journey], cell: Length) -> Mobility {
    let model = TrafficModel::learn(map, journeys.iter().step_by(2));
    Mobility::new(map, StreetCells::new(map, cell), &model)
}

/// Largest number of cells of all requested paths: 1 GB.
const MAX_REQUESTED_CELLS: usize = 250_000_000;

/// The requested paths need too much memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the predicted paths have more than {MAX_REQUESTED_CELLS} cells; use a longer lifetime, longer \
     cells or fewer users"
)]
pub struct TooManyCells;

/// Serves all users; returns the requested paths in order of time.
///
/// # Errors
/// [`TooManyCells`] if the paths need more than 1 GB.
pub fn serve(
    map: &StreetMap,
    journeys: &[Journey],
    mobility: &Mobility,
    settings: &CacheCloakSettings,
) -> Result<(Vec<PathRequest>, ServerOutcome), TooManyCells> {
    let mut events = cell_events(map, mobility.cells(), journeys).into_iter().peekable();
    let mut repetitions = BinaryHeap::new();
    let warm = u64::from(settings.warm_up) * 1000;
    let mut server = Server::new(mobility, settings.server);
    let mut outcome = ServerOutcome::default();
    let mut requests = Vec::new();
    let mut cells = 0;
    while let Some(event) = next_event(&mut events, &mut repetitions) {
        let request = server.serve(event);
        repetitions.extend(server.repetition(event).map(Reverse));
        if event.at >= warm {
            outcome.count(request.as_ref());
        }
        cells += request.as_ref().map_or(0, |request| request.cells.len());
        if cells > MAX_REQUESTED_CELLS {
            return Err(TooManyCells);
        }
        requests.extend(request);
    }
    Ok((requests, outcome))
}

impl ServerOutcome {
    /// Counts a query and the request that it needed, if any.
    fn count(&mut self, request: Option<&PathRequest>) {
        self.queries += 1;
        self.hits.add_share(request.is_none());
        if let Some(request) = request {
            self.requests += 1;
            self.requested_cells += request.cells.len() as u64;
            self.path_cells.add(request.cells.len() as f64);
            self.joined.add_share(request.joins_ahead && request.joins_behind);
        }
    }
}

/// Earlier of the next entry and the next repetition.
fn next_event(
    entries: &mut Peekable<impl Iterator<Item = CellEvent>>,
    repetitions: &mut BinaryHeap<Reverse<CellEvent>>,
) -> Option<CellEvent> {
    let repetition = repetitions.peek().map(|event| event.0);
    let is_first = |entry: &CellEvent| repetition.is_none_or(|repetition| *entry <= repetition);
    entries.next_if(is_first).or_else(|| repetitions.pop().map(|event| event.0))
}

/// A target and both adversaries that follow it.
struct Target<'a> {
    journey: &'a Journey,
    /// Second at which the position is known.
    start: u32,
    /// The adversary who sees all requests, and one who sees nothing.
    trackers: Option<[Tracker; 2]>,
    /// States of both at each measurement.
    states: Vec<[TrackerState; 2]>,
}

/// Follows the targets second by second. The result does not depend on the number of threads.
pub fn track(
    map: &StreetMap,
    journeys: &[Journey],
    mobility: &Mobility,
    requests: &[PathRequest],
    settings: &CacheCloakSettings,
) -> (Vec<TrackedTime>, usize) {
    let mut targets = targets(journeys, settings);
    let last = targets.iter().map(|target| target.start + settings.follow).max().unwrap_or(0);
    let first = targets.iter().map(|target| target.start).min().unwrap_or(0);
    let mut fresh_until = vec![0_u64; mobility.cells().count()];
    let mut pending = requests.iter().peekable();
    // Buffers are empty between uses, so it does not matter which a target takes.
    let pool = Mutex::new(Vec::new());
    let directed_cells = 2 * mobility.cells().count();
    for second in first..=last {
        let now = u64::from(second) * 1000;
        while let Some(request) = pending.next_if(|request| request.at <= now) {
            for &cell in &request.cells {
                fresh_until[cell as usize] = request.at + settings.server.lifetime;
            }
        }
        targets.par_iter_mut().for_each(|target| {
            let pooled = pool.lock().pop();
            let mut scratch = pooled.unwrap_or_else(|| TrackerScratch::new(directed_cells));
            let clock = TrackerClock { map, mobility, settings, second };
            target.follow(&clock, &mut scratch, |cell| fresh_until[cell as usize] >= now);
            pool.lock().push(scratch);
        });
    }
    (averages(&targets, settings), targets.len())
}

/// Shortest journey of a target, in metres: users who stand still cannot be lost.
const MIN_METRES: f64 = 500.0;

/// Journeys with odd numbers that last at least one interval after the warm-up, evenly chosen.
fn targets<'a>(journeys: &'a [Journey], settings: &CacheCloakSettings) -> Vec<Target<'a>> {
    let warm = u64::from(settings.warm_up) * 1000;
    let long = u64::from(settings.interval) * 1000;
    let target = |journey: &'a Journey| {
        let start = journey.start().max(warm).div_ceil(1000);
        let passages = journey.passages().iter();
        let metres: f64 = passages.map(|one| (one.to - one.from).as_metres()).sum();
        let is_long = start * 1000 + long <= journey.end() && metres >= MIN_METRES;
        let start = u32::try_from(start).ok().filter(|_| is_long)?;
        Some(Target { journey, start, trackers: None, states: Vec::new() })
    };
    let all: Vec<Target<'a>> = journeys.iter().skip(1).step_by(2).filter_map(target).collect();
    let step = all.len().div_ceil(settings.targets.max(1)).max(1);
    all.into_iter().step_by(step).collect()
}

/// The present second, and what does not change.
struct TrackerClock<'a> {
    map: &'a StreetMap,
    mobility: &'a Mobility,
    settings: &'a CacheCloakSettings,
    second: u32,
}

impl TrackerClock<'_> {
    /// True directed cell of a journey now.
    fn truth(&self, journey: &Journey) -> Option<u32> {
        let at = u64::from(self.second) * 1000;
        let passage = journey.passage(at)?;
        let cells = self.mobility.cells();
        let index = cells.index_at(self.map, passage.leg, passage.along(at));
        Some(cells.directed(passage.leg, index))
    }
}

impl Target<'_> {
    fn follow(
        &mut self,
        clock: &TrackerClock<'_>,
        scratch: &mut TrackerScratch,
        is_fresh: impl Fn(u32) -> bool,
    ) {
        let Some(passed) = clock.second.checked_sub(self.start) else { return };
        let truth = clock.truth(self.journey);
        let (Some(truth), true) = (truth, passed <= clock.settings.follow) else {
            self.trackers = None;
            return;
        };
        let mobility = clock.mobility;
        if passed == 0 {
            let pace = mobility.pace(clock.map, self.journey);
            self.trackers = Some([Tracker::new(truth, pace), Tracker::new(truth, pace)]);
        } else if let Some([seeing, blind]) = &mut self.trackers {
            seeing.step(mobility, scratch, &is_fresh);
            blind.step(mobility, scratch, |_| true);
        }
        if passed.is_multiple_of(clock.settings.interval.max(1))
            && let Some(trackers) = &self.trackers
        {
            let states = [0, 1].map(|view| trackers[view].state(mobility, scratch, truth));
            self.states.push(states);
        }
    }
}

fn averages(targets: &[Target<'_>], settings: &CacheCloakSettings) -> Vec<TrackedTime> {
    let count = targets.iter().map(|target| target.states.len()).max().unwrap_or(0);
    let mut rows = vec![TrackedTime::default(); count];
    for target in targets {
        for (index, [seeing, blind]) in target.states.iter().enumerate() {
            let row = &mut rows[index];
            row.seconds = index as u32 * settings.interval.max(1);
            for (averages, state) in [(&mut row.requests, seeing), (&mut row.nothing, blind)] {
                let values = [state.bits, state.truth, state.success];
                averages.iter_mut().zip(values).for_each(|(average, value)| average.add(value));
            }
            row.excluded.add_share(seeing.truth == 0.0);
        }
    }
    rows
}
