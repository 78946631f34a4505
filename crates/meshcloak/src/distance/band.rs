//! The same part of the row of every street, concatenated.

use super::reach::{Crossing, ReachedStreet, UNREACHABLE};
use crate::map::StreetId;
use std::ops::Range;

/// Consecutive entries of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowPart<'a> {
    pub(crate) entries: &'a [ReachedStreet],
    /// Return path of each entry; `None` if it is the outward path.
    pub(crate) back: Option<&'a [Crossing]>,
}

impl RowPart<'_> {
    pub(crate) const EMPTY: RowPart<'static> = RowPart { entries: &[], back: None };
}

/// The near or the far part of all rows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Band {
    /// Start of each row, and the end of the last.
    pub(super) starts: Vec<usize>,
    pub(super) rows: Vec<ReachedStreet>,
    /// Return path of each entry; empty if every street is two-way.
    pub(super) back: Vec<Crossing>,
}

impl Band {
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.starts[..]) + size_of_val(&self.rows[..]) + size_of_val(&self.back[..])
    }

    /// Returns consecutive entries.
    #[inline]
    pub(super) fn part(&self, run: Range<usize>) -> RowPart<'_> {
        let entries = &self.rows[run.clone()];
        RowPart { entries, back: (!self.back.is_empty()).then(|| &self.back[run]) }
    }

    /// Sets the rank of each entry of a row in street order, the row's own street included; returns
    /// the rank of that street.
    pub(super) fn set_ranks(&mut self, street: StreetId) -> u8 {
        let run = self.run(street);
        let row = &mut self.rows[run];
        let mut order: Vec<u8> = (0..row.len() as u8).collect();
        order.sort_unstable_by_key(|&entry| row[usize::from(entry)].street);
        let before = order.partition_point(|&entry| row[usize::from(entry)].street < street) as u8;
        for (number, &entry) in (0..).zip(&order) {
            row[usize::from(entry)].rank = number + u8::from(number >= before);
        }
        before
    }

    pub(super) fn run(&self, street: StreetId) -> Range<usize> {
        self.starts[street.index()]..self.starts[street.index() + 1]
    }

    /// Splits the first entries off every row, at most `max`.
    pub(super) fn split_front(&mut self, max: usize) -> Band {
        let count = self.starts.windows(2).map(|ends| (ends[1] - ends[0]).min(max)).sum();
        let (rows, back) =
            (Vec::with_capacity(count), Vec::with_capacity(self.back.len().min(count)));
        let mut front = Band { starts: vec![0], rows, back };
        let (mut kept, mut start) = (0, 0);
        for street in 1..self.starts.len() {
            let end = std::mem::replace(&mut self.starts[street], 0);
            let middle = end.min(start + max);
            front.rows.extend_from_slice(&self.rows[start..middle]);
            front.starts.push(front.rows.len());
            self.rows.copy_within(middle..end, kept);
            if !self.back.is_empty() {
                front.back.extend_from_slice(&self.back[start..middle]);
                self.back.copy_within(middle..end, kept);
            }
            kept += end - middle;
            self.starts[street] = kept;
            start = end;
        }
        self.rows.truncate(kept);
        self.back.truncate(kept);
        self.rows.shrink_to_fit();
        self.back.shrink_to_fit();
        front
    }

    /// Returns, for each entry t of row s, the crossing from t to s: a transposition.
    ///
    /// Entries are processed by target street, so that only one row at a time is unpacked.
    pub(super) fn return_paths(&self, streets: usize) -> Vec<Crossing> {
        let mut starts = vec![0_usize; streets + 2];
        for reached in &self.rows {
            starts[reached.street.index() + 2] += 1;
        }
        for index in 2..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut incoming = vec![(0_u32, 0_u32); self.rows.len()];
        for street in 0..streets {
            for entry in self.starts[street]..self.starts[street + 1] {
                let slot = &mut starts[self.rows[entry].street.index() + 1];
                incoming[*slot] = (street as u32, entry as u32);
                *slot += 1;
            }
        }
        let mut there = vec![[UNREACHABLE; 4]; streets];
        let mut back = vec![[UNREACHABLE; 4]; self.rows.len()];
        for street in (0..streets as u32).map(StreetId) {
            for reached in &self.rows[self.run(street)] {
                there[reached.street.index()] = reached.crossing;
            }
            for &(from, entry) in &incoming[starts[street.index()]..starts[street.index() + 1]] {
                back[entry as usize] = there[from as usize];
            }
            for reached in &self.rows[self.run(street)] {
                there[reached.street.index()] = [UNREACHABLE; 4];
            }
        }
        back
    }
}
