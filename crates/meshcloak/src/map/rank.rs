//! Importance of streets: determines the line width in drawings and the speed in simulations.
//!
//! Classes of the source are kept as text; a rank is derived from the class.

/// Importance of a street, from motorway to service lane; seven ranks, as in Brinkhoff's format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rank {
    /// Fast, few junctions, usually one-way carriageways.
    Motorway,
    /// Fast roads between towns, ring roads.
    Trunk,
    /// Main avenues.
    Primary,
    /// Avenues between quarters.
    Secondary,
    /// Streets that collect the traffic of a quarter.
    Tertiary,
    /// Residential streets; also streets without a known class.
    Residential,
    /// Lanes, car parks, paths.
    Service,
}

impl Rank {
    /// All ranks, most important first.
    pub const ALL: [Rank; 7] = [
        Rank::Motorway,
        Rank::Trunk,
        Rank::Primary,
        Rank::Secondary,
        Rank::Tertiary,
        Rank::Residential,
        Rank::Service,
    ];

    /// Returns the rank of a class: an OSM `highway` value or a Brinkhoff class 0–6.
    pub fn of_class(class: &str) -> Rank {
        match class.strip_suffix("_link").unwrap_or(class) {
            "motorway" | "0" => Rank::Motorway,
            "trunk" | "1" => Rank::Trunk,
            "primary" | "2" => Rank::Primary,
            "secondary" | "3" => Rank::Secondary,
            "tertiary" | "4" => Rank::Tertiary,
            "service" | "track" | "footway" | "path" | "cycleway" | "steps" | "pedestrian"
            | "bridleway" | "corridor" | "6" => Rank::Service,
            _ => Rank::Residential,
        }
    }

    /// Returns the index in [`Rank::ALL`], which is also the Brinkhoff class.
    pub fn number(self) -> usize {
        self as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_have_the_rank_of_their_road_and_unknown_classes_are_residential() {
        assert_eq!(Rank::of_class("motorway_link"), Rank::Motorway);
        assert_eq!(Rank::of_class("4"), Rank::Tertiary);
        assert_eq!(Rank::of_class("living_street"), Rank::Residential);
        assert_eq!(Rank::of_class(""), Rank::Residential);
        for (number, rank) in Rank::ALL.into_iter().enumerate() {
            assert_eq!(rank.number(), number);
            assert_eq!(Rank::of_class(&number.to_string()), rank);
        }
    }
}
