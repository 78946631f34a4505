//! Removal of pruned nodes from the rows of [`Neighbours`]. Branchless: every entry is stored, the
//! length advances only for kept ones.
//!
//! If all nodes count, only the rows that hold a pruned node change; they are found through the rows
//! of the pruned nodes. Else the rows of counting neighbours are filled in the same pass over all.

use super::neighbours::{Neighbours, PRUNED};

impl Neighbours {
    /// Removes pruned nodes from all rows, and fills `counting`.
    pub(super) fn compact(&mut self) {
        self.counting_starts.clear();
        if self.all_count() {
            self.counting.clear();
            self.compact_around_pruned();
        } else {
            self.compact_all();
        }
    }

    /// Compacts the rows that hold a pruned node.
    fn compact_around_pruned(&mut self) {
        let Neighbours { starts, nodes, degree, surplus, pruned, is_compact, .. } = self;
        let is_pruned = |node: u32| surplus[node as usize] & PRUNED != 0;
        is_compact.clear();
        is_compact.resize(surplus.len(), false);
        for &node in &*pruned {
            let start = starts[node as usize] as usize;
            for index in start..start + degree[node as usize] as usize {
                let other = nodes[index];
                let is_done = is_pruned(other) || is_compact[other as usize];
                if is_done {
                    continue;
                }
                is_compact[other as usize] = true;
                let start = starts[other as usize] as usize;
                let row = &mut nodes[start..start + degree[other as usize] as usize];
                let mut end = 0;
                for index in 0..row.len() {
                    let entry = row[index];
                    row[end] = entry;
                    end += usize::from(!is_pruned(entry));
                }
                degree[other as usize] = end as u32;
            }
        }
        pruned.iter().for_each(|&node| degree[node as usize] = 0);
    }

    /// Compacts all rows, and fills `counting`.
    fn compact_all(&mut self) {
        for &node in &self.pruned {
            self.degree[node as usize] = 0;
        }
        self.counting.resize(self.nodes.len(), 0);
        self.counting_starts.push(0);
        let mut counting_len = 0;
        for node in 0..self.len() as u32 {
            let row = self.row(node);
            let mut end = row.start;
            for index in row.clone() {
                let other = self.nodes[index];
                let is_kept = self.surplus[other as usize] & PRUNED == 0;
                self.nodes[end] = other;
                let counts = self.counts[index];
                self.counts[end] = counts;
                self.counting[counting_len] = other;
                counting_len += usize::from(is_kept & counts);
                end += usize::from(is_kept);
            }
            self.degree[node as usize] = (end - row.start) as u32;
            self.counting_starts.push(counting_len as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint_graph::ConstraintGraph;
    use crate::grouping::Role;
    use crate::town::Town;
    use rand::RngExt as _;

    /// Nodes that remain if those with too few neighbours are removed one after the other.
    fn kept(adjacent: &dyn Fn(u32, u32) -> bool, k: &[u32], roles: &[Role]) -> Vec<u32> {
        let asks = |node: u32| roles.get(node as usize).is_none_or(|role| role.asks());
        let all = 0..k.len() as u32;
        let is_near_asking = |&a: &u32| asks(a) || all.clone().any(|b| adjacent(a, b) && asks(b));
        let mut kept: Vec<u32> = all.clone().filter(is_near_asking).collect();
        loop {
            let count = |a: u32| kept.iter().filter(|&&b| adjacent(a, b)).count() as u32;
            let Some(index) = kept.iter().position(|&a| count(a) + 1 < k[a as usize]) else {
                return kept;
            };
            kept.remove(index);
        }
    }

    #[test]
    fn rows_hold_the_neighbours_that_are_kept_and_are_divided_by_search_order() {
        let (mut kept_count, mut pruned_late) = (0, 0);
        let mut neighbours = Neighbours::default();
        let mut order = crate::grouping::search_order::SearchOrder::default();
        for seed in 0..400 {
            let mut random = Town::generator(seed);
            let nodes = random.random_range(1..90_u32);
            let density = random.random_range(0.02..0.3);
            let edges: Vec<bool> =
                (0..nodes * nodes).map(|_| random.random_bool(density)).collect();
            let graph = ConstraintGraph::from_fn(nodes, |a, b| edges[(a * nodes + b) as usize]);
            let k: Vec<u32> = (0..nodes).map(|_| random.random_range(2..=6)).collect();
            let has_roles = seed % 2 == 1;
            let mut role = |_| match random.random_bool(0.4) {
                true => Role::ASKING,
                false => Role::present(true, true),
            };
            let roles: Vec<Role> = (0..if has_roles { nodes } else { 0 }).map(&mut role).collect();
            let adjacent = |a: u32, b: u32| edges[(a.min(b) * nodes + a.max(b)) as usize] && a != b;
            neighbours.load((&graph).into(), &k, &roles);
            pruned_late +=
                neighbours.pruned.iter().filter(|&&a| !neighbours.of(a).is_empty()).count();
            neighbours.compact();
            let kept = kept(&adjacent, &k, &roles);
            let input = crate::grouping::root_searcher::SearchInput {
                graph: &neighbours,
                k: &k,
                roles: &roles,
                budget: 0,
            };
            order.compute(input);
            let position = |node: u32| order.order.iter().position(|&other| other == node);
            for a in 0..nodes {
                let is_near = |&&b: &&u32| kept.contains(&a) && adjacent(a, b);
                let row: Vec<u32> = kept.iter().filter(is_near).copied().collect();
                assert_eq!(neighbours.of(a), row, "seed {seed}, node {a}");
                let (earlier, later): (Vec<u32>, Vec<u32>) =
                    row.iter().partition(|&&b| position(b) < position(a));
                assert_eq!(order.earlier(input, a), earlier, "seed {seed}, node {a}");
                assert_eq!(order.later(input, a), later, "seed {seed}, node {a}");
            }
            kept_count += kept.len();
        }
        assert!(kept_count > 2_000 && pruned_late > 100, "{kept_count} {pruned_late}");
    }
}
