//! Server and adversary by definition, without buffers; the references of tests.

use super::mobility::Mobility;
use super::server::{CellEvent, PathRequest, ServerSettings};

/// Whether a cell was requested within its lifetime before `at`.
pub(super) fn is_cached(
    requests: &[PathRequest],
    cell: u32,
    at: u64,
    settings: ServerSettings,
) -> bool {
    let is_fresh = |request: &&PathRequest| at < request.at + settings.lifetime;
    requests.iter().filter(is_fresh).any(|request| request.cells.contains(&cell))
}

/// Paths that the server requests for `events`.
pub(super) fn requests(
    mobility: &Mobility,
    events: &[CellEvent],
    settings: ServerSettings,
) -> Vec<PathRequest> {
    let mut requests: Vec<PathRequest> = Vec::new();
    let mut events = events.to_vec();
    while let Some(event) = events.iter().min().copied() {
        let first = events.iter().position(|&one| one == event).expect("it is in the list");
        events.remove(first);
        let own = mobility.cells().cell(event.directed);
        if !is_cached(&requests, own, event.at, settings) {
            requests.push(request(mobility, &requests, event, settings));
        }
        let holds = |request: &&PathRequest| request.cells.contains(&own);
        let last = requests.iter().rev().find(holds).expect("it was requested");
        let expiry = last.at + settings.lifetime;
        if expiry < event.until {
            events.push(CellEvent { at: expiry, ..event });
        }
    }
    requests
}

fn request(
    mobility: &Mobility,
    requests: &[PathRequest],
    event: CellEvent,
    settings: ServerSettings,
) -> PathRequest {
    let own = mobility.cells().cell(event.directed);
    let mut path = vec![own];
    let mut joins = [false; 2];
    for (direction, joins) in joins.iter_mut().enumerate() {
        let mut directed = event.directed;
        for _ in 0..settings.max_cells {
            let next = match direction {
                0 => mobility.next(directed),
                _ => mobility.previous(directed),
            };
            let Some(next) = next else { break };
            let cell = mobility.cells().cell(next);
            *joins = is_cached(requests, cell, event.at, settings);
            if *joins || path.contains(&cell) {
                break;
            }
            match direction {
                0 => path.push(cell),
                _ => path.insert(0, cell),
            }
            directed = next;
        }
    }
    let [joins_ahead, joins_behind] = joins;
    PathRequest { at: event.at, cells: path, joins_ahead, joins_behind }
}

/// One second of the adversary's filter as a product of the whole transition matrix with a vector.
pub(super) fn step(
    mobility: &Mobility,
    masses: &[f64],
    is_possible: impl Fn(u32) -> bool,
) -> Vec<f64> {
    let mut next = vec![0.0; masses.len()];
    for (directed, mass) in masses.iter().enumerate() {
        mobility
            .step(directed as u32, 1.0, |to, probability| next[to as usize] += mass * probability);
    }
    let possible = |directed: usize| is_possible(mobility.cells().cell(directed as u32));
    let kept: f64 = (0..next.len()).filter(|&at| possible(at)).map(|at| next[at]).sum();
    let total: f64 = next.iter().sum();
    for (directed, mass) in next.iter_mut().enumerate() {
        *mass = match kept > 0.0 {
            true if possible(directed) => *mass / kept,
            true => 0.0,
            false => *mass / total,
        };
    }
    next
}
