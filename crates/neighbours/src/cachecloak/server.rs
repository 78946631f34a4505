//! The trusted server: answers from its cache, and asks the service about predicted paths.
//!
//! ```text
//!   cached ──┐   new path                        On a miss at M the path is extended along the most
//!            ├─────── M ───────┐                 likely movement in both directions until it meets
//!   cached ──┘                 ├── cached        cached cells, so that the service sees no end at
//!                              └── cached        which a user begins or stops.
//! ```

use super::mobility::Mobility;

/// A user in a directed cell. Events are ordered by time, then by user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellEvent {
    /// Time in milliseconds.
    pub at: u64,
    /// Index of the journey.
    pub user: u32,
    /// The directed cell.
    pub directed: u32,
    /// Time until which the user stays in it, in milliseconds.
    pub until: u64,
}

/// A path that the service is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathRequest {
    /// Time in milliseconds.
    pub at: u64,
    /// Cells in order of travel.
    pub cells: Vec<u32>,
    /// Whether the path ends at cells that were cached before.
    pub joins_ahead: bool,
    /// Whether it begins at cells that were cached before.
    pub joins_behind: bool,
}

/// Settings of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerSettings {
    /// Time for which answers are fresh, in milliseconds.
    pub lifetime: u64,
    /// Largest number of cells of a path in each direction.
    pub max_cells: usize,
}

/// State of the cache.
pub(super) struct Server<'a> {
    mobility: &'a Mobility,
    settings: ServerSettings,
    /// Time until which each cell is cached; 0: never.
    fresh_until: Vec<u64>,
    /// Generation stamp: number of the path that last held a cell.
    on_path: Vec<u32>,
    path: u32,
}

impl<'a> Server<'a> {
    pub fn new(mobility: &'a Mobility, settings: ServerSettings) -> Server<'a> {
        let cells = mobility.cells().count();
        let (fresh_until, on_path) = (vec![0; cells], vec![0; cells]);
        Server { mobility, settings, fresh_until, on_path, path: 0 }
    }

    /// Time at which the user of a served event asks again, since the answer expires while the user
    /// stays.
    pub fn repetition(&self, event: CellEvent) -> Option<CellEvent> {
        let expiry = self.fresh_until[self.mobility.cells().cell(event.directed) as usize];
        (expiry < event.until).then_some(CellEvent { at: expiry, ..event })
    }

    /// Serves a user in a cell; returns the path that has to be requested, if any.
    pub fn serve(&mut self, event: CellEvent) -> Option<PathRequest> {
        let cells = self.mobility.cells();
        let own = cells.cell(event.directed);
        if self.fresh_until[own as usize] > event.at {
            return None;
        }
        self.path += 1;
        self.on_path[own as usize] = self.path;
        let mobility = self.mobility;
        let (ahead, joins_ahead) = self.extend(event, |directed| mobility.next(directed));
        let (behind, joins_behind) = self.extend(event, |directed| mobility.previous(directed));
        let path: Vec<u32> = behind.into_iter().rev().chain([own]).chain(ahead).collect();
        for &cell in &path {
            self.fresh_until[cell as usize] = event.at + self.settings.lifetime;
        }
        Some(PathRequest { at: event.at, cells: path, joins_ahead, joins_behind })
    }

    /// Extends the path from a cell until it meets a cached cell; returns the new cells, and whether
    /// it did. A path that meets itself or becomes too long ends without.
    fn extend(&mut self, from: CellEvent, step: impl Fn(u32) -> Option<u32>) -> (Vec<u32>, bool) {
        let mut new = Vec::new();
        let mut directed = from.directed;
        while new.len() < self.settings.max_cells {
            let Some(next) = step(directed) else { break };
            let cell = self.mobility.cells().cell(next);
            if self.fresh_until[cell as usize] > from.at {
                return (new, true);
            }
            if self.on_path[cell as usize] == self.path {
                break;
            }
            self.on_path[cell as usize] = self.path;
            new.push(cell);
            directed = next;
        }
        (new, false)
    }
}
