//! Seeded random numbers, identical on every machine.

use meshcloak::mix::mix64;
use rand::{Rng as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;

/// A stream of pseudo-random numbers.
pub(super) struct RandomStream(Pcg64Mcg);

impl RandomStream {
    /// Returns the stream for a seed; each `purpose` has an independent stream.
    pub(super) fn new(seed: u64, purpose: u64) -> RandomStream {
        RandomStream(Pcg64Mcg::seed_from_u64(seed ^ mix64(purpose)))
    }

    /// Returns 64 uniform bits.
    pub(super) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a uniform number in 0..1.
    pub(super) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a uniform number in `low..high`.
    pub(super) fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Returns true with the given probability.
    pub(super) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Returns a uniformly chosen element.
    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[(self.bits() % from.len() as u64) as usize]
    }
}
