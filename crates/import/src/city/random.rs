//! Chance from a seed, the same on every machine.

use meshcloak::mix::mix64;
use rand::{Rng as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;

/// A stream of random choices.
pub(super) struct RandomStream(Pcg64Mcg);

impl RandomStream {
    /// The stream of a seed; different purposes draw from different streams.
    pub(super) fn new(seed: u64, purpose: u64) -> RandomStream {
        RandomStream(Pcg64Mcg::seed_from_u64(seed ^ mix64(purpose)))
    }

    /// Any 64 bits.
    pub(super) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Between 0 and 1, without 1.
    pub(super) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Between two numbers.
    pub(super) fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Whether a thing of this probability happens.
    pub(super) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// One of them.
    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[(self.bits() % from.len() as u64) as usize]
    }
}
