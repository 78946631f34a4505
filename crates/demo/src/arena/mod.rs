//! The arena: the same people at the same second, hidden by one scheme and by another, and an
//! attacker who tries to find one of them. Only the demo can show this, for it knows the truth.

mod replay;
mod schemes;
mod side;

pub use schemes::{Choice, SCHEMES};
pub use side::Side;

use crate::tape::Asked;
use attacks::{Attack, Prior};
use meshcloak::distance::Atlas;
use meshcloak::map::Frame;
use meshcloak::query::{QueryId, UserId};
use meshcloak::units::Time;
use replay::Replay;
use schemes::Workshop;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What is to be compared.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wish {
    /// One or two schemes.
    pub schemes: Vec<String>,
    /// The attack.
    pub attack: String,
    /// A moment that was looked at before; otherwise, or if it is forgotten, now.
    pub moment: Option<u64>,
    /// A victim; otherwise somebody whom all schemes published.
    pub victim: Option<u64>,
    /// The victim after this one.
    pub after: Option<u64>,
}

/// What comes of it.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// To look at the same people again.
    pub moment: u64,
    /// Who is attacked; `None` if nobody was published by all schemes.
    pub victim: Option<Victim>,
    /// How many people all schemes published.
    pub published: usize,
    /// Scheme by scheme.
    pub sides: Vec<Side>,
}

/// Who is attacked.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Victim {
    /// Her number in the crowd.
    pub number: u64,
    /// Where she asked, degrees east.
    pub lon: f64,
    /// Degrees north.
    pub lat: f64,
    /// Among how many she wanted to be hidden.
    pub k: u32,
}

/// Why nothing can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArenaError {
    /// No such scheme.
    #[error("one or two known schemes are needed")]
    Scheme,
    /// No such attack.
    #[error("no such attack")]
    Attack,
    /// The demo has only just begun.
    #[error("the crowd has only just come; ask again in a few seconds")]
    TooSoon,
}

/// A minute that somebody looks at.
pub(crate) struct Moment {
    pub second: u64,
    pub end: Time,
    minute: Vec<Asked>,
    pub prior: Prior,
    replays: Mutex<BTreeMap<&'static str, Arc<Replay>>>,
}

/// The arena.
pub struct Arena {
    pub(crate) atlas: Arc<Atlas>,
    pub(crate) workshop: Workshop,
    pub(crate) frame: Frame,
    moments: Mutex<VecDeque<Arc<Moment>>>,
}

/// So many moments are remembered.
const MOMENTS: usize = 6;

/// So many seconds must have passed before there is anything to compare.
const FIRST: usize = 8;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Arena {
    /// An arena on a map.
    pub fn new(atlas: Arc<Atlas>, frame: Frame) -> Arena {
        let workshop = Workshop::new(Arc::clone(&atlas));
        Arena { atlas, workshop, frame, moments: Mutex::default() }
    }

    /// Compares; `now` gives the last minute if no moment is asked for.
    pub fn compare(
        &self,
        wish: &Wish,
        now: impl FnOnce() -> Vec<Asked>,
    ) -> Result<Comparison, ArenaError> {
        let known = |id: &String| SCHEMES.iter().find(|scheme| scheme.id == id);
        let schemes: Option<Vec<&Choice>> = wish.schemes.iter().map(known).collect();
        let schemes = schemes.filter(|list| (1..=2).contains(&list.len()));
        let schemes = schemes.ok_or(ArenaError::Scheme)?;
        let attack = attacks::by_name(&wish.attack).ok_or(ArenaError::Attack)?;
        let moment = self.moment(wish.moment, now)?;
        let replays: Vec<Arc<Replay>> =
            schemes.iter().map(|scheme| moment.replay(&self.workshop, scheme.id)).collect();
        let common = common(&replays, moment.end);
        let victim = choose(&common, wish, |user| self.is_telling(&replays, user, moment.end));
        let sides = schemes.iter().zip(&replays).map(|(scheme, replay)| {
            let stage = side::Scene { arena: self, moment: &moment, replay, scheme: scheme.id };
            stage.side(attack.as_ref(), victim)
        });
        Ok(Comparison {
            moment: moment.second,
            sides: sides.collect(),
            victim: victim.and_then(|(user, query)| self.victim(&replays, user, query)),
            published: common.len(),
        })
    }

    fn moment(
        &self,
        wanted: Option<u64>,
        now: impl FnOnce() -> Vec<Asked>,
    ) -> Result<Arc<Moment>, ArenaError> {
        let mut moments = lock(&self.moments);
        if let Some(moment) = moments.iter().find(|moment| Some(moment.second) == wanted) {
            return Ok(Arc::clone(moment));
        }
        let minute = now();
        let end = minute.last().filter(|_| minute.len() >= FIRST).ok_or(ArenaError::TooSoon)?.at;
        let second = end.as_millis() / 1000;
        if let Some(moment) = moments.iter().find(|moment| moment.second == second) {
            return Ok(Arc::clone(moment));
        }
        let prior = self.prior(&minute);
        let moment = Arc::new(Moment { second, end, minute, prior, replays: Mutex::default() });
        moments.push_back(Arc::clone(&moment));
        if moments.len() > MOMENTS {
            moments.pop_front();
        }
        Ok(moment)
    }

    /// How popular streets are: where others asked.
    fn prior(&self, minute: &[Asked]) -> Prior {
        let map = self.atlas.map();
        let mut per_metre = vec![0.05; map.street_count()];
        for query in minute.iter().flat_map(|second| second.queries.iter()) {
            per_metre[query.position.street.index()] += 1.0;
        }
        for (street, weight) in map.streets().zip(&mut per_metre) {
            *weight /= map.metres(street).max(1.0);
        }
        Prior { per_metre }
    }

    /// Whether it says something about all schemes how she fares: she wants to be one of several,
    /// and is where they say.
    fn is_telling(&self, replays: &[Arc<Replay>], user: UserId, end: Time) -> bool {
        replays.iter().filter_map(|replay| replay.recent(user, end)).all(|(_, shown)| {
            let inside = shown.region.contains(self.atlas.map(), shown.query.position);
            inside && shown.query.k >= TELLING
        })
    }

    fn victim(&self, replays: &[Arc<Replay>], user: UserId, query: QueryId) -> Option<Victim> {
        let asked = replays.iter().find_map(|replay| replay.asked.get(&query))?;
        let place = self.frame.lon_lat(self.atlas.map().point(asked.position));
        Some(Victim { number: user.0, lon: place.lon, lat: place.lat, k: asked.k })
    }
}

