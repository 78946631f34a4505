//! What a bin has to offer where everyone counts for everyone: for each k among its free people, a
//! group of all who ask for no more, filled up with groups that lie in the bin and with members
//! of others, as cheaply as possible.

use super::search::{FREE, Groups, Scene, Wishes};

/// More than this many are not taken out of other groups.
const MOST_TAKEN: u32 = 16;

/// Room to look at one bin after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Levels {
    /// How many members of each group the bin at hand holds.
    held: Vec<u32>,
    touched: Vec<u32>,
    free: Vec<u32>,
    /// Of the bin at hand if it has its stamp.
    stamp: Vec<u32>,
    now: u32,
    whole: Vec<u32>,
    options: Vec<Choice>,
    choices: Vec<u32>,
    plan: Plan,
    best: Plan,
    members: Vec<u32>,
}

/// A group that a bin could have.
#[derive(Clone, Debug, Default)]
struct Plan {
    gain: i64,
    /// Everyone free whose k is no larger belongs to it.
    level: u32,
    /// Groups that become part of it.
    whole: Vec<u32>,
    /// Groups of which so many members are taken.
    parts: Vec<(u32, u32)>,
}

/// What it costs to take so many from a group.
#[derive(Clone, Copy, Debug)]
struct Choice {
    group: u32,
    taken: u32,
    cost: i64,
}

impl Levels {
    /// Forgets the graph before.
    pub(super) fn begin(&mut self, nodes: usize) {
        self.stamp.clear();
        self.stamp.resize(nodes, 0);
        self.now = 0;
    }

    /// The group by which a bin gains most, if it gains by any.
    pub(super) fn look(&mut self, scene: Scene<'_>, bin: u32, groups: &Groups) -> Option<&[u32]> {
        let (nodes, wishes) = (scene.bins.nodes(bin), scene.wishes);
        // Most have nobody left to serve: then who is in which group does not matter.
        if nodes.iter().all(|&node| groups.group_of[node as usize] != FREE) {
            return None;
        }
        self.visit(nodes, groups);
        self.best.gain = 0;
        self.free.sort_unstable_by_key(|&node| (wishes.k(node), node));
        let mut worth = 0;
        for place in 0..self.free.len() {
            let node = self.free[place];
            worth += wishes.worth(node);
            let level = wishes.k(node);
            let last = self.free.get(place + 1).is_none_or(|&next| wishes.k(next) > level);
            if last && worth > self.best.gain {
                let missing = (level as usize).saturating_sub(place + 1) as u32;
                self.plan.level = level;
                self.plan.gain = worth;
                self.consider(missing, groups, wishes);
            }
        }
        let found = self.best.gain > 0;
        if found {
            self.gather(groups, wishes);
        }
        for &group in &self.touched {
            self.held[group as usize] = 0;
        }
        found.then_some(&self.members)
    }

    fn visit(&mut self, nodes: &[u32], groups: &Groups) {
        self.free.clear();
        self.touched.clear();
        self.now += 1;
        self.held.resize(groups.used.max(self.held.len()), 0);
        for &node in nodes {
            self.stamp[node as usize] = self.now;
            let group = groups.group_of[node as usize];
            if group == FREE {
                self.free.push(node);
            } else {
                if self.held[group as usize] == 0 {
                    self.touched.push(group);
                }
                self.held[group as usize] += 1;
            }
        }
    }

    /// Fills up the plan by `missing` people, and keeps it if it is the best.
    fn consider(&mut self, mut missing: u32, groups: &Groups, wishes: Wishes<'_>) {
        self.plan.whole.clear();
        self.plan.parts.clear();
        if missing > 0 {
            missing = self.take_whole(missing, groups);
        }
        if missing > 0 && missing <= MOST_TAKEN {
            self.list_options(missing, groups, wishes);
            missing = self.take_parts(missing);
        }
        if missing == 0 && self.plan.gain > self.best.gain {
            std::mem::swap(&mut self.plan, &mut self.best);
        }
    }

