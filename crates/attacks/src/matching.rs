//! A: reachability of all members at once. The adversary knows everyone's past and the places of the
//! set without names, and assigns users to places one to one. A place is possible for the target if
//! some assignment of all users gives it to the target.
//!
//! `history` withstands it (docs/SPEC.md §6): with the clock `asked` an adversary who knows when each
//! user asked, with the clock `published` one who knows only the time of publication. The assignments
//! are found by augmenting paths; guard and grouping use components instead.

use crate::attack::{Attack, Level};
use crate::posterior::{Piece, Posterior};
use crate::street_search::{SearchDirection, StreetInterval, StreetSearch};
use crate::view::{KnownMember, KnownPosition, View};
use meshcloak::map::{Position, StreetMap};
use meshcloak::units::Time;

/// The adversary who knows when each member asked: the clock `asked`.
pub const MATCHING: Attack = Attack {
    name: "matching",
    letter: 'A',
    level: Level::Pasts,
    needs: "every member's previous position, time of asking and top speed, and the places of the \
            set without names: places that some assignment of all members gives to the target",
    run: |view| attack(view, |_, member| (member.accepted, member.asked_at)),
};

/// The adversary who knows the times of publication only: the clock `published`.
pub const MATCHING_TICK: Attack = Attack {
    name: "matching-tick",
    letter: 'A',
    level: Level::Pasts,
    needs: "every member's last published position and top speed, the time of publication, and the \
            places of the set without names: as matching, without the times of asking",
    run: |view| {
        let at = view.disclosure().at;
        attack(view, |_, member| (member.published, at))
    },
};

/// The same, if the target asks at a fixed interval: its publications show when it can have asked.
/// The gateway releases standing questions at times that do not depend on the reports.
pub const CADENCE: Attack = Attack {
    name: "cadence",
    letter: 'A',
    level: Level::Pasts,
    needs: "the same, and the target's reporting interval: the latest time at which it can have asked, \
            by the times of its publications",
    run: |view| {
        let (at, asked_by) = (view.disclosure().at, latest_time_of_asking(view)?);
        attack(view, |is_target, member| (member.published, if is_target { asked_by } else { at }))
    },
};

/// Number of publications from which a cadence is inferred.
const MIN_PUBLICATIONS: usize = 3;

/// Returns the latest time at which the target can have asked the attacked query, if it asks every
/// `dc / v`. A publication is not earlier than its query, so the queries are not later than the start
/// of the shortest part of the interval that contains the times of all publications.
fn latest_time_of_asking(view: &View<'_>) -> Option<Time> {
    let speed = view.target.speed?.as_metres_per_second();
    let interval = (view.target.dc.as_metres() / speed * 1_000.0).round() as u64;
    let until_now = &view.disclosures[..=view.attacked];
    if interval == 0 || speed <= 0.0 || until_now.len() < MIN_PUBLICATIONS {
        return None;
    }
    let within = |at: Time, start: u64| (at.as_millis() + interval - start) % interval;
    let starts = until_now.iter().map(|disclosure| disclosure.at.as_millis() % interval);
    let longest = |start: u64| until_now.iter().map(|d| within(d.at, start)).max();
    let start = starts.min_by_key(|&start| longest(start))?;
    let at = view.disclosure().at;
    Some(Time::from_millis(at.as_millis() - within(at, start)))
}

/// Places of a set and users that can be at them.
struct Assignments {
    /// By user: the places that the user can have reached.
    possible: Vec<Vec<bool>>,
    /// By place: the user that is assigned to it.
    user_at: Vec<Option<usize>>,
}

/// `past` returns the position of a member that is known, and the time until which it can have moved;
/// its first argument tells whether the member is the target.
fn attack(
    view: &View<'_>,
    past: impl Fn(bool, &KnownMember) -> (Option<KnownPosition>, Time),
) -> Option<Posterior> {
    let set = view.set?;
    let map = view.atlas.map();
    let mut search = StreetSearch::default();
    let reached = |(number, member): (usize, &KnownMember)| {
        let (previous, until) = past(number == set.target, member);
        let known = previous.zip(member.speed);
        known.map_or(vec![true; set.places.len()], |(previous, speed)| {
            let source = StreetInterval::from(&Piece::point(previous.position));
            let bound = speed * (until - previous.at);
            search.search(map, &[source], bound, SearchDirection::Forward);
            set.places.iter().map(|&place| touches(&mut search, map, place)).collect()
        })
    };
    let possible: Vec<Vec<bool>> = set.members.iter().enumerate().map(reached).collect();
    let mut assignments = Assignments { possible, user_at: vec![None; set.places.len()] };
    // Without an assignment of all users the adversary's knowledge is contradictory.
    let is_complete = (0..set.members.len()).all(|user| assignments.assign(user, &mut Vec::new()));
    let places = is_complete.then(|| assignments.places_of(set.target))?;
    let mut pieces: Vec<Piece> =
        places.into_iter().map(|place| Piece::point(set.places[place])).collect();
    pieces.sort_unstable_by_key(|piece| (piece.street, piece.from));
    Some(Posterior::of_pieces(pieces))
}

fn touches(search: &mut StreetSearch, map: &StreetMap, place: Position) -> bool {
    let point = StreetInterval::from(&Piece::point(place));
    search.touches(map, point, SearchDirection::Forward)
}

impl Assignments {
    /// Assigns a place to a user by an augmenting path; `tried` are places not to try again.
    fn assign(&mut self, user: usize, tried: &mut Vec<usize>) -> bool {
        for place in 0..self.user_at.len() {
            if !self.possible[user][place] || tried.contains(&place) {
                continue;
            }
            tried.push(place);
            if self.user_at[place].is_none_or(|other| self.assign(other, tried)) {
                self.user_at[place] = Some(user);
                return true;
            }
        }
        false
    }

