//! Lines: a line is a road over its whole course, with one class, one name and one traffic
//! direction, however many streets it is divided into.

use meshcloak::units::Point;

/// Index of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LineId(pub u32);

impl LineId {
    /// The edge of the map; not a street.
    pub(super) const OUTLINE: LineId = LineId(0);
    /// The river banks, right and left of the flow; not streets.
    pub(super) const BANKS: [LineId; 2] = [LineId(1), LineId(2)];
    /// The corridor edges of each motorway, right and left; not streets.
    pub(super) const VERGES: [[LineId; 2]; 2] = [[LineId(3), LineId(4)], [LineId(5), LineId(6)]];
    /// The gap between a dead end and the obstacle it stops at; not a street.
    pub(super) const GAP: LineId = LineId(7);
    /// The first line that is a street.
    pub(super) const FIRST_STREET: LineId = LineId(8);

    /// Returns whether the line is a street.
    pub(super) fn is_street(self) -> bool {
        self >= LineId::FIRST_STREET
    }
}

/// OSM highway class of a street.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RoadClass {
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

impl RoadClass {
    /// Returns the OSM value.
    pub(super) fn word(self) -> &'static str {
        match self {
            RoadClass::Motorway => "motorway",
            RoadClass::MotorwayLink => "motorway_link",
            RoadClass::Trunk => "trunk",
            RoadClass::Primary => "primary",
            RoadClass::Secondary => "secondary",
            RoadClass::Tertiary => "tertiary",
            RoadClass::Residential => "residential",
            RoadClass::LivingStreet => "living_street",
            RoadClass::Service => "service",
        }
    }
}

/// How the name of a line is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// No name: motorway ramps.
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
    /// A street of a quarter.
    Street,
    /// A road between villages.
    Road,
}

/// Permitted traffic direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Traffic {
    BothWays,
    /// One-way in the direction of the half-edges with even index.
    AsDrawn,
}

/// Attributes of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoadLine {
    pub class: RoadClass,
    pub naming: Naming,
    pub traffic: Traffic,
    /// A point on the line.
    pub at: Point,
}

/// All lines of the city.
pub(super) struct Lines(Vec<RoadLine>);

impl Lines {
    /// Returns the reserved lines, none of which is a street.
    pub(super) fn new() -> Lines {
        let nothing = RoadLine {
            class: RoadClass::Service,
            naming: Naming::None,
            traffic: Traffic::BothWays,
            at: Point::default(),
        };
        Lines(vec![nothing; LineId::FIRST_STREET.0 as usize])
    }

    pub(super) fn add(&mut self, line: RoadLine) -> LineId {
        self.0.push(line);
        LineId(self.0.len() as u32 - 1)
    }

    /// Adds a line with two-way traffic.
    pub(super) fn two_way(&mut self, class: RoadClass, naming: Naming, at: Point) -> LineId {
        self.add(RoadLine { class, naming, traffic: Traffic::BothWays, at })
    }

    pub(super) fn get(&self, line: LineId) -> &RoadLine {
        &self.0[line.0 as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
