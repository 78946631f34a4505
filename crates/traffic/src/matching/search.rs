//! Shortest ways between positions, respecting one-way streets, up to a bound (SPEC §2).
//!
//! Made for many short searches on one map: one label per terminal, stamped with the number of
//! the search it belongs to, so that a search costs what it visits and allocates nothing.

use super::route::Leg;
use meshcloak::map::{Position, StreetId, StreetMap, TerminalId};
use meshcloak::units::Length;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A Dijkstra search from one position to several, run again and again.
pub struct Search<'a> {
    map: &'a StreetMap,
    labels: Vec<Label>,
    search: u32,
    aims: Vec<u32>,
    aim: u32,
    aimed: usize,
    queue: BinaryHeap<Reverse<(u32, u32)>>,
}

/// How a terminal was reached in the search numbered `search`.
#[derive(Clone, Copy)]
struct Label {
    search: u32,
    units: u32,
    street: StreetId,
    /// The terminal before; none if the way comes straight from the start.
    before: Option<TerminalId>,
}

impl<'a> Search<'a> {
    /// A search on this map that has not looked for anything yet.
    pub fn new(map: &'a StreetMap) -> Search<'a> {
        let nowhere = Label { search: 0, units: 0, street: StreetId(0), before: None };
        Search {
            map,
            labels: vec![nowhere; map.terminal_count()],
            search: 0,
            aims: vec![0; map.terminal_count()],
            aim: 0,
            aimed: 0,
            queue: BinaryHeap::new(),
        }
    }

    /// The map it searches.
    pub fn map(&self) -> &'a StreetMap {
        self.map
    }

    /// Says which positions the next runs look for.
    pub fn aim_at(&mut self, targets: impl Iterator<Item = Position>) {
        if self.aim == u32::MAX {
            self.aims.fill(0);
            self.aim = 0;
        }
        self.aim += 1;
        self.aimed = 0;
        for target in targets {
            for (terminal, _) in self.map.entrances(target) {
                let mark = &mut self.aims[terminal.index()];
                self.aimed += usize::from(*mark != self.aim);
                *mark = self.aim;
            }
        }
    }

    /// Searches from `from` until every target's entrances are reached or `bound` is passed.
    pub fn run(&mut self, from: Position, bound: Length) {
        if self.search == u32::MAX {
            self.labels.iter_mut().for_each(|label| label.search = 0);
            self.search = 0;
        }
        self.search += 1;
        self.queue.clear();
        for (terminal, way) in self.map.exits(from) {
            self.offer(terminal, way.units(), bound, (from.street, None));
        }
        let mut missing = self.aimed;
        while let Some(Reverse((units, terminal))) = self.queue.pop() {
            let terminal = TerminalId(terminal);
            if units > self.labels[terminal.index()].units {
                continue;
            }
            missing -= usize::from(self.aims[terminal.index()] == self.aim);
            if missing == 0 {
                break;
            }
            let map = self.map;
            for arm in map.leaving(terminal) {
                let length = map.street(arm.street).length.units();
                if let Some(units) = units.checked_add(length) {
                    self.offer(arm.terminal, units, bound, (arm.street, Some(terminal)));
                }
            }
        }
    }

    fn offer(
        &mut self,
        terminal: TerminalId,
        units: u32,
        bound: Length,
        (street, before): (StreetId, Option<TerminalId>),
    ) {
        let search = self.search;
        let label = &mut self.labels[terminal.index()];
        if units <= bound.units() && (label.search != search || units < label.units) {
            *label = Label { search, units, street, before };
            self.queue.push(Reverse((units, terminal.0)));
        }
    }

    /// The shortest way of the last run, from its start, to one of its targets; `None` if it is
    /// longer than the bound of that run.
    pub fn distance(&self, from: Position, to: Position, bound: Length) -> Option<Length> {
        let around = self.around(to).map(|(_, way)| way);
        around.into_iter().chain(self.map.along(from, to)).min().filter(|&way| way <= bound)
    }

    /// The best entrance of `to` in the last run, and the way to `to` through it.
    fn around(&self, to: Position) -> Option<(TerminalId, Length)> {
        let ways = self.map.entrances(to).filter_map(|(terminal, arrive)| {
            let label = self.labels[terminal.index()];
            let units = label.units.checked_add(arrive.units())?;
            (label.search == self.search).then_some((terminal, Length::from_units(units)))
        });
        ways.min_by_key(|&(_, way)| way)
    }

    /// Appends the legs of the shortest way to `legs`; `false` if there is none within `bound`.
    pub fn route(
        &mut self,
        from: Position,
        to: Position,
        bound: Length,
        legs: &mut Vec<Leg>,
    ) -> bool {
        self.aim_at(std::iter::once(to));
        self.run(from, bound);
        let Some(shortest) = self.distance(from, to, bound) else {
            return false;
        };
        if self.map.along(from, to) == Some(shortest) {
            push(legs, Leg { street: from.street, from: from.offset, to: to.offset });
        } else if let Some((entrance, _)) = self.around(to) {
            self.trace(from, entrance, legs);
            push(legs, self.last_leg(to, entrance));
        }
        true
    }

