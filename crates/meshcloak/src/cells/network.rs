//! The streets as what hangs together: which ones meet at each terminal, whichever way they may be
//! travelled, and what each of them weighs.

use crate::map::StreetMap;

/// Streets and terminals as nodes of one network: streets first, then terminals.
#[derive(Clone, Debug)]
pub(super) struct Network {
    /// By street, its ends as nodes.
    ends: Vec<[u32; 2]>,
    lengths: Vec<u64>,
    weights: Vec<u64>,
    /// The streets at terminal `t` are `at[starts[t]..starts[t + 1]]`; a loop is listed twice.
    starts: Vec<u32>,
    at: Vec<u32>,
    /// By street, the part to which it belongs.
    part: Vec<u32>,
}

impl Network {
    /// The streets of a map, all in part 0; `weights` has one for each.
    pub(super) fn new(map: &StreetMap, weights: Vec<u64>) -> Network {
        let streets = map.street_count();
        let node = |terminal: usize| (streets + terminal) as u32;
        let ends = map.streets().map(|id| {
            let street = map.street(id);
            [node(street.from.index()), node(street.to.index())]
        });
        let ends: Vec<[u32; 2]> = ends.collect();
        let mut starts = vec![0_u32; map.terminal_count() + 2];
        for &end in ends.as_flattened() {
            starts[end as usize - streets + 2] += 1;
        }
        for index in 2..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut at = vec![0_u32; 2 * streets];
        for (street, ends) in ends.iter().enumerate() {
            for &end in ends {
                let slot = &mut starts[end as usize - streets + 1];
                at[*slot as usize] = street as u32;
                *slot += 1;
            }
        }
        starts.pop();
        let lengths = map.streets().map(|id| u64::from(map.street(id).length.units())).collect();
        Network { ends, lengths, weights, starts, at, part: vec![0; streets] }
    }

    /// How many streets there are.
    pub(super) fn street_count(&self) -> usize {
        self.ends.len()
    }

    /// How many streets and terminals there are.
    pub(super) fn node_count(&self) -> usize {
        self.ends.len() + self.starts.len() - 1
    }

    /// Whether a node is a street.
    pub(super) fn is_street(&self, node: u32) -> bool {
        (node as usize) < self.ends.len()
    }

    /// The nodes beside a node: the ends of a street, the streets at a terminal.
    pub(super) fn beside(&self, node: u32) -> &[u32] {
        match (node as usize).checked_sub(self.ends.len()) {
            None => &self.ends[node as usize],
            Some(terminal) => {
                let [start, end] = [self.starts[terminal], self.starts[terminal + 1]];
                &self.at[start as usize..end as usize]
            }
        }
    }

    /// From a street to its ends, or from an end into it: its length, so that nothing is halved.
    pub(super) fn length(&self, street: u32) -> u64 {
        self.lengths[street as usize]
    }

    /// What a street adds to its cell; a terminal adds nothing.
    pub(super) fn weight(&self, node: u32) -> u64 {
        self.weights.get(node as usize).copied().unwrap_or(0)
    }

    /// What streets weigh together.
    pub(super) fn weigh(&self, streets: &[u32]) -> u64 {
        streets.iter().map(|&street| self.weight(street)).sum()
    }

    /// The part to which a street belongs.
    pub(super) fn part(&self, street: u32) -> u32 {
        self.part[street as usize]
    }

    /// Puts streets into a part.
    pub(super) fn assign(&mut self, streets: &[u32], part: u32) {
        for &street in streets {
            self.part[street as usize] = part;
        }
    }
}
