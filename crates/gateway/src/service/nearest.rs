//! How far around a region a plain service must be asked so that everyone in it finds the nearest
//! few: wider and wider, until what came back proves that nothing beyond can matter.

use super::Objects;
use super::few::Few;
use super::samples::{NEAR_A_SAMPLE, samples};
use crate::question::Along;
use crate::walk::{Walker, boundary};
use meshcloak::map::StreetId;
use meshcloak::units::Length;

/// A question for the nearest few, on its way to an answer.
pub(crate) struct Widening<'a> {
    pub walker: &'a Walker,
    pub region: &'a [StreetId],
    pub count: u32,
    pub along: Along,
    /// How far an object may be from its street.
    pub farthest: f64,
}

/// What to do next; of a range in metres, `None` is everywhere.
pub(crate) enum NextRange {
    Enough,
    Ask(Option<f64>),
}

/// The first radius; metres.
const FIRST: f64 = 250.0;

/// Beyond this radius everything is asked for; metres.
const WIDEST: f64 = 64_000.0;

impl Widening<'_> {
    /// How far to ask first. Every object on the region's streets is within it.
    pub(crate) fn first(&self) -> Option<f64> {
        Some(FIRST.max(self.farthest))
    }

    /// What to ask after `objects` came back as all there is within `metres`.
    pub(crate) fn next(&mut self, metres: Option<f64>, objects: &Objects) -> NextRange {
        let Some(metres) = metres.filter(|_| objects.is_complete()) else {
            return NextRange::Enough;
        };
        let needed = match self.along {
            Along::Plane => self.plane(objects),
            Along::Streets => self.streets(objects),
        };
        match needed {
            Some(needed) if needed <= metres => NextRange::Enough,
            Some(needed) => NextRange::Ask(Some(needed).filter(|&needed| needed <= WIDEST)),
            None if self.along == Along::Streets && metres >= self.across() => NextRange::Enough,
            None => NextRange::Ask(Some(metres * 4.0).filter(|&wider| wider <= WIDEST)),
        }
    }

    /// At every sample the nearest few of those known, who can only be farther than the truth.
    /// From anywhere near the sample they are no farther than that and the way to it.
    fn plane(&self, objects: &Objects) -> Option<f64> {
        let mut farthest = 0.0_f64;
        for sample in samples(self.walker.map(), self.region) {
            let mut few = Few::new(self.count);
            for (object, number) in objects.objects().iter().zip(0_u32..) {
                few.meet(number, object.point.distance(sample));
            }
            farthest = farthest.max(few.bound()?);
        }
        Some(farthest + NEAR_A_SAMPLE)
    }

    /// At every boundary terminal the nearest few of those known: whoever is not among the
    /// nearest few where one leaves the region is among nobody's inside it. The plane is never
    /// longer than the street, and an object stands at most `farthest` from its street.
    fn streets(&self, objects: &Objects) -> Option<f64> {
        let mut longest = Length::ZERO;
        let enough = objects.by_street().len() >= self.count as usize;
        for terminal in boundary(self.walker.map(), self.region) {
            let mut few = Few::new(self.count);
            if enough {
                let start = [(terminal, Length::ZERO)];
                self.walker.nearest(start, objects.by_street(), |_| true, &mut few);
            }
            longest = longest.max(few.bound()?);
        }
        Some(longest.as_metres() + self.farthest)
    }

    /// From anywhere on the map to any object that has a street.
    fn across(&self) -> f64 {
        let bounds = self.walker.map().bounds();
        bounds.min.distance(bounds.max) + self.farthest
    }
}
