//! The waiting queries sorted by street: the nodes of the constraint graph.
//!
//! ```text
//! street          0        1  2           3
//! starts          0        3  3           7   …        first node of each street
//! node            0  1  2     3  4  5  6               sorted by (street, dc, id)
//! queries         StreetQuery, 16 bytes                one entry per node, and so are
//! members, k, waiting_indices                          the arrays read by later stages
//! max_dc          largest dc of each street, 0 if it is empty
//! octets          the same queries, packed for SIMD    see `octets`
//! ```
//!
//! Invariant: nodes of one street are consecutive and ascend by `dc`. Neighbours therefore have
//! close numbers, and a stage that processes nodes in order finds its data in cache. A counting sort
//! by street and small sorts per street replace one sort of all queries; with several threads the
//! streets are divided into [`PARTITIONS`].

use super::PARTITIONS;
use super::octets::Octets;
use super::partition::IndexPartition;
use super::repeat_filter::RepeatFilter;
use crate::distance::{Atlas, UNREACHABLE};
use crate::map::{StreetId, StreetMap};
use crate::query::{Member, MeshKey, Query, QueryId};
use crate::units::Length;
use rayon::prelude::*;
use std::ops::Range;

/// Waiting queries by street, ascending by `dc` on each street.
#[derive(Clone, Debug, Default)]
pub(super) struct StreetIndex {
    starts: Vec<u32>,
    queries: Vec<StreetQuery>,
    octets: Octets,
    max_dc: Vec<u16>,
    members: Vec<Member>,
    k: Vec<u16>,
    /// Fields that are not needed for sorting, in id order.
    details: Vec<QueryDetails>,
    users: RepeatFilter,
    waiting_indices: Vec<u32>,
    /// Indices of the waiting list in id order; empty if it is in that order already.
    by_id: Vec<u32>,
    /// Scratch buffer of [`StreetIndex::reorder`].
    reordered: Vec<(Member, u16, u32)>,
}

/// A waiting query on its street, as the edge search reads it; lengths in 1/32 m.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StreetQuery {
    /// Sort key on the street: `dc` in the upper half, rank by id in the lower half.
    pub(super) key: u64,
    /// Distance from the `from` end, saturated at 16 bits.
    pub(super) from: u16,
    /// Distance from the `to` end, saturated at 16 bits.
    pub(super) to: u16,
    /// Whether the user may have other waiting queries.
    pub(super) user_may_repeat: bool,
}

/// Fields of a query that are copied once its node is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueryDetails {
    pub(super) id: QueryId,
    /// Distance from the `from` end of the street, 1/32 m.
    pub(super) offset: u32,
    /// The query's k, saturated at 16 bits.
    pub(super) k: u16,
}

impl StreetQuery {
    fn new(query: &Query, id_rank: u32, user_may_repeat: bool) -> StreetQuery {
        // Rows end below UNREACHABLE, so a larger dc reaches nothing more.
        let dc = saturate(query.distance_constraint.units()).min(UNREACHABLE - 1);
        let key = u64::from(dc) << 32 | u64::from(id_rank);
        StreetQuery { key, from: 0, to: 0, user_may_repeat }
    }

    /// Sets the distances from the ends of a street of this length.
    #[inline]
    pub(super) fn set_offset(&mut self, offset: u32, length: u32) {
        (self.from, self.to) = (saturate(offset), saturate(length.saturating_sub(offset)));
    }

    #[inline]
    pub(super) fn dc(self) -> u16 {
        (self.key >> 32) as u16
    }

    /// Returns the rank of the query in id order.
    pub(super) fn id_rank(self) -> u32 {
        self.key as u32
    }

    /// Returns `dc + 1` less the distance to the `from` end and to the `to` end; 0 if the end is
    /// out of reach.
    #[inline]
    pub(super) fn reach_beyond_ends(self) -> [u16; 2] {
        [self.from, self.to].map(|leave| (self.dc() + 1).saturating_sub(leave))
    }
}

fn saturate(number: u32) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

impl StreetIndex {
    /// Sorts the waiting queries by street, and on each street by (dc, id).
    pub(super) fn build(&mut self, atlas: &Atlas, waiting: &[Query]) {
        let streets = atlas.map().street_count();
        self.starts.clear();
        self.starts.resize(streets + 2, 0);
        self.users.clear(waiting.len());
        for query in waiting {
            self.starts[query.position.street.index() + 2] += 1;
            self.users.insert(query.user);
        }
        for street in 0..streets {
            self.starts[street + 2] += self.starts[street + 1];
        }
        self.queries.resize(waiting.len(), StreetQuery::default());
        self.details.clear();
        self.by_id.clear();
        if waiting.is_sorted_by_key(|query| query.id) {
            (0..).zip(waiting).for_each(|(rank, query)| self.insert(rank, query));
        } else {
            self.by_id.extend(0..waiting.len() as u32);
            self.by_id.sort_by_key(|&index| waiting[index as usize].id);
            for rank in 0..waiting.len() {
                let query = &waiting[self.by_id[rank] as usize];
                self.insert(rank as u32, query);
            }
        }
        self.fill(atlas.map());
    }

