//! Walks along the streets of a map to the objects that stand there, and room for several at once.

use crate::service::{NearestSet, ObjectsByStreet};
use meshcloak::distance::{Arcs, Atlas, Search};
use meshcloak::map::{Position, StreetId, StreetMap, TerminalId};
use meshcloak::units::Length;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

/// A map to walk on.
pub struct Walker {
    atlas: Arc<Atlas>,
    ways: Arcs,
    searches: Mutex<Vec<Search>>,
}

impl Walker {
    /// Prepares walks on a map.
    pub fn new(atlas: Arc<Atlas>) -> Walker {
        let ways = Arcs::forward(atlas.map());
        Walker { atlas, ways, searches: Mutex::default() }
    }

    /// The prepared map.
    pub fn atlas(&self) -> &Arc<Atlas> {
        &self.atlas
    }

    /// The map.
    pub fn map(&self) -> &StreetMap {
        self.atlas.map()
    }

    /// Calls `meet` with every object within `bound` of the sources, perhaps several times; the
    /// least distance that is told is the true one.
    pub(crate) fn within(
        &self,
        sources: impl IntoIterator<Item = (TerminalId, Length)>,
        bound: Length,
        objects: &ObjectsByStreet,
        mut meet: impl FnMut(u32, Length),
    ) {
        self.search(|search, ways| {
            search.run(ways, sources, bound, |terminal, behind| {
                objects.visit_leaving(self.map(), terminal, |object, ahead| {
                    if behind + ahead <= bound {
                        meet(object, behind + ahead);
                    }
                });
            });
        });
    }

    /// Adds to `few` the nearest objects of which `wanted` says so.
    pub(crate) fn nearest(
        &self,
        sources: impl IntoIterator<Item = (TerminalId, Length)>,
        objects: &ObjectsByStreet,
        wanted: impl Fn(u32) -> bool,
        few: &mut NearestSet<Length>,
    ) {
        self.search(|search, ways| {
            search.run_while(ways, sources, Length::MAX, |terminal, behind| {
                // An object as far as the last one may still come before it.
                if few.bound().is_some_and(|bound| behind > bound) {
                    return ControlFlow::Break(());
                }
                objects.visit_leaving(self.map(), terminal, |object, ahead| {
                    if wanted(object) {
                        few.offer(object, behind + ahead);
                    }
                });
                ControlFlow::Continue(())
            });
        });
    }

    /// Lends room for a search.
    fn search(&self, with: impl FnOnce(&mut Search, &Arcs)) {
        let searches = || self.searches.lock().unwrap_or_else(PoisonError::into_inner);
        let lent = searches().pop();
        let mut search = lent.unwrap_or_else(|| Search::new(self.ways.terminal_count()));
        with(&mut search, &self.ways);
        searches().push(search);
    }
}

/// The boundary terminals of a region (SPEC §10), ascending: ends of its streets, reachable along
/// them, from which a street outside can be entered. The region is ascending.
pub(crate) fn boundary(map: &StreetMap, region: &[StreetId]) -> Vec<TerminalId> {
    let leads_out = |terminal: &TerminalId| {
        let mut arms = map.leaving(*terminal).iter();
        arms.any(|arm| region.binary_search(&arm.street).is_err())
    };
    let exits = region.iter().flat_map(|&street| {
        let start = Position { street, offset: Length::ZERO };
        map.exits(start).map(|(terminal, _)| terminal)
    });
    let mut boundary: Vec<TerminalId> = exits.filter(leads_out).collect();
    boundary.sort_unstable();
    boundary.dedup();
    boundary
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::town;

    #[test]
    fn a_boundary_terminal_is_one_by_which_one_can_leave() {
        //  A ── B ─▶ C ── D      E ─▶ B
        let town = town("A 0,0  B 100,0  C 200,0  D 300,0  E 100,90 | A-B B>C C-D E>B");
        let streets = |names: &[&str]| -> Vec<StreetId> {
            let mut streets: Vec<_> = names.iter().map(|name| town.street(name)).collect();
            streets.sort();
            streets
        };
        let boundary = |names: &[&str]| -> Vec<u32> {
            boundary(&town.map, &streets(names)).iter().map(|terminal| terminal.0).collect()
        };
        assert_eq!(boundary(&["A-B"]), [1]);
        assert_eq!(boundary(&["B>C"]), [2]);
        // By B one could leave the second street of these, but only against its direction.
        assert_eq!(boundary(&["B>C", "C-D"]), Vec::<u32>::new());
        assert_eq!(boundary(&["C-D"]), Vec::<u32>::new());
        assert_eq!(boundary(&["A-B", "B>C", "C-D"]), Vec::<u32>::new());
        assert_eq!(boundary(&["E>B"]), [1]);
    }
}
