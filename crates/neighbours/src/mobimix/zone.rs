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
use meshcloak::map::{StreetMap, TerminalId};
use meshcloak::units::Length;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use traffic::Leg;
use traffic::TrafficModel;

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

/// A hidden part of a leg, from its start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HiddenPart {
    /// The leg.
    pub leg: Leg,
    /// Length of the part.
    pub hidden: Length,
}

/// Largest number of legs of one zone.
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

    /// Parts of legs that are hidden after the junction, nearest first; at most 20,000.
    pub fn hidden_parts(&self, map: &StreetMap, model: &TrafficModel) -> Vec<HiddenPart> {
        let mut parts = Vec::new();
        let mut seen = FxHashSet::default();
        let mut queue = VecDeque::from([(self.terminal, 0.0)]);
        while let Some((terminal, spread)) = queue.pop_front() {
            for leg in leaving_legs(map, terminal) {
                if parts.len() == MAX_LEGS || !seen.insert(leg) {
                    continue;
                }
                let street = map.street(leg.street()).length;
                let end = match self.extent {
                    ZoneExtent::Rectangle(rectangle) => rectangle.hidden(map, leg, LegEnd::Tail),
                    ZoneExtent::Spread(bound) => model.spread_end(leg, bound - spread),
                };
                let end = end.filter(|&end| end <= street);
                parts.push(HiddenPart { leg, hidden: end.unwrap_or(street) });
                if end.is_none() {
                    let further = model.travel_time(leg, street).deviation;
                    queue.push_back((leg.head(map), spread + further));
                }
            }
        }
        parts
    }
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
