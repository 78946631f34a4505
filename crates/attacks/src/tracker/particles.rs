//! The particle filter.

use super::movement::{Movement, street_of};
use super::scheme_model::Evidence;
use meshcloak::map::{Position, StreetId, StreetMap};
use meshcloak::mix::mix64;
use rustc_hash::FxHashMap;

/// A possible target.
#[derive(Clone, Copy, Debug)]
struct Particle {
    leg: u32,
    /// Metres from the start of the leg.
    along: f64,
    /// Difference from the mean speed, in standard deviations; the same on all legs.
    haste: f64,
    /// Street of the last query.
    asked: StreetId,
    /// Probability that the last query still waits.
    waiting: f64,
    weight: f64,
}

/// A street with the probability that the target is on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StreetWeight {
    /// The street.
    pub street: StreetId,
    /// Probability.
    pub weight: f64,
}

/// Follows one target. Equal input gives equal results: random numbers come from the seed.
#[derive(Clone, Debug)]
pub struct Tracker<'a> {
    movement: &'a Movement,
    particles: Vec<Particle>,
    drawn: u64,
}

impl<'a> Tracker<'a> {
    /// Starts at the known position of a query; the direction and the speed of the target are unknown.
    pub fn new(
        map: &StreetMap,
        movement: &'a Movement,
        start: Position,
        particles: usize,
        seed: u64,
    ) -> Tracker<'a> {
        let forward = 2 * start.street.0;
        let legs: Vec<u32> =
            [forward, forward + 1].into_iter().filter(|&leg| movement.is_allowed(leg)).collect();
        let offset = start.offset.as_metres();
        let length = map.street(start.street).length.as_metres();
        let particle = |number: usize| {
            let leg = legs[number % legs.len()];
            let along = if leg == forward { offset } else { length - offset };
            let haste = logistic_quantile((number as f64 + 0.5) / particles as f64);
            let (asked, weight) = (start.street, 1.0 / particles as f64);
            Particle { leg, along, haste, asked, waiting: 1.0, weight }
        };
        let particles = (0..particles).map(particle).collect();
        Tracker { movement, particles, drawn: mix64(seed) }
    }

    /// Moves all particles.
    pub fn advance(&mut self, seconds: f64) {
        for index in 0..self.particles.len() {
            let mut particle = self.particles[index];
            let mut left = seconds;
            loop {
                let speed = self.movement.speed(particle.leg, particle.haste);
                let rest = (self.movement.metres(particle.leg) - particle.along).max(0.0);
                if speed * left < rest || speed <= 0.0 {
                    particle.along += speed * left;
                    break;
                }
                left -= rest / speed;
                let Some(next) = self.movement.turn(particle.leg, self.draw()) else {
                    particle.along += rest;
                    break;
                };
                (particle.leg, particle.along) = (next, 0.0);
            }
            self.particles[index] = particle;
        }
    }

    /// The target asks; a query that still waits is replaced.
    pub fn ask(&mut self) {
        for particle in &mut self.particles {
            particle.asked = street_of(particle.leg as usize);
            particle.waiting = 1.0;
        }
    }

    /// Multiplies the weights by the likelihood of the regions of a tick: the mixture of "nothing is
    /// published" and "the target is in one of the regions". `evidence` is that of a target which waits
    /// and asked on a street; one that does not wait is published nowhere.
    pub fn observe(&mut self, evidence: impl Fn(StreetId) -> Evidence) {
        for particle in &mut self.particles {
            if particle.waiting > 0.0 {
                let Evidence { published, waiting } = evidence(particle.asked);
                let waits = particle.waiting * waiting;
                let total = 1.0 - particle.waiting + waits + particle.waiting * published;
                particle.weight *= total;
                particle.waiting = if total > 0.0 { waits / total } else { 0.0 };
            }
        }
        let sum: f64 = self.particles.iter().map(|particle| particle.weight).sum();
        if sum <= 0.0 {
            // Every particle is excluded: what was known before is kept.
            let even = 1.0 / self.particles.len() as f64;
            self.particles.iter_mut().for_each(|particle| particle.weight = even);
            return;
        }
        self.particles.iter_mut().for_each(|particle| particle.weight /= sum);
        let squares: f64 = self.particles.iter().map(|one| one.weight * one.weight).sum();
        if squares * self.particles.len() as f64 > 2.0 {
            self.resample();
        }
    }

    /// Replaces the particles by equally weighted ones, drawn at even distances (systematic
    /// resampling).
    fn resample(&mut self) {
        let count = self.particles.len();
        let step = 1.0 / count as f64;
        let mut threshold = step * self.draw();
        let mut cumulated = 0.0;
        let mut chosen = Vec::with_capacity(count);
        for particle in &self.particles {
            cumulated += particle.weight;
            while threshold < cumulated && chosen.len() < count {
                chosen.push(Particle { weight: step, ..*particle });
                threshold += step;
            }
        }
        while let (true, Some(&last)) = (chosen.len() < count, chosen.last()) {
            chosen.push(last);
        }
        self.particles = chosen;
    }

    /// Possible streets, the most probable first.
    pub fn streets(&self) -> Vec<StreetWeight> {
        let mut sums: FxHashMap<StreetId, f64> = FxHashMap::default();
        for particle in &self.particles {
            *sums.entry(street_of(particle.leg as usize)).or_default() += particle.weight;
        }
        let mut streets: Vec<StreetWeight> =
            sums.into_iter().map(|(street, weight)| StreetWeight { street, weight }).collect();
        streets
            .sort_unstable_by(|a, b| b.weight.total_cmp(&a.weight).then(a.street.cmp(&b.street)));
        streets
    }

    /// Next random number from 0 to 1.
    fn draw(&mut self) -> f64 {
        self.drawn = self.drawn.wrapping_add(1);
        (mix64(self.drawn) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Quantile of the logistic distribution of variance one, which is close to the normal one.
fn logistic_quantile(share: f64) -> f64 {
    3.0_f64.sqrt() / std::f64::consts::PI * (share / (1.0 - share)).ln()
}
