//! Path of one user over time: the legs travelled, with the times of entering and leaving each.

use crate::leg::Leg;
use crate::matching::{MatchedPiece, Sighting};
use meshcloak::map::{Position, StreetMap, TerminalId};
use meshcloak::units::{Length, Point};

/// A known place of a user at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waypoint {
    /// Time in milliseconds.
    pub at: u64,
    /// Leg that the user travels.
    pub leg: Leg,
    /// Distance from the start of the leg.
    pub along: Length,
    /// Relation to the previous waypoint.
    pub event: WaypointEvent,
}

/// Relation of a waypoint to the previous one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaypointEvent {
    /// A route begins here; the previous one has ended at the same place.
    SetsOut,
    /// The previous leg was travelled to its end, and the leg of this waypoint begins.
    Enters,
    /// The leg of the previous waypoint continues.
    Continues,
}

/// Travel along one leg, or a part of it, at constant speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The leg.
    pub leg: Leg,
    /// Distance from the start of the leg where the travel begins.
    pub from: Length,
    /// Distance from the start of the leg where it ends; at least `from`.
    pub to: Length,
    /// Time of the beginning in milliseconds.
    pub entered: u64,
    /// Time of the end in milliseconds; at least `entered`.
    pub left: u64,
}

/// Transition from one leg to the next at a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// Index of the passage that ends at the terminal; the next one begins there.
    pub passage: usize,
    /// The terminal.
    pub terminal: TerminalId,
    /// Leg before.
    pub from: Leg,
    /// Leg after.
    pub to: Leg,
    /// Time in milliseconds.
    pub at: u64,
}

/// Path of a user over time.
///
/// Passages follow one another in time; consecutive ones meet at one point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Journey {
    /// Name of the user or trip.
    pub name: String,
    passages: Vec<Passage>,
}

impl Passage {
    /// Distance from the start of the leg at a time of this passage.
    pub fn along(&self, at: u64) -> Length {
        let (whole, passed) = (self.left - self.entered, at.saturating_sub(self.entered));
        if whole == 0 {
            return self.to;
        }
        let length = u64::from((self.to - self.from).units());
        self.from + Length::from_units((length * passed.min(whole) / whole) as u32)
    }

    /// Time in milliseconds at a distance from the start of the leg; clamped to the passage.
    pub fn time(&self, along: Length) -> u64 {
        let length = u64::from((self.to - self.from).units());
        let passed = u64::from(along.clamp(self.from, self.to).units() - self.from.units());
        if length == 0 {
            return self.entered;
        }
        self.entered + (self.left - self.entered) * passed / length
    }
}

impl Journey {
    /// Builds the journey of waypoints in order of time.
    pub fn from_waypoints(map: &StreetMap, name: String, waypoints: &[Waypoint]) -> Journey {
        let mut passages: Vec<Passage> = Vec::new();
        for &Waypoint { at, leg, along, event } in waypoints {
            match (passages.last_mut(), event) {
                (Some(last), WaypointEvent::Continues) if last.leg == leg => {
                    last.to = along.max(last.from);
                    last.left = at.max(last.entered);
                    continue;
                }
                (Some(last), WaypointEvent::Enters) => {
                    last.to = map.street(last.leg.street()).length;
                    last.left = at.max(last.entered);
                }
                (Some(last), _) => last.left = at.max(last.entered),
                (None, _) => {}
            }
            passages.push(Passage { leg, from: along, to: along, entered: at, left: at });
        }
        let is_empty = |one: &Passage| one.to == one.from && one.left == one.entered;
        if !passages.iter().all(is_empty) {
            passages.retain(|passage| !is_empty(passage));
        }
        Journey { name, passages }
    }

