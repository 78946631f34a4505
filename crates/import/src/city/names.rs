//! Street names: each quarter has a theme, each line has one name, duplicates are rare.

use super::lines::{LineId, Lines, Naming, RoadClass, RoadLine};
use super::random::RandomStream;
use meshcloak::mix::mix64;
use meshcloak::units::Point;
use rustc_hash::FxHashSet;

/// Name of the city.
pub(super) const CITY: &str = "Meshford";

const TREES: [&str; 20] = [
    "Alder", "Ash", "Aspen", "Beech", "Birch", "Cedar", "Cherry", "Chestnut", "Elm", "Hawthorn",
    "Hazel", "Hornbeam", "Juniper", "Larch", "Linden", "Maple", "Oak", "Rowan", "Walnut", "Willow",
];
const BIRDS: [&str; 20] = [
    "Avocet", "Bittern", "Crane", "Curlew", "Dunnock", "Falcon", "Finch", "Heron", "Jackdaw",
    "Kestrel", "Lapwing", "Lark", "Linnet", "Magpie", "Oriole", "Plover", "Starling", "Swallow",
    "Thrush", "Wagtail",
];
const CRAFTS: [&str; 20] = [
    "Baker", "Brewer", "Carter", "Chandler", "Cooper", "Cutler", "Draper", "Dyer", "Farrier",
    "Fletcher", "Glazier", "Glover", "Hatter", "Mason", "Potter", "Saddler", "Tanner", "Thatcher",
    "Turner", "Weaver",
];
const STONES: [&str; 18] = [
    "Agate",
    "Amber",
    "Basalt",
    "Beryl",
    "Chalk",
    "Cobalt",
    "Copper",
    "Flint",
    "Garnet",
    "Granite",
    "Jasper",
    "Marble",
    "Onyx",
    "Opal",
    "Quartz",
    "Sandstone",
    "Slate",
    "Topaz",
];
const MEADOW: [&str; 20] = [
    "Barley",
    "Bluebell",
    "Bramble",
    "Campion",
    "Clover",
    "Cornflower",
    "Cowslip",
    "Fern",
    "Foxglove",
    "Harebell",
    "Heather",
    "Lavender",
    "Meadow",
    "Poppy",
    "Primrose",
    "Rosehip",
    "Rye",
    "Sorrel",
    "Thistle",
    "Yarrow",
];
const WORKS: [&str; 18] = [
    "Boiler", "Canal", "Crucible", "Depot", "Dynamo", "Foundry", "Furnace", "Gasworks", "Hammer",
    "Loom", "Mill", "Piston", "Press", "Siding", "Smelter", "Spindle", "Turbine", "Wharf",
];
const BEGINNINGS: [&str; 32] = [
    "Al", "Ar", "Bran", "Brem", "Cal", "Cor", "Dal", "Dor", "El", "Fen", "Gar", "Hal", "Har",
    "Hol", "Kel", "Ken", "Lan", "Lor", "Mal", "Mer", "Nor", "Os", "Pen", "Quin", "Ros", "Sel",
    "Stan", "Tor", "Ul", "Wal", "Wen", "Wil",
];
const ENDINGS: [&str; 26] = [
    "berry", "bourne", "bridge", "brook", "burn", "bury", "combe", "croft", "dale", "den", "ding",
    "field", "ford", "gate", "ham", "hurst", "ley", "low", "mere", "mond", "more", "sted", "ton",
    "well", "wick", "worth",
];
const TOWN_WAYS: [&str; 6] = ["Street", "Lane", "Row", "Passage", "Alley", "Court"];
const CITY_WAYS: [&str; 4] = ["Street", "Street", "Road", "Place"];
const SUBURB_WAYS: [&str; 8] =
    ["Road", "Lane", "Close", "Way", "Drive", "Crescent", "Gardens", "Rise"];
const SIDES: [&str; 8] = ["Upper", "Lower", "Old", "New", "Little", "Great", "North", "South"];

