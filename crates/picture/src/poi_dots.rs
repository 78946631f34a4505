//! Points of interest as dots, coloured by group. Maps have hundreds of categories, but only about
//! seven colours can be distinguished.

use crate::canvas::{Canvas, Circle, Stroke};
use crate::map_view::{MapView, Pixel};
use crate::theme::Palette;
use crate::thinning::Thinning;
use meshcloak::map::StreetMap;

/// Group of categories of points of interest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PoiGroup {
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
    /// Banks, offices, fuel, and all other categories.
    Services,
}

impl PoiGroup {
    /// All groups, in the order of the legend.
    pub const ALL: [PoiGroup; 7] = [
        PoiGroup::Food,
        PoiGroup::Shops,
        PoiGroup::Health,
        PoiGroup::Learning,
        PoiGroup::Visiting,
        PoiGroup::Leisure,
        PoiGroup::Services,
    ];

    /// Returns the group of a category as written in maps: `cafe`, `amenity=cafe`, `shop:bakery`.
    pub fn of_category(category: &str) -> PoiGroup {
        let mut words = category.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        words.find_map(group_of_word).unwrap_or(PoiGroup::Services)
    }

    /// Label in the legend.
    pub fn label(self) -> &'static str {
        match self {
            PoiGroup::Food => "Food and drink",
            PoiGroup::Shops => "Shops",
            PoiGroup::Health => "Health",
            PoiGroup::Learning => "Learning",
            PoiGroup::Visiting => "Hotels and sights",
            PoiGroup::Leisure => "Leisure",
            PoiGroup::Services => "Services and other",
        }
    }
}

fn group_of_word(word: &str) -> Option<PoiGroup> {
    Some(match word {
        "restaurant" | "cafe" | "bar" | "pub" | "fast_food" | "food_court" | "ice_cream"
        | "biergarten" | "food" => PoiGroup::Food,
        "shop" | "supermarket" | "convenience" | "bakery" | "butcher" | "clothes" | "shoes"
        | "hairdresser" | "beauty" | "florist" | "kiosk" | "books" | "electronics"
        | "furniture" | "hardware" | "doityourself" | "mall" | "department_store"
        | "marketplace" | "market" | "jewelry" | "optician" | "car" | "car_repair" | "bicycle"
        | "mobile_phone" | "computer" | "toys" | "gift" | "chemist" | "alcohol" | "beverages"
        | "greengrocer" | "newsagent" | "stationery" | "sports" | "variety_store" | "laundry"
        | "dry_cleaning" | "garden_centre" | "pet" | "deli" | "confectionery" | "coffee"
        | "boutique" | "travel_agency" | "car_parts" | "motorcycle" | "music" | "perfumery"
        | "accessories" | "tailor" | "cosmetics" | "tobacco" | "seafood" | "general"
        | "grocery" => PoiGroup::Shops,
        "hospital" | "clinic" | "doctors" | "doctor" | "dentist" | "pharmacy" | "veterinary"
        | "nursing_home" | "health" => PoiGroup::Health,
        "school" | "kindergarten" | "university" | "college" | "library" | "language_school"
        | "driving_school" | "music_school" | "research_institute" | "childcare" => {
            PoiGroup::Learning
        }
        "hotel" | "hostel" | "guest_house" | "apartment" | "motel" | "chalet" | "camp_site"
        | "attraction" | "museum" | "gallery" | "viewpoint" | "artwork" | "information"
        | "tourism" | "monument" | "zoo" | "theme_park" => PoiGroup::Visiting,
        "park" | "playground" | "pitch" | "sports_centre" | "stadium" | "swimming_pool"
        | "fitness_centre" | "garden" | "cinema" | "theatre" | "arts_centre" | "nightclub"
        | "picnic_site" | "golf_course" | "marina" | "track" | "leisure" | "nature_reserve"
        | "community_centre" | "slipway" | "concert_hall" | "dance" | "sport" | "gym" => {
            PoiGroup::Leisure
        }
        _ => return None,
    })
}

