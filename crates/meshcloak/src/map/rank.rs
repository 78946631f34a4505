//! How important a street is: what drawings show as width and traffic as speed.
//!
//! Maps name their classes in their own words, kept as text; a rank is our reading of that word.

/// The importance of a street, from motorway to service lane: seven ranks, as Brinkhoff's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rank {
    /// Fast, few junctions, usually one way per carriageway.
    Motorway,
    /// Fast roads between towns, ring roads.
    Trunk,
    /// Main avenues.
    Primary,
    /// Avenues between quarters.
    Secondary,
    /// Streets that collect the traffic of a quarter.
    Tertiary,
    /// Where people live; also what has no class or an unknown one.
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

    /// The rank of a class as maps write it: an OSM `highway` value or a Brinkhoff class 0–6.
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

    /// Position in [`Rank::ALL`], which is also the Brinkhoff class.
    pub fn number(self) -> usize {
        self as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_rank_with_their_road_and_unknown_words_with_homes() {
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
