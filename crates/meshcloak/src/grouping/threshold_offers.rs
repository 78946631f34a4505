//! Best offer of a candidate clique when all members count for each other (`reciprocal`).
//!
//! A group is valid if its size is at least the largest k of its members. So for each threshold
//! `level` among the k of the free members, the offer contains all free members with `k ≤ level`
//! and is filled up to `level` members:
//!
//! 1. with whole groups that lie inside the clique: the smallest that suffices, or all of them;
//! 2. with members of groups that lie partly inside, at the lowest cost.
//!
//! ```text
//! options  | group a: take 1, 2, …  | group b: take 1, 2, …  | …     cost of each
//! choices  | 0 … missing            | 0 … missing            | …     members taken from the group
//! ```
//!
//! Present members, which do not ask, are taken before others. Free members of which none asks can only
//! be added to a group inside the clique.
//!
//! Step 2 is a multiple-choice knapsack over `missing ≤ MAX_TAKEN`: `cheapest[m]` is the lowest cost
//! of `m` or more members from the groups so far, `choices` records the decisions for the traceback.
//! Trying every subset of the clique is exponential; the test compares the total worth of all groups
//! with that optimum (`naive::best_groups`) and requires 96 % of it.

use super::local_search::{Demands, FREE, Groups, Problem};
use super::loss::{PartlyInside, TakeOption};

/// Largest number of members that are taken from groups that lie partly inside.
const MAX_TAKEN: u32 = 16;

/// Computes offers of one clique after the other with reused buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct ThresholdOffers {
    /// Number of members of each group in the present clique.
    held: Vec<u32>,
    touched: Vec<u32>,
    free: Vec<u32>,
    /// Groups inside the present clique by ascending size; valid if `is_split`.
    whole: Vec<u32>,
    /// The other touched groups; valid if `is_split`.
    partly: PartlyInside,
    is_split: bool,
    options: Vec<TakeOption>,
    choices: Vec<u32>,
    plan: Plan,
    best: Plan,
    members: Vec<u32>,
}

/// Offer under construction.
#[derive(Clone, Debug, Default)]
struct Plan {
    gain: i64,
    /// Free members with at most this k belong to the offer.
    level: u32,
    /// Groups that are merged into the offer.
    whole: Vec<u32>,
    /// Groups that lose members to the offer.
    parts: Vec<TakenPart>,
}

/// Number of members taken from a group.
#[derive(Clone, Copy, Debug)]
struct TakenPart {
    group: u32,
    taken: u32,
}

impl ThresholdOffers {
    /// Returns the members of the offer with the largest gain; `None` without a gain.
    pub(super) fn best_offer(
        &mut self,
        problem: Problem<'_>,
        clique: u32,
        groups: &Groups,
    ) -> Option<&[u32]> {
        let (nodes, demands) = (problem.cliques.nodes(clique), problem.demands);
        // Most cliques have no free member, or no other one. They need no other work.
        let is_free = |node: &&u32| groups.group_of[**node as usize] == FREE;
        let free_count = nodes.iter().filter(is_free).count();
        if free_count == 0 {
            return None;
        }
        if free_count == nodes.len() {
            // The clique meets every k, and every member adds to the gain.
            self.members.clear();
            self.members.extend_from_slice(nodes);
            self.members.sort_unstable_by_key(|&node| (demands.k(node), node));
            return Some(&self.members);
        }
        self.classify_members(nodes, groups);
        self.best.gain = 0;
        self.free.sort_unstable_by_key(|&node| (demands.k(node), node));
        let (mut worth, mut has_asking) = (0, false);
        for index in 0..self.free.len() {
            let node = self.free[index];
            worth += demands.worth(node);
            has_asking |= demands.asks(node);
            let level = demands.k(node);
            let is_last = self.free.get(index + 1).is_none_or(|&next| demands.k(next) > level);
            if is_last && worth > self.best.gain {
                let missing = (level as usize).saturating_sub(index + 1) as u32;
                self.plan.level = level;
                self.plan.gain = worth;
                if (missing > 0 || !has_asking) && !self.is_split {
                    self.split_groups(nodes, groups, demands);
                }
                self.consider(missing, has_asking, groups);
            }
        }
        let has_gain = self.best.gain > 0;
        if has_gain {
            self.gather(groups, demands);
        }
        for &group in &self.touched {
            self.held[group as usize] = 0;
        }
        has_gain.then_some(&self.members)
    }

    fn classify_members(&mut self, nodes: &[u32], groups: &Groups) {
        self.free.clear();
        self.touched.clear();
        self.is_split = false;
        self.held.resize(groups.used.max(self.held.len()), 0);
        for &node in nodes {
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

    /// Divides the touched groups into those inside the clique and the others.
    fn split_groups(&mut self, nodes: &[u32], groups: &Groups, demands: Demands<'_>) {
        let ThresholdOffers { held, touched, whole, partly, is_split, .. } = self;
        let is_inside = |group: &u32| held[*group as usize] == groups.size(*group);
        let (inside, others) = (touched.iter().copied(), touched.iter().copied());
        whole.clear();
        whole.extend(inside.filter(is_inside));
        whole.sort_unstable_by_key(|&group| (groups.size(group), group));
        partly.load(nodes, others.filter(|group| !is_inside(group)), groups, demands);
        *is_split = true;
    }

    /// Fills up the plan by `missing` members and keeps it if its gain is the largest. Without a free
    /// member that asks it takes a whole group in any case.
    fn consider(&mut self, mut missing: u32, has_asking: bool, groups: &Groups) {
        self.plan.whole.clear();
        self.plan.parts.clear();
        if missing > 0 || !has_asking {
            missing = self.take_whole(missing, groups);
        }
        if !has_asking && self.plan.whole.is_empty() {
            return;
        }
        if missing > 0 && missing <= MAX_TAKEN {
            self.partly.list_options(self.plan.level, missing, &mut self.options);
            missing = self.take_parts(missing);
        }
        if missing == 0 && self.plan.gain > self.best.gain {
            std::mem::swap(&mut self.plan, &mut self.best);
        }
    }

    /// Takes whole groups inside the clique: the smallest that suffices, or all. Returns the number
    /// of members that are still missing.
    fn take_whole(&mut self, mut missing: u32, groups: &Groups) -> u32 {
        let ThresholdOffers { whole, plan, .. } = self;
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

    /// Picks the options of lowest cost for `missing` members. Returns 0, or `missing` if there are
    /// none or the gain would not exceed the best.
    fn take_parts(&mut self, missing: u32) -> u32 {
        let ThresholdOffers { options, choices, plan, best, .. } = self;
        let wanted = missing as usize;
        let mut cheapest = [i64::MAX; MAX_TAKEN as usize + 1];
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
                plan.parts.push(TakenPart { group: option.group, taken });
                m = m.saturating_sub(taken as usize);
            }
        }
        0
    }

    /// Fills `members` with the members of the best plan.
    fn gather(&mut self, groups: &Groups, demands: Demands<'_>) {
        let ThresholdOffers { free, best, members, partly, .. } = self;
        members.clear();
        members.extend(free.iter().filter(|&&node| demands.k(node) <= best.level));
        for &group in &best.whole {
            members.extend_from_slice(&groups.members[group as usize]);
        }
        for &TakenPart { group, taken } in &best.parts {
            partly.take(group, taken, best.level, members);
        }
    }
}