    /// Builds the journey of a piece of a matched trip; `times` are the sightings of the piece, one per
    /// stop. `None` if it does not move.
    pub fn from_matched(
        map: &StreetMap,
        name: String,
        piece: &MatchedPiece,
        times: &[Sighting],
    ) -> Option<Journey> {
        let mut waypoints: Vec<Waypoint> = Vec::new();
        let mut distance = Length::ZERO;
        let mut clock = RouteClock { piece, times, stop: 0 };
        for section in piece.route.sections().iter().filter(|one| one.length() > Length::ZERO) {
            let at = |offset| Position { street: section.street, offset };
            let (from, to) = (at(section.from), at(section.to));
            let leg = Leg::between(from, to);
            let begin = leg.along(map, from);
            let event = match waypoints.last() {
                Some(last) if last.leg == leg && last.along == begin => None,
                Some(last) if meet(map, last, leg, begin) => Some(WaypointEvent::Enters),
                _ => Some(WaypointEvent::SetsOut),
            };
            let entered = clock.time(distance);
            waypoints.extend(event.map(|event| Waypoint { at: entered, leg, along: begin, event }));
            distance += section.length();
            let (at, along) = (clock.time(distance), leg.along(map, to));
            waypoints.push(Waypoint { at, leg, along, event: WaypointEvent::Continues });
        }
        (!waypoints.is_empty()).then(|| Journey::from_waypoints(map, name, &waypoints))
    }

    /// Passages in order of time; never empty.
    pub fn passages(&self) -> &[Passage] {
        &self.passages
    }

    /// Start time in milliseconds.
    pub fn start(&self) -> u64 {
        self.passages.first().map_or(0, |passage| passage.entered)
    }

    /// End time in milliseconds.
    pub fn end(&self) -> u64 {
        self.passages.last().map_or(0, |passage| passage.left)
    }

    /// Passage at a time; `None` before the start and after the end.
    pub fn passage(&self, at: u64) -> Option<&Passage> {
        let index = self.passages.partition_point(|passage| passage.left < at);
        self.passages.get(index).filter(|passage| self.start() <= at && passage.entered <= at)
    }

    /// Position at a time; `None` before the start and after the end.
    pub fn position(&self, map: &StreetMap, at: u64) -> Option<Position> {
        let passage = self.passage(at)?;
        Some(passage.leg.position(map, passage.along(at)))
    }

    /// Point at a time; `None` before the start and after the end.
    pub fn point(&self, map: &StreetMap, at: u64) -> Option<Point> {
        self.position(map, at).map(|position| map.point(position))
    }

    /// Transitions from leg to leg at terminals, in order of time.
    pub fn crossings<'a>(&'a self, map: &'a StreetMap) -> impl Iterator<Item = Crossing> + 'a {
        self.passages.windows(2).enumerate().filter_map(|(passage, pair)| {
            let (before, after) = (&pair[0], &pair[1]);
            let terminal = before.leg.head(map);
            let meets = before.to == map.street(before.leg.street()).length
                && after.from == Length::ZERO
                && after.leg.tail(map) == terminal;
            let (from, to) = (before.leg, after.leg);
            meets.then_some(Crossing { passage, terminal, from, to, at: after.entered })
        })
    }
}

/// Whether a leg that begins at `begin` continues from the end of the leg of `last`.
fn meet(map: &StreetMap, last: &Waypoint, leg: Leg, begin: Length) -> bool {
    last.along == map.street(last.leg.street()).length
        && begin == Length::ZERO
        && leg.tail(map) == last.leg.head(map)
}

/// Times along the route of a matched piece; speed is constant between two stops.
struct RouteClock<'a> {
    piece: &'a MatchedPiece,
    times: &'a [Sighting],
    /// Last stop that was not beyond the distance.
    stop: usize,
}

impl RouteClock<'_> {
    /// Time in milliseconds at a distance from the start of the route; distances ascend.
    fn time(&mut self, distance: Length) -> u64 {
        let stops = &self.piece.stops;
        let milliseconds = |stop: usize| {
            let time = self.times.get(stop).map_or(0, |sighting| sighting.at.as_millis());
            u64::try_from(time).unwrap_or(u64::MAX)
        };
        while self.stop + 1 < stops.len() && stops[self.stop + 1].distance < distance {
            self.stop += 1;
        }
        let begin = milliseconds(self.stop);
        let Some(next) = stops.get(self.stop + 1) else { return begin };
        let from = stops[self.stop].distance;
        let whole = u128::from((next.distance - from).units()).max(1);
        let passed = u128::from(distance.checked_sub(from).unwrap_or(Length::ZERO).units());
        let span = u128::from(milliseconds(self.stop + 1).saturating_sub(begin));
        begin + u64::try_from(span * passed.min(whole) / whole).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests;
