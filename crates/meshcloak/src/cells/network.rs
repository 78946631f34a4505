//! The undirected street network: which streets meet at each terminal, and the weight of each street.

use crate::map::StreetMap;

/// A bipartite graph of streets and terminals: nodes are streets first, then terminals.
#[derive(Clone, Debug)]
pub(super) struct Network {
    /// Terminal nodes of each street.
    ends: Vec<[u32; 2]>,
    lengths: Vec<u64>,
    weights: Vec<u64>,
    /// The streets at terminal `t` are `incident[starts[t]..starts[t + 1]]`; a loop is listed twice.
    starts: Vec<u32>,
    incident: Vec<u32>,
    /// Part of each street.
    part: Vec<u32>,
}

impl Network {
    /// Builds the network of a map with one weight per street; all streets are in part 0.
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
        let mut incident = vec![0_u32; 2 * streets];
        for (street, ends) in ends.iter().enumerate() {
            for &end in ends {
                let slot = &mut starts[end as usize - streets + 1];
                incident[*slot as usize] = street as u32;
                *slot += 1;
            }
        }
        starts.pop();
        let lengths = map.streets().map(|id| u64::from(map.street(id).length.units())).collect();
        Network { ends, lengths, weights, starts, incident, part: vec![0; streets] }
    }

    /// Number of streets.
    pub(super) fn street_count(&self) -> usize {
        self.ends.len()
    }

    /// Number of streets and terminals.
    pub(super) fn node_count(&self) -> usize {
        self.ends.len() + self.starts.len() - 1
    }

    /// Returns whether a node is a street.
    pub(super) fn is_street(&self, node: u32) -> bool {
        (node as usize) < self.ends.len()
    }

    /// Returns the adjacent nodes: the ends of a street, or the streets at a terminal.
    pub(super) fn adjacent(&self, node: u32) -> &[u32] {
        match (node as usize).checked_sub(self.ends.len()) {
            None => &self.ends[node as usize],
            Some(terminal) => {
                let [start, end] = [self.starts[terminal], self.starts[terminal + 1]];
                &self.incident[start as usize..end as usize]
            }
        }
    }

    /// Returns the length of the edges between a street and its ends: the whole length, which
    /// avoids halves.
    pub(super) fn length(&self, street: u32) -> u64 {
        self.lengths[street as usize]
    }

    /// Returns the weight of a node; 0 for terminals.
    pub(super) fn weight(&self, node: u32) -> u64 {
        self.weights.get(node as usize).copied().unwrap_or(0)
    }

    /// Returns the total weight of streets.
    pub(super) fn total_weight(&self, streets: &[u32]) -> u64 {
        streets.iter().map(|&street| self.weight(street)).sum()
    }

    /// Returns the part of a street.
    pub(super) fn part(&self, street: u32) -> u32 {
        self.part[street as usize]
    }

    /// Assigns streets to a part.
    pub(super) fn assign(&mut self, streets: &[u32], part: u32) {
        for &street in streets {
            self.part[street as usize] = part;
        }
    }
}
