//! The hostile service: a Bayesian filter that follows one user.
//!
//! It knows the mobility model, all requested paths with their times, how fast the target moves
//! compared with others, and the exact position of the target at one moment. A user is always in a cell that was requested within its lifetime, since
//! otherwise a new path would have been requested: mass outside is excluded every second.

use super::mobility::Mobility;
use crate::entropy::entropy;

/// Probability below which a cell is dropped.
const MIN_PROBABILITY: f64 = 1e-6;

/// Distribution of a target over directed cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Tracker {
    /// Directed cells and their probabilities, in an order that depends on the input alone.
    masses: Vec<(u32, f64)>,
    /// Speed relative to the mean of each street.
    pace: f64,
}

/// State of the adversary about the target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrackerState {
    /// Entropy over cells, in bits.
    pub bits: f64,
    /// Probability of the true cell.
    pub truth: f64,
    /// Probability that the most likely cell is the true one.
    pub success: f64,
}

/// Dense buffer of probabilities, one per thread.
pub struct TrackerScratch {
    masses: Vec<f64>,
    touched: Vec<u32>,
}

impl TrackerScratch {
    /// Creates a buffer for `cells` directed cells.
    pub fn new(cells: usize) -> TrackerScratch {
        TrackerScratch { masses: vec![0.0; cells], touched: Vec::new() }
    }

    fn add(&mut self, index: u32, mass: f64) {
        let slot = &mut self.masses[index as usize];
        if *slot == 0.0 && mass > 0.0 {
            self.touched.push(index);
        }
        *slot += mass;
    }

    /// Removes and returns all masses.
    fn drain(&mut self) -> impl Iterator<Item = (u32, f64)> {
        let masses = &mut self.masses;
        self.touched
            .drain(..)
            .map(|index| (index, std::mem::replace(&mut masses[index as usize], 0.0)))
    }
}

impl Tracker {
    /// Begins with certainty; `pace` is the target's speed relative to the mean of each street.
    pub fn new(directed: u32, pace: f64) -> Tracker {
        Tracker { masses: vec![(directed, 1.0)], pace }
    }

    /// Advances one second; then excludes cells for which `is_possible` is false. If that is all of
    /// them, the adversary has lost the target, and nothing is excluded.
    pub fn step(
        &mut self,
        mobility: &Mobility,
        scratch: &mut TrackerScratch,
        is_possible: impl Fn(u32) -> bool,
    ) {
        for &(directed, mass) in &self.masses {
            mobility.step(directed, self.pace, |next, probability| {
                scratch.add(next, mass * probability);
            });
        }
        self.masses.clear();
        self.masses.extend(scratch.drain());
        let is_kept = |mass: &(u32, f64)| is_possible(mobility.cells().cell(mass.0));
        if self.masses.iter().any(is_kept) {
            self.masses.retain(is_kept);
        }
        self.normalise();
        self.masses.retain(|mass| mass.1 >= MIN_PROBABILITY);
        self.normalise();
    }

    fn normalise(&mut self) {
        let total: f64 = self.masses.iter().map(|mass| mass.1).sum();
        for mass in &mut self.masses {
            mass.1 /= total;
        }
    }

    /// Measures the state against the true directed cell.
    pub fn state(
        &self,
        mobility: &Mobility,
        scratch: &mut TrackerScratch,
        truth: u32,
    ) -> TrackerState {
        let cells = mobility.cells();
        let truth = cells.cell(truth);
        for &(directed, mass) in &self.masses {
            scratch.add(cells.cell(directed), mass);
        }
        let masses: Vec<(u32, f64)> = scratch.drain().collect();
        let at_truth = masses.iter().find(|mass| mass.0 == truth).map_or(0.0, |mass| mass.1);
        let best = masses.iter().map(|mass| mass.1).fold(0.0, f64::max);
        let ties = masses.iter().filter(|mass| mass.1 == best).count();
        TrackerState {
            bits: entropy(masses.iter().map(|mass| mass.1)),
            truth: at_truth,
            success: if at_truth == best { 1.0 / ties.max(1) as f64 } else { 0.0 },
        }
    }
}
