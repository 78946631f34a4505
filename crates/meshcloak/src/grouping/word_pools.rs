//! What a bin has to offer, as [`super::pools`] finds it, where one word holds the bin and another
//! each group that it touches: nearly all of them.

use super::search::{FREE, Groups, Scene};

/// Room to look at one bin after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct WordPools {
    touched: Vec<Touched>,
    /// The place of each group in `touched`, of the bin at hand if the stamp is.
    slot: Vec<(u32, u32)>,
    now: u32,
    /// The k of each member of the bin.
    k: Vec<u32>,
    /// The members of a group, as they were numbered when it was formed.
    group: Vec<Member>,
}

/// A group that has members in the bin.
#[derive(Clone, Copy, Debug)]
struct Touched {
    group: u32,
    /// Which members of the bin are its.
    held: u64,
    is_inside: bool,
}

/// A member of a group.
#[derive(Clone, Copy, Debug, Default)]
struct Member {
    node: u32,
    k: u32,
    have: u32,
    /// Who of the group counts for her.
    counting: u64,
}

/// What is known of the bin at hand.
struct Bin<'a> {
    scene: Scene<'a>,
    nodes: &'a [u32],
    rows: &'a [u64],
    free: u64,
    /// The free people and the groups that lie in the bin.
    base: u64,
}

/// A group that the bin could have, and what is gained by it.
#[derive(Clone, Copy, Default)]
struct Offer {
    gain: i64,
    members: u64,
}

impl WordPools {
    /// Forgets the graph before.
    pub(super) fn begin(&mut self) {
        self.slot.clear();
        self.now = 0;
    }

    /// Which members of a bin make a group by which it gains; 0 if none do, `None` if words do not
    /// hold everyone.
    pub(super) fn look(&mut self, scene: Scene<'_>, bin: u32, groups: &Groups) -> Option<u64> {
        let nodes = scene.bins.nodes(bin);
        if nodes.len() > 64 {
            return None;
        }
        // Most have nobody left to serve: then who is in which group does not matter.
        if nodes.iter().all(|&node| groups.group_of[node as usize] != FREE) {
            return Some(0);
        }
        let mut bin = Bin { scene, nodes, rows: scene.bins.rows(bin), free: 0, base: 0 };
        if !self.visit(&mut bin, groups) {
            return None;
        }
        self.k.clear();
        self.k.extend(nodes.iter().map(|&node| scene.wishes.k(node)));
        let mut best = Offer::default();
        let hope = self.hopes(&bin, bin.base);
        let found = if hope == 0 { 0 } else { self.peeled(&bin, bin.base) };
        let served = bin.worth(found & bin.free);
        if served > 0 {
            best = Offer { gain: served, members: self.without_groups(&bin, found) };
        }
        if bin.free & !found != 0 && self.touched.iter().any(|touched| !touched.is_inside) {
            self.take_from_others(&bin, groups, &mut best);
        }
        Some(best.members)
    }

    /// Sorts the members of a bin; `false` if a group is too large.
    fn visit(&mut self, bin: &mut Bin<'_>, groups: &Groups) -> bool {
        self.now += 1;
        self.touched.clear();
        self.slot.resize(groups.used.max(self.slot.len()), (0, 0));
        for (place, &node) in bin.nodes.iter().enumerate() {
            let group = groups.group_of[node as usize];
            if group == FREE {
                bin.free |= 1 << place;
                continue;
            }
            let slot = &mut self.slot[group as usize];
            if slot.0 != self.now {
                *slot = (self.now, self.touched.len() as u32);
                self.touched.push(Touched { group, held: 0, is_inside: false });
            }
            self.touched[slot.1 as usize].held |= 1 << place;
        }
        bin.base = bin.free;
        for touched in &mut self.touched {
            if !groups.fits_word(touched.group) {
                return false;
            }
            touched.is_inside = touched.held.count_ones() == groups.size(touched.group);
            bin.base |= if touched.is_inside { touched.held } else { 0 };
        }
        true
    }

    /// The free people for whom enough of a pool count, if everyone else in it is content: as a
    /// rule there are few to ask, and seldom one.
    fn hopes(&self, bin: &Bin<'_>, pool: u64) -> u64 {
        let content = |place: &usize| (bin.rows[*place] & pool).count_ones() >= self.k[*place];
        ones(bin.free).filter(content).fold(0, |hopes, place| hopes | 1 << place)
    }

    /// Those of a pool who have enough of it that count for them.
    fn peeled(&self, bin: &Bin<'_>, mut pool: u64) -> u64 {
        loop {
            let before = pool;
            for place in ones(before) {
                if (bin.rows[place] & pool).count_ones() < self.k[place] {
                    pool &= !(1 << place);
                }
            }
            if pool == before {
                return pool;
            }
        }
    }

