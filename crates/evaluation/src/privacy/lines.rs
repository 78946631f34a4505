//! Attack P on recorded lines: the ages of the members of all sets, learned on one half of the sets and
//! scored on the other.

use super::attack_score::{AttackScores, Observation, indicator};
use attacks::ages::{AGES, AgeModel, ReleasedMessage};
use meshcloak::mix::mix64;
use meshcloak::query::Query;
use meshcloak::scheme::{Published, State};
use meshcloak::units::Time;
use std::time::{Duration, Instant};

/// Lines of the members of every set.
#[derive(Debug, Default)]
pub(super) struct RecordedLines {
    sets: Vec<RecordedSet>,
}

#[derive(Debug)]
struct RecordedSet {
    /// Number of a member, which decides the half of the set.
    first: u64,
    /// Largest k of a member that asks.
    k: u32,
    messages: Vec<ReleasedMessage>,
}

impl RecordedLines {
    /// Adds the sets of a batch.
    pub(super) fn add_batch(&mut self, state: &State, now: Time, published: &Published) {
        if state.waiting.iter().all(|query| query.asks) {
            return;
        }
        let mut served = published.served().to_vec();
        served.sort_by_key(|served| served.set);
        for set in served.chunk_by(|a, b| a.set == b.set) {
            self.add(now, set.iter().map(|served| &state.waiting[served.index as usize]));
        }
    }

    /// Adds a set that was released at `at`.
    pub(super) fn add<'q>(&mut self, at: Time, members: impl Iterator<Item = &'q Query>) {
        let (mut first, mut k) = (u64::MAX, 0);
        let mut messages = Vec::new();
        for query in members {
            first = first.min(query.id.0);
            k = if query.asks { k.max(query.k) } else { k };
            messages.push(ReleasedMessage { age: at - query.asked_at, asks: query.asks });
        }
        self.sets.push(RecordedSet { first, k, messages });
    }

    /// Scores the attack; nothing if no user is present without a question.
    pub(super) fn score(self, scores: &mut AttackScores) {
        if self.sets.iter().flat_map(|set| &set.messages).all(|message| message.asks) {
            return;
        }
        let begun = Instant::now();
        let is_learned = |set: &&RecordedSet| mix64(set.first).is_multiple_of(2);
        let mut model = AgeModel::default();
        self.sets.iter().filter(is_learned).for_each(|set| model.learn(&set.messages));
        let score = scores.of(AGES.name);
        for set in self.sets.iter().filter(|set| !is_learned(set)) {
            let ages: Vec<Duration> = set.messages.iter().map(|message| message.age).collect();
            let found = model.posterior(&ages);
            let top = found.probabilities.iter().copied().fold(0.0, f64::max);
            let asking = set.messages.iter().zip(&found.probabilities);
            let asking: Vec<f64> = asking.filter(|(m, _)| m.asks).map(|(_, p)| *p).collect();
            let is_wrong = found.certain.is_some_and(|certain| !set.messages[certain].asks);
            let possible = found.probabilities.iter().filter(|p| **p > 0.0).count();
            score.add(&Observation {
                k: set.k,
                remaining: Some(possible),
                wrong: is_wrong,
                ..Observation::default()
            });
            score.add_figure("known for sure", indicator(found.certain.is_some() && !is_wrong));
            score.add_figure("top posterior", top.min(1.0));
            let mean = asking.iter().sum::<f64>() / asking.len().max(1) as f64;
            score.add_figure("posterior of the asker", mean.min(1.0));
            score.add_figure("k by users", set.messages.len() as f64);
            score.add_figure("k by askers", asking.len() as f64);
        }
        score.elapsed += begun.elapsed();
    }
}
