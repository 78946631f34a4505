//! What a bin has to offer where not everyone counts for everyone: of a pool of its members, those
//! who have enough of it that count for them. The pool is the free people and the groups that
//! lie in the bin, then also those whom others can spare, then also those whom one can not.

use super::search::{FREE, Groups, Scene};
use super::word_pools::{WordPools, ones};

/// Room to look at one bin after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Pools {
    /// For each group that has members in the bin: its number, and how many.
    touched: Vec<(u32, u32)>,
    /// The place of each group in `touched`, of the bin at hand if the stamp is.
    slot: Vec<(u32, u32)>,
    now: u32,
    free: Mask,
    /// The free people and the groups that lie in the bin.
    base: Mask,
    pool: Mask,
    found: Mask,
    trial: Mask,
    best: Mask,
    have: Vec<(u32, u32)>,
    /// The k of each member of the bin.
    k: Vec<u32>,
    members: Vec<u32>,
    words: WordPools,
}

/// A set of members of a bin, by place.
type Mask = Vec<u64>;

fn has(mask: &[u64], place: usize) -> bool {
    mask[place / 64] >> (place % 64) & 1 == 1
}

fn insert(mask: &mut [u64], place: usize) {
    mask[place / 64] |= 1 << (place % 64);
}

fn remove(mask: &mut [u64], place: usize) {
    mask[place / 64] &= !(1 << (place % 64));
}

fn common(a: &[u64], b: &[u64]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a & b).count_ones()).sum()
}

fn covers(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).all(|(a, b)| b & !a == 0)
}

impl Pools {
    /// Forgets the graph before.
    pub(super) fn begin(&mut self) {
        self.slot.clear();
        self.now = 0;
        self.words.begin();
    }

    /// A group by which a bin gains, if there is one.
    pub(super) fn look(&mut self, scene: Scene<'_>, bin: u32, groups: &Groups) -> Option<&[u32]> {
        let Some(members) = self.words.look(scene, bin, groups) else {
            return self.look_at_many(scene, bin, groups);
        };
        let nodes = scene.bins.nodes(bin);
        self.members.clear();
        self.members.extend(ones(members).map(|place| nodes[place]));
        (members != 0).then_some(&self.members)
    }

    /// The same for a bin and groups of any size.
    pub(super) fn look_at_many(
        &mut self,
        scene: Scene<'_>,
        bin: u32,
        groups: &Groups,
    ) -> Option<&[u32]> {
        let nodes = scene.bins.nodes(bin);
        if !self.visit(nodes, groups) {
            return None;
        }
        self.k.clear();
        self.k.extend(nodes.iter().map(|&node| scene.wishes.k(node)));
        let mut best = 0;
        self.found.clone_from(&self.base);
        peel(scene.bins.rows(bin), &self.k, &mut self.found);
        let served = self.worth_of_free(scene, nodes);
        if served > 0 {
            self.trim_groups(scene, bin, groups);
            self.best.clone_from(&self.found);
            best = served;
        }
        if !covers(&self.found, &self.free) {
            self.pool.clone_from(&self.base);
            self.add_spare(scene, nodes, groups);
            best = self.with_pool(scene, bin, groups, best);
            for slot in 0..self.touched.len() {
                let (group, held) = self.touched[slot];
                if held < groups.size(group) {
                    let before = self.pool.clone();
                    for (place, &node) in nodes.iter().enumerate() {
                        if groups.group_of[node as usize] == group {
                            insert(&mut self.pool, place);
                        }
                    }
                    best = self.with_pool(scene, bin, groups, best);
                    self.pool = before;
                }
            }
        }
        if best == 0 {
            return None;
        }
        self.members.clear();
        let chosen = nodes.iter().enumerate().filter(|(place, _)| has(&self.best, *place));
        self.members.extend(chosen.map(|(_, &node)| node));
        Some(&self.members)
    }

    /// Sorts the members of a bin; whether somebody of them is free.
    fn visit(&mut self, nodes: &[u32], groups: &Groups) -> bool {
        self.now += 1;
        self.touched.clear();
        self.slot.resize(groups.used.max(self.slot.len()), (0, 0));
        let words = nodes.len().div_ceil(64);
        for mask in [&mut self.free, &mut self.base] {
            mask.clear();
            mask.resize(words, 0);
        }
        for (place, &node) in nodes.iter().enumerate() {
            let group = groups.group_of[node as usize];
            if group == FREE {
                insert(&mut self.free, place);
                continue;
            }
            let slot = &mut self.slot[group as usize];
            if slot.0 != self.now {
                *slot = (self.now, self.touched.len() as u32);
                self.touched.push((group, 0));
            }
            self.touched[slot.1 as usize].1 += 1;
        }
        for (place, &node) in nodes.iter().enumerate() {
            let group = groups.group_of[node as usize];
            let inside = |group: u32| {
                let slot = self.slot[group as usize].1;
                self.touched[slot as usize].1 == groups.size(group)
            };
            if group == FREE || inside(group) {
                insert(&mut self.base, place);
            }
        }
        self.free.iter().any(|word| *word != 0)
    }