/// Dots of the points of interest of a map.
pub(crate) struct PoiDots {
    /// Centres by group.
    centres: [Vec<Pixel>; 7],
    /// Radius of a dot in pixels.
    radius: f64,
    /// Number of points without a dot.
    hidden: usize,
}

impl PoiDots {
    /// Returns no dots.
    pub fn none() -> PoiDots {
        PoiDots { centres: Default::default(), radius: 0.0, hidden: 0 }
    }

    /// Places a dot at every point of interest, as far as dots do not overlap.
    pub fn gather(map: &StreetMap, view: &MapView, scale: f64) -> PoiDots {
        let radius = 2.9 * scale;
        let mut dots = PoiDots { radius, ..PoiDots::none() };
        let categories = &map.tables().categories;
        let groups: Vec<PoiGroup> = categories.iter().map(PoiGroup::of_category).collect();
        let mut thinning = Thinning::new(view.area(), radius * 2.4);
        // Services come last: their many benches and parking spaces would displace the others.
        for services in [false, true] {
            for poi in map.pois().map(|poi| map.poi(poi)) {
                let group = groups[usize::from(poi.category)];
                if (group == PoiGroup::Services) != services {
                    continue;
                }
                let at = view.to_pixel(poi.point);
                if view.contains(at) && thinning.try_accept(at) {
                    dots.centres[group as usize].push(at);
                } else {
                    dots.hidden += 1;
                }
            }
        }
        dots
    }

    /// Iterates over the groups that have a dot.
    pub fn groups(&self) -> impl Iterator<Item = PoiGroup> {
        PoiGroup::ALL.into_iter().filter(|&group| !self.centres[group as usize].is_empty())
    }

    /// Number of points with a dot.
    pub fn shown(&self) -> usize {
        self.centres.iter().map(Vec::len).sum()
    }

    /// Number of points without a dot.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// Draws the dots, the last group lowest.
    pub fn draw(mut self, canvas: &mut Canvas, palette: &Palette) {
        let groups: Vec<PoiGroup> = self.groups().collect();
        if !groups.is_empty() {
            canvas.layer("places");
        }
        for group in groups.into_iter().rev() {
            let centres = std::mem::take(&mut self.centres[group as usize]);
            canvas.circles(group.label(), centres, dot(group, self.radius, palette));
        }
    }
}

/// Returns the style of a dot: the colour of its group, with an outline against the streets below.
pub(crate) fn dot(group: PoiGroup, radius: f64, palette: &Palette) -> Circle {
    let outline = Some(Stroke { colour: palette.paper, width: radius * 0.3 });
    Circle { radius, fill: palette.pois[group as usize], outline }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map_view::PixelBox;
    use meshcloak::map::{Extent, MapBuilder, RawPoi, RawStreet};
    use meshcloak::units::Point;

    #[test]
    fn categories_are_recognised_with_and_without_their_key() {
        for (category, group) in [
            ("cafe", PoiGroup::Food),
            ("amenity=cafe", PoiGroup::Food),
            ("shop:whatever", PoiGroup::Shops),
            ("guest_house", PoiGroup::Visiting),
            ("leisure/park", PoiGroup::Leisure),
            ("bank", PoiGroup::Services),
            ("", PoiGroup::Services),
        ] {
            assert_eq!(PoiGroup::of_category(category), group, "{category}");
        }
    }

    #[test]
    fn points_without_a_dot_are_counted() {
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
        let dots = PoiDots::gather(&map, &MapView::fit(map.bounds(), area), 1.0);
        assert_eq!((dots.shown(), dots.hidden()), (2, 2));
        let groups: Vec<PoiGroup> = dots.groups().collect();
        assert_eq!(groups, [PoiGroup::Food, PoiGroup::Leisure]);
    }
}
