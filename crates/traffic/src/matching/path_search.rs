//! Shortest paths between positions up to a bound, respecting one-way streets (docs/SPEC.md §2).
//!
//! Optimised for many short searches on one map: labels are cleared in O(1), so a search costs what
//! it visits and allocates nothing.

use super::route::RouteSection;
use meshcloak::map::{Position, StreetId, StreetMap, TerminalId};
use meshcloak::stamps::Stamps;
use meshcloak::units::Length;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Repeated Dijkstra search from one position to several targets.
pub struct PathSearch<'a> {
    map: &'a StreetMap,
    /// Shortest paths of the last run, by terminal.
    labels: Stamps<Label>,
    /// Terminals that are an entrance of a target.
    targets: Stamps<()>,
    /// Number of entrances of the current targets.
    entrance_count: usize,
    queue: BinaryHeap<Reverse<(u32, u32)>>,
}

/// Shortest path to a terminal.
#[derive(Clone, Copy, Default)]
struct Label {
    units: u32,
    /// Street and terminal before; `None` if reached directly from the start.
    before: Option<(StreetId, TerminalId)>,
}

impl<'a> PathSearch<'a> {
    /// Creates a search on a map.
    pub fn new(map: &'a StreetMap) -> PathSearch<'a> {
        let mut search = PathSearch {
            map,
            labels: Stamps::default(),
            targets: Stamps::default(),
            entrance_count: 0,
            queue: BinaryHeap::new(),
        };
        search.labels.clear(map.terminal_count());
        search.targets.clear(map.terminal_count());
        search
    }

    /// Searched map.
    pub fn map(&self) -> &'a StreetMap {
        self.map
    }

    /// Sets the targets of the next runs.
    pub fn set_targets(&mut self, targets: impl Iterator<Item = Position>) {
        self.targets.clear(self.map.terminal_count());
        self.entrance_count = 0;
        for target in targets {
            for (terminal, _) in self.map.entrances(target) {
                self.entrance_count += usize::from(self.targets.insert(terminal.index(), ()));
            }
        }
    }

    /// Searches from `from` until the entrances of all targets are reached or `bound` is exceeded.
    pub fn run(&mut self, from: Position, bound: Length) {
        self.labels.clear(self.map.terminal_count());
        self.queue.clear();
        for (terminal, length) in self.map.exits(from) {
            self.relax(terminal, Label { units: length.units(), before: None }, bound);
        }
        let mut missing = self.entrance_count;
        while let Some(Reverse((units, terminal))) = self.queue.pop() {
            let terminal = TerminalId(terminal);
            if self.labels.get(terminal.index()).is_none_or(|label| units > label.units) {
                continue;
            }
            missing -= usize::from(self.targets.get(terminal.index()).is_some());
            if missing == 0 {
                break;
            }
            let map = self.map;
            for arm in map.leaving(terminal) {
                let length = map.street(arm.street).length.units();
                if let Some(units) = units.checked_add(length) {
                    let label = Label { units, before: Some((arm.street, terminal)) };
                    self.relax(arm.terminal, label, bound);
                }
            }
        }
    }

    fn relax(&mut self, terminal: TerminalId, new: Label, bound: Length) {
        let known = self.labels.get(terminal.index());
        let is_shorter = known.is_none_or(|known| new.units < known.units);
        if new.units <= bound.units() && is_shorter {
            self.labels.insert(terminal.index(), new);
            self.queue.push(Reverse((new.units, terminal.0)));
        }
    }

    /// Length of the shortest path of the last run from its start to a target; `None` beyond the
    /// bound.
    pub fn distance(&self, from: Position, to: Position, bound: Length) -> Option<Length> {
        let around = self.around(to).map(|(_, length)| length);
        around.into_iter().chain(self.map.along(from, to)).min().filter(|&length| length <= bound)
    }

    /// Best entrance of `to` in the last run and the path length through it.
    fn around(&self, to: Position) -> Option<(TerminalId, Length)> {
        let paths = self.map.entrances(to).filter_map(|(terminal, arrive)| {
            let label = self.labels.get(terminal.index())?;
            let units = label.units.checked_add(arrive.units())?;
            Some((terminal, Length::from_units(units)))
        });
        paths.min_by_key(|&(_, length)| length)
    }

    /// Appends the shortest path to `sections`; `false` if there is none within `bound`.
    pub fn route(
        &mut self,
        from: Position,
        to: Position,
        bound: Length,
        sections: &mut Vec<RouteSection>,
    ) -> bool {
        self.set_targets(std::iter::once(to));
        self.run(from, bound);
        let Some(shortest) = self.distance(from, to, bound) else {
            return false;
        };
        if self.map.along(from, to) == Some(shortest) {
            push(sections, RouteSection { street: from.street, from: from.offset, to: to.offset });
        } else if let Some((entrance, _)) = self.around(to) {
            self.trace(from, entrance, sections);
            push(sections, self.last_section(to, entrance));
        }
        true
    }

