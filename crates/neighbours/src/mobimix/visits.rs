//! Visits of users to zones.

use super::placement::Zones;
use super::rectangle::{JunctionRectangle, LegEnd};
use super::zone::{Zone, ZoneExtent};
use meshcloak::map::StreetMap;
use meshcloak::units::Length;
use traffic::{Crossing, Journey, Leg, Passage};
use traffic::{TrafficModel, TravelTime};

/// One user's way through a zone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Visit {
    /// Index of the journey.
    pub user: u32,
    /// Leg by which the user arrives at the junction.
    pub from: Leg,
    /// Leg by which the user leaves it.
    pub to: Leg,
    /// Time at which the old pseudonym is last seen, in milliseconds.
    pub entered: u64,
    /// Time at which the new pseudonym is first seen, in milliseconds.
    pub left: u64,
    /// Time that users need for the hidden way to the junction.
    pub before: TravelTime,
    /// Time that users need for the hidden way after it.
    pub after: TravelTime,
}

/// Collects the visits to each zone, in order of entry. Journeys that begin or end inside a zone do not
/// visit it: one of their pseudonyms is never seen.
pub fn visits(
    map: &StreetMap,
    zones: &Zones,
    model: &TrafficModel,
    journeys: &[Journey],
) -> Vec<Vec<Visit>> {
    let mut visits = vec![Vec::new(); zones.all().len()];
    for (user, journey) in journeys.iter().enumerate() {
        for crossing in journey.crossings(map) {
            let Some(zone) = zones.at(crossing.terminal) else { continue };
            let way = HiddenWay { map, model, journey, zone: &zones.all()[zone] };
            visits[zone].extend(way.visit(user as u32, &crossing));
        }
    }
    for visits in &mut visits {
        visits.sort_by_key(|visit| (visit.entered, visit.user));
    }
    visits
}

/// A journey in a zone.
struct HiddenWay<'a> {
    map: &'a StreetMap,
    model: &'a TrafficModel,
    journey: &'a Journey,
    zone: &'a Zone,
}

/// End of a hidden way: time in milliseconds, and the time that users need for it.
type WayEnd = (u64, TravelTime);

impl HiddenWay<'_> {
    fn visit(&self, user: u32, crossing: &Crossing) -> Option<Visit> {
        let &Crossing { passage, from, to, at, .. } = crossing;
        let ((entered, before), (left, after)) = match self.zone.extent {
            ZoneExtent::Rectangle(rectangle) => {
                (self.entry(rectangle, passage)?, self.rectangle_exit(rectangle, passage + 1)?)
            }
            ZoneExtent::Spread(bound) => {
                ((at, TravelTime::default()), self.spread_exit(bound, passage + 1)?)
            }
        };
        Some(Visit { user, from, to, entered, left, before, after })
    }

    /// Walks back from the junction to where the journey enters the rectangle.
    fn entry(&self, rectangle: JunctionRectangle, last: usize) -> Option<WayEnd> {
        let passages = &self.journey.passages()[..=last];
        let mut time = TravelTime::default();
        for (index, passage) in passages.iter().enumerate().rev() {
            let street = self.street(passage);
            if let Some(hidden) = rectangle.hidden(self.map, passage.leg, LegEnd::Head) {
                time += self.model.travel_time(passage.leg, hidden);
                let entry = street - hidden;
                return (passage.from <= entry).then(|| (passage.time(entry), time));
            }
            time += self.model.travel_time(passage.leg, street);
            let before = index.checked_sub(1).map(|before| &passages[before])?;
            if passage.from > Length::ZERO || !self.joins(before, passage) {
                return None;
            }
        }
        None
    }

    /// Walks from the junction to where the journey leaves the rectangle.
    fn rectangle_exit(&self, rectangle: JunctionRectangle, first: usize) -> Option<WayEnd> {
        self.exit(first, |passage, _| rectangle.hidden(self.map, passage.leg, LegEnd::Tail))
    }

    /// Walks from the junction to where the travel times spread by `bound` seconds.
    fn spread_exit(&self, bound: f64, first: usize) -> Option<WayEnd> {
        self.exit(first, |passage, so_far| {
            let end = self.model.spread_end(passage.leg, bound - so_far.deviation)?;
            (end <= self.street(passage)).then_some(end)
        })
    }

    fn exit(
        &self,
        first: usize,
        end: impl Fn(&Passage, TravelTime) -> Option<Length>,
    ) -> Option<WayEnd> {
        let passages = self.journey.passages().get(first..)?;
        let mut time = TravelTime::default();
        for (index, passage) in passages.iter().enumerate() {
            if let Some(end) = end(passage, time) {
                time += self.model.travel_time(passage.leg, end);
                return (end <= passage.to).then(|| (passage.time(end), time));
            }
            time += self.model.travel_time(passage.leg, self.street(passage));
            if !self.joins(passage, passages.get(index + 1)?) {
                return None;
            }
        }
        None
    }

    /// Whether one passage ends at the junction where the next begins.
    fn joins(&self, before: &Passage, after: &Passage) -> bool {
        before.to == self.street(before)
            && after.from == Length::ZERO
            && before.leg.head(self.map) == after.leg.tail(self.map)
    }

    fn street(&self, passage: &Passage) -> Length {
        self.map.street(passage.leg.street()).length
    }
}
