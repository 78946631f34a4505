//! Points of interest as dots, coloured by what kind of place they are.
//!
//! Maps have hundreds of categories; an eye can tell apart about seven colours.

use crate::canvas::{Canvas, Circle, Stroke};
use crate::theme::Palette;
use crate::thinning::Thinning;
use crate::view::{Pixel, View};
use meshcloak::map::StreetMap;

/// What a place is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlaceGroup {
    /// Restaurants, cafés, bars.
    Food,
    /// Shops of all kinds.
    Shops,
    /// Doctors, hospitals, pharmacies.
    Health,
    /// Schools, universities, libraries.
    Learning,
    /// Hotels and sights.
    Visiting,
    /// Parks, sport, theatres.
    Leisure,
    /// Banks, offices, fuel, and whatever else.
    Services,
}

impl PlaceGroup {
    /// All groups, in the order of the legend.
    pub const ALL: [PlaceGroup; 7] = [
        PlaceGroup::Food,
        PlaceGroup::Shops,
        PlaceGroup::Health,
        PlaceGroup::Learning,
        PlaceGroup::Visiting,
        PlaceGroup::Leisure,
        PlaceGroup::Services,
    ];

    /// The group of a category as maps write it: `cafe`, `amenity=cafe`, `shop:bakery`.
    pub fn of_category(category: &str) -> PlaceGroup {
        let mut words = category.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        words.find_map(group_of_word).unwrap_or(PlaceGroup::Services)
    }

    /// What the legend calls it.
    pub fn label(self) -> &'static str {
        match self {
            PlaceGroup::Food => "Food and drink",
            PlaceGroup::Shops => "Shops",
            PlaceGroup::Health => "Health",
            PlaceGroup::Learning => "Learning",
            PlaceGroup::Visiting => "Hotels and sights",
            PlaceGroup::Leisure => "Leisure",
            PlaceGroup::Services => "Services and other",
        }
    }
}

fn group_of_word(word: &str) -> Option<PlaceGroup> {
    Some(match word {
        "restaurant" | "cafe" | "bar" | "pub" | "fast_food" | "food_court" | "ice_cream"
        | "biergarten" | "food" => PlaceGroup::Food,
        "shop" | "supermarket" | "convenience" | "bakery" | "butcher" | "clothes" | "shoes"
        | "hairdresser" | "beauty" | "florist" | "kiosk" | "books" | "electronics"
        | "furniture" | "hardware" | "doityourself" | "mall" | "department_store"
        | "marketplace" | "market" | "jewelry" | "optician" | "car" | "car_repair" | "bicycle"
        | "mobile_phone" | "computer" | "toys" | "gift" | "chemist" | "alcohol" | "beverages"
        | "greengrocer" | "newsagent" | "stationery" | "sports" | "variety_store" | "laundry"
        | "dry_cleaning" | "garden_centre" | "pet" | "deli" | "confectionery" | "coffee"
        | "boutique" | "travel_agency" | "car_parts" | "motorcycle" | "music" | "perfumery"
        | "accessories" | "tailor" | "cosmetics" | "tobacco" | "seafood" | "general"
        | "grocery" => PlaceGroup::Shops,
        "hospital" | "clinic" | "doctors" | "doctor" | "dentist" | "pharmacy" | "veterinary"
        | "nursing_home" | "health" => PlaceGroup::Health,
        "school" | "kindergarten" | "university" | "college" | "library" | "language_school"
        | "driving_school" | "music_school" | "research_institute" | "childcare" => {
            PlaceGroup::Learning
        }
        "hotel" | "hostel" | "guest_house" | "apartment" | "motel" | "chalet" | "camp_site"
        | "attraction" | "museum" | "gallery" | "viewpoint" | "artwork" | "information"
        | "tourism" | "monument" | "zoo" | "theme_park" => PlaceGroup::Visiting,
        "park" | "playground" | "pitch" | "sports_centre" | "stadium" | "swimming_pool"
        | "fitness_centre" | "garden" | "cinema" | "theatre" | "arts_centre" | "nightclub"
        | "picnic_site" | "golf_course" | "marina" | "track" | "leisure" | "nature_reserve"
        | "community_centre" | "slipway" | "concert_hall" | "dance" | "sport" | "gym" => {
            PlaceGroup::Leisure
        }
        _ => return None,
    })
}

/// The dots of a map.
pub(crate) struct Places {
    dots: [Vec<Pixel>; 7],
    radius: f64,
    hidden: usize,
}

