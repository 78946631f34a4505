//! Comparison of schemes: the same recorded queries cloaked by one or two schemes, and an attack
//! on one target. It needs the ground truth, which only the demo has.
//!
//! ```text
//! Recording ─ snapshot ─▶ Moment ─ scheme ─▶ Replay ─ attack, target ─▶ Side
//! ```

mod pursuit;
mod replay;
mod schemes;
mod side;
mod trips;

pub use pursuit::TrackedPoint;
pub use schemes::{Choice, SCHEMES};
pub use side::Side;

use crate::recording::RecordedSecond;
use attacks::ages::AGES;
use attacks::questions::QUESTIONS;
use attacks::{ATTACKS, Attack, Prior};
use meshcloak::distance::Atlas;
use meshcloak::map::{Frame, StreetMap};
use meshcloak::query::{QueryId, UserId};
use meshcloak::units::Time;
use parking_lot::Mutex;
use replay::Replay;
use schemes::SchemeFactory;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, OnceLock};
use trips::Trips;

/// Request of a comparison.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompareRequest {
    /// One or two schemes.
    pub schemes: Vec<String>,
    /// The attack.
    pub attack: String,
    /// Number of an earlier moment; the present if missing or no longer kept.
    pub moment: Option<u64>,
    /// Number of the target; chosen among the users published by all schemes if missing.
    pub victim: Option<u64>,
    /// Choose the next target after this number.
    pub after: Option<u64>,
}

/// Result of a comparison.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// Number of the moment, to repeat the comparison.
    pub moment: u64,
    /// The target; `None` if no user was published by all schemes.
    pub victim: Option<TargetBody>,
    /// Number of users published by all schemes.
    pub published: usize,
    /// Result of each scheme.
    pub sides: Vec<Side>,
}

/// The user under attack.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TargetBody {
    /// Number of the agent.
    pub number: u64,
    /// Longitude of the query, degrees.
    pub lon: f64,
    /// Latitude of the query, degrees.
    pub lat: f64,
    /// Requested size of the anonymity set.
    pub k: u32,
}

/// Why a comparison is not possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArenaError {
    /// Unknown scheme, or not one or two.
    #[error("`schemes` must hold one or two of the ids listed by /demo/info")]
    Scheme,
    /// Unknown attack.
    #[error("`attack` must be one of the ids listed by /demo/info")]
    Attack,
    /// Fewer than `MIN_SECONDS` seconds are recorded.
    #[error("the simulation has just started; try again in a few seconds")]
    TooSoon,
}

/// A snapshot of the recording, with the replays of the schemes used so far.
pub(crate) struct Moment {
    pub second: u64,
    pub end: Time,
    seconds: Vec<RecordedSecond>,
    pub prior: Prior,
    replays: Mutex<BTreeMap<&'static str, Arc<Replay>>>,
    /// Trips of the recorded users, for the tracker.
    trips: OnceLock<Trips>,
}

/// Compares schemes on one map.
pub struct Arena {
    pub(crate) atlas: Arc<Atlas>,
    pub(crate) factory: SchemeFactory,
    pub(crate) frame: Frame,
    moments: Mutex<VecDeque<Arc<Moment>>>,
}

/// Largest number of moments kept.
const MAX_MOMENTS: usize = 6;

/// Smallest number of recorded seconds for a comparison.
const MIN_SECONDS: usize = 8;

impl Arena {
    /// Creates an arena without moments.
    pub fn new(atlas: Arc<Atlas>, frame: Frame) -> Arena {
        let factory = SchemeFactory::new(Arc::clone(&atlas));
        Arena { atlas, factory, frame, moments: Mutex::default() }
    }

    /// Runs a comparison. `now` returns the recording; it is called unless an earlier moment is
    /// requested.
    pub fn compare(
        &self,
        request: &CompareRequest,
        now: impl FnOnce() -> Vec<RecordedSecond>,
    ) -> Result<Comparison, ArenaError> {
        let known = |id: &String| SCHEMES.iter().find(|scheme| scheme.id == id);
        let schemes: Option<Vec<&Choice>> = request.schemes.iter().map(known).collect();
        let schemes = schemes.filter(|list| (1..=2).contains(&list.len()));
        let schemes = schemes.ok_or(ArenaError::Scheme)?;
        let attack = attacks::by_name(&request.attack).ok_or(ArenaError::Attack)?;
        let moment = self.moment(request.moment, now)?;
        let replays: Vec<Arc<Replay>> =
            schemes.iter().map(|scheme| moment.replay(&self.factory, scheme.id)).collect();
        let common = published_by_all(&replays, moment.end);
        let target = choose(&common, request, |user| self.is_typical(&replays, user, moment.end));
        let sides = schemes.iter().zip(&replays).map(|(scheme, replay)| {
            let scene =
                side::SchemeScene { arena: self, moment: &moment, replay, scheme: scheme.id };
            scene.side(attack, target.map(|(user, _)| user))
        });
        Ok(Comparison {
            moment: moment.second,
            sides: sides.collect(),
            victim: target.and_then(|(user, query)| self.describe(&replays, user, query)),
            published: common.len(),
        })
    }

    fn moment(
        &self,
        wanted: Option<u64>,
        now: impl FnOnce() -> Vec<RecordedSecond>,
    ) -> Result<Arc<Moment>, ArenaError> {
        let mut moments = self.moments.lock();
        if let Some(moment) = moments.iter().find(|moment| Some(moment.second) == wanted) {
            return Ok(Arc::clone(moment));
        }
        let seconds = now();
        let end =
            seconds.last().filter(|_| seconds.len() >= MIN_SECONDS).ok_or(ArenaError::TooSoon)?.at;
        let second = end.as_millis() / 1000;
        if let Some(moment) = moments.iter().find(|moment| moment.second == second) {
            return Ok(Arc::clone(moment));
        }
        let prior = self.prior(&seconds);
        let (replays, trips) = (Mutex::default(), OnceLock::new());
        let moment = Arc::new(Moment { second, end, seconds, prior, replays, trips });
        moments.push_back(Arc::clone(&moment));
        if moments.len() > MAX_MOMENTS {
            moments.pop_front();
        }
        Ok(moment)
    }