    #[inline(always)]
    fn insert(&mut self, id_rank: u32, query: &Query) {
        let slot = &mut self.starts[query.position.street.index() + 1];
        let user_may_repeat = self.users.may_repeat(query.user);
        self.queries[*slot as usize] = StreetQuery::new(query, id_rank, user_may_repeat);
        *slot += 1;
        let offset = query.position.offset.units();
        self.details.push(QueryDetails { id: query.id, offset, k: saturate(query.k) });
    }

    /// Sorts the queries of each street and fills the arrays per node, partition by partition.
    fn fill(&mut self, map: &StreetMap) {
        let streets = map.street_count();
        let nodes = self.queries.len();
        let bounds: [u32; PARTITIONS + 1] = std::array::from_fn(|n| self.partition_start(n));
        self.max_dc.resize(streets, 0);
        self.k.resize(nodes, 0);
        self.waiting_indices.resize(nodes, 0);
        let mesh_key = MeshKey { street: StreetId(0), dc: Length::ZERO };
        self.members.resize(nodes, Member { id: QueryId(0), mesh_key });
        let mut rest = IndexPartition {
            starts: &self.starts[..=streets],
            first: 0,
            queries: &mut self.queries,
            max_dc: &mut self.max_dc,
            members: &mut self.members,
            k: &mut self.k,
            waiting_indices: &mut self.waiting_indices,
            octets: self.octets.resize(streets, nodes),
        };
        let partitions: [IndexPartition<'_>; PARTITIONS] =
            std::array::from_fn(|n| rest.split_front(bounds[n + 1]));
        let (details, by_id) = (&self.details, &self.by_id);
        let fill = |partition: IndexPartition<'_>| partition.fill(map, details, by_id);
        if rayon::current_num_threads() == 1 {
            partitions.into_iter().for_each(fill);
        } else {
            partitions.into_par_iter().for_each(fill);
        }
    }

    /// Renumbers the arrays that later stages read: the node that was `nodes[n]` becomes `n`. The
    /// edge search needs the numbers by street.
    pub(super) fn reorder(&mut self, nodes: &[u32]) {
        let StreetIndex { members, k, waiting_indices, reordered, .. } = self;
        reordered.clear();
        reordered.extend(nodes.iter().map(|&old| {
            let old = old as usize;
            (members[old], k[old], waiting_indices[old])
        }));
        for (new, entry) in reordered.iter().enumerate() {
            (members[new], k[new], waiting_indices[new]) = *entry;
        }
    }

    /// Returns the nodes on a street.
    #[inline]
    pub(super) fn nodes_on(&self, street: StreetId) -> Range<usize> {
        self.starts[street.index()] as usize..self.starts[street.index() + 1] as usize
    }

    /// Returns the queries of consecutive nodes.
    #[inline]
    pub(super) fn queries(&self, nodes: Range<usize>) -> &[StreetQuery] {
        &self.queries[nodes]
    }

    pub(super) fn octets(&self) -> &Octets {
        &self.octets
    }

    /// Returns the largest `dc` on a street; 0 if it is empty.
    #[inline]
    pub(super) fn max_dc(&self, street: StreetId) -> u16 {
        self.max_dc[street.index()]
    }

    pub(super) fn query(&self, node: u32) -> StreetQuery {
        self.queries[node as usize]
    }

    /// Returns the index in the waiting list of each node.
    pub(super) fn waiting_indices(&self) -> &[u32] {
        &self.waiting_indices
    }

    pub(super) fn member(&self, node: u32) -> Member {
        self.members[node as usize]
    }

    /// Returns the k of each node, saturated at 16 bits.
    pub(super) fn k(&self) -> &[u16] {
        &self.k
    }

    /// Returns whether a set of `size` queries meets the k of a node.
    pub(super) fn is_satisfied(&self, node: u32, size: u32, waiting: &[Query]) -> bool {
        match self.k[node as usize] {
            u16::MAX => waiting[self.waiting_indices[node as usize] as usize].k <= size,
            k => u32::from(k) <= size,
        }
    }

    /// Returns the first street of a partition; partitions hold about equally many queries.
    pub(super) fn partition_start(&self, partition: usize) -> u32 {
        let streets = self.starts.len() - 2;
        let nodes = self.queries.len() * partition / PARTITIONS;
        match partition == PARTITIONS {
            true => streets as u32,
            false => self.starts[..=streets].partition_point(|&s| (s as usize) < nodes) as u32,
        }
    }

    /// Returns the number of queries on the streets before this one.
    pub(super) fn nodes_before(&self, street: u32) -> u32 {
        self.starts[street as usize]
    }
}