    /// Appends the path from the start of the last run to a reached terminal.
    fn trace(&self, from: Position, end: TerminalId, sections: &mut Vec<RouteSection>) {
        let begin = sections.len();
        let mut terminal = end;
        let label = |terminal: TerminalId| self.labels.get(terminal.index()).unwrap_or_default();
        while let Some((street, before)) = label(terminal).before {
            push(sections, whole(self.map, street, before));
            terminal = before;
        }
        let first = label(terminal);
        let length = self.map.street(from.street).length;
        // On a loop both ends are one terminal; the label's length tells the direction.
        let is_forward = self.map.street(from.street).to == terminal
            && (length - from.offset).units() == first.units;
        let to = if is_forward { length } else { Length::ZERO };
        push(sections, RouteSection { street: from.street, from: from.offset, to });
        sections[begin..].reverse();
    }

    /// Section from `entrance` to the position, the shorter one if there are two.
    fn last_section(&self, to: Position, entrance: TerminalId) -> RouteSection {
        let length = self.map.street(to.street).length;
        let mut paths = self.map.entrances(to).filter(|&(terminal, _)| terminal == entrance);
        let shortest = paths.by_ref().map(|(_, length)| length).min().unwrap_or(to.offset);
        let forward = self.map.street(to.street).from == entrance && shortest == to.offset;
        let from = if forward { Length::ZERO } else { length };
        RouteSection { street: to.street, from, to: to.offset }
    }
}

/// Section of a whole street entered at `at`.
fn whole(map: &StreetMap, street: StreetId, at: TerminalId) -> RouteSection {
    let length = map.street(street).length;
    if map.street(street).from == at {
        RouteSection { street, from: Length::ZERO, to: length }
    } else {
        RouteSection { street, from: length, to: Length::ZERO }
    }
}

fn push(sections: &mut Vec<RouteSection>, section: RouteSection) {
    if section.from != section.to {
        sections.push(section);
    }
}

#[cfg(test)]
mod tests {
    use super::super::checks::{assert_drivable, terminal_at};
    use super::super::route::Route;
    use super::*;
    use crate::naive;
    use meshcloak::town::{Town, town};

    #[test]
    fn the_path_back_on_a_one_way_street_leads_around_the_block() {
        //            C
        //    125 m ╱ │ 75 m
        //        ╱   │
        //       A ─▶ B      100 m, one length
        let town = town("A 0,0  B 100,0  C 100,75 | A>B B-C C-A");
        let (a, b) = (town.at("A>B", 10.0), town.at("A>B", 60.0));
        let mut search = PathSearch::new(&town.map);
        let mut sections = Vec::new();
        assert!(search.route(b, a, Length::metres(250.0), &mut sections));
        let streets: Vec<u32> = sections.iter().map(|section| section.street.0).collect();
        assert_eq!(streets, [0, 1, 2, 0]);
        assert!(!search.route(b, a, Length::metres(249.9), &mut sections));
    }

    #[test]
    fn distances_and_routes_agree_with_bellman_ford() {
        let mut found = 0;
        for seed in 0..500 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            let slow = |from, to, bound: Length| {
                let length = naive::distance(&town.map, from, to)?;
                (length <= bound.units().into()).then(|| Length::from_units(length as u32))
            };
            let mut search = PathSearch::new(&town.map);
            for bound in [Length::metres(300.0), Length::metres(5_000.0)] {
                let from = town.position(&mut random);
                let targets = [0; 6].map(|_| town.position(&mut random));
                search.set_targets(targets.into_iter());
                search.run(from, bound);
                for to in targets {
                    let slow = slow(from, to, bound);
                    let fast = search.distance(from, to, bound);
                    assert_eq!(fast, slow, "seed {seed} {from:?} {to:?}\n{town}");
                }
                for to in targets {
                    let slow = slow(from, to, bound);
                    let mut sections = Vec::new();
                    let is_found = search.route(from, to, bound, &mut sections);
                    assert_eq!(is_found, slow.is_some(), "seed {seed}\n{town}");
                    if let Some(length) = slow {
                        let route = Route::new(from, sections);
                        assert_eq!(route.length(), length, "seed {seed}\n{town}");
                        assert_eq!(route.at(length), same_point(&town, route.at(length), to));
                        assert_drivable(&town.map, from, &route);
                        found += 1;
                    }
                }
            }
        }
        assert!(found > 1_000, "only {found} routes");
    }

    /// Returns `reached` if it is the same terminal as `to` on another street, else `to`.
    fn same_point(town: &Town, reached: Position, to: Position) -> Position {
        let ends = terminal_at(&town.map, reached);
        if ends.is_some() && ends == terminal_at(&town.map, to) { reached } else { to }
    }
}
