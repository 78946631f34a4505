//! Pairs of publications: consecutive ones of one user, and a user's with another user's.

use crate::field::Field;
use crate::publication::Publication;
use meshcloak::town::Town;
use rand::RngExt as _;
use rand::seq::IndexedRandom as _;
use std::collections::BTreeMap;

/// Negative pairs for each positive one, drawn among the nearest publications of the batch.
const NEGATIVES: usize = 4;
const NEAREST: usize = 12;

/// Which publications of other users are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Negatives {
    All,
    /// Those with the question of the user.
    SameQuestion,
}

/// Pairs of publications with the truth.
pub struct Pairs<'a> {
    pairs: Vec<(&'a Publication, &'a Publication)>,
    /// Whether both are of one user.
    labels: Vec<bool>,
}

impl<'a> Pairs<'a> {
    /// Forms the pairs of a recording.
    pub fn of(publications: &'a [Publication], negatives: Negatives, seed: u64) -> Pairs<'a> {
        let mut random = Town::generator(seed);
        let mut by_tick: BTreeMap<u32, Vec<&Publication>> = BTreeMap::new();
        let mut last_of: BTreeMap<usize, &Publication> = BTreeMap::new();
        for one in publications {
            by_tick.entry(one.tick).or_default().push(one);
        }
        let mut found = Pairs { pairs: Vec::new(), labels: Vec::new() };
        for one in publications {
            let Some(before) = last_of.insert(one.user, one) else { continue };
            found.push(before, one, true);
            let is_other = |other: &&Publication| {
                let same = other.seen.question == one.seen.question;
                other.request != one.request && (same || negatives == Negatives::All)
            };
            let mut others: Vec<&Publication> =
                by_tick[&one.tick].iter().copied().filter(is_other).collect();
            others.sort_by(|a, b| before.distance(a).total_cmp(&before.distance(b)));
            others.truncate(NEAREST);
            for _ in 0..NEGATIVES {
                if let Some(other) = others.choose(&mut random) {
                    found.push(before, other, false);
                }
            }
        }
        found
    }

    fn push(&mut self, a: &'a Publication, b: &'a Publication, label: bool) {
        self.pairs.push((a, b));
        self.labels.push(label);
    }

    /// Splits by user into pairs to learn from and pairs to test on.
    pub fn halves(self) -> (Pairs<'a>, Pairs<'a>) {
        let mut halves = [(); 2].map(|()| Pairs { pairs: Vec::new(), labels: Vec::new() });
        for ((a, b), label) in self.pairs.into_iter().zip(self.labels) {
            halves[a.user % 2].push(a, b, label);
        }
        let [train, test] = halves;
        (train, test)
    }

    pub fn labels(&self) -> &[bool] {
        &self.labels
    }

    /// Indices of the pairs of each user.
    pub fn by_user(&self) -> Vec<Vec<usize>> {
        let mut by_user: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (index, (a, _)) in self.pairs.iter().enumerate() {
            by_user.entry(a.user).or_default().push(index);
        }
        by_user.into_values().collect()
    }

    /// Place and time of each pair, and the given fields.
    pub fn features(&self, fields: &[Field]) -> Vec<Vec<f64>> {
        let features = |(a, b): &(&Publication, &Publication)| {
            let place = [a.distance(b), a.overlap(b), f64::from(b.tick - a.tick)];
            let more = fields.iter().flat_map(|field| field.features(a, b));
            place.into_iter().chain(more).collect()
        };
        self.pairs.iter().map(features).collect()
    }
}

#[test]
fn a_learner_finds_what_the_features_tell() {
    let mut random = Town::generator(3);
    let features: Vec<Vec<f64>> =
        (0..4000).map(|_| (0..3).map(|_| random.random_range(0.0..1.0)).collect()).collect();
    let learn = |labels: Vec<bool>| {
        let learner = crate::Learner::train(&features[..2000], &labels[..2000]);
        crate::score::auc(&labels[2000..], &learner.scores(&features[2000..]))
    };
    let either = learn(features.iter().map(|f| (f[0] > 0.5) != (f[1] > 0.5)).collect());
    assert!(either > 0.95, "{either}");
    let nothing = learn((0..4000).map(|_| random.random_bool(0.5)).collect());
    assert!((0.45..0.55).contains(&nothing), "{nothing}");
}