    /// Prior of the adversary: queries per metre of each street.
    fn prior(&self, seconds: &[RecordedSecond]) -> Prior {
        let map = self.atlas.map();
        let mut per_metre = vec![0.05; map.street_count()];
        for query in seconds.iter().flat_map(|second| second.queries.iter()) {
            per_metre[query.position.street.index()] += 1.0;
        }
        for (street, weight) in map.streets().zip(&mut per_metre) {
            *weight /= map.metres(street).max(1.0);
        }
        Prior { per_metre }
    }

    /// Whether a user is a good example: k is at least [`EXAMPLE_K`] and all regions contain the
    /// position.
    fn is_typical(&self, replays: &[Arc<Replay>], user: UserId, end: Time) -> bool {
        replays.iter().filter_map(|replay| replay.recent(user, end)).all(|(_, last)| {
            let inside = last.region.contains(self.atlas.map(), last.query.position);
            inside && last.query.k >= EXAMPLE_K
        })
    }

    fn describe(&self, replays: &[Arc<Replay>], user: UserId, id: QueryId) -> Option<TargetBody> {
        let query = replays.iter().find_map(|replay| replay.queries.get(&id))?;
        let lon_lat = self.frame.lon_lat(self.atlas.map().point(query.position));
        Some(TargetBody { number: user.0, lon: lon_lat.lon, lat: lon_lat.lat, k: query.k })
    }
}

impl Moment {
    fn trips(&self, map: &StreetMap) -> &Trips {
        self.trips.get_or_init(|| Trips::new(map, &self.seconds))
    }

    fn replay(&self, factory: &SchemeFactory, id: &'static str) -> Arc<Replay> {
        let mut replays = self.replays.lock();
        let replay = replays.entry(id).or_insert_with(|| {
            let scheme = factory.make(id).expect("the id is one of SCHEMES");
            Arc::new(Replay::new(scheme, &self.seconds))
        });
        Arc::clone(replay)
    }
}

/// Returns the users whose last query was recently published by all schemes, ascending, with that
/// query.
fn published_by_all(replays: &[Arc<Replay>], end: Time) -> Vec<(UserId, QueryId)> {
    let Some((first, others)) = replays.split_first() else { return Vec::new() };
    let last = |replay: &Replay, user| replay.recent(user, end).map(|(_, last)| last.query.id);
    let users = first.published.keys();
    let published = users.filter_map(|&user| Some((user, last(first, user)?)));
    let by_all = |&(user, id): &(UserId, QueryId)| {
        others.iter().all(|replay| last(replay, user) == Some(id))
    };
    published.filter(by_all).collect()
}

/// Smallest k of a target that is chosen as an example.
const EXAMPLE_K: u32 = 4;

/// Returns the requested target, or the next one, or the first good example.
fn choose(
    common: &[(UserId, QueryId)],
    request: &CompareRequest,
    is_typical: impl Fn(UserId) -> bool,
) -> Option<(UserId, QueryId)> {
    let find = |fits: &dyn Fn(u64) -> bool| common.iter().find(|(user, _)| fits(user.0));
    let requested = request.victim.and_then(|number| find(&|user| user == number));
    let next = request.after.and_then(|after| find(&|user| user > after));
    let first = || common.iter().find(|(user, _)| is_typical(*user)).or(common.first());
    requested.or(next).or_else(first).copied()
}

/// An attack that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AttackChoice {
    /// Id in URLs and requests.
    pub id: &'static str,
    /// Label in lists.
    pub label: &'static str,
    /// Knowledge of the adversary, in one sentence.
    pub about: String,
}

/// Returns all attacks; the adversary of the paper (§III-F) first.
pub fn attack_choices() -> Vec<AttackChoice> {
    // Neither questions nor the times on users' lines are recorded.
    let has_place = |attack: &&Attack| ![QUESTIONS.name, AGES.name].contains(&attack.name);
    let mut all: Vec<Attack> = ATTACKS.iter().filter(has_place).copied().collect();
    all.sort_by_key(|attack| attack.name != "known-point");
    let choice = |Attack { name: id, level, needs, .. }: Attack| {
        let about = format!("Level {}: the adversary knows {needs}.", level.name());
        AttackChoice { id, label: label(id), about }
    };
    all.into_iter().map(choice).collect()
}

/// Label of an attack.
fn label(attack: &'static str) -> &'static str {
    match attack {
        "known-point" => "knows the previous position",
        "matching" => "knows everyone's previous position and when everyone asked",
        "matching-tick" => "knows everyone's previous publication and the time of this one",
        "cadence" => "knows that the target asks at a fixed interval",
        "hindsight" => "knows the previous position and the next publication",
        "inversion" => "knows all users and reruns the algorithm",
        "reachability" => "follows the target from region to region",
        "region-inversion" => "finds the streets that explain the mesh",
        "boundary" => "measures back from the boundary of the mesh",
        "bayes" => "knows which streets are popular",
        "intersection" => "links three queries of the target",
        "sybils" => "adds four fake users",
        "homogeneity" => "counts distinct streets of the set",
        "timing" => "observes the times of queries",
        "centre" => "guesses the centre of the region",
        "tracker" => "follows the target for a minute through all regions",
        "together" => "combines all attacks of a service",
        other => other,
    }
}

#[cfg(test)]
mod tests;
