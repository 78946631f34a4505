//! All regions of some ticks: what a service sees if nothing links two disclosures.

use meshcloak::region::Region;
use meshcloak::units::Time;
use std::ops::Range;
use std::time::Duration;

/// Regions by tick.
#[derive(Clone, Debug)]
pub struct RegionStream {
    tick: u64,
    /// Number of the first tick that is kept.
    first: usize,
    ticks: Vec<Vec<Region<'static>>>,
}

impl RegionStream {
    /// Creates an empty stream with ticks of that length; regions of ticks outside the window are
    /// not kept.
    pub fn new(tick: Duration, window: Range<usize>) -> RegionStream {
        let tick = (tick.as_millis() as u64).max(1);
        RegionStream { tick, first: window.start, ticks: vec![Vec::new(); window.len()] }
    }

    /// Adds the regions that are published at one time, each once, and returns the index of the
    /// first of them in its tick; `None` outside the window.
    pub fn add(&mut self, at: Time, regions: Vec<Region<'static>>) -> Option<usize> {
        let tick = self.tick_after(at).checked_sub(self.first)?;
        let known = self.ticks.get_mut(tick)?;
        let first = known.len();
        known.extend(regions);
        Some(first)
    }

    /// Regions of a tick; none outside the window.
    pub fn regions(&self, tick: usize) -> &[Region<'static>] {
        let index = tick.checked_sub(self.first);
        index.and_then(|index| self.ticks.get(index)).map_or(&[], Vec::as_slice)
    }

    /// Numbers of the ticks that are kept.
    pub fn window(&self) -> Range<usize> {
        self.first..self.first + self.ticks.len()
    }

    /// Number of the first tick at or after a time.
    pub fn tick_after(&self, at: Time) -> usize {
        at.as_millis().div_ceil(self.tick) as usize
    }

    /// Time of a tick.
    pub fn time(&self, tick: usize) -> Time {
        Time::from_millis(tick as u64 * self.tick)
    }
}
