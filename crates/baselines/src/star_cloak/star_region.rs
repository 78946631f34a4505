//! A connected region of stars that grows by drawn stars and loses those it does not need.

use crate::scheme_random::SchemeRandom;
use crate::segment_users::SegmentUsers;
use crate::stars::Stars;
use meshcloak::stamps::Stamps;

/// What a region must hold.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StarGoal {
    /// k.
    pub(super) users: u32,
    /// l.
    pub(super) segments: u32,
}

/// The region. Its segments are those of its stars.
#[derive(Clone, Debug, Default)]
pub(super) struct StarRegion {
    /// Stars of the region; the first one stays.
    stars: Vec<u32>,
    /// Stars that are in the region or on the border.
    seen: Stamps<()>,
    /// Near stars that share a segment with the region.
    border: Vec<u32>,
    /// By index of the border: weight of the star in the draw. A weight changes only with the
    /// segments of its star, so it is updated when one of them joins the region.
    weights: Vec<u64>,
    /// By star of the border: its index there.
    border_indices: Stamps<u32>,
    /// By segment: whether it is inside.
    inside: Stamps<()>,
    segments: Vec<u32>,
    users: u32,
    pruning: Pruning,
}

/// Common multiple of small numbers of segments, so that weights are whole.
const UNIT: u64 = 27_720;
/// Border index of a star that has joined the region.
const TAKEN: u32 = u32::MAX;

impl StarRegion {
    /// Starts with one star. Only stars that `is_near` accepts are on the border.
    pub(super) fn start(
        &mut self,
        stars: &Stars,
        users: &SegmentUsers,
        is_near: impl Fn(u32) -> bool,
        star: u32,
    ) {
        self.stars.clear();
        self.seen.clear(stars.star_count());
        self.border.clear();
        self.weights.clear();
        self.border_indices.clear(stars.star_count());
        self.inside.clear(stars.segment_count());
        self.segments.clear();
        self.users = 0;
        self.seen.insert(star as usize, ());
        self.add(stars, users, is_near, star);
    }

    pub(super) fn meets(&self, goal: StarGoal) -> bool {
        self.users >= goal.users && self.segments.len() >= goal.segments as usize
    }

    /// Segments of the region.
    pub(super) fn segments(&self) -> &[u32] {
        &self.segments
    }

    /// Adds a drawn star that is near enough; `false` if there is none.
    pub(super) fn grow(
        &mut self,
        stars: &Stars,
        users: &SegmentUsers,
        is_near: impl Fn(u32) -> bool,
        random: &mut SchemeRandom,
    ) -> bool {
        let Some(drawn) = random.weighted(&self.weights) else { return false };
        let star = self.border.swap_remove(drawn);
        self.weights.swap_remove(drawn);
        self.border_indices.insert(star as usize, TAKEN);
        if let Some(&moved) = self.border.get(drawn) {
            self.border_indices.insert(moved as usize, drawn as u32);
        }
        self.add(stars, users, is_near, star);
        true
    }

    fn add(
        &mut self,
        stars: &Stars,
        users: &SegmentUsers,
        is_near: impl Fn(u32) -> bool,
        star: u32,
    ) {
        self.stars.push(star);
        for &segment in stars.segments(star) {
            if self.inside.insert(segment as usize, ()) {
                self.segments.push(segment);
                self.users += users.on(segment).len() as u32;
                for next in stars.ends(segment) {
                    self.update_border(stars, users, &is_near, next);
                }
            }
        }
    }

    /// Adds a star with a segment inside to the border, or updates its weight there.
    fn update_border(
        &mut self,
        stars: &Stars,
        users: &SegmentUsers,
        is_near: impl Fn(u32) -> bool,
        star: u32,
    ) {
        if self.seen.insert(star as usize, ()) && is_near(star) {
            self.border_indices.insert(star as usize, self.border.len() as u32);
            self.border.push(star);
            self.weights.push(0);
        }
        let index = self.border_indices.get(star as usize).filter(|&index| index != TAKEN);
        if let Some(index) = index {
            self.weights[index as usize] = self.weight(stars, users, star);
        }
    }

    /// Weight of a star: grows with the users, falls with the segments that it adds.
    fn weight(&self, stars: &Stars, users: &SegmentUsers, star: u32) -> u64 {
        let segments = stars.segments(star).iter();
        let new = segments.filter(|&&segment| self.inside.get(segment as usize).is_none());
        let (count, gain) = new.fold((0, 0), |(count, gain), &segment| {
            (count + 1, gain + users.on(segment).len() as u64)
        });
        // A star without new segments is free.
        (1 + gain) * UNIT / (1 + count)
    }

