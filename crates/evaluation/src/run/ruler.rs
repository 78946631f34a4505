//! Measures published sets, each once however many it serves. Rectangles and discs of schemes that
//! cut the plane into cells come again and again, so their streets are remembered.

use meshcloak::map::StreetMap;
use meshcloak::region::Region;
use meshcloak::scheme::Published;
use rustc_hash::FxHashMap;

/// What is measured of a set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Measured {
    pub members: usize,
    pub metres: f64,
    pub area: Option<f64>,
}

pub(super) struct Ruler<'a> {
    map: &'a StreetMap,
    /// By set of the turn.
    sets: Vec<Option<Measured>>,
    /// Metres by the bits of the numbers that make a shape.
    shapes: FxHashMap<[u64; 5], f64>,
}

/// More shapes than this are not remembered.
const REMEMBERED: usize = 1 << 17;

impl<'a> Ruler<'a> {
    pub(super) fn new(map: &'a StreetMap) -> Ruler<'a> {
        Ruler { map, sets: Vec::new(), shapes: FxHashMap::default() }
    }

    /// A turn has published these.
    pub(super) fn begin(&mut self, published: &Published) {
        self.sets.clear();
        self.sets.resize(published.set_count(), None);
    }

    /// A set of the turn by its number.
    pub(super) fn measure(&mut self, published: &Published, set: u32) -> Measured {
        if let Some(measured) = self.sets[set as usize] {
            return measured;
        }
        let cloaking = published.set(set);
        let measured = Measured {
            members: cloaking.members.len(),
            metres: self.metres(&cloaking.region),
            area: cloaking.region.area(),
        };
        self.sets[set as usize] = Some(measured);
        measured
    }

    fn metres(&mut self, region: &Region<'_>) -> f64 {
        let numbers = match region {
            Region::Mesh(_) => return region.metres(self.map),
            Region::Rectangle(r) => [0.0, r.min.x, r.min.y, r.max.x, r.max.y],
            Region::Disc(disc) => [1.0, disc.centre.x, disc.centre.y, disc.radius, 0.0],
        };
        let key = numbers.map(f64::to_bits);
        if let Some(&metres) = self.shapes.get(&key) {
            return metres;
        }
        let metres = region.metres(self.map);
        if self.shapes.len() < REMEMBERED {
            self.shapes.insert(key, metres);
        }
        metres
    }
}