    /// Appends the legs from the start of the last run to a terminal it reached.
    fn trace(&self, from: Position, end: TerminalId, legs: &mut Vec<Leg>) {
        let begin = legs.len();
        let mut terminal = end;
        while let Label { street, before: Some(before), .. } = self.labels[terminal.index()] {
            push(legs, whole(self.map, street, before));
            terminal = before;
        }
        let first = self.labels[terminal.index()];
        let length = self.map.street(from.street).length;
        // On a loop both ends are one terminal: the way taken is the one as long as the label.
        let ahead = self.map.street(from.street).to == terminal
            && (length - from.offset).units() == first.units;
        let to = if ahead { length } else { Length::ZERO };
        push(legs, Leg { street: from.street, from: from.offset, to });
        legs[begin..].reverse();
    }

    /// From `entrance` to the position it is an entrance of, the shorter way if there are two.
    fn last_leg(&self, to: Position, entrance: TerminalId) -> Leg {
        let length = self.map.street(to.street).length;
        let mut ways = self.map.entrances(to).filter(|&(terminal, _)| terminal == entrance);
        let shortest = ways.by_ref().map(|(_, way)| way).min().unwrap_or(to.offset);
        let forward = self.map.street(to.street).from == entrance && shortest == to.offset;
        let from = if forward { Length::ZERO } else { length };
        Leg { street: to.street, from, to: to.offset }
    }
}

/// A whole street, entered at `at`.
fn whole(map: &StreetMap, street: StreetId, at: TerminalId) -> Leg {
    let length = map.street(street).length;
    if map.street(street).from == at {
        Leg { street, from: Length::ZERO, to: length }
    } else {
        Leg { street, from: length, to: Length::ZERO }
    }
}

fn push(legs: &mut Vec<Leg>, leg: Leg) {
    if leg.from != leg.to {
        legs.push(leg);
    }
}

#[cfg(test)]
mod tests {
    use super::super::naive::{assert_drivable, terminal_at};
    use super::super::route::Route;
    use super::*;
    use crate::naive;
    use meshcloak::town::{Town, town};

    #[test]
    fn the_way_back_on_a_one_way_street_leads_round_the_block() {
        //            C
        //    125 m ╱ │ 75 m
        //        ╱   │
        //       A ─▶ B      100 m, one way
        let town = town("A 0,0  B 100,0  C 100,75 | A>B B-C C-A");
        let (a, b) = (town.at("A>B", 10.0), town.at("A>B", 60.0));
        let mut search = Search::new(&town.map);
        let mut legs = Vec::new();
        assert!(search.route(b, a, Length::metres(250.0), &mut legs));
        let streets: Vec<u32> = legs.iter().map(|leg| leg.street.0).collect();
        assert_eq!(streets, [0, 1, 2, 0]);
        assert!(!search.route(b, a, Length::metres(249.9), &mut legs));
    }

    #[test]
    fn distances_and_routes_agree_with_bellman_ford() {
        let mut found = 0;
        for seed in 0..500 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            let slow = |from, to, bound: Length| {
                let way = naive::distance(&town.map, from, to)?;
                (way <= bound.units().into()).then(|| Length::from_units(way as u32))
            };
            let mut search = Search::new(&town.map);
            for bound in [Length::metres(300.0), Length::metres(5_000.0)] {
                let from = town.position(&mut random);
                let targets = [0; 6].map(|_| town.position(&mut random));
                search.aim_at(targets.into_iter());
                search.run(from, bound);
                for to in targets {
                    let slow = slow(from, to, bound);
                    let fast = search.distance(from, to, bound);
                    assert_eq!(fast, slow, "seed {seed} {from:?} {to:?}\n{town}");
                }
                for to in targets {
                    let slow = slow(from, to, bound);
                    let mut legs = Vec::new();
                    let is_found = search.route(from, to, bound, &mut legs);
                    assert_eq!(is_found, slow.is_some(), "seed {seed}\n{town}");
                    if let Some(way) = slow {
                        let route = Route::new(from, legs);
                        assert_eq!(route.length(), way, "seed {seed}\n{town}");
                        assert_eq!(route.at(way), to_same_place(&town, route.at(way), to));
                        assert_drivable(&town.map, from, &route);
                        found += 1;
                    }
                }
            }
        }
        assert!(found > 1_000, "only {found} ways");
    }

    /// `to`, or `reached` if it is the same terminal seen from another street.
    fn to_same_place(town: &Town, reached: Position, to: Position) -> Position {
        let ends = terminal_at(&town.map, reached);
        if ends.is_some() && ends == terminal_at(&town.map, to) { reached } else { to }
    }
}
