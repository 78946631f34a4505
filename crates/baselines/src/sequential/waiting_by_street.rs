//! Waiting queries by street, and the neighbours of one new query (Algorithm 2 for one query).

use crate::waiting_table::WaitingTable;
use meshcloak::distance::{Atlas, Rows};
use meshcloak::map::StreetId;
use meshcloak::query::Query;

/// Numbers of the waiting queries by street.
#[derive(Debug, Default)]
pub(super) struct WaitingByStreet {
    by_street: Vec<Vec<u32>>,
    /// Streets that may be non-empty; bounds the cost of clearing.
    used: Vec<StreetId>,
}

impl WaitingByStreet {
    /// Removes all queries and resizes to the number of streets.
    pub(super) fn clear(&mut self, streets: usize) {
        for street in self.used.drain(..) {
            self.by_street[street.index()].clear();
        }
        self.by_street.resize_with(streets.max(self.by_street.len()), Vec::new);
    }

    pub(super) fn insert(&mut self, number: u32, query: &Query) {
        let queries = &mut self.by_street[query.position.street.index()];
        if queries.is_empty() {
            self.used.push(query.position.street);
        }
        queries.push(number);
    }

    pub(super) fn remove(&mut self, number: u32, query: &Query) {
        let queries = &mut self.by_street[query.position.street.index()];
        queries.retain(|&other| other != number);
        if self.used.len() > 2 * self.by_street.len() {
            // A street is pushed again whenever it becomes non-empty.
            self.used.sort_unstable();
            self.used.dedup();
        }
    }

    /// Stores the numbers of the queries adjacent to `query`, ascending and distinct.
    pub(super) fn find_neighbours(
        &self,
        atlas: &Atlas,
        waiting_table: &WaitingTable,
        query: &Query,
        found: &mut Vec<u32>,
    ) {
        found.clear();
        visit_reachable(atlas, query, |street| {
            found.extend_from_slice(&self.by_street[street.index()]);
        });
        found.sort_unstable();
        found.dedup();
        let covers = |a: &Query, b: &Query| {
            atlas.distance(a.position, b.position).is_some_and(|d| d <= a.distance_constraint)
        };
        found.retain(|&number| {
            let other = waiting_table.query(number);
            other.user != query.user && covers(query, other) && covers(other, query)
        });
    }
}

/// Visits each street with positions within reach of `query`, some more than once.
fn visit_reachable(atlas: &Atlas, query: &Query, mut visit: impl FnMut(StreetId)) {
    let map = atlas.map();
    let dc = query.distance_constraint;
    visit(query.position.street);
    match atlas.rows() {
        Rows::Streets(reach) => {
            let near = map.exits(query.position).map(|(_, leave)| leave).min();
            if let Some(budget) = near.and_then(|leave| dc.checked_sub(leave)) {
                let within = reach.within(query.position.street, budget);
                within.for_each(|reached| visit(reached.street));
            }
        }
        Rows::Terminals(_) => {
            for (exit, leave) in map.exits(query.position) {
                let Some(budget) = dc.checked_sub(leave) else { continue };
                let row = atlas.matrix().row(exit).filter(|&(_, across)| across <= budget);
                for (terminal, _) in row {
                    map.leaving(terminal).iter().for_each(|arm| visit(arm.street));
                }
            }
        }
    }
}
