//! The same people, hidden by any scheme: the last minute is lived through again.

use crate::tape::Asked;
use meshcloak::engine::{Batch, turn};
use meshcloak::guard::Promise;
use meshcloak::history::LastPositions;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::region::Region;
use meshcloak::scheme::{Description, Observer, Pace, Published, Scheme, State};
use meshcloak::units::Time;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Somebody was published.
#[derive(Clone, Debug)]
pub struct Publication {
    /// What she asked.
    pub query: Query,
    /// When it was published.
    pub at: Time,
    /// Who was in the set.
    pub members: Arc<Vec<QueryId>>,
    /// What the service was asked about.
    pub region: Arc<Region<'static>>,
    /// What the scheme saw at that turn, if it is recent.
    pub seen: Option<Arc<State>>,
}

/// What became of everyone.
#[derive(Debug, Default)]
pub struct Replay {
    /// By person, what was published for her, in order of time.
    pub published: BTreeMap<UserId, Vec<Publication>>,
    /// By query, who asked: members are named by their queries.
    pub asked: BTreeMap<QueryId, Query>,
}

/// What happened in the last seconds can be attacked; of them the state is kept.
pub const RECENT: u64 = 4_000;

impl Replay {
    /// Lets a scheme hide the people of a minute.
    pub fn of(scheme: Box<dyn Scheme>, minute: &[Asked]) -> Replay {
        let pace = scheme.describe().pace;
        let mut replay = Replay::default();
        let mut spy = Spy { scheme, seen: None, looks: false };
        let mut state = State::default();
        let mut positions = spy.history_horizon().map(LastPositions::new);
        let end = minute.last().map_or(0, |second| second.at.as_millis());
        for second in minute {
            spy.looks = second.at.as_millis() + RECENT > end;
            for query in second.queries.iter() {
                replay.asked.insert(query.id, query.clone());
            }
            for batch in batches(pace, second) {
                if let Some(positions) = &mut positions {
                    positions.record_all(&batch.arrivals, &mut state.history);
                }
                replay.turn(&mut spy, &mut state, batch);
            }
        }
        replay
    }

    fn turn(&mut self, spy: &mut Spy, state: &mut State, batch: Batch) {
        let at = batch.now;
        let turned = turn(spy, state, batch, &mut ());
        let mut sets: BTreeMap<u32, (Arc<Vec<QueryId>>, Arc<Region<'static>>)> = BTreeMap::new();
        let mut news = Vec::with_capacity(turned.served.len());
        for (query, set) in turned.served {
            let (members, region) = sets.entry(set).or_insert_with(|| {
                let cloaking = turned.published.set(set);
                (Arc::new(cloaking.members.to_vec()), Arc::new(cloaking.region.into_owned()))
            });
            news.push((query, Arc::clone(members), Arc::clone(region)));
        }
        let seen = spy.seen.take().filter(|_| !news.is_empty()).map(Arc::new);
        for (query, members, region) in news {
            let user = query.user;
            let publication = Publication { query, at, members, region, seen: seen.clone() };
            self.published.entry(user).or_default().push(publication);
        }
    }

    /// What was published for a person last, if that is recent, and its place in her list.
    pub fn recent(&self, user: UserId, end: Time) -> Option<(usize, &Publication)> {
        let hers = self.published.get(&user)?;
        let last = hers.last()?;
        (last.at.as_millis() + RECENT > end.as_millis() && last.seen.is_some())
            .then_some((hers.len() - 1, last))
    }
}

/// A second as the scheme wants it: at once, or one by one.
fn batches(pace: Pace, second: &Asked) -> Vec<Batch> {
    let batch = |now, arrivals| Batch { now, arrivals, cancelled: Vec::new() };
    match pace {
        Pace::Batch => vec![batch(second.at, second.queries.to_vec())],
        Pace::Sequential => {
            let each =
                second.queries.iter().map(|query| batch(query.asked_at, vec![query.clone()]));
            each.chain([batch(second.at, Vec::new())]).collect()
        }
    }
}

/// Looks over the shoulder of a scheme.
struct Spy {
    scheme: Box<dyn Scheme>,
    seen: Option<State>,
    looks: bool,
}

impl Scheme for Spy {
    fn name(&self) -> &'static str {
        self.scheme.name()
    }

    fn describe(&self) -> Description {
        self.scheme.describe()
    }

    fn history_horizon(&self) -> Option<Duration> {
        self.scheme.history_horizon()
    }

    fn promise(&self) -> Option<Promise> {
        self.scheme.promise()
    }

    fn cloak(&mut self, state: &State, now: Time, watch: &mut dyn Observer) -> &mut Published {
        self.seen = self.looks.then(|| state.clone());
        self.scheme.cloak(state, now, watch)
    }
}
