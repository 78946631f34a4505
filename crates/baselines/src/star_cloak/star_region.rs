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
    /// Stars that share a segment with the region.
    border: Vec<u32>,
    /// By segment: whether it is inside.
    inside: Stamps<()>,
    segments: Vec<u32>,
    users: u32,
    weights: Vec<u64>,
    pruning: Pruning,
}

/// Common multiple of small numbers of segments, so that weights are whole.
const UNIT: u64 = 27_720;

impl StarRegion {
    /// Starts with one star.
    pub(super) fn start(&mut self, stars: &Stars, users: &SegmentUsers, star: u32) {
        self.stars.clear();
        self.seen.clear(stars.star_count());
        self.border.clear();
        self.inside.clear(stars.segment_count());
        self.segments.clear();
        self.users = 0;
        self.seen.insert(star as usize, ());
        self.add(stars, users, star);
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
        self.border.retain(|&star| is_near(star));
        self.weights.clear();
        for &star in &self.border {
            let new =
                stars.segments(star).iter().filter(|&&s| self.inside.get(s as usize).is_none());
            let (count, gain) = new.fold((0, 0), |(count, gain), &segment| {
                (count + 1, gain + users.on(segment).len() as u64)
            });
            // A star without new segments is free.
            self.weights.push((1 + gain) * UNIT / (1 + count));
        }
        let Some(drawn) = random.weighted(&self.weights) else { return false };
        let star = self.border.swap_remove(drawn);
        self.add(stars, users, star);
        true
    }

    fn add(&mut self, stars: &Stars, users: &SegmentUsers, star: u32) {
        self.stars.push(star);
        for &segment in stars.segments(star) {
            if self.inside.insert(segment as usize, ()) {
                self.segments.push(segment);
                self.users += users.on(segment).len() as u32;
                for next in stars.ends(segment) {
                    if self.seen.insert(next as usize, ()) {
                        self.border.push(next);
                    }
                }
            }
        }
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
}

/// Stars and segments that are left while stars are removed.
#[derive(Clone, Debug, Default)]
struct Pruning {
    first: u32,
    /// Number of stars that are left.
    stars: u32,
    /// Users and segments that are left.
    left: StarGoal,
    is_star: Stamps<bool>,
    /// By segment: number of stars that hold it.
    covers: Stamps<u32>,
    reached: Stamps<()>,
    open: Vec<u32>,
}

impl Pruning {
    fn start(&mut self, stars: &Stars, of: &[u32], left: StarGoal) {
        self.is_star.clear(stars.star_count());
        self.covers.clear(stars.segment_count());
        (self.first, self.stars, self.left) = (of[0], of.len() as u32, left);
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
        self.stars -= 1;
    }

    /// Whether the other stars can be reached from the first one along shared segments.
    fn is_connected_without(&mut self, stars: &Stars, star: u32) -> bool {
        self.reached.clear(stars.star_count());
        self.reached.insert(self.first as usize, ());
        self.open.clear();
        self.open.push(self.first);
        let mut count = 1;
        while let Some(at) = self.open.pop() {
            for next in stars.segments(at).iter().flat_map(|&segment| stars.ends(segment)) {
                let is_left = next != star && self.is_star(next);
                if is_left && self.reached.insert(next as usize, ()) {
                    self.open.push(next);
                    count += 1;
                }
            }
        }
        count + 1 == self.stars
    }
}