    fn worth_of_free(&self, scene: Scene<'_>, nodes: &[u32]) -> i64 {
        let served = |place: &usize| has(&self.found, *place) && has(&self.free, *place);
        (0..nodes.len()).filter(served).map(|place| scene.wishes.worth(nodes[place])).sum()
    }

    /// Leaves those groups out of `found` that nobody in it needs.
    fn trim_groups(&mut self, scene: Scene<'_>, bin: u32, groups: &Groups) {
        let nodes = scene.bins.nodes(bin);
        for slot in 0..self.touched.len() {
            let (group, held) = self.touched[slot];
            if held < groups.size(group) {
                continue;
            }
            self.trial.clone_from(&self.found);
            for (place, &node) in nodes.iter().enumerate() {
                if groups.group_of[node as usize] == group {
                    remove(&mut self.trial, place);
                }
            }
            self.accept_trial(scene, bin);
        }
    }

    /// Takes `trial` for `found` if it serves as many free people.
    fn accept_trial(&mut self, scene: Scene<'_>, bin: u32) {
        peel(scene.bins.rows(bin), &self.k, &mut self.trial);
        let words = self.found.iter().zip(&self.free).zip(&self.trial);
        let mut lost = words.map(|((found, free), trial)| found & free & !trial);
        if lost.all(|word| word == 0) {
            std::mem::swap(&mut self.found, &mut self.trial);
        }
    }

    /// A group that the bin touches, with what its members have; `None` if it lies in the bin.
    fn look_at(&mut self, slot: usize, groups: &Groups) -> Option<u32> {
        let (group, held) = self.touched[slot];
        if held == groups.size(group) {
            return None;
        }
        let members = &groups.members[group as usize];
        self.have.clear();
        self.have.extend(members.iter().map(|&node| (node, groups.have[node as usize])));
        Some(group)
    }

    /// Adds to the pool those whom their groups can spare all together.
    fn add_spare(&mut self, scene: Scene<'_>, nodes: &[u32], groups: &Groups) {
        for slot in 0..self.touched.len() {
            let Some(group) = self.look_at(slot, groups) else { continue };
            for (place, &node) in nodes.iter().enumerate() {
                if groups.group_of[node as usize] != group {
                    continue;
                }
                let needs = |&(other, have): &(u32, u32)| {
                    other != node
                        && have == scene.wishes.k(other)
                        && scene.graph.counts(other, node)
                };
                if !self.have.iter().any(needs) {
                    insert(&mut self.pool, place);
                    self.have.retain(|other| other.0 != node);
                    for (other, have) in &mut self.have {
                        *have -= u32::from(scene.graph.counts(*other, node));
                    }
                }
            }
        }
    }

    /// Keeps what the pool gives if it gains more than `best`. Gives the better gain.
    fn with_pool(&mut self, scene: Scene<'_>, bin: u32, groups: &Groups, best: i64) -> i64 {
        let nodes = scene.bins.nodes(bin);
        self.found.clone_from(&self.pool);
        peel(scene.bins.rows(bin), &self.k, &mut self.found);
        let served = self.worth_of_free(scene, nodes);
        if served <= best {
            return best;
        }
        self.trim_groups(scene, bin, groups);
        for (place, &node) in nodes.iter().enumerate() {
            let taken = !has(&self.base, place) && has(&self.found, place);
            if taken && groups.group_of[node as usize] != FREE {
                self.trial.clone_from(&self.found);
                remove(&mut self.trial, place);
                self.accept_trial(scene, bin);
            }
        }
        let gain = served - self.cost(scene, nodes, groups);
        if gain <= best {
            return best;
        }
        std::mem::swap(&mut self.best, &mut self.found);
        gain
    }

    /// What other groups lose when `found` takes its members from them.
    fn cost(&mut self, scene: Scene<'_>, nodes: &[u32], groups: &Groups) -> i64 {
        let mut cost = 0;
        for slot in 0..self.touched.len() {
            let Some(group) = self.look_at(slot, groups) else { continue };
            for (place, &node) in nodes.iter().enumerate() {
                if groups.group_of[node as usize] == group && has(&self.found, place) {
                    leave(scene, &mut self.have, node);
                }
            }
            let misses = |(node, have): &(u32, u32)| *have < scene.wishes.k(*node);
            while let Some(place) = self.have.iter().position(misses) {
                let node = self.have[place].0;
                cost += scene.wishes.worth(node);
                leave(scene, &mut self.have, node);
            }
        }
        cost
    }
}

/// Somebody leaves a group; for each of the others it is known how many count for her.
fn leave(scene: Scene<'_>, have: &mut Vec<(u32, u32)>, node: u32) {
    have.retain(|other| other.0 != node);
    for (other, have) in have {
        *have -= u32::from(scene.graph.counts(*other, node));
    }
}

/// Takes those out of a pool for whom too few of it count, again and again.
fn peel(rows: &[u64], k: &[u32], pool: &mut [u64]) {
    loop {
        let mut changed = false;
        for (place, (row, &k)) in rows.chunks_exact(pool.len()).zip(k).enumerate() {
            if has(pool, place) && common(row, pool) < k {
                remove(pool, place);
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}
