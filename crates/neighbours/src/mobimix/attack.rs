//! Attacks on a zone: which of the users who leave is the target?
//!
//! The adversary sees when and by which street each pseudonym disappears and appears, and knows the
//! [`TrafficModel`]. Of each pair of a user who entered and a user who left it computes a likelihood.

use super::visits::Visit;
use super::zone::Zone;
use crate::entropy::{binary_entropy, entropy};
use crate::normal::log_density;
use traffic::TrafficModel;

/// Knowledge that the adversary uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZoneAttack {
    /// Nothing but the anonymity set.
    None,
    /// Times of entering and leaving, and the speeds on each street.
    Timing,
    /// Frequencies of turns.
    Transition,
    /// Both.
    Combined,
}

impl ZoneAttack {
    /// All attacks, weakest first.
    pub const ALL: [ZoneAttack; 4] =
        [ZoneAttack::None, ZoneAttack::Timing, ZoneAttack::Transition, ZoneAttack::Combined];

    /// Name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            ZoneAttack::None => "none",
            ZoneAttack::Timing => "timing",
            ZoneAttack::Transition => "transition",
            ZoneAttack::Combined => "combined",
        }
    }
}

/// What an attack leaves of the anonymity of one visit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RemainingAnonymity {
    /// Effective anonymity: the user and all users with a pairwise entropy of at least `alpha`.
    pub effective: usize,
    /// Entropy of the adversary's distribution over the users who left, in bits.
    pub bits: f64,
    /// Probability that the adversary's best guess is the target.
    pub success: f64,
}

/// Smallest standard deviation of the time in a zone, in seconds: clocks are not exact.
const MIN_DEVIATION: f64 = 0.1;

/// The adversary at one zone.
#[derive(Clone, Copy)]
pub(super) struct ZoneAdversary<'a> {
    pub zone: &'a Zone,
    pub model: &'a TrafficModel,
    pub attack: ZoneAttack,
}

impl ZoneAdversary<'_> {
    /// Logarithm of the likelihood that the user who entered as `entry` is the one who left as `exit`.
    fn log_likelihood(&self, entry: &Visit, exit: &Visit) -> f64 {
        if exit.left < entry.entered {
            return f64::NEG_INFINITY;
        }
        let timing = match self.attack {
            ZoneAttack::Timing | ZoneAttack::Combined => Self::log_timing(entry, exit),
            ZoneAttack::None | ZoneAttack::Transition => 0.0,
        };
        let transition = match self.attack {
            ZoneAttack::Transition | ZoneAttack::Combined => {
                self.model.turn(entry.from, exit.to, self.zone.exits).ln()
            }
            ZoneAttack::None | ZoneAttack::Timing => 0.0,
        };
        timing + transition
    }

    fn log_timing(entry: &Visit, exit: &Visit) -> f64 {
        let mut time = entry.before;
        time += exit.after;
        let taken = (exit.left - entry.entered) as f64 / 1000.0;
        log_density(taken, time.mean, time.deviation.max(MIN_DEVIATION))
    }

    /// Attacks the visit `target`; `others` are the visits that it is mixed with.
    pub fn attack(&self, target: &Visit, others: &[&Visit], alpha: f64) -> RemainingAnonymity {
        let own = self.log_likelihood(target, target);
        let pair = |other: &&&Visit| {
            let log_ratio = self.log_likelihood(other, target) - own;
            binary_entropy(1.0 / (1.0 + log_ratio.exp())) >= alpha
        };
        let effective = 1 + others.iter().filter(pair).count();
        let likelihoods: Vec<f64> =
            others.iter().map(|exit| self.log_likelihood(target, exit)).collect();
        let best = likelihoods.iter().copied().fold(own, f64::max);
        let ties =
            likelihoods.iter().filter(|&&one| one == best).count() + usize::from(own == best);
        let all = likelihoods.iter().chain([&own]).map(|&one| (one - best).exp());
        let success = if own == best { 1.0 / ties as f64 } else { 0.0 };
        RemainingAnonymity { effective, bits: entropy(all), success }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TravelTime;
    use crate::mobimix::{MobimixSettings, Zone, ZoneKind};
    use meshcloak::map::TerminalId;
    use meshcloak::town::town;
    use traffic::Leg;

    /// A visit that needs 10 s to the junction and 5 s after it, each with a deviation of 1 s.
    fn visit(user: u32, entered: u64, left: u64) -> Visit {
        let time = |mean: f64| TravelTime { mean, deviation: 1.0 };
        let leg = Leg::from_index(0);
        Visit { user, from: leg, to: leg, entered, left, before: time(10.0), after: time(5.0) }
    }

    #[test]
    fn a_user_whom_the_time_does_not_explain_is_excluded() {
        let town = town("O 0,0 N 0,900 E 900,0 S 0,-900 | N-O E-O S-O");
        let model = TrafficModel::learn(&town.map, []);
        let (settings, kind) = (MobimixSettings::default(), ZoneKind::Rectangular);
        let zone = Zone::build(&town.map, TerminalId(0), &model, &settings, kind).unwrap();
        let target = visit(1, 10_000, 25_000);
        // The second user enters half a second later, the third one 8 s: 7 s are too few for the way.
        let (near, far) = (visit(2, 10_500, 25_500), visit(3, 18_000, 33_000));
        let attack = |attack| {
            let adversary = ZoneAdversary { zone: &zone, model: &model, attack };
            adversary.attack(&target, &[&near, &far], 0.9)
        };
        let (blind, timed) = (attack(ZoneAttack::None), attack(ZoneAttack::Timing));
        assert_eq!((blind.effective, timed.effective), (3, 2));
        assert!((blind.bits - 3.0_f64.log2()).abs() < 1e-9);
        assert!((blind.success - 1.0 / 3.0).abs() < 1e-9);
        // Times deviate by 2 s: the exit half a second later has weight e^(−1/32), the far one e^(−8).
        let weights = [1.0, (-1.0_f64 / 32.0).exp(), (-8.0_f64).exp()];
        assert!((timed.bits - entropy(weights.into_iter())).abs() < 1e-9, "{timed:?}");
        assert_eq!(timed.success, 1.0);
    }
}
