//! Lines: what a street belongs to over its whole course. A line has one class, one name and
//! one direction of traffic, however many streets it is cut into.

use meshcloak::units::Point;

/// A line by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LineId(pub u32);

impl LineId {
    /// The edge of the map; no street.
    pub(super) const OUTLINE: LineId = LineId(0);
    /// The river's banks, right and left of its flow; no streets.
    pub(super) const BANKS: [LineId; 2] = [LineId(1), LineId(2)];
    /// The edges of the motorways' land, right and left of each; no streets.
    pub(super) const VERGES: [[LineId; 2]; 2] = [[LineId(3), LineId(4)], [LineId(5), LineId(6)]];
    /// Where a blind street ends and what stopped it; no street.
    pub(super) const GAP: LineId = LineId(7);
    /// The first line that is a street.
    pub(super) const FIRST_STREET: LineId = LineId(8);

    /// Whether people can travel along it.
    pub(super) fn is_street(self) -> bool {
        self >= LineId::FIRST_STREET
    }
}

/// The class of a street, in OSM's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    Motorway,
    MotorwayLink,
    Trunk,
    Primary,
    Secondary,
    Tertiary,
    Residential,
    LivingStreet,
    Service,
}

impl Class {
    pub(super) fn word(self) -> &'static str {
        match self {
            Class::Motorway => "motorway",
            Class::MotorwayLink => "motorway_link",
            Class::Trunk => "trunk",
            Class::Primary => "primary",
            Class::Secondary => "secondary",
            Class::Tertiary => "tertiary",
            Class::Residential => "residential",
            Class::LivingStreet => "living_street",
            Class::Service => "service",
        }
    }
}

/// What a line is called after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// Nothing: motorway ramps.
    None,
    /// The main street through the old centre.
    HighStreet,
    /// The boulevard around the old centre.
    Boulevard,
    /// A ring road, counted from the centre.
    Ring(u32),
    /// An avenue out of the city.
    Avenue,
    /// A drive along the river.
    Quay(u32),
    /// A bridge over the river.
    Bridge,
    /// A motorway carriageway.
    Motorway(u32),
    /// A roundabout.
    Roundabout,
    /// A street of some quarter.
    Street,
    /// A road between villages.
    Road,
}

/// Which way traffic may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Traffic {
    BothWays,
    /// Only as the line was drawn.
    AsDrawn,
}

/// A line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub class: Class,
    pub naming: Naming,
    pub traffic: Traffic,
    /// A point on it.
    pub at: Point,
}

/// All lines of the city.
pub(super) struct Lines(Vec<Line>);

impl Lines {
    /// The lines that are no streets.
    pub(super) fn new() -> Lines {
        let nothing = Line {
            class: Class::Service,
            naming: Naming::None,
            traffic: Traffic::BothWays,
            at: Point::default(),
        };
        Lines(vec![nothing; LineId::FIRST_STREET.0 as usize])
    }

    pub(super) fn add(&mut self, line: Line) -> LineId {
        self.0.push(line);
        LineId(self.0.len() as u32 - 1)
    }

    /// A line with traffic both ways.
    pub(super) fn two_way(&mut self, class: Class, naming: Naming, at: Point) -> LineId {
        self.add(Line { class, naming, traffic: Traffic::BothWays, at })
    }

    pub(super) fn get(&self, line: LineId) -> &Line {
        &self.0[line.0 as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