/// Generator of names for lines and points of interest.
pub(super) struct Names {
    random: RandomStream,
    used: FxHashSet<String>,
    boulevard: f64,
}

impl Names {
    pub(super) fn new(seed: u64, boulevard: f64) -> Names {
        Names { random: RandomStream::new(seed, 7), used: FxHashSet::default(), boulevard }
    }

    /// Returns the name of each line, in order; empty for lines without a name.
    pub(super) fn of_lines(&mut self, lines: &Lines) -> Vec<String> {
        (0..lines.len() as u32).map(|n| self.of_line(lines.get(LineId(n)))).collect()
    }

    fn of_line(&mut self, line: &RoadLine) -> String {
        match line.naming {
            Naming::None => String::new(),
            Naming::HighStreet => "High Street".to_owned(),
            Naming::Boulevard => "Rampart Boulevard".to_owned(),
            Naming::Ring(0) => format!("{CITY} Ring"),
            Naming::Ring(number) => format!("Outer Ring {number}"),
            Naming::Quay(0) => "South Quay".to_owned(),
            Naming::Quay(_) => "North Quay".to_owned(),
            Naming::Motorway(number) => format!("M{}", 4 + 3 * number),
            Naming::Avenue => self.fresh(|names| format!("{} Avenue", names.place())),
            Naming::Bridge => self.fresh(|names| format!("{} Bridge", names.root())),
            Naming::Roundabout => self.fresh(|names| format!("{} Circus", names.root())),
            Naming::Road => self.fresh(|names| format!("{} Road", names.place())),
            Naming::Street => self.street(line),
        }
    }

    fn street(&mut self, line: &RoadLine) -> String {
        let central = line.at.distance(Point::default()) < self.boulevard;
        let ways: &[&str] = match line.class {
            RoadClass::Secondary | RoadClass::Tertiary => &["Street", "Road", "Avenue", "Parade"],
            _ if central => &TOWN_WAYS,
            _ if line.at.distance(Point::default()) < 4.0 * self.boulevard => &CITY_WAYS,
            _ => &SUBURB_WAYS,
        };
        let theme = theme_at(line.at, central);
        self.fresh(|names| {
            let way = *names.random.pick(ways);
            let placed = theme.is_empty() || names.random.chance(0.25);
            let root = if placed { names.place() } else { (*names.random.pick(theme)).to_owned() };
            format!("{root} {way}")
        })
    }

    /// Returns an unused name if one is found in seven attempts; otherwise adds a prefix.
    fn fresh(&mut self, make: impl Fn(&mut Names) -> String) -> String {
        let mut name = make(self);
        for _ in 0..6 {
            if !self.used.contains(&name) {
                break;
            }
            name = make(self);
        }
        if self.used.contains(&name) {
            name = format!("{} {name}", self.random.pick(&SIDES));
        }
        self.used.insert(name.clone());
        name
    }

    /// Returns an invented place name.
    pub(super) fn place(&mut self) -> String {
        format!("{}{}", self.random.pick(&BEGINNINGS), self.random.pick(&ENDINGS))
    }

    /// Returns a place name or a word of a theme.
    pub(super) fn root(&mut self) -> String {
        let themes: [&[&str]; 4] = [&TREES, &BIRDS, &CRAFTS, &STONES];
        if self.random.chance(0.5) {
            return self.place();
        }
        let theme = *self.random.pick(&themes);
        (*self.random.pick(theme)).to_owned()
    }
}

/// Returns the theme of the streets around a point; empty means place names.
fn theme_at(at: Point, central: bool) -> &'static [&'static str] {
    let themes: [&[&str]; 8] = [&TREES, &BIRDS, &STONES, &MEADOW, &WORKS, &CRAFTS, &[], &MEADOW];
    if central {
        return &CRAFTS;
    }
    let cell = |metres: f64| (metres / 1300.0).floor() as i64 as u64;
    themes[(mix64(cell(at.x) ^ mix64(cell(at.y))) % 8) as usize]
}