    /// Leaves those groups out that nobody needs.
    fn without_groups(&self, bin: &Bin<'_>, mut found: u64) -> u64 {
        let inside = self.touched.iter().filter(|touched| touched.is_inside);
        for touched in inside {
            if found & touched.held != 0 {
                found = self.spared(bin, found, touched.held);
            }
        }
        found
    }

    /// What is left without some of them, if that serves as many free people.
    fn spared(&self, bin: &Bin<'_>, found: u64, leave: u64) -> u64 {
        let trial = self.peeled(bin, found & !leave);
        if found & bin.free & !trial == 0 { trial } else { found }
    }

    /// Looks for a better offer with members of groups that lie only partly in the bin.
    fn take_from_others(&mut self, bin: &Bin<'_>, groups: &Groups, best: &mut Offer) {
        let mut pool = bin.base;
        for slot in 0..self.touched.len() {
            if !self.touched[slot].is_inside {
                pool |= self.spare(bin, groups, self.touched[slot]);
            }
        }
        self.with_pool(bin, groups, pool, best);
        for slot in 0..self.touched.len() {
            let touched = self.touched[slot];
            if !touched.is_inside && touched.held & !pool != 0 {
                self.with_pool(bin, groups, pool | touched.held, best);
            }
        }
    }

    /// Lists the members of a group.
    fn list(&mut self, bin: &Bin<'_>, groups: &Groups, group: u32) {
        self.group.resize(64, Member::default());
        for &node in &groups.members[group as usize] {
            let (k, have) = (bin.scene.wishes.k(node), groups.have[node as usize]);
            let (number, counting) = groups.in_group[node as usize];
            self.group[number as usize] = Member { node, k, have, counting };
        }
    }

    /// Those members of the bin whom a group can spare all together.
    fn spare(&mut self, bin: &Bin<'_>, groups: &Groups, touched: Touched) -> u64 {
        self.list(bin, groups, touched.group);
        let mut left = groups.present[touched.group as usize];
        let mut spare = 0;
        for place in ones(touched.held) {
            let number = groups.in_group[bin.nodes[place] as usize].0;
            let others = left & !(1 << number);
            let needs = |other: usize| {
                let Member { k, have, counting, .. } = self.group[other];
                have == k && counting >> number & 1 == 1
            };
            if !ones(others).any(needs) {
                spare |= 1 << place;
                left = others;
                for other in ones(others) {
                    let member = &mut self.group[other];
                    member.have -= (member.counting >> number & 1) as u32;
                }
            }
        }
        spare
    }

    /// Takes what a pool gives if more is gained by it.
    fn with_pool(&mut self, bin: &Bin<'_>, groups: &Groups, pool: u64, best: &mut Offer) {
        if bin.worth(self.hopes(bin, pool)) <= best.gain {
            return;
        }
        let found = self.peeled(bin, pool);
        let served = bin.worth(found & bin.free);
        if served <= best.gain {
            return;
        }
        let mut found = self.without_groups(bin, found);
        for place in ones(found & !bin.base) {
            if found >> place & 1 == 1 {
                found = self.spared(bin, found, 1 << place);
            }
        }
        let gain = served - self.cost(bin, groups, found);
        if gain > best.gain {
            *best = Offer { gain, members: found };
        }
    }

    /// What other groups lose when somebody takes members from them.
    fn cost(&mut self, bin: &Bin<'_>, groups: &Groups, found: u64) -> i64 {
        let mut cost = 0;
        for slot in 0..self.touched.len() {
            let Touched { group, held, is_inside } = self.touched[slot];
            if is_inside || held & found == 0 {
                continue;
            }
            self.list(bin, groups, group);
            let number = |place: usize| groups.in_group[bin.nodes[place] as usize].0;
            let taken = ones(held & found).fold(0, |taken, place| taken | 1_u64 << number(place));
            let mut left = groups.present[group as usize] & !taken;
            loop {
                let before = left;
                for other in ones(before) {
                    let Member { node, k, counting, .. } = self.group[other];
                    if (counting & left).count_ones() < k {
                        left &= !(1 << other);
                        cost += bin.scene.wishes.worth(node);
                    }
                }
                if left == before {
                    break;
                }
            }
        }
        cost
    }
}

impl Bin<'_> {
    /// What some of its members are worth.
    fn worth(&self, members: u64) -> i64 {
        ones(members).map(|place| self.scene.wishes.worth(self.nodes[place])).sum()
    }
}

/// The places of the ones of a word, ascending.
pub(super) fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = word.trailing_zeros() as usize;
        (word != 0).then(|| {
            word &= word - 1;
            place
        })
    })
}
