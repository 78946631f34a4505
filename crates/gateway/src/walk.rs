//! Shortest-path searches along the streets of a map to objects on them.

use crate::service::{NearestSet, ObjectsByStreet};
use meshcloak::distance::{Arcs, Atlas, Search};
use meshcloak::map::{Position, StreetId, StreetMap, TerminalId};
use meshcloak::units::Length;
use parking_lot::Mutex;
use std::ops::ControlFlow;
use std::sync::Arc;

/// A map with a pool of search buffers. Searches can run concurrently.
pub struct Walker {
    atlas: Arc<Atlas>,
    arcs: Arcs,
    searches: Mutex<Vec<Search>>,
}

impl Walker {
    /// Prepares searches on a map.
    pub fn new(atlas: Arc<Atlas>) -> Walker {
        let arcs = Arcs::forward(atlas.map());
        Walker { atlas, arcs, searches: Mutex::default() }
    }

    /// Map with prepared distances.
    pub fn atlas(&self) -> &Arc<Atlas> {
        &self.atlas
    }

    /// Street map.
    pub fn map(&self) -> &StreetMap {
        self.atlas.map()
    }

    /// Calls `visit` with every object within `bound` of the sources and its distance. An object
    /// can be visited several times; its smallest distance is the exact one.
    #[expect(clippy::arithmetic_side_effects, reason = "lengths saturate")]
    pub(crate) fn within(
        &self,
        sources: impl IntoIterator<Item = (TerminalId, Length)>,
        bound: Length,
        objects: &ObjectsByStreet,
        mut visit: impl FnMut(u32, Length),
    ) {
        self.search(|search, arcs| {
            search.run(arcs, sources, bound, |terminal, behind| {
                objects.visit_leaving(self.map(), terminal, |object, ahead| {
                    if behind + ahead <= bound {
                        visit(object, behind + ahead);
                    }
                });
            });
        });
    }

    /// Adds the nearest objects that satisfy `wanted` to `nearest`.
    #[expect(clippy::arithmetic_side_effects, reason = "lengths saturate")]
    pub(crate) fn nearest(
        &self,
        sources: impl IntoIterator<Item = (TerminalId, Length)>,
        objects: &ObjectsByStreet,
        wanted: impl Fn(u32) -> bool,
        nearest: &mut NearestSet<Length>,
    ) {
        self.search(|search, arcs| {
            search.run_while(arcs, sources, Length::MAX, |terminal, behind| {
                // Ties are broken by object, so objects at the bound itself still count.
                if nearest.bound().is_some_and(|bound| behind > bound) {
                    return ControlFlow::Break(());
                }
                objects.visit_leaving(self.map(), terminal, |object, ahead| {
                    if wanted(object) {
                        nearest.offer(object, behind + ahead);
                    }
                });
                ControlFlow::Continue(())
            });
        });
    }

    /// Runs `with` on a search buffer of the pool.
    fn search(&self, with: impl FnOnce(&mut Search, &Arcs)) {
        let searches = || self.searches.lock();
        let pooled = searches().pop();
        let mut search = pooled.unwrap_or_else(|| Search::new(self.arcs.terminal_count()));
        with(&mut search, &self.arcs);
        searches().push(search);
    }
}

/// Returns the boundary terminals of a region (docs/SPEC.md §10), ascending: ends of its streets,
/// reachable along them, from which a street outside can be entered. `region` must be ascending.
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
    fn a_boundary_terminal_leads_out_of_the_region() {
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
        // B leads out of the region, but B>C is one-way and does not reach it.
        assert_eq!(boundary(&["B>C", "C-D"]), Vec::<u32>::new());
        assert_eq!(boundary(&["C-D"]), Vec::<u32>::new());
        assert_eq!(boundary(&["A-B", "B>C", "C-D"]), Vec::<u32>::new());
        assert_eq!(boundary(&["E>B"]), [1]);
    }
}
