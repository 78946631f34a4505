//! One scheme, one victim, one attack: what was published, what is left of it.

use super::replay::{Publication, Replay};
use super::{Arena, Moment, schemes};
use attacks::{
    Attack, KnownPosition, LinkedDisclosure, Posterior, SchemeRerun, Snapshot, Target, View, pieces,
};
use meshcloak::map::StreetId;
use meshcloak::query::{QueryId, UserId};
use meshcloak::region::{Disc, Region};
use meshcloak::scheme::State;
use meshcloak::units::{Point, Rectangle};
use serde::Serialize;
use std::sync::Arc;

/// How one scheme fares.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Side {
    /// The scheme.
    pub scheme: &'static str,
    /// Why nothing is shown, if so.
    pub why: Option<String>,
    /// The outline of a rectangle or disc, lon/lat.
    pub outline: Option<Vec<[f64; 2]>>,
    /// West, south, east, north of what was published.
    pub bounds: Option<[f64; 4]>,
    /// The streets that were published, ascending.
    pub streets: Vec<u32>,
    /// Those that the attacker cannot rule out, ascending.
    pub kept: Vec<u32>,
    /// Metres of street published.
    pub metres: f64,
    /// Metres that are left.
    pub metres_left: f64,
    /// How many people were in the set.
    pub set: usize,
    /// How many people it may have been.
    pub k_left: Option<usize>,
    /// Metres by which the attacker is off on average.
    pub error: Option<f64>,
    /// What follows, in a sentence.
    pub told: String,
}

/// One scheme at one moment.
pub(super) struct Scene<'a> {
    pub arena: &'a Arena,
    pub moment: &'a Moment,
    pub replay: &'a Replay,
    pub scheme: &'static str,
}

