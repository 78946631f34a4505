//! Region that grows from a star by adding adjacent stars.

use crate::scheme_random::SchemeRandom;
use crate::segment_users::SegmentUsers;
use crate::stars::Stars;
use meshcloak::stamps::Stamps;

/// The growing region.
#[derive(Clone, Debug, Default)]
pub(super) struct RegionGrowth {
    /// Stars that the region holds or borders.
    stars: Stamps<()>,
    /// Segments of the region.
    segments: Stamps<()>,
    /// Stars that border the region.
    border: Vec<u32>,
    region: Vec<u32>,
    user_count: u32,
}

impl RegionGrowth {
    /// Draws one of the stars with probability inversely proportional to its cost.
    pub(super) fn first(
        &mut self,
        stars: &Stars,
        among: impl Iterator<Item = u32>,
        random: &mut SchemeRandom,
    ) -> Option<u32> {
        self.begin(stars);
        among.for_each(|star| self.add_to_border(star));
        self.choose(stars, random)
    }

    /// Starts a region with a star.
    pub(super) fn start(&mut self, stars: &Stars, users: &SegmentUsers, star: u32) {
        self.begin(stars);
        self.stars.insert(star as usize, ());
        self.add(stars, users, star);
    }

    /// Adds a star from the border; `false` if there is none.
    pub(super) fn step(
        &mut self,
        stars: &Stars,
        users: &SegmentUsers,
        random: &mut SchemeRandom,
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

    fn begin(&mut self, stars: &Stars) {
        self.stars.clear(stars.star_count());
        self.segments.clear(stars.segment_count());
        self.border.clear();
        self.region.clear();
        self.user_count = 0;
    }

    fn add(&mut self, stars: &Stars, users: &SegmentUsers, star: u32) {
        for &segment in stars.segments(star) {
            if self.segments.insert(segment as usize, ()) {
                self.region.push(segment);
                self.user_count += users.on(segment).len() as u32;
                stars.ends(segment).for_each(|star| self.add_to_border(star));
            }
        }
    }

    fn add_to_border(&mut self, star: u32) {
        if self.stars.insert(star as usize, ()) {
            self.border.push(star);
        }
    }

    /// Removes a star from the border, drawn by rejection sampling with probability inversely
    /// proportional to its cost.
    fn choose(&mut self, stars: &Stars, random: &mut SchemeRandom) -> Option<u32> {
        if self.border.is_empty() {
            return None;
        }
        loop {
            let drawn = random.below(self.border.len() as u32) as usize;
            let segments = stars.segments(self.border[drawn]);
            let added = segments.iter().filter(|&&s| self.segments.get(s as usize).is_none());
            if random.below(added.count() as u32) == 0 {
                return Some(self.border.swap_remove(drawn));
            }
        }
    }
}
