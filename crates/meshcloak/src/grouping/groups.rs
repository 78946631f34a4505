//! Groups as they stand while a search goes on: who is in which, and, where not everyone counts for
//! everyone, who of it counts for each.

use super::neighbours::Neighbours;
use super::search::Scene;

pub(super) const FREE: u32 = u32::MAX;

/// The groups as they stand.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    pub(super) group_of: Vec<u32>,
    /// Members by descending k; those from `used` on are no groups, but room.
    pub(super) members: Vec<Vec<u32>>,
    pub(super) used: usize,
    /// How many of her group count for each who has one; kept only if not everyone counts.
    pub(super) have: Vec<u32>,
    /// Her number in the group when it was formed, and as bits who of it counts for her; of those
    /// who are in groups that fit a word, if not everyone counts.
    pub(super) in_group: Vec<(u8, u64)>,
    /// Who of those that formed a group is still in it; 0 if that does not fit a word.
    pub(super) present: Vec<u64>,
}

impl Groups {
    pub(super) fn begin(&mut self, nodes: usize) {
        self.group_of.clear();
        self.group_of.resize(nodes, FREE);
        self.members.iter_mut().for_each(Vec::clear);
        self.have.clear();
        self.have.resize(nodes, 0);
        self.in_group.resize(nodes, (0, 0));
        self.present.clear();
        self.used = 0;
    }

    pub(super) fn size(&self, group: u32) -> u32 {
        self.members[group as usize].len() as u32
    }

    /// Whether one word tells who is in a group that is not empty.
    pub(super) fn fits_word(&self, group: u32) -> bool {
        self.present[group as usize] != 0
    }

    /// A new group without members.
    pub(super) fn open(&mut self) -> u32 {
        if self.used == self.members.len() {
            self.members.push(Vec::new());
        }
        self.present.push(0);
        self.used += 1;
        self.used as u32 - 1
    }

    /// Takes those out of a group who belong to another by now, and who then miss someone.
    pub(super) fn shrink(&mut self, group: u32, scene: Scene<'_>, dropped: &mut Vec<u32>) {
        let past = !scene.graph.everyone_counts();
        let mut members = std::mem::take(&mut self.members[group as usize]);
        let gone = members.iter().filter(|&&node| self.group_of[node as usize] != group);
        let gone: Vec<u32> = gone.copied().collect();
        members.retain(|&node| self.group_of[node as usize] == group);
        if past {
            gone.into_iter().for_each(|gone| self.lose((group, &members), gone, scene.graph));
        }
        loop {
            let size = members.len() as u32;
            let misses = |node: u32| match past {
                true => self.have[node as usize] < scene.wishes.k(node),
                false => size < scene.wishes.k(node),
            };
            let Some(place) = members.iter().position(|&node| misses(node)) else { break };
            let node = members.remove(place);
            if past {
                self.lose((group, &members), node, scene.graph);
            }
            self.group_of[node as usize] = FREE;
            dropped.push(node);
        }
        self.members[group as usize] = members;
    }

    /// Somebody has left a group: those for whom she counted have one less.
    fn lose(&mut self, (group, members): (u32, &[u32]), gone: u32, graph: &Neighbours) {
        let number = self.in_group[gone as usize].0;
        let present = &mut self.present[group as usize];
        let fits = *present != 0;
        *present &= !(1_u64 << (number % 64));
        for &node in members {
            let counted = match fits {
                true => self.in_group[node as usize].1 >> number & 1 == 1,
                false => graph.counts(node, gone),
            };
            self.have[node as usize] -= u32::from(counted);
        }
    }

    /// Counts for every member of a new group who of it counts for her.
    pub(super) fn count(&mut self, group: u32, graph: &Neighbours) {
        if graph.everyone_counts() {
            return;
        }
        let Groups { group_of, members, have, in_group, present, .. } = self;
        let members = &members[group as usize];
        for (number, &node) in members.iter().enumerate() {
            in_group[node as usize].0 = (number % 64) as u8;
        }
        for &node in members {
            let others = graph.who_counts(node).iter();
            let others = others.filter(|&&other| group_of[other as usize] == group);
            let herself = Some(&node).filter(|&&node| graph.counts_itself(node));
            let (mut count, mut counting) = (0, 0);
            for &other in others.chain(herself) {
                count += 1;
                counting |= 1_u64 << in_group[other as usize].0;
            }
            have[node as usize] = count;
            in_group[node as usize].1 = counting;
        }
        let fits = (1..=64).contains(&members.len());
        present[group as usize] = if fits { u64::MAX >> (64 - members.len()) } else { 0 };
    }
}
