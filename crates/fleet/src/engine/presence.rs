//! Users of a shard, as the engines of other cities ask about them.
//!
//! ```text
//!              claim                 all other cities are clear
//!   unknown ───────────▶ arriving ────────────────────────────▶ waiting ──▶ unknown
//!                           │ known elsewhere: held or refused      │  (under `history`: past
//!                           ▼                                       │   for one horizon)
//!                        unknown ◀──────────────────────────────────┘ withdrawn: another city asks
//! ```
//!
//! A shard marks its arriving users before it asks the others. So of two cities that ask about a
//! user at the same time, at least one sees the other; the city with the smaller name wins.

use crate::message::Elsewhere;
use meshcloak::history::LastPositions;
use meshcloak::map::Position;
use meshcloak::query::{Query, UserId};
use meshcloak::units::{Speed, Time};
use rustc_hash::FxHashSet;
use std::time::Duration;

/// Users of a shard.
#[derive(Debug, Default)]
pub struct Presence {
    /// Users whose queries wait for the replies of other cities.
    arriving: FxHashSet<UserId>,
    /// Users with a waiting query.
    waiting: FxHashSet<UserId>,
    /// Under `history`: last queries that bind their users to the city for the horizon.
    last: Option<BoundUsers>,
    /// Arriving and waiting users who have asked in another city.
    leaving: FxHashSet<UserId>,
    /// Time of the last tick.
    now: Time,
    /// Under `history`: seconds for which it is not known who has asked here; 0 if it is.
    unknown_seconds: u32,
}

/// Users with a query within the horizon.
#[derive(Debug)]
pub struct BoundUsers {
    /// Longest time for which a position counts.
    pub horizon: Duration,
    /// Their last positions.
    pub positions: LastPositions,
}

impl Presence {
    /// Creates a table of users with waiting queries and, under `history`, of bound users.
    pub fn new(last: Option<BoundUsers>, waiting: impl IntoIterator<Item = UserId>) -> Presence {
        Presence { last, waiting: waiting.into_iter().collect(), ..Presence::default() }
    }

    /// Whether a user belongs to this city: no other city needs to be asked.
    pub fn has(&mut self, user: UserId) -> bool {
        self.waiting.contains(&user) || self.seconds_left(user).is_some()
    }

    /// Marks a user whose query waits for the replies of other cities.
    pub fn claim(&mut self, user: UserId) {
        self.arriving.insert(user);
    }

    /// Ends a claim without admitting the user.
    pub fn drop_claim(&mut self, user: UserId) {
        self.arriving.remove(&user);
        self.leaving.remove(&user);
    }

    /// Ends a claim to which all other cities have agreed. Returns whether the user waits here now:
    /// no other city has asked since.
    pub fn end_claim(&mut self, user: UserId) -> bool {
        self.arriving.remove(&user);
        let stays = !self.leaving.remove(&user);
        if stays {
            self.waiting.insert(user);
        }
        stays
    }

    /// Notes a user with a waiting query.
    pub fn admit(&mut self, user: UserId) {
        self.waiting.insert(user);
    }

    /// Under `history`, records a query that binds its user: one that was accepted, or with the clock
    /// `published` one that left.
    pub fn record(&mut self, query: &Query) {
        self.bind(query.user, query.asked_at, query.position, query.speed);
    }

    /// As [`Presence::record`], for another shard of the city.
    pub fn bind(&mut self, user: UserId, at: Time, position: Position, speed: Option<Speed>) {
        if let Some(last) = &mut self.last {
            last.positions.insert(user, at, position, speed);
        }
    }

    /// Takes the users whose waiting queries are to be withdrawn.
    pub fn take_leaving(&mut self) -> Vec<UserId> {
        let waiting = &self.waiting;
        self.leaving.extract_if(|user| waiting.contains(user)).collect()
    }

    /// Sets the time, and for how long it is not known who has asked here.
    pub fn begin_tick(&mut self, now: Time, unknown_seconds: u32) {
        self.now = now;
        self.unknown_seconds = unknown_seconds;
    }

    /// Sets the users who wait after a tick, and forgets positions older than the horizon.
    pub fn end_tick(&mut self, waiting: impl IntoIterator<Item = UserId>) {
        self.waiting.clear();
        self.waiting.extend(waiting);
        let (waiting, arriving) = (&self.waiting, &self.arriving);
        self.leaving.retain(|user| waiting.contains(user) || arriving.contains(user));
        if let Some(last) = &mut self.last {
            last.positions.expire(self.now);
        }
    }

    /// Answers a claim of another city, and begins to withdraw the user's query here.
    pub fn answer(&mut self, user: UserId, is_smaller: bool) -> Option<Elsewhere> {
        if self.unknown_seconds > 0 {
            return Some(Elsewhere::Past(self.unknown_seconds));
        }
        if let Some(seconds) = self.seconds_left(user) {
            return Some(Elsewhere::Past(seconds));
        }
        if self.arriving.contains(&user) {
            // Both cities ask at the same time: this one wins if its name is smaller.
            if is_smaller {
                return Some(match &self.last {
                    Some(last) => Elsewhere::Past(seconds(last.horizon)),
                    None => Elsewhere::Waiting,
                });
            }
            self.leaving.insert(user);
            return None;
        }
        let is_waiting = self.waiting.contains(&user);
        // Under `history` it stays: the other city learns the past at the next tick.
        if is_waiting && self.last.is_none() {
            self.leaving.insert(user);
        }
        is_waiting.then_some(Elsewhere::Waiting)
    }

