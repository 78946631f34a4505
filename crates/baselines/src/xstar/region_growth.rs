//! Region that grows from a star by adding adjacent stars.

use super::SegmentUsers;
use super::stars::Stars;
use crate::keyed_random::KeyedRandom;

/// The growing region. Stars and segments carry the generation of the region that holds them, so a
/// new region starts without clearing.
#[derive(Clone, Debug)]
pub(super) struct RegionGrowth {
    generation: u32,
    /// By star: generation of the last region that holds or borders it.
    stars: Vec<u32>,
    /// By segment: generation of the last region that holds it.
    segments: Vec<u32>,
    /// Stars that border the region.
    border: Vec<u32>,
    region: Vec<u32>,
    user_count: u32,
}

impl RegionGrowth {
    /// Creates an empty region.
    pub(super) fn new(stars: &Stars) -> RegionGrowth {
        RegionGrowth {
            generation: 0,
            stars: vec![0; stars.star_count()],
            segments: vec![0; stars.segment_count()],
            border: Vec::new(),
            region: Vec::new(),
            user_count: 0,
        }
    }

    /// Draws one of the stars with probability inversely proportional to its cost.
    pub(super) fn first(
        &mut self,
        stars: &Stars,
        among: impl Iterator<Item = u32>,
        random: &mut KeyedRandom,
    ) -> Option<u32> {
        self.begin();
        among.for_each(|star| self.add_to_border(star));
        self.choose(stars, random)
    }

    /// Starts a region with a star.
    pub(super) fn start(&mut self, stars: &Stars, users: &SegmentUsers, star: u32) {
        self.begin();
        self.stars[star as usize] = self.generation;
        self.add(stars, users, star);
    }

    /// Adds a star from the border; `false` if there is none.
    pub(super) fn step(
        &mut self,
        stars: &Stars,
        users: &SegmentUsers,
        random: &mut KeyedRandom,
    ) -> bool {
        let star = self.choose(stars, random);
        star.into_iter().for_each(|star| self.add(stars, users, star));
        star.is_some()
    }

    /// Segments of the region.
    pub(super) fn region(&self) -> &[u32] {
        &self.region
    }

    /// Number of users on them.
    pub(super) fn user_count(&self) -> u32 {
        self.user_count
    }

    fn begin(&mut self) {
        if self.generation == u32::MAX {
            self.stars.fill(0);
            self.segments.fill(0);
            self.generation = 0;
        }
        self.generation += 1;
        self.border.clear();
        self.region.clear();
        self.user_count = 0;
    }

    fn add(&mut self, stars: &Stars, users: &SegmentUsers, star: u32) {
        for &segment in stars.segments(star) {
            if self.segments[segment as usize] != self.generation {
                self.segments[segment as usize] = self.generation;
                self.region.push(segment);
                self.user_count += users.on(segment).len() as u32;
                stars.ends(segment).for_each(|star| self.add_to_border(star));
            }
        }
    }

    fn add_to_border(&mut self, star: u32) {
        let generation = &mut self.stars[star as usize];
        if *generation != self.generation {
            *generation = self.generation;
            self.border.push(star);
        }
    }

    /// Removes a star from the border, drawn by rejection sampling with probability inversely
    /// proportional to its cost.
    fn choose(&mut self, stars: &Stars, random: &mut KeyedRandom) -> Option<u32> {
        if self.border.is_empty() {
            return None;
        }
        loop {
            let drawn = random.below(self.border.len() as u32) as usize;
            let segments = stars.segments(self.border[drawn]);
            let added = segments.iter().filter(|&&s| self.segments[s as usize] != self.generation);
            if random.below(added.count() as u32) == 0 {
                return Some(self.border.swap_remove(drawn));
            }
        }
    }
}
