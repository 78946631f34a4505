//! Cache of answers by inquiry. An inquiry depends on no single user, so its answer is shared.
//! The cache is bounded by the number of objects and streets; the oldest entry is evicted first.

use super::Objects;
use crate::inquiry::Inquiry;
use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Cached answers.
pub(crate) struct AnswerCache {
    capacity: usize,
    ttl: Duration,
    entries: Mutex<CacheEntries>,
}

#[derive(Default)]
struct CacheEntries {
    answers: HashMap<Arc<Inquiry>, (Instant, Arc<Objects>)>,
    /// Insertion times and keys, oldest first; replaced entries remain until they are oldest.
    order: VecDeque<(Instant, Arc<Inquiry>)>,
    weight: usize,
}

impl AnswerCache {
    /// Builds an empty cache. `capacity` is in objects plus streets, see [`weight`].
    pub(crate) fn new(capacity: usize, ttl: Duration) -> AnswerCache {
        AnswerCache { capacity, ttl, entries: Mutex::default() }
    }

    /// Returns the cached answer unless it has expired.
    pub(crate) fn get(&self, inquiry: &Inquiry) -> Option<Arc<Objects>> {
        let now = Instant::now();
        let entries = self.entries.lock();
        let (inserted, objects) = entries.answers.get(inquiry)?;
        (now < *inserted + self.ttl).then(|| objects.clone())
    }

    /// Inserts an answer unless it alone exceeds the capacity.
    pub(crate) fn put(&self, inquiry: &Inquiry, objects: &Arc<Objects>) {
        let weight = weight(inquiry, objects);
        if weight > self.capacity || self.ttl.is_zero() {
            return;
        }
        let now = Instant::now();
        let mut entries = self.entries.lock();
        entries.evict_while(|entries, inserted| {
            entries.weight + weight > self.capacity || inserted + self.ttl <= now
        });
        let inquiry = Arc::new(inquiry.clone());
        let old = entries.answers.insert(inquiry.clone(), (now, objects.clone()));
        entries.weight -= old.map_or(0, |(_, old)| self::weight(&inquiry, &old));
        entries.weight += weight;
        entries.order.push_back((now, inquiry));
    }
}

impl CacheEntries {
    /// Removes the oldest entry while `condition` holds for its insertion time.
    fn evict_while(&mut self, condition: impl Fn(&CacheEntries, Instant) -> bool) {
        while let Some(&(inserted, _)) = self.order.front()
            && condition(self, inserted)
        {
            let Some((inserted, inquiry)) = self.order.pop_front() else { return };
            // The answer may have been replaced by a newer one, which stays.
            if self.answers.get(&inquiry).is_some_and(|entry| entry.0 == inserted)
                && let Some((_, objects)) = self.answers.remove(&inquiry)
            {
                self.weight -= weight(&inquiry, &objects);
            }
        }
    }
}

/// Weight of an entry: objects plus streets plus 1.
fn weight(inquiry: &Inquiry, objects: &Objects) -> usize {
    1 + inquiry.region().len() + objects.objects().len()
}
