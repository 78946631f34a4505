//! Kinds of quarters and their street parameters.

use super::density::Density;
use super::layout::Layout;
use super::lines::RoadClass;
use super::random::RandomStream;
use super::vector::norm;
use meshcloak::units::Point;

/// A kind of quarter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quarter {
    /// Inside the boulevard: small irregular blocks, narrow one-way streets.
    Centre,
    /// Inside the first ring: regular blocks.
    Inner,
    /// Around the first ring: winding streets and dead ends.
    Suburb,
    /// A separate village or town.
    Village,
    /// Fields and woods.
    Country,
}

impl Quarter {
    pub(super) fn of(layout: &Layout, density: &Density, p: Point) -> Quarter {
        let r = norm(p);
        if r < layout.boulevard {
            Quarter::Centre
        } else if r < 1.05 * layout.rings[0] {
            Quarter::Inner
        } else if density.at(p) < 4.0 {
            Quarter::Country
        } else if r < 1.15 * layout.city_radius() {
            Quarter::Suburb
        } else {
            Quarter::Village
        }
    }

    pub(super) fn park_chance(self) -> f64 {
        match self {
            Quarter::Centre => 0.012,
            Quarter::Inner => 0.016,
            Quarter::Suburb => 0.02,
            Quarter::Village | Quarter::Country => 0.0,
        }
    }

    pub(super) fn dead_end_chance(self) -> f64 {
        match self {
            Quarter::Centre => 0.05,
            Quarter::Inner => 0.06,
            Quarter::Suburb => 0.4,
            Quarter::Village => 0.4,
            Quarter::Country => 0.2,
        }
    }

    /// Probability of a one-way street. It depends on the size of the city, so that the overall share
    /// of one-way streets stays similar: old quarters dominate a small town and not a metropolis.
    pub(super) fn one_way_chance(self, layout: &Layout) -> f64 {
        match self {
            Quarter::Centre => 0.62 * layout.size.min(1.0).sqrt(),
            Quarter::Inner => 0.38 * layout.size.min(1.0).sqrt(),
            Quarter::Suburb => (0.05 * layout.size).min(0.18),
            Quarter::Village | Quarter::Country => 0.0,
        }
    }

    /// Largest cosine of the angle at which streets meet.
    pub(super) fn sharpest(self) -> f64 {
        match self {
            Quarter::Inner => 0.5,
            Quarter::Centre | Quarter::Suburb | Quarter::Village => 0.55,
            Quarter::Country => 0.68,
        }
    }

    /// Score of a four-way crossing relative to two offset junctions.
    pub(super) fn crossing_bonus(self) -> f64 {
        match self {
            Quarter::Inner => 0.9,
            Quarter::Centre => 0.15,
            Quarter::Suburb | Quarter::Village => 0.25,
            Quarter::Country => 0.3,
        }
    }

    /// Largest deviation of a street from its axis, in turns.
    pub(super) fn tilt(self) -> f64 {
        match self {
            Quarter::Centre => 0.035,
            Quarter::Inner => 0.004,
            Quarter::Suburb => 0.02,
            Quarter::Village => 0.03,
            Quarter::Country => 0.05,
        }
    }

    /// Largest ratio of length to width of a block.
    pub(super) fn stretch(self) -> f64 {
        match self {
            Quarter::Inner => 1.35,
            Quarter::Suburb => 1.2,
            Quarter::Centre | Quarter::Village | Quarter::Country => 1.0,
        }
    }

    /// Largest curvature offset of a street, as a fraction of its length.
    pub(super) fn bend(self) -> f64 {
        match self {
            Quarter::Centre => 0.06,
            Quarter::Inner => 0.025,
            Quarter::Suburb => 0.13,
            Quarter::Village => 0.1,
            Quarter::Country => 0.12,
        }
    }

    /// Returns the class of a street through a face that will hold `blocks` blocks.
    pub(super) fn class(self, blocks: f64, random: &mut RandomStream) -> RoadClass {
        let (secondary, tertiary) = match self {
            Quarter::Centre | Quarter::Inner => (70.0, 24.0),
            Quarter::Suburb => (60.0, 20.0),
            Quarter::Village => (30.0, 14.0),
            Quarter::Country => (18.0, 1.6),
        };
        if blocks > secondary {
            RoadClass::Secondary
        } else if blocks > tertiary {
            RoadClass::Tertiary
        } else if self == Quarter::Centre && random.chance(0.25) {
            RoadClass::LivingStreet
        } else if self == Quarter::Country && blocks < 1.2 {
            RoadClass::Service
        } else {
            RoadClass::Residential
        }
    }
}