    /// Under `history`: seconds for which a user stays bound to this city.
    fn seconds_left(&mut self, user: UserId) -> Option<u32> {
        let until = self.last.as_mut()?.positions.until(user, self.now)?;
        Some(seconds(until - self.now))
    }
}

/// Rounds a duration up to seconds.
fn seconds(duration: Duration) -> u32 {
    u32::try_from(duration.as_secs()).unwrap_or(u32::MAX).saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::history::Horizon;
    use meshcloak::map::StreetId;
    use meshcloak::units::Length;
    use rand::{RngExt as _, SeedableRng as _};
    use rand_pcg::Pcg64;

    const USER: UserId = UserId(7);

    fn at(seconds: u64) -> Time {
        Time::from_millis(1_000 * seconds)
    }

    fn place() -> Position {
        Position { street: StreetId(0), offset: Length::ZERO }
    }

    fn query() -> Query {
        let query = Query::builder(USER, place()).at(at(1)).k(2).dt(Duration::from_secs(2));
        query.dc(Length::metres(200.0)).build(Length::metres(1_000.0)).unwrap()
    }

    fn bound() -> Option<BoundUsers> {
        let horizon = Duration::from_secs(60);
        Some(BoundUsers { horizon, positions: LastPositions::new(horizon) })
    }

    #[test]
    fn a_waiting_query_is_withdrawn_before_the_other_city_is_clear() {
        let mut here = Presence::default();
        here.claim(USER);
        assert!(here.end_claim(USER));
        here.admit(USER);
        here.end_tick([USER]);
        assert_eq!(here.answer(USER, false), Some(Elsewhere::Waiting));
        assert_eq!(here.take_leaving(), [USER]);
        assert_eq!(here.answer(USER, false), Some(Elsewhere::Waiting), "until the tick ends");
        here.end_tick([]);
        assert_eq!(here.answer(USER, false), None);
        assert!(here.take_leaving().is_empty(), "the withdrawal is forgotten");
    }

    #[test]
    fn under_history_a_query_binds_its_user_for_the_horizon() {
        let mut here = Presence::new(bound(), []);
        here.bind(USER, at(10), place(), None);
        let mut answer = |now: u64, unknown: u32| {
            here.begin_tick(at(now), unknown);
            here.answer(USER, false)
        };
        assert_eq!(answer(10, 0), Some(Elsewhere::Past(61)));
        assert_eq!(answer(70, 0), Some(Elsewhere::Past(1)));
        assert_eq!(answer(71, 0), None);
        assert_eq!(
            answer(71, 9),
            Some(Elsewhere::Past(9)),
            "after a lost log every user may have asked"
        );
        here.begin_tick(at(71), 0);
        here.bind(USER, at(40), place(), None);
        here.bind(USER, at(30), place(), None);
        here.begin_tick(at(100), 0);
        here.end_tick([]);
        assert!(here.has(USER), "the later of two queries counts");
        here.begin_tick(at(101), 0);
        here.end_tick([]);
        assert!(!here.has(USER) && here.last.unwrap().positions.is_empty());
    }

    #[test]
    fn a_slow_user_is_bound_until_it_can_have_travelled_the_distance() {
        let time = Duration::from_secs(60);
        let horizon = Horizon { time, distance: Length::metres(600.0) };
        let positions = LastPositions::new(horizon);
        let bound = BoundUsers { horizon: horizon.longest(), positions };
        let mut here = Presence::new(Some(bound), []);
        for (metres_per_second, seconds) in [(2.0, 301), (20.0, 61)] {
            here.bind(USER, at(10), place(), Some(Speed::metres_per_second(metres_per_second)));
            here.begin_tick(at(10), 0);
            assert_eq!(here.answer(USER, false), Some(Elsewhere::Past(seconds)));
        }
    }

    /// Two cities ask about a user, in a random order of steps: claim, ask the other, end. Returns
    /// which of them have admitted the user, and whether both asked before one ended.
    fn race(is_history: bool, random: &mut Pcg64) -> ([bool; 2], bool) {
        let mut cities = [0, 1].map(|_| Presence::new(bound().filter(|_| is_history), []));
        let (mut step, mut is_clear, mut is_admitted) = ([0, 0], [false; 2], [false; 2]);
        let mut is_race = false;
        while step != [3, 3] {
            let city = usize::from(step[0] == 3 || (step[1] < 3 && random.random_bool(0.5)));
            let other = 1 - city;
            match step[city] {
                0 => cities[city].claim(USER),
                1 => is_clear[city] = cities[other].answer(USER, other < city).is_none(),
                _ if is_clear[city] => {
                    is_admitted[city] = cities[city].end_claim(USER);
                    if is_admitted[city] {
                        cities[city].admit(USER);
                        cities[city].record(&query());
                    }
                }
                _ => cities[city].drop_claim(USER),
            }
            step[city] += 1;
            is_race |= step == [2, 2];
            if random.random_bool(0.2) {
                let waiting = is_admitted[city].then_some(USER);
                cities[city].end_tick(waiting);
            }
        }
        (is_admitted, is_race)
    }

    #[test]
    fn two_cities_never_admit_a_user_at_once() {
        for is_history in [false, true] {
            let (mut random, mut admitted, mut races) = (Pcg64::seed_from_u64(5), 0, 0);
            for _ in 0..5_000 {
                let (is_admitted, is_race) = race(is_history, &mut random);
                assert_ne!(is_admitted, [true, true]);
                admitted += usize::from(is_admitted != [false, false]);
                races += usize::from(is_race);
            }
            assert!(admitted > 4_000 && races > 500, "{is_history}: {admitted} {races}");
        }
    }
}
