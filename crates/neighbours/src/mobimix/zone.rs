//! Mix-zones: a junction and the extent in which no position is reported.
//!
//! ```text
//!   ┌─────────┐         A user is hidden on the way to the junction and after it while inside a
//!   │    │    │         rectangle. A non-rectangular zone hides only the ways out: all users enter
//!   │ ───●─── │         at one point, and leave where the expected spread of travel times is large
//!   │    │    │         enough for the window.
//!   └─────────┘
//! ```

use super::rectangle::{JunctionRectangle, LegEnd};
use super::{MobimixSettings, ZoneKind};
use crate::junction_legs::{arriving_legs, leaving_legs};
use crate::normal::largest_ratio;
use meshcloak::map::{StreetId, StreetMap, TerminalId};
use meshcloak::units::Length;
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use traffic::{Direction, Leg, TrafficModel};

/// A mix-zone around a junction.
#[derive(Clone, Debug, PartialEq)]
pub struct Zone {
    /// The junction.
    pub terminal: TerminalId,
    /// Extent.
    pub extent: ZoneExtent,
    /// Users who enter at most this far apart are mixed, in milliseconds; `None`: all users who are
    /// inside at the same time.
    pub window: Option<u64>,
    /// Number of legs that leave the junction.
    pub exits: usize,
}

/// Extent of a zone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ZoneExtent {
    /// Hidden before and after the junction while inside a rectangle.
    Rectangle(JunctionRectangle),
    /// Hidden after the junction until the travel times spread by this many seconds.
    Spread(f64),
}

/// A hidden part of a leg.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HiddenPart {
    /// The leg.
    pub leg: Leg,
    /// Distance of its beginning from the start of the leg.
    pub from: Length,
    /// Distance of its end from the start of the leg.
    pub to: Length,
}

impl HiddenPart {
    /// Offsets along the street between which it lies.
    fn offsets(&self, map: &StreetMap) -> [Length; 2] {
        match self.leg.direction() {
            Direction::Forward => [self.from, self.to],
            Direction::Backward => {
                let length = map.street(self.leg.street()).length;
                [length - self.to, length - self.from]
            }
        }
    }
}

/// Number of legs of one zone, in one direction, beyond which none is added.
const MAX_LEGS: usize = 20_000;

impl Zone {
    /// Builds the zone of a kind at a junction. `None` if the terminal has fewer than three streets or
    /// a street that begins and ends there.
    pub fn build(
        map: &StreetMap,
        terminal: TerminalId,
        model: &TrafficModel,
        settings: &MobimixSettings,
        kind: ZoneKind,
    ) -> Option<Zone> {
        let arriving = arms(map, terminal)?;
        let square = JunctionRectangle::square(map.terminal(terminal), settings.half_side);
        let extent = match kind {
            ZoneKind::Rectangular | ZoneKind::Windowed => ZoneExtent::Rectangle(square),
            ZoneKind::Shifted => ZoneExtent::Rectangle(square.shifted(map, &arriving, model)),
            ZoneKind::NonRectangular => {
                let seconds = settings.window as f64 / 1000.0;
                ZoneExtent::Spread(seconds / largest_ratio(settings.alpha))
            }
        };
        let window = (kind != ZoneKind::Rectangular).then_some(settings.window);
        Some(Zone { terminal, extent, window, exits: map.leaving(terminal).len() })
    }

    /// Parts of legs that are hidden after the junction, and before it if the zone is a rectangle; at
    /// most 20,000 each.
    pub fn hidden_parts(&self, map: &StreetMap, model: &TrafficModel) -> Vec<HiddenPart> {
        let mut parts = self.ways_out(map, model);
        if let ZoneExtent::Rectangle(rectangle) = self.extent {
            parts.extend(ways_in(map, self.terminal, rectangle));
        }
        parts
    }

    /// Length of street on which some user is hidden, in metres.
    pub fn hidden_metres(&self, map: &StreetMap, model: &TrafficModel) -> f64 {
        let parts = self.hidden_parts(map, model);
        let mut spans: Vec<(StreetId, [Length; 2])> =
            parts.iter().map(|part| (part.leg.street(), part.offsets(map))).collect();
        spans.sort_unstable();
        let mut total = 0.0;
        let mut end: Option<(StreetId, Length)> = None;
        for (street, [from, to]) in spans {
            let covered = end.filter(|end| end.0 == street).map_or(Length::ZERO, |end| end.1);
            total += (to.max(covered) - from.max(covered)).as_metres();
            end = Some((street, to.max(covered)));
        }
        total
    }

    /// Hidden parts after the junction, by the way with the least spread to each of them.
    fn ways_out(&self, map: &StreetMap, model: &TrafficModel) -> Vec<HiddenPart> {
        let mut parts = Vec::new();
        let mut left = FxHashSet::default();
        // The order of positive numbers is that of their bits.
        let mut queue = BinaryHeap::from([Reverse((0.0_f64.to_bits(), self.terminal))]);
        while let Some(Reverse((spread, terminal))) = queue.pop() {
            if parts.len() >= MAX_LEGS || !left.insert(terminal) {
                continue;
            }
            let spread = f64::from_bits(spread);
            for leg in leaving_legs(map, terminal) {
                let street = map.street(leg.street()).length;
                let end = match self.extent {
                    ZoneExtent::Rectangle(rectangle) => rectangle.hidden(map, leg, LegEnd::Tail),
                    ZoneExtent::Spread(bound) => model.spread_end(leg, bound - spread),
                };
                let end = end.filter(|&end| end <= street);
                parts.push(HiddenPart { leg, from: Length::ZERO, to: end.unwrap_or(street) });
                if end.is_none() {
                    let further = spread + model.travel_time(leg, street).deviation;
                    queue.push(Reverse((further.to_bits(), leg.head(map))));
                }
            }
        }
        parts
    }
}

/// Hidden parts before a junction that lie in a rectangle.
fn ways_in(map: &StreetMap, junction: TerminalId, rectangle: JunctionRectangle) -> Vec<HiddenPart> {
    let mut parts = Vec::new();
    let mut reached = FxHashSet::from_iter([junction]);
    let mut open = vec![junction];
    while let Some(terminal) = open.pop().filter(|_| parts.len() < MAX_LEGS) {
        for leg in arriving_legs(map, terminal) {
            let to = map.street(leg.street()).length;
            let hidden = rectangle.hidden(map, leg, LegEnd::Head);
            parts.push(HiddenPart { leg, from: hidden.map_or(Length::ZERO, |part| to - part), to });
            if hidden.is_none() && reached.insert(leg.tail(map)) {
                open.push(leg.tail(map));
            }
        }
    }
    parts
}

/// Legs that arrive at a junction of at least three streets without loops.
fn arms(map: &StreetMap, terminal: TerminalId) -> Option<Vec<Leg>> {
    let arms = || map.arriving(terminal).iter().chain(map.leaving(terminal));
    let mut streets: Vec<_> = arms().map(|arm| arm.street).collect();
    streets.sort_unstable();
    streets.dedup();
    if streets.len() < 3 || arms().any(|arm| arm.terminal == terminal) {
        return None;
    }
    let arriving = arriving_legs(map, terminal);
    (!arriving.is_empty() && !map.leaving(terminal).is_empty()).then_some(arriving)
}