impl Scene<'_> {
    /// How the scheme fares.
    pub fn side(&self, attack: &dyn Attack, victim: Option<(UserId, QueryId)>) -> Side {
        let found = victim.and_then(|(user, _)| self.replay.recent(user, self.moment.end));
        let Some((attacked, shown)) = found else {
            let why = Some("Nobody was published by both schemes at this moment.".into());
            return Side { scheme: self.scheme, why, ..Side::default() };
        };
        let map = self.arena.atlas.map();
        let believed = self.believe(attack, attacked, shown);
        let nothing = believed.is_none();
        let left = believed.unwrap_or_else(|| pieces::everywhere(map, &shown.region));
        let streets = shown.region.streets(map);
        let kept = kept(&left, &streets);
        let k_left = self.people(&left, shown);
        let metres_left = match left.people {
            Some(_) => kept.iter().map(|&street| map.metres(street)).sum(),
            None => left.metres(),
        };
        let metres = shown.region.metres(map);
        Side {
            scheme: self.scheme,
            why: None,
            outline: self.outline(&shown.region),
            bounds: self.bounds(&streets),
            streets: streets.iter().map(|street| street.0).collect(),
            kept: kept.iter().map(|street| street.0).collect(),
            metres,
            metres_left: f64::min(metres_left, metres),
            set: shown.members.len(),
            k_left: Some(k_left),
            error: left.expected_error(map, map.point(shown.query.position)),
            told: told(&left, shown, nothing, k_left),
        }
    }

    /// What the attacker believes, who has everything that an attack may need.
    fn believe(
        &self,
        attack: &dyn Attack,
        attacked: usize,
        shown: &Publication,
    ) -> Option<Posterior> {
        let hers = self.replay.published.get(&shown.query.user)?;
        let disclosures: Vec<LinkedDisclosure> = hers.iter().map(disclosure).collect();
        let named: Vec<Vec<UserId>> = hers.iter().map(|shown| self.users(shown)).collect();
        let state: &State = shown.seen.as_deref()?;
        let people = SchemeRerun::people(state);
        let atlas = &self.arena.atlas;
        let make = || self.arena.workshop.make(self.scheme).expect("it was made before");
        let again = SchemeRerun { make: &make, state, now: shown.at };
        let crowd = Snapshot::new(&people, &again);
        let query = &shown.query;
        attack.attack(&View {
            atlas,
            rule: make().describe().regions,
            target: Target { dc: query.distance_constraint, speed: query.speed },
            disclosures: &disclosures,
            attacked,
            previous: self.previous(shown),
            crowd: Some(&crowd),
            named: &named,
            prior: Some(&self.moment.prior),
        })
    }

    fn users(&self, shown: &Publication) -> Vec<UserId> {
        let asked = shown.members.iter().filter_map(|id| self.replay.asked.get(id));
        let mut users: Vec<UserId> = asked.map(|query| query.user).collect();
        users.sort_unstable();
        users
    }

    /// Where she asked before, published or not.
    fn previous(&self, shown: &Publication) -> Option<KnownPosition> {
        let before = self.replay.asked.range(..shown.query.id).rev().map(|(_, query)| query);
        let mut hers = before.filter(|query| query.user == shown.query.user);
        hers.next().map(|query| KnownPosition { at: query.asked_at, position: query.position })
    }

    /// How many people it may have been: those the attack names, or members of the set who are
    /// where she may be.
    fn people(&self, left: &Posterior, shown: &Publication) -> usize {
        if let Some(people) = &left.people {
            return people.len();
        }
        let asked = shown.members.iter().filter_map(|id| self.replay.asked.get(id));
        asked.filter(|query| left.holds(query.position)).count()
    }

    fn bounds(&self, streets: &[StreetId]) -> Option<[f64; 4]> {
        let map = self.arena.atlas.map();
        let points = streets.iter().flat_map(|&street| map.shape(street)).copied();
        let Rectangle { min, max } = Rectangle::around(points)?;
        let (low, high) = (self.arena.frame.lon_lat(min), self.arena.frame.lon_lat(max));
        Some([low.lon, low.lat, high.lon, high.lat])
    }

    fn outline(&self, region: &Region<'_>) -> Option<Vec<[f64; 2]>> {
        let corners = match region {
            Region::Mesh(_) => return None,
            Region::Rectangle(Rectangle { min, max }) => {
                vec![*min, Point::new(max.x, min.y), *max, Point::new(min.x, max.y)]
            }
            Region::Disc(disc) => (0..48).map(|step| rim(disc, step)).collect(),
        };
        let place = |point| self.arena.frame.lon_lat(point);
        Some(corners.into_iter().map(place).map(|place| [place.lon, place.lat]).collect())
    }
}

fn rim(disc: &Disc, step: u32) -> Point {
    let (sin, cos) = (f64::from(step) / 48.0 * std::f64::consts::TAU).sin_cos();
    Point::new(disc.centre.x + disc.radius * cos, disc.centre.y + disc.radius * sin)
}

fn disclosure(shown: &Publication) -> LinkedDisclosure {
    let region = Arc::clone(&shown.region);
    LinkedDisclosure::new(shown.query.asked_at, shown.at, region)
}

/// The published streets on which she may be.
fn kept(left: &Posterior, streets: &[StreetId]) -> Vec<StreetId> {
    let mut kept: Vec<StreetId> = left.pieces.iter().map(|piece| piece.street).collect();
    kept.dedup();
    kept.retain(|street| streets.binary_search(street).is_ok());
    kept
}

fn told(left: &Posterior, shown: &Publication, nothing: bool, k_left: usize) -> String {
    let k = shown.query.k as usize;
    if nothing {
        return "this attack finds nothing to go by; what was published is all there is.".into();
    }
    if left.pieces.is_empty() {
        return "the attacker rules out everything, and is wrong.".into();
    }
    if left.people.is_none() && !left.holds(shown.query.position) {
        return "the attacker looks in the wrong place.".into();
    }
    match k_left {
        0 | 1 => format!("only she can have asked. She wanted to be one of {k}."),
        few if few < k => format!("only {few} can have asked. She wanted to be one of {k}."),
        enough => format!("{enough} people can have asked; she wanted to be one of {k}."),
    }
}
