//! A region that grows from a star, star by star.

use super::People;
use super::stars::Stars;
use crate::chance::Chance;

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
    people: u32,
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

    /// One of these stars, with a chance in proportion to one over its cost.
    pub(super) fn first(
        &mut self,
        stars: &Stars,
        among: impl Iterator<Item = u32>,
        chance: &mut Chance,
    ) -> Option<u32> {
        self.begin();
        among.for_each(|star| self.meet(star));
        self.choose(stars, chance)
    }

    /// Begins a region with a star.
    pub(super) fn start(&mut self, stars: &Stars, people: &People, star: u32) {
        self.begin();
        self.stars[star as usize] = self.number;
        self.take(stars, people, star);
    }

    /// Takes in a star from the border; says whether there was one.
    pub(super) fn step(&mut self, stars: &Stars, people: &People, chance: &mut Chance) -> bool {
        let star = self.choose(stars, chance);
        star.into_iter().for_each(|star| self.take(stars, people, star));
        star.is_some()
    }

    /// The segments of the region.
    pub(super) fn region(&self) -> &[u32] {
        &self.region
    }

    /// How many people are on them.
    pub(super) fn people(&self) -> u32 {
        self.people
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

    fn take(&mut self, stars: &Stars, people: &People, star: u32) {
        for &segment in stars.segments(star) {
            if self.segments[segment as usize] != self.number {
                self.segments[segment as usize] = self.number;
                self.region.push(segment);
                self.people += people.on(segment).len() as u32;
                stars.ends(segment).for_each(|star| self.meet(star));
            }
        }
    }

    fn meet(&mut self, star: u32) {
        let seen = &mut self.stars[star as usize];
        if *seen != self.number {
            *seen = self.number;
            self.border.push(star);
        }
    }

    /// Takes a star off the border, with a chance in proportion to one over its cost: any is
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
