//! Ways as lines of known nodes in the direction of travel, without missing and repeated nodes.
//! Also the counts of Table II: nodes and distinct pairs of nodes.

use super::extract::{Nodes, Ways};
use super::tags::AllowedDirection;
use crate::error::{FileLocation, LocatedProblem, Problem};
use rayon::prelude::*;

/// Index of a way: its list and its row in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WayIndex {
    pub list: usize,
    pub row: usize,
}

/// Lines of at least two nodes, without consecutive duplicates; the lines of a way are consecutive.
#[derive(Debug, Default)]
pub(super) struct WayLines {
    ways: Vec<WayIndex>,
    ends: Vec<usize>,
    rows: Vec<u32>,
    /// Ways with fewer than two nodes.
    short: Occurrences<i64>,
    /// Nodes of ways that are missing in the file.
    missing: Occurrences<MissingNode>,
}

/// A node of a way that is missing in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct MissingNode {
    way: i64,
    node: i64,
}

/// Number of occurrences and the first one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Occurrences<T> {
    count: u64,
    first: Option<T>,
}

impl<T> Occurrences<T> {
    fn add(&mut self, what: T) {
        self.count = self.count.saturating_add(1);
        self.first.get_or_insert(what);
    }
}

impl WayLines {
    /// Returns the lines of all ways. An error if nodes are missing and no line is left: clipped
    /// extracts lack some nodes, never all.
    pub(super) fn of(ways: &[Ways], nodes: &Nodes) -> Result<WayLines, LocatedProblem> {
        let mut lines = WayLines::default();
        let find = |&id: &i64| nodes.find_positioned(id);
        for (list, ways) in ways.iter().enumerate() {
            let found: Vec<Option<u32>> = ways.nodes.ids().par_iter().map(find).collect();
            for row in 0..ways.ways.len() {
                lines.add_way(WayIndex { list, row }, ways, &found);
            }
        }
        match lines.missing.first {
            Some(MissingNode { way, node }) if lines.ways.is_empty() => {
                let problem = Problem::UnknownNode { field: "nd", value: node.to_string() };
                Err(FileLocation::Element("way", way).with(problem))
            }
            _ => Ok(lines),
        }
    }

    fn add_way(&mut self, way: WayIndex, ways: &Ways, found: &[Option<u32>]) {
        let Some(&(id, direction)) = ways.ways.get(way.row) else { return };
        let ids = ways.nodes.list(way.row);
        if ids.len() < 2 {
            self.short.add(id);
            return;
        }
        let found = found.get(ways.nodes.range(way.row)).unwrap_or_default();
        for (&node, _) in ids.iter().zip(found).filter(|(_, found)| found.is_none()) {
            self.missing.add(MissingNode { way: id, node });
        }
        match direction {
            AllowedDirection::Backward => self.add_lines(way, found.iter().rev()),
            AllowedDirection::Both | AllowedDirection::Forward => self.add_lines(way, found.iter()),
        }
    }

    fn add_lines<'a>(&mut self, way: WayIndex, found: impl Iterator<Item = &'a Option<u32>>) {
        let mut start = self.rows.len();
        for row in found.chain([&None]) {
            match *row {
                Some(row) if self.rows.len() > start && self.rows.last() == Some(&row) => {}
                Some(row) => self.rows.push(row),
                None => {
                    if self.rows.len().saturating_sub(start) < 2 {
                        self.rows.truncate(start);
                    } else {
                        self.ways.push(way);
                        self.ends.push(self.rows.len());
                    }
                    start = self.rows.len();
                }
            }
        }
    }

    /// Iterates over all lines with their ways.
    pub(super) fn iter(&self) -> impl Iterator<Item = (WayIndex, &[u32])> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let lines = starts.zip(&self.ends).map(|(start, &end)| self.rows.get(start..end));
        self.ways.iter().copied().zip(lines.map(Option::unwrap_or_default))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ways.is_empty()
    }

    /// Returns for each node how many times lines pass it, capped at 2.
    pub(super) fn uses(&self, nodes: usize) -> Vec<u8> {
        let mut uses = vec![0_u8; nodes];
        for &row in &self.rows {
            if let Some(uses) = uses.get_mut(row as usize) {
                *uses = uses.saturating_add(1).min(2);
            }
        }
        uses
    }

    /// Returns the number of distinct pairs of consecutive nodes.
    pub(super) fn distinct_pairs(&self) -> u64 {
        let joined = self.iter().flat_map(|(_, rows)| rows.iter().zip(rows.iter().skip(1)));
        let pair = |(&a, &b): (&u32, &u32)| u64::from(a.min(b)) << 32 | u64::from(a.max(b));
        let mut pairs: Vec<u64> = joined.map(pair).collect();
        pairs.par_sort_unstable();
        pairs.dedup();
        pairs.len() as u64
    }

    /// Returns notes about skipped data.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(way) = self.short.first {
            let count = self.short.count;
            notes.push(format!(
                "skipped ways with fewer than two nodes: {count} (first: way {way})"
            ));
        }
        if let Some(MissingNode { way, node }) = self.missing.first {
            let count = self.missing.count;
            notes.push(format!(
                "nodes of ways missing in the file: {count} (first: node {node} of way {way}); \
                 the ways are cut there"
            ));
        }
        notes
    }
}
