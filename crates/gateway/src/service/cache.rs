//! Answers of a moment ago, by inquiry. They depend on nobody, so whoever asks the same about the
//! same region may have them. Bounded by how many objects they hold, oldest forgotten first.

use super::Objects;
use crate::inquiry::Inquiry;
use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Remembered answers.
pub(crate) struct Cache {
    most: usize,
    fresh: Duration,
    shelf: Mutex<Shelf>,
}

#[derive(Default)]
struct Shelf {
    answers: HashMap<Arc<Inquiry>, (Instant, Arc<Objects>)>,
    /// In the order in which they came.
    order: VecDeque<(Instant, Arc<Inquiry>)>,
    weight: usize,
}

impl Cache {
    /// Remembers answers of at most `most` objects and streets together, each for as long as it
    /// is `fresh`.
    pub(crate) fn new(most: usize, fresh: Duration) -> Cache {
        Cache { most, fresh, shelf: Mutex::default() }
    }

    /// The answer to an inquiry, if it is remembered.
    pub(crate) fn get(&self, inquiry: &Inquiry) -> Option<Arc<Objects>> {
        let now = Instant::now();
        self.change(|shelf| {
            let (since, objects) = shelf.answers.get(inquiry)?;
            (now < *since + self.fresh).then(|| objects.clone())
        })
    }

    /// Remembers an answer.
    pub(crate) fn put(&self, inquiry: &Inquiry, objects: &Arc<Objects>) {
        let weight = weight(inquiry, objects);
        if weight > self.most || self.fresh.is_zero() {
            return;
        }
        let now = Instant::now();
        self.change(|shelf| {
            shelf.forget_while(|shelf, since| {
                shelf.weight + weight > self.most || since + self.fresh <= now
            });
            let inquiry = Arc::new(inquiry.clone());
            let old = shelf.answers.insert(inquiry.clone(), (now, objects.clone()));
            shelf.weight -= old.map_or(0, |(_, old)| self::weight(&inquiry, &old));
            shelf.weight += weight;
            shelf.order.push_back((now, inquiry));
        });
    }

    fn change<T>(&self, change: impl FnOnce(&mut Shelf) -> T) -> T {
        change(&mut self.shelf.lock())
    }
}

impl Shelf {
    fn forget_while(&mut self, forget: impl Fn(&Shelf, Instant) -> bool) {
        while let Some(&(since, _)) = self.order.front()
            && forget(self, since)
        {
            let Some((since, inquiry)) = self.order.pop_front() else { return };
            // One that was replaced since is not the one that goes.
            if self.answers.get(&inquiry).is_some_and(|kept| kept.0 == since)
                && let Some((_, objects)) = self.answers.remove(&inquiry)
            {
                self.weight -= weight(&inquiry, &objects);
            }
        }
    }
}

/// What an answer takes, in objects and streets.
fn weight(inquiry: &Inquiry, objects: &Objects) -> usize {
    1 + inquiry.region().len() + objects.objects().len()
}