impl Moment {
    fn replay(&self, workshop: &Workshop, id: &'static str) -> Arc<Replay> {
        let mut replays = lock(&self.replays);
        let replay = replays.entry(id).or_insert_with(|| {
            let scheme = workshop.make(id).expect("it is one of the choices");
            Arc::new(Replay::of(scheme, &self.minute))
        });
        Arc::clone(replay)
    }
}

/// Whom all schemes published lately, for the same question, ascending; with that question.
fn common(replays: &[Arc<Replay>], end: Time) -> Vec<(UserId, QueryId)> {
    let Some((first, others)) = replays.split_first() else { return Vec::new() };
    let hers = |replay: &Replay, user| replay.recent(user, end).map(|(_, shown)| shown.query.id);
    let users = first.published.keys();
    let asked = users.filter_map(|&user| Some((user, hers(first, user)?)));
    asked.filter(|&(user, id)| others.iter().all(|replay| hers(replay, user) == Some(id))).collect()
}

/// A victim who wants to be one of so many shows more than one who is content with two.
const TELLING: u32 = 4;

/// The victim that was asked for, or the next one, or the first who is telling.
fn choose(
    common: &[(UserId, QueryId)],
    wish: &Wish,
    telling: impl Fn(UserId) -> bool,
) -> Option<(UserId, QueryId)> {
    let find = |fits: &dyn Fn(u64) -> bool| common.iter().find(|(user, _)| fits(user.0));
    let wanted = wish.victim.and_then(|victim| find(&|user| user == victim));
    let next = wish.after.and_then(|after| find(&|user| user > after));
    let first = || common.iter().find(|(user, _)| telling(*user)).or(common.first());
    wanted.or(next).or_else(first).copied()
}

/// An attack that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AttackChoice {
    /// As in addresses.
    pub id: &'static str,
    /// As in lists.
    pub label: &'static str,
    /// What it needs and does, in a sentence.
    pub about: String,
}

/// The attacks one can choose from; the paper's own attacker first.
pub fn attack_choices() -> Vec<AttackChoice> {
    let mut all = attacks::all();
    all.sort_by_key(|attack| attack.name() != "known-point");
    let choice = |attack: &dyn Attack| {
        let about = format!("Level {}: it knows {}.", attack.level().name(), attack.needs());
        AttackChoice { id: attack.name(), label: label(attack.name()), about }
    };
    all.iter().map(|attack| choice(&**attack)).collect()
}

/// What an attacker does, in a few words.
fn label(attack: &'static str) -> &'static str {
    match attack {
        "known-point" => "knows where she asked before",
        "hindsight" => "knows that, and waits for her next one",
        "inversion" => "knows everyone, runs the algorithm again",
        "reachability" => "follows her from region to region",
        "region-inversion" => "asks which streets explain the mesh",
        "boundary" => "measures back from the frontier",
        "bayes" => "knows which streets are popular",
        "intersection" => "links three questions of hers",
        "sybils" => "sends four people of its own",
        "homogeneity" => "counts streets instead of people",
        "timing" => "watches when people ask",
        "centre" => "guesses the middle",
        "together" => "does all that a service can",
        other => other,
    }
}

#[cfg(test)]
mod tests;
