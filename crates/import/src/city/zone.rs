//! Kinds of quarters and their street parameters.

use super::density::Density;
use super::layout::Layout;
use super::lines::Class;
use super::random::RandomStream;
use super::vector::norm;
use meshcloak::units::Point;

/// A kind of quarter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zone {
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

impl Zone {
    pub(super) fn of(layout: &Layout, density: &Density, p: Point) -> Zone {
        let r = norm(p);
        if r < layout.boulevard {
            Zone::Centre
        } else if r < 1.05 * layout.rings[0] {
            Zone::Inner
        } else if density.at(p) < 4.0 {
            Zone::Country
        } else if r < 1.15 * layout.city_radius() {
            Zone::Suburb
        } else {
            Zone::Village
        }
    }

    pub(super) fn park_chance(self) -> f64 {
        match self {
            Zone::Centre => 0.012,
            Zone::Inner => 0.016,
            Zone::Suburb => 0.02,
            Zone::Village | Zone::Country => 0.0,
        }
    }

    pub(super) fn dead_end_chance(self) -> f64 {
        match self {
            Zone::Centre => 0.05,
            Zone::Inner => 0.06,
            Zone::Suburb => 0.4,
            Zone::Village => 0.4,
            Zone::Country => 0.2,
        }
    }

    /// Probability of a one-way street. It depends on the size of the city, so that the overall share
    /// of one-way streets stays similar: old quarters dominate a small town and not a metropolis.
    pub(super) fn one_way_chance(self, layout: &Layout) -> f64 {
        match self {
            Zone::Centre => 0.62 * layout.size.min(1.0).sqrt(),
            Zone::Inner => 0.38 * layout.size.min(1.0).sqrt(),
            Zone::Suburb => (0.05 * layout.size).min(0.18),
            Zone::Village | Zone::Country => 0.0,
        }
    }

    /// Largest cosine of the angle at which streets meet.
    pub(super) fn sharpest(self) -> f64 {
        match self {
            Zone::Inner => 0.5,
            Zone::Centre | Zone::Suburb | Zone::Village => 0.55,
            Zone::Country => 0.68,
        }
    }

    /// Score of a four-way crossing relative to two offset junctions.
    pub(super) fn crossing_bonus(self) -> f64 {
        match self {
            Zone::Inner => 0.9,
            Zone::Centre => 0.15,
            Zone::Suburb | Zone::Village => 0.25,
            Zone::Country => 0.3,
        }
    }

    /// Largest deviation of a street from its axis, in turns.
    pub(super) fn tilt(self) -> f64 {
        match self {
            Zone::Centre => 0.035,
            Zone::Inner => 0.004,
            Zone::Suburb => 0.02,
            Zone::Village => 0.03,
            Zone::Country => 0.05,
        }
    }

    /// Largest ratio of length to width of a block.
    pub(super) fn stretch(self) -> f64 {
        match self {
            Zone::Inner => 1.35,
            Zone::Suburb => 1.2,
            Zone::Centre | Zone::Village | Zone::Country => 1.0,
        }
    }

    /// Largest curvature offset of a street, as a fraction of its length.
    pub(super) fn bend(self) -> f64 {
        match self {
            Zone::Centre => 0.06,
            Zone::Inner => 0.025,
            Zone::Suburb => 0.13,
            Zone::Village => 0.1,
            Zone::Country => 0.12,
        }
    }

    /// Returns the class of a street through a face that will hold `blocks` blocks.
    pub(super) fn class(self, blocks: f64, random: &mut RandomStream) -> Class {
        let (secondary, tertiary) = match self {
            Zone::Centre | Zone::Inner => (70.0, 24.0),
            Zone::Suburb => (60.0, 20.0),
            Zone::Village => (30.0, 14.0),
            Zone::Country => (18.0, 1.6),
        };
        if blocks > secondary {
            Class::Secondary
        } else if blocks > tertiary {
            Class::Tertiary
        } else if self == Zone::Centre && random.chance(0.25) {
            Class::LivingStreet
        } else if self == Zone::Country && blocks < 1.2 {
            Class::Service
        } else {
            Class::Residential
        }
    }
}
