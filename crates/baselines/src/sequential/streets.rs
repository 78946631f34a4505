//! Who waits on which street, and who of them is within reach of somebody who comes (Algorithm 2,
//! for one query).

use crate::roster::Roster;
use meshcloak::distance::{Atlas, Rows};
use meshcloak::map::StreetId;
use meshcloak::query::Query;

/// The waiting queries, by street.
#[derive(Debug, Default)]
pub(super) struct Streets {
    on: Vec<Vec<u32>>,
    /// The streets on which somebody was, so that clearing costs what is there.
    used: Vec<StreetId>,
}

impl Streets {
    /// Forgets everyone; makes room for the streets of a map.
    pub(super) fn clear(&mut self, streets: usize) {
        for street in self.used.drain(..) {
            self.on[street.index()].clear();
        }
        self.on.resize_with(streets.max(self.on.len()), Vec::new);
    }

    pub(super) fn enter(&mut self, number: u32, query: &Query) {
        let on = &mut self.on[query.position.street.index()];
        if on.is_empty() {
            self.used.push(query.position.street);
        }
        on.push(number);
    }

    pub(super) fn leave(&mut self, number: u32, query: &Query) {
        let on = &mut self.on[query.position.street.index()];
        on.retain(|&other| other != number);
        if self.used.len() > 2 * self.on.len() {
            // A street is listed again whenever it fills again.
            self.used.sort_unstable();
            self.used.dedup();
        }
    }

    /// Those who are adjacent to `query`, each once, ascending.
    pub(super) fn neighbours(
        &self,
        atlas: &Atlas,
        roster: &Roster,
        query: &Query,
        found: &mut Vec<u32>,
    ) {
        found.clear();
        within_reach(atlas, query, |street| found.extend_from_slice(&self.on[street.index()]));
        found.sort_unstable();
        found.dedup();
        let covers = |a: &Query, b: &Query| {
            atlas.distance(a.position, b.position).is_some_and(|d| d <= a.distance_constraint)
        };
        found.retain(|&number| {
            let other = roster.query(number);
            other.user != query.user && covers(query, other) && covers(other, query)
        });
    }
}

/// Visits every street on which somebody can be whom `query` reaches; some more than once.
fn within_reach(atlas: &Atlas, query: &Query, mut visit: impl FnMut(StreetId)) {
    let map = atlas.map();
    let dc = query.distance_constraint;
    visit(query.position.street);
    match atlas.rows() {
        Rows::Streets(reach) => {
            let near = map.exits(query.position).map(|(_, leave)| leave).min();
            let left = near.and_then(|leave| dc.checked_sub(leave));
            for reached in reach.row(query.position.street) {
                if left.is_none_or(|left| u32::from(reached.nearest) > left.units()) {
                    break; // nearest first
                }
                visit(reached.street);
            }
        }
        Rows::Terminals(_) => {
            for (exit, leave) in map.exits(query.position) {
                let Some(left) = dc.checked_sub(leave) else { continue };
                let row = atlas.matrix().row(exit).filter(|&(_, across)| across <= left);
                for (terminal, _) in row {
                    map.leaving(terminal).iter().for_each(|arm| visit(arm.street));
                }
            }
        }
    }
}
