//! Times at which users enter cells.

use super::server::CellEvent;
use super::street_cells::StreetCells;
use meshcloak::map::StreetMap;
use traffic::{Journey, Passage};

/// All entries of users into directed cells, in order.
pub fn cell_events(map: &StreetMap, cells: &StreetCells, journeys: &[Journey]) -> Vec<CellEvent> {
    let mut events = Vec::new();
    for (user, journey) in journeys.iter().enumerate() {
        for passage in journey.passages() {
            add_passage(map, cells, passage, user as u32, &mut events);
        }
    }
    events.sort_unstable();
    events
}

fn add_passage(
    map: &StreetMap,
    cells: &StreetCells,
    passage: &Passage,
    user: u32,
    events: &mut Vec<CellEvent>,
) {
    let leg = passage.leg;
    let first = cells.index_at(map, leg, passage.from);
    let last = cells.index_at(map, leg, passage.to);
    let entry = |index: u32| match index == first {
        true => passage.entered,
        false => passage.time(cells.begin(map, leg, index)),
    };
    for index in first..=last {
        let until = if index == last { passage.left } else { entry(index + 1) };
        events.push(CellEvent {
            at: entry(index),
            user,
            directed: cells.directed(leg, index),
            until,
        });
    }
}
