//! Measures the regions of published sets, each set once per turn. Street lengths of rectangles and
//! discs are cached across turns, because schemes with a fixed partition repeat them.

use meshcloak::map::StreetMap;
use meshcloak::region::Region;
use meshcloak::scheme::Published;
use rustc_hash::FxHashMap;

/// Measurements of a set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SetSize {
    pub members: usize,
    pub metres: f64,
    pub area: Option<f64>,
}

pub(super) struct RegionMeter<'a> {
    map: &'a StreetMap,
    /// Measured sets of the turn.
    sets: Vec<Option<SetSize>>,
    /// Street length by the bits of the coordinates of a shape.
    shapes: FxHashMap<[u64; 5], f64>,
}

/// Capacity of the shape cache.
const MAX_SHAPES: usize = 1 << 17;

impl<'a> RegionMeter<'a> {
    pub(super) fn new(map: &'a StreetMap) -> RegionMeter<'a> {
        RegionMeter { map, sets: Vec::new(), shapes: FxHashMap::default() }
    }

    /// Starts a turn.
    pub(super) fn begin(&mut self, published: &Published) {
        self.sets.clear();
        self.sets.resize(published.set_count(), None);
    }

    /// Measures a set of the turn.
    pub(super) fn measure(&mut self, published: &Published, set: u32) -> SetSize {
        if let Some(size) = self.sets[set as usize] {
            return size;
        }
        let anonymity_set = published.set(set);
        let size = SetSize {
            members: anonymity_set.members.len(),
            metres: self.metres(&anonymity_set.region),
            area: anonymity_set.region.area(),
        };
        self.sets[set as usize] = Some(size);
        size
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
        if self.shapes.len() < MAX_SHAPES {
            self.shapes.insert(key, metres);
        }
        metres
    }
}