    /// Removes stars in random order as long as the region meets its goal and stays connected. The
    /// first star stays.
    pub(super) fn prune(
        &mut self,
        stars: &Stars,
        users: &SegmentUsers,
        goal: StarGoal,
        random: &mut SchemeRandom,
    ) {
        let mut candidates = self.stars.split_off(1);
        // Fisher–Yates
        for end in (1..candidates.len()).rev() {
            candidates.swap(end, random.below(end as u32 + 1) as usize);
        }
        self.stars.extend(&candidates);
        let mut pruning = std::mem::take(&mut self.pruning);
        pruning.start(
            stars,
            &self.stars,
            StarGoal { users: self.users, segments: self.segments.len() as u32 },
        );
        loop {
            let before = candidates.len();
            candidates.retain(|&star| {
                let is_needed = !pruning.meets_without(stars, users, goal, star)
                    || !pruning.is_connected_without(stars, star);
                if !is_needed {
                    pruning.remove(stars, users, star);
                }
                is_needed
            });
            if candidates.len() == before {
                break;
            }
        }
        self.users = pruning.left.users;
        self.stars.retain(|&star| pruning.is_star(star));
        self.segments.retain(|&segment| pruning.cover_count(segment) > 0);
        self.pruning = pruning;
    }

    /// Stars of the region, the first one first.
    #[cfg(test)]
    pub(super) fn stars(&self) -> &[u32] {
        &self.stars
    }

    /// Stars of the border and their weights.
    #[cfg(test)]
    pub(super) fn border(&self) -> Vec<(u32, u64)> {
        self.border.iter().copied().zip(self.weights.iter().copied()).collect()
    }
}

/// Stars and segments that are left while stars are removed.
#[derive(Clone, Debug, Default)]
struct Pruning {
    /// Users and segments that are left.
    left: StarGoal,
    is_star: Stamps<bool>,
    /// By segment: number of stars that hold it.
    covers: Stamps<u32>,
    /// Stars left that share a segment with the star in question.
    neighbours: Vec<u32>,
    reached: Stamps<()>,
    open: Vec<u32>,
}

impl Pruning {
    fn start(&mut self, stars: &Stars, of: &[u32], left: StarGoal) {
        self.is_star.clear(stars.star_count());
        self.covers.clear(stars.segment_count());
        self.left = left;
        for &star in of {
            self.is_star.insert(star as usize, true);
            for &segment in stars.segments(star) {
                self.covers.insert(segment as usize, self.cover_count(segment) + 1);
            }
        }
    }

    fn is_star(&self, star: u32) -> bool {
        self.is_star.get(star as usize).unwrap_or(false)
    }

    fn cover_count(&self, segment: u32) -> u32 {
        self.covers.get(segment as usize).unwrap_or(0)
    }

    /// Users and segments that are left without a star: segments that no other star holds are lost.
    fn without(&self, stars: &Stars, users: &SegmentUsers, star: u32) -> StarGoal {
        let is_lost = |segment: &&u32| self.cover_count(**segment) == 1;
        let lost = stars.segments(star).iter().filter(is_lost);
        lost.fold(self.left, |left, &segment| StarGoal {
            users: left.users - users.on(segment).len() as u32,
            segments: left.segments - 1,
        })
    }

    fn meets_without(
        &self,
        stars: &Stars,
        users: &SegmentUsers,
        goal: StarGoal,
        star: u32,
    ) -> bool {
        let left = self.without(stars, users, star);
        left.users >= goal.users && left.segments >= goal.segments
    }

    fn remove(&mut self, stars: &Stars, users: &SegmentUsers, star: u32) {
        self.left = self.without(stars, users, star);
        for &segment in stars.segments(star) {
            self.covers.insert(segment as usize, self.cover_count(segment) - 1);
        }
        self.is_star.insert(star as usize, false);
    }

    /// Whether the other stars stay connected along shared segments. They are connected now, so it
    /// suffices that the neighbours of the star reach each other without it.
    fn is_connected_without(&mut self, stars: &Stars, star: u32) -> bool {
        self.neighbours.clear();
        for next in around(stars, star) {
            if next != star && self.is_star(next) && !self.neighbours.contains(&next) {
                self.neighbours.push(next);
            }
        }
        let Some(&start) = self.neighbours.first() else { return true };
        let mut missing = self.neighbours.len() - 1;
        self.reached.clear(stars.star_count());
        self.reached.insert(start as usize, ());
        self.open.clear();
        self.open.push(start);
        let mut at = 0;
        while missing > 0 && at < self.open.len() {
            for next in around(stars, self.open[at]) {
                let is_left = next != star && self.is_star(next);
                if is_left && self.reached.insert(next as usize, ()) {
                    self.open.push(next);
                    missing -= usize::from(self.neighbours.contains(&next));
                }
            }
            at += 1;
        }
        missing == 0
    }
}

/// Stars that share a segment with a star, with repetitions, including the star itself.
fn around(stars: &Stars, star: u32) -> impl Iterator<Item = u32> {
    stars.segments(star).iter().flat_map(|&segment| stars.ends(segment))
}
