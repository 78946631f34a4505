//! What rows are computed from.

use super::pool::Pool;
use super::search::{Arcs, Search};
use super::street_row::StreetRow;
use crate::map::{Arm, StreetMap, TerminalId};
use crate::units::Length;
use rayon::prelude::*;
use std::sync::Arc;

/// A map, its arcs in both directions, and scratch buffers.
#[derive(Debug)]
pub(super) struct RowSource {
    pub(super) map: Arc<StreetMap>,
    pub(super) forward: Arc<Arcs>,
    /// `None` if every street is two-way, so that distances are symmetric.
    pub(super) backward: Option<Arc<Arcs>>,
    pub(super) dc_max: Length,
    pub(super) scratch: Pool<StreetRow>,
}

/// Largest number of terminals whose surroundings are counted for an estimate.
const SAMPLES: usize = 256;

impl RowSource {
    pub(super) fn new(map: Arc<StreetMap>, dc_max: Length) -> RowSource {
        let has_one_way = map.streets().any(|street| map.street(street).one_way);
        let forward = Arc::new(Arcs::forward(&map));
        let backward = has_one_way.then(|| Arc::new(Arcs::backward(&map)));
        RowSource { map, forward, backward, dc_max, scratch: Pool::default() }
    }

    /// Whether every street is two-way.
    pub(super) fn is_two_way(&self) -> bool {
        self.backward.is_none()
    }

    /// Estimates the number of entries of all rows of streets from [`SAMPLES`] terminals evenly
    /// spaced in the order of terminals; exact on maps with fewer.
    pub(super) fn estimate_entries(&self) -> usize {
        let terminals = self.map.terminal_count();
        let samples = terminals.min(SAMPLES);
        let counted: f64 = (0..samples)
            .into_par_iter()
            .map_init(Search::default, |search, sample| {
                let terminal = TerminalId((sample * terminals / samples) as u32);
                self.share(self.map.arriving(terminal)) * self.streets_around(search, terminal)
            })
            .collect::<Vec<f64>>()
            .into_iter()
            .sum();
        (counted * terminals as f64 / samples.max(1) as f64).ceil() as usize
    }

    /// Counts the streets that can be entered within `dc_max` of a terminal.
    fn streets_around(&self, search: &mut Search, from: TerminalId) -> f64 {
        let mut around = 0.0;
        search.start(&self.forward, Some(from));
        while search.frontier().is_some() {
            let found = search.step(&self.forward, self.dc_max.units());
            around += found.map_or(0.0, |(terminal, _)| self.share(self.map.leaving(terminal)));
        }
        around
    }

    /// A pair of streets is counted once per pair of usable ends, so an end counts as its share of
    /// the street.
    fn share(&self, arms: &[Arm]) -> f64 {
        let share = |arm: &Arm| if self.map.street(arm.street).one_way { 1.0 } else { 0.5 };
        arms.iter().map(share).sum()
    }
}
