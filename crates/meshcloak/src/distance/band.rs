//! A part of the row of every street, all of them in one place: whoever walks street after street
//! reads on where she is.

use super::reach::{BEYOND, Crossing, Reached};
use crate::map::StreetId;
use std::ops::Range;

/// Some entries of a row, and the ways back from them, should they not be the same.
pub(crate) type Part<'a> = (&'a [Reached], Option<&'a [Crossing]>);

/// A part of every row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Band {
    pub(super) starts: Vec<usize>,
    pub(super) rows: Vec<Reached>,
    /// The way back of each entry; empty if every street is two-way, for then it is the same way.
    pub(super) back: Vec<Crossing>,
}

impl Band {
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.starts[..]) + size_of_val(&self.rows[..]) + size_of_val(&self.back[..])
    }

    /// Some entries, and the ways back from them.
    #[inline]
    pub(super) fn part(&self, run: Range<usize>) -> Part<'_> {
        (&self.rows[run.clone()], (!self.back.is_empty()).then(|| &self.back[run]))
    }

    /// Numbers the entries of a row, and the street itself, in the order of streets; gives the place
    /// of the street.
    pub(super) fn put_in_order(&mut self, street: StreetId) -> u8 {
        let run = self.run(street);
        let row = &mut self.rows[run];
        let mut order: Vec<u8> = (0..row.len() as u8).collect();
        order.sort_unstable_by_key(|&entry| row[usize::from(entry)].street);
        let before = order.partition_point(|&entry| row[usize::from(entry)].street < street) as u8;
        for (number, &entry) in (0..).zip(&order) {
            row[usize::from(entry)].place = number + u8::from(number >= before);
        }
        before
    }

    pub(super) fn run(&self, street: StreetId) -> Range<usize> {
        self.starts[street.index()]..self.starts[street.index() + 1]
    }

    /// Takes the beginning of every row out, no more than `most` entries.
    pub(super) fn split_off(&mut self, most: usize) -> Band {
        let count = self.starts.windows(2).map(|ends| (ends[1] - ends[0]).min(most)).sum();
        let (rows, back) =
            (Vec::with_capacity(count), Vec::with_capacity(self.back.len().min(count)));
        let mut taken = Band { starts: vec![0], rows, back };
        let (mut kept, mut start) = (0, 0);
        for street in 1..self.starts.len() {
            let end = std::mem::replace(&mut self.starts[street], 0);
            let middle = end.min(start + most);
            taken.rows.extend_from_slice(&self.rows[start..middle]);
            taken.starts.push(taken.rows.len());
            self.rows.copy_within(middle..end, kept);
            if !self.back.is_empty() {
                taken.back.extend_from_slice(&self.back[start..middle]);
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
        taken
    }

    /// For each entry t of row s, the crossing from t to s.
    ///
    /// Entries are visited by the street they lead to, so that one row at a time lies open.
    pub(super) fn ways_back(&self, streets: usize) -> Vec<Crossing> {
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
        let mut there = vec![[BEYOND; 4]; streets];
        let mut back = vec![[BEYOND; 4]; self.rows.len()];
        for street in (0..streets as u32).map(StreetId) {
            for reached in &self.rows[self.run(street)] {
                there[reached.street.index()] = reached.crossing;
            }
            for &(from, entry) in &incoming[starts[street.index()]..starts[street.index() + 1]] {
                back[entry as usize] = there[from as usize];
            }
            for reached in &self.rows[self.run(street)] {
                there[reached.street.index()] = [BEYOND; 4];
            }
        }
        back
    }
}