impl Places {
    /// No dots: for pictures without places.
    pub fn none() -> Places {
        Places { dots: Default::default(), radius: 0.0, hidden: 0 }
    }

    /// A dot for every point of interest that has room for one.
    pub fn gather(map: &StreetMap, view: &View, scale: f64) -> Places {
        let radius = 2.9 * scale;
        let mut places = Places { radius, ..Places::none() };
        let categories = &map.tables().categories;
        let groups: Vec<PlaceGroup> = categories.iter().map(PlaceGroup::of_category).collect();
        let mut thinning = Thinning::new(view.area(), radius * 2.4);
        // Benches and parking spaces are many and would take the room of everything else.
        for last in [false, true] {
            for poi in map.pois().map(|poi| map.poi(poi)) {
                let group = groups[usize::from(poi.category)];
                if (group == PlaceGroup::Services) == last {
                    places.add(group, view.to_pixel(poi.point), &mut thinning, view);
                }
            }
        }
        places
    }

    fn add(&mut self, group: PlaceGroup, at: Pixel, thinning: &mut Thinning, view: &View) {
        if view.contains(at) && thinning.admits(at) {
            self.dots[group as usize].push(at);
        } else {
            self.hidden += 1;
        }
    }

    /// The groups that have a dot.
    pub fn groups(&self) -> impl Iterator<Item = PlaceGroup> {
        PlaceGroup::ALL.into_iter().filter(|&group| !self.dots[group as usize].is_empty())
    }

    /// How many places have a dot, and how many found no room.
    pub fn counts(&self) -> (usize, usize) {
        (self.dots.iter().map(Vec::len).sum(), self.hidden)
    }

    /// Draws the dots, those of the last group lowest.
    pub fn draw(mut self, canvas: &mut Canvas, palette: &Palette) {
        let groups: Vec<PlaceGroup> = self.groups().collect();
        if !groups.is_empty() {
            canvas.layer("places");
        }
        for group in groups.into_iter().rev() {
            let dots = std::mem::take(&mut self.dots[group as usize]);
            canvas.circles(group.label(), dots, dot(group, self.radius, palette));
        }
    }
}

/// How a place is drawn: a dot with a rim that lifts it off the streets.
pub(crate) fn dot(group: PlaceGroup, radius: f64, palette: &Palette) -> Circle {
    let outline = Some(Stroke { colour: palette.paper, width: radius * 0.3 });
    Circle { radius, fill: palette.places[group as usize], outline }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::PixelBox;
    use meshcloak::map::{Extent, MapBuilder, RawPoi, RawStreet};
    use meshcloak::units::Point;

    #[test]
    fn categories_are_understood_with_and_without_their_key() {
        for (category, group) in [
            ("cafe", PlaceGroup::Food),
            ("amenity=cafe", PlaceGroup::Food),
            ("shop:whatever", PlaceGroup::Shops),
            ("guest_house", PlaceGroup::Visiting),
            ("leisure/park", PlaceGroup::Leisure),
            ("bank", PlaceGroup::Services),
            ("", PlaceGroup::Services),
        ] {
            assert_eq!(PlaceGroup::of_category(category), group, "{category}");
        }
    }

    #[test]
    fn places_without_room_are_counted() {
        let mut builder = MapBuilder::new();
        let a = builder.terminal("A", Point::new(0.0, 0.0)).unwrap();
        let b = builder.terminal("B", Point::new(500.0, 500.0)).unwrap();
        let street = RawStreet {
            label: "s",
            from: a,
            to: b,
            written_metres: None,
            one_way: false,
            bends: &[],
            name: "",
            class: "",
        };
        builder.street(street).unwrap();
        for (x, category) in [(10.0, "cafe"), (11.0, "cafe"), (200.0, "park"), (9e5, "park")] {
            let point = Point::new(x, 100.0);
            builder.poi(RawPoi { label: "", point, category, name: "" }).unwrap();
        }
        let map = builder.build(Extent::Whole).unwrap().map;
        let area = PixelBox { left: 0.0, top: 0.0, width: 500.0, height: 500.0 };
        let places = Places::gather(&map, &View::fit(map.bounds(), area), 1.0);
        assert_eq!(places.counts(), (2, 2));
        let groups: Vec<PlaceGroup> = places.groups().collect();
        assert_eq!(groups, [PlaceGroup::Food, PlaceGroup::Leisure]);
    }
}