    /// Returns the places that some assignment of all users gives to a user.
    fn places_of(&self, user: usize) -> Vec<usize> {
        let is_assigned = |place: &usize| {
            let mut rest = Assignments {
                possible: self.possible.clone(),
                user_at: self.user_at.iter().map(|&at| at.filter(|&at| at != user)).collect(),
            };
            let mut tried = vec![*place];
            self.possible[user][*place]
                && rest.user_at[*place].is_none_or(|other| rest.assign(other, &mut tried))
        };
        (0..self.user_at.len()).filter(is_assigned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Scenario, seconds};
    use crate::view::{KnownSet, LinkedDisclosure};
    use meshcloak::naive;
    use meshcloak::town::{Town, town};
    use meshcloak::units::Speed;
    use rand::RngExt as _;
    use std::sync::Arc;

    #[test]
    fn places_equal_those_of_all_assignments() {
        let mut fewer = 0;
        for seed in 0..2_000 {
            let mut random = Town::generator(seed);
            let len = random.random_range(1..=6);
            let density = random.random_range(0.1..0.9);
            let row = |a| (0..len).map(|b| a == b || random.random_bool(density)).collect();
            let possible: Vec<Vec<bool>> = (0..len).map(row).collect();
            let nodes: Vec<u32> = (0..len as u32).collect();
            let counts = |a: u32, b: u32| possible[a as usize][b as usize];
            let expected = naive::assigned_places(&nodes, &counts);
            let mut assignments =
                Assignments { possible: possible.clone(), user_at: vec![None; len] };
            assert!((0..len).all(|user| assignments.assign(user, &mut Vec::new())));
            for (user, expected) in expected.iter().enumerate() {
                let found = assignments.places_of(user);
                let found: Vec<u32> = found.into_iter().map(|place| place as u32).collect();
                assert_eq!(found, *expected, "seed {seed}, user {user}: {possible:?}");
                let reached = possible[user].iter().filter(|possible| **possible).count();
                fewer += usize::from(found.len() < reached);
            }
        }
        assert!(fewer > 1_000, "{fewer}");
    }

    /// B and C exchange their places within 5 s at 10 m/s; A, 120 m away, has no past.
    fn exchange() -> (Scenario, KnownSet) {
        let mut scenario = Scenario::on(town("0 0,0  1 2000,0 | 0-1"), 200.0, 10.0);
        scenario.show(seconds(5), &["0-1"]);
        let at = |metres| scenario.town.at("0-1", metres);
        let member = |previous: Option<f64>| {
            let known = |metres| KnownPosition { at: seconds(0), position: at(metres) };
            let speed = Some(Speed::metres_per_second(10.0));
            let (accepted, published) = (previous.map(known), previous.map(known));
            KnownMember { accepted, published, speed, asked_at: seconds(5) }
        };
        let set = KnownSet {
            places: vec![at(1_000.0), at(1_030.0), at(1_150.0)],
            members: vec![member(None), member(Some(1_010.0)), member(Some(1_020.0))],
            target: 0,
        };
        (scenario, set)
    }

    #[test]
    fn a_user_beside_two_who_can_only_swap_places_is_alone() {
        let (scenario, mut set) = exchange();
        let places = |set: &KnownSet| {
            let view = View { set: Some(set), ..scenario.view(0) };
            MATCHING.attack(&view).expect("everyone's past").pieces.len()
        };
        assert_eq!(places(&set), 1, "A");
        set.target = 1;
        assert_eq!(places(&set), 2, "B is where B or C is");
        set.members[2].speed = Some(Speed::metres_per_second(30.0));
        set.target = 0;
        assert_eq!(places(&set), 3, "C could be at the place of A, B at that of C, A at that of B");
    }

    #[test]
    fn with_the_time_of_publication_alone_users_can_have_moved_until_then() {
        let (mut scenario, set) = exchange();
        let places = |scenario: &Scenario, attack: Attack| {
            let view = View { set: Some(&set), ..scenario.view(0) };
            attack.attack(&view).map(|found| found.pieces.len())
        };
        assert_eq!(places(&scenario, MATCHING_TICK), Some(1), "published when they asked");
        let region = Arc::clone(&scenario.disclosures[0].region);
        scenario.disclosures = vec![LinkedDisclosure::new(seconds(5), seconds(15), region)];
        assert_eq!(places(&scenario, MATCHING_TICK), Some(3), "ten seconds later: 150 m");
        assert_eq!(places(&scenario, MATCHING), Some(1));
        assert_eq!(places(&scenario, CADENCE), None, "one publication shows no cadence");
    }

    #[test]
    fn publications_show_the_cadence_of_the_queries() {
        // dc 200 m at 10 m/s: a query every 20 s, at 3, 23, 43, …; they leave after 0 to 3 s.
        let (mut scenario, _) = exchange();
        let region = Arc::clone(&scenario.disclosures[0].region);
        let show = |at: u64| LinkedDisclosure::new(seconds(0), seconds(at), Arc::clone(&region));
        scenario.disclosures = [5, 24, 43, 66, 84].map(show).to_vec();
        let latest = |attacked| latest_time_of_asking(&scenario.view(attacked));
        assert_eq!(latest(1), None, "too few");
        assert_eq!(latest(2), Some(seconds(43)));
        assert_eq!((latest(3), latest(4)), (Some(seconds(63)), Some(seconds(83))));
    }
}