    /// Takes groups that lie in the bin: the smallest that suffices, or all.
    fn take_whole(&mut self, mut missing: u32, groups: &Groups) -> u32 {
        let Levels { held, touched, whole, plan, .. } = self;
        whole.clear();
        let inside = |group: &&u32| held[**group as usize] == groups.size(**group);
        whole.extend(touched.iter().filter(inside));
        whole.sort_unstable_by_key(|&group| (groups.size(group), group));
        if let Some(&group) = whole.iter().find(|&&group| groups.size(group) >= missing) {
            plan.whole.push(group);
            return 0;
        }
        for &group in whole.iter().rev() {
            missing = missing.saturating_sub(groups.size(group));
            plan.whole.push(group);
        }
        missing
    }

    /// What it costs to take one, two, … members from each group that lies partly in the bin:
    /// those who then miss someone lose their place. Who asks for most is taken first.
    fn list_options(&mut self, missing: u32, groups: &Groups, wishes: Wishes<'_>) {
        let Levels { held, touched, stamp, now, options, plan, .. } = self;
        options.clear();
        for &group in &*touched {
            let members = &groups.members[group as usize];
            if held[group as usize] as usize == members.len() {
                continue;
            }
            let eligible = |node: u32| stamp[node as usize] == *now && wishes.k(node) <= plan.level;
            let most = members.iter().filter(|&&node| eligible(node)).count() as u32;
            for taken in 1..=most.min(missing) {
                let cost = cost_of(members, taken, eligible, wishes);
                options.push(Choice { group, taken, cost });
            }
        }
    }

    /// Picks from the options the cheapest way to `missing` people; `missing` if there is none
    /// that is worth it.
    fn take_parts(&mut self, missing: u32) -> u32 {
        let Levels { options, choices, plan, best, .. } = self;
        let wanted = missing as usize;
        // cheapest[m]: the least cost of m people or more from the groups so far.
        let mut cheapest = [i64::MAX; MOST_TAKEN as usize + 1];
        cheapest[0] = 0;
        choices.clear();
        for options in options.chunk_by(|a, b| a.group == b.group) {
            let before = cheapest;
            let start = choices.len();
            choices.resize(start + wanted + 1, 0);
            for option in options {
                for m in 1..=wanted {
                    let rest = before[m.saturating_sub(option.taken as usize)];
                    if rest != i64::MAX && rest + option.cost < cheapest[m] {
                        cheapest[m] = rest + option.cost;
                        choices[start + m] = option.taken;
                    }
                }
            }
        }
        if cheapest[wanted] == i64::MAX || plan.gain - cheapest[wanted] <= best.gain {
            return missing;
        }
        plan.gain -= cheapest[wanted];
        let mut m = wanted;
        let mut rows = choices.chunks_exact(wanted + 1).rev();
        let mut last = FREE;
        for option in options.iter().rev() {
            if option.group == std::mem::replace(&mut last, option.group) {
                continue;
            }
            let taken = rows.next().map_or(0, |row| row[m]);
            if taken > 0 {
                plan.parts.push((option.group, taken));
                m = m.saturating_sub(taken as usize);
            }
        }
        0
    }

    /// The members of the best plan.
    fn gather(&mut self, groups: &Groups, wishes: Wishes<'_>) {
        let Levels { free, best, members, stamp, now, .. } = self;
        members.clear();
        members.extend(free.iter().filter(|&&node| wishes.k(node) <= best.level));
        for &group in &best.whole {
            members.extend_from_slice(&groups.members[group as usize]);
        }
        for &(group, taken) in &best.parts {
            let eligible =
                |node: &&u32| stamp[**node as usize] == *now && wishes.k(**node) <= best.level;
            let hers = groups.members[group as usize].iter();
            members.extend(hers.filter(eligible).take(taken as usize));
        }
    }
}

/// What is lost when the first `taken` eligible members leave; members by descending k.
fn cost_of(members: &[u32], taken: u32, eligible: impl Fn(u32) -> bool, wishes: Wishes<'_>) -> i64 {
    let mut left = taken;
    let mut size = members.len() - taken as usize;
    let mut cost = 0;
    for &node in members {
        if left > 0 && eligible(node) {
            left -= 1;
        } else if wishes.k(node) as usize > size {
            size -= 1;
            cost += wishes.worth(node);
        } else if left == 0 {
            break;
        }
    }
    cost
}
