//! A region that grows star by star until it is large enough.

use super::People;
use super::stars::Stars;
use crate::chance::Chance;

/// What a region must hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wish {
    pub(super) people: u32,
    pub(super) segments: u32,
}

/// The region that is growing. Stars and segments are marked with the number of the region, so
/// that a new one begins without wiping anything.
#[derive(Clone, Debug)]
pub(super) struct Growth {
    number: u32,
    /// By star: the last region that holds it or borders on it.
    stars: Vec<u32>,
    /// By segment: the last region that holds it.
    segments: Vec<u32>,
    /// The stars that border on the region.
    border: Vec<u32>,
    region: Vec<u32>,
    people: usize,
}

impl Growth {
    /// Nothing yet.
    pub(super) fn of(stars: &Stars) -> Growth {
        Growth {
            number: 0,
            stars: vec![0; stars.star_count()],
            segments: vec![0; stars.segment_count()],
            border: Vec::new(),
            region: Vec::new(),
            people: 0,
        }
    }

    /// The segments of a region around a segment that holds what is wished; `None` if there is
    /// not as much on the whole part of the map.
    pub(super) fn grow(
        &mut self,
        stars: &Stars,
        people: &People,
        (start, wish): (u32, Wish),
        chance: &mut Chance,
    ) -> Option<&[u32]> {
        let part = stars.part_of(start) as usize;
        if people.parts[part] < wish.people || stars.part_sizes()[part] < wish.segments {
            return None;
        }
        self.begin();
        stars.ends(start).for_each(|star| self.meet(star));
        let enough = |growth: &Growth| {
            growth.people >= wish.people as usize && growth.region.len() >= wish.segments as usize
        };
        // A first star always, for the region must hold the segment it began with.
        while self.region.is_empty() || !enough(self) {
            let star = self.choose(stars, chance)?;
            for &segment in stars.segments(star) {
                if self.segments[segment as usize] != self.number {
                    self.segments[segment as usize] = self.number;
                    self.region.push(segment);
                    self.people += people.on(segment).len();
                    stars.ends(segment).for_each(|star| self.meet(star));
                }
            }
        }
        Some(&self.region)
    }

    fn begin(&mut self) {
        if self.number == u32::MAX {
            self.stars.fill(0);
            self.segments.fill(0);
            self.number = 0;
        }
        self.number += 1;
        self.border.clear();
        self.region.clear();
        self.people = 0;
    }

    fn meet(&mut self, star: u32) {
        let seen = &mut self.stars[star as usize];
        if *seen != self.number {
            *seen = self.number;
            self.border.push(star);
        }
    }

    /// Takes a star from the border, with a chance in proportion to one over its cost: any is
    /// drawn, and dropped again as often as it costs too much.
    fn choose(&mut self, stars: &Stars, chance: &mut Chance) -> Option<u32> {
        if self.border.is_empty() {
            return None;
        }
        loop {
            let drawn = chance.below(self.border.len() as u32) as usize;
            let segments = stars.segments(self.border[drawn]);
            let added = segments.iter().filter(|&&s| self.segments[s as usize] != self.number);
            if chance.below(added.count() as u32) == 0 {
                return Some(self.border.swap_remove(drawn));
            }
        }
    }
}
