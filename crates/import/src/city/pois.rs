//! Points of interest: dense in the centre and along main streets, 6 to 16 m from a street.

use super::blocks::Park;
use super::density::Density;
use super::layout::Layout;
use super::lines::{Lines, RoadClass};
use super::names::Names;
use super::quarter::Quarter;
use super::random::RandomStream;
use super::road_network::{Road, RoadNetwork};
use super::vector::{along, left, sub, to_centimetres, unit};
use meshcloak::units::Point;

/// Streets per point of interest.
const STREETS_PER_POI: usize = 7;

/// A point of interest.
pub(super) struct PlacedPoi {
    pub point: Point,
    pub category: &'static str,
    pub name: String,
}

/// A category of points of interest.
struct PoiCategory {
    word: &'static str,
    /// Relative frequency in the centre, in the inner city and outside.
    weights: [f64; 3],
    /// Last words of names; first words if they begin with `~`.
    affixes: &'static [&'static str],
}

const CATEGORIES: [PoiCategory; 18] = [
    category(
        "restaurant",
        [16.0, 12.0, 8.0],
        &["Kitchen", "Grill", "Table", "~Trattoria", "House"],
    ),
    category("cafe", [13.0, 8.0, 4.0], &["Café", "~Café", "Coffee", "Tea Room"]),
    category("bar", [8.0, 3.0, 2.0], &["Bar", "Arms", "Tavern"]),
    category("pharmacy", [4.0, 5.0, 4.0], &["Pharmacy"]),
    category("supermarket", [3.0, 7.0, 9.0], &["Market", "Foods", "Stores"]),
    category("bakery", [5.0, 6.0, 6.0], &["Bakery", "~Bread by"]),
    category("bank", [5.0, 3.0, 2.0], &["Bank", "Savings Bank"]),
    category("hotel", [6.0, 2.0, 1.5], &["Hotel", "~Hotel", "Inn"]),
    category("school", [1.0, 5.0, 7.0], &["School", "Primary School", "Grammar School"]),
    category("kindergarten", [1.0, 4.0, 6.0], &["Kindergarten"]),
    category("doctors", [3.0, 4.0, 3.0], &["Surgery", "~Dr"]),
    category("hospital", [0.2, 0.6, 0.3], &["Hospital", "Clinic"]),
    category("museum", [2.0, 0.5, 0.2], &["Museum", "Gallery"]),
    category("police", [0.5, 0.5, 0.5], &["Police Station"]),
    category("fuel", [0.2, 2.5, 6.0], &["Fuel", "Service Station"]),
    category("charging_station", [2.0, 3.0, 3.0], &["Charging Point"]),
    category("parking", [5.0, 4.0, 2.0], &["Car Park", "Garage"]),
    category("place_of_worship", [1.5, 1.5, 2.5], &["Church", "Chapel"]),
];

const fn category(
    word: &'static str,
    weights: [f64; 3],
    affixes: &'static [&'static str],
) -> PoiCategory {
    PoiCategory { word, weights, affixes }
}

/// Chooses positions and categories of points of interest.
pub(super) struct PoiPlacer<'a> {
    pub layout: &'a Layout,
    pub density: &'a Density,
    pub lines: &'a Lines,
    pub net: &'a RoadNetwork,
}

impl PoiPlacer<'_> {
    /// Returns all points of interest: those beside streets, then the parks.
    pub(super) fn all(&self, names: &mut Names, parks: &[Park]) -> Vec<PlacedPoi> {
        let mut random = RandomStream::new(self.layout.seed, 9);
        let mut pois = Vec::new();
        let weights: Vec<f64> = self.net.roads.iter().map(|road| self.weight(road)).collect();
        let wanted = (self.net.roads.len() / STREETS_PER_POI).max(1);
        let step = weights.iter().sum::<f64>() / wanted as f64;
        let mut due = step * random.unit();
        for (road, weight) in self.net.roads.iter().zip(weights) {
            due -= weight;
            while due < 0.0 {
                due += step;
                pois.push(self.beside(road, names, &mut random));
            }
        }
        for park in parks {
            let kind = if park.area > 250_000.0 { "Park" } else { "Gardens" };
            let name = format!("{} {kind}", names.root());
            pois.push(PlacedPoi { point: to_centimetres(park.middle), category: "park", name });
        }
        pois
    }

    fn ends(&self, road: &Road) -> [Point; 2] {
        [road.from, road.to].map(|terminal| self.net.terminals[terminal as usize])
    }

    /// Returns the relative number of points of interest at a street.
    fn weight(&self, road: &Road) -> f64 {
        let [a, b] = self.ends(road);
        let by_class = match self.lines.get(road.line).class {
            RoadClass::Motorway | RoadClass::MotorwayLink => 0.0,
            RoadClass::Trunk => 0.7,
            RoadClass::Primary | RoadClass::Secondary => 2.4,
            RoadClass::Tertiary => 1.5,
            RoadClass::Residential | RoadClass::LivingStreet => 1.0,
            RoadClass::Service => 0.2,
        };
        let by_quarter = match Quarter::of(self.layout, self.density, a.towards(b, 0.5)) {
            Quarter::Centre => 6.5,
            Quarter::Inner => 1.9,
            Quarter::Suburb => 0.6,
            Quarter::Village => 0.9,
            Quarter::Country => 0.08,
        };
        by_class * by_quarter * a.distance(b).min(250.0)
    }

    fn beside(&self, road: &Road, names: &mut Names, random: &mut RandomStream) -> PlacedPoi {
        let [a, b] = self.ends(road);
        let last = road.bends.len();
        let leg = (random.bits() % (last as u64 + 1)) as usize;
        let from = if leg == 0 { a } else { road.bends[leg - 1] };
        let to = if leg == last { b } else { road.bends[leg] };
        let side = if random.chance(0.5) { 1.0 } else { -1.0 };
        let off = side * random.uniform(6.0, 16.0);
        let on = from.towards(to, random.uniform(0.1, 0.9));
        let point = to_centimetres(along(on, left(unit(sub(to, from))), off));
        let quarter = Quarter::of(self.layout, self.density, point);
        let category = pick_category(quarter, random);
        PlacedPoi { point, category: category.word, name: poi_name(category, names, random) }
    }
}

fn pick_category(quarter: Quarter, random: &mut RandomStream) -> &'static PoiCategory {
    let column = match quarter {
        Quarter::Centre => 0,
        Quarter::Inner => 1,
        Quarter::Suburb | Quarter::Village | Quarter::Country => 2,
    };
    let total: f64 = CATEGORIES.iter().map(|category| category.weights[column]).sum();
    let mut due = random.unit() * total;
    let chosen = CATEGORIES.iter().find(|category| {
        due -= category.weights[column];
        due < 0.0
    });
    chosen.unwrap_or(&CATEGORIES[0])
}

fn poi_name(category: &PoiCategory, names: &mut Names, random: &mut RandomStream) -> String {
    let word = *random.pick(category.affixes);
    match word.strip_prefix('~') {
        Some(first) => format!("{first} {}", names.root()),
        None => format!("{} {word}", names.root()),
    }
}
