//! One scheme under one attack on one target: the published region and what the attack leaves of
//! it.

use super::pursuit::{Path, TrackedPoint};
use super::replay::{Replay, ReplayedPublication};
use super::{Arena, Moment};
use attacks::tracker::TRACKER;
use attacks::{
    Attack, KnownMember, KnownPosition, KnownSet, Level, LinkedDisclosure, Posterior, SchemeRerun,
    Snapshot, Target, View, pieces,
};
use meshcloak::map::StreetId;
use meshcloak::query::{Query, UserId};
use meshcloak::region::{Disc, Region};
use meshcloak::scheme::State;
use meshcloak::units::{Point, Rectangle};
use serde::Serialize;
use std::sync::Arc;

/// Result of one scheme.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Side {
    /// Id of the scheme.
    pub scheme: &'static str,
    /// Why there is no result.
    pub why: Option<String>,
    /// Outline of a rectangle or disc, each lon, lat.
    pub outline: Option<Vec<[f64; 2]>>,
    /// Bounds of the region: west, south, east, north.
    pub bounds: Option<[f64; 4]>,
    /// Streets of the region, ascending.
    pub streets: Vec<u32>,
    /// Streets that the adversary cannot exclude, ascending.
    pub kept: Vec<u32>,
    /// Length of the region in metres.
    pub metres: f64,
    /// Length of the remaining candidates in metres.
    pub metres_left: f64,
    /// Size of the anonymity set.
    pub set: usize,
    /// Number of remaining candidate users.
    pub k_left: Option<usize>,
    /// Expected error of the adversary in metres.
    pub error: Option<f64>,
    /// Path on which the tracker believes the target to be; empty for other attacks.
    pub path: Vec<TrackedPoint>,
    /// Conclusion in one sentence.
    pub told: String,
}

/// One scheme at one moment, ready to be attacked.
pub(super) struct SchemeScene<'a> {
    pub arena: &'a Arena,
    pub moment: &'a Moment,
    pub replay: &'a Replay,
    pub scheme: &'static str,
}

impl SchemeScene<'_> {
    /// Attacks the last publication of the target.
    pub fn side(&self, attack: &Attack, target: Option<UserId>) -> Side {
        let last = target.and_then(|user| self.replay.recent(user, self.moment.end));
        let Some((attacked, published)) = last else {
            let why = Some("No user was published by all selected schemes at this moment.".into());
            return Side { scheme: self.scheme, why, ..Side::default() };
        };
        let map = self.arena.atlas.map();
        let (posterior, path) = match attack.name == TRACKER.name {
            true => match self.follow(published.query.user) {
                Some(Path { points, posterior }) => (Some(posterior), points),
                None => (None, Vec::new()),
            },
            false => (self.attack(attack, attacked, published), Vec::new()),
        };
        let has_failed = posterior.is_none();
        let left = posterior.unwrap_or_else(|| pieces::uniform(map, &published.region));
        let streets = published.region.streets(map);
        let kept = kept(&left, &streets);
        let k_left = self.candidate_count(&left, published);
        let metres_left = match left.candidates {
            Some(_) => kept.iter().map(|&street| map.metres(street)).sum(),
            None => left.metres(),
        };
        let metres = published.region.metres(map);
        Side {
            scheme: self.scheme,
            why: None,
            outline: self.outline(&published.region),
            bounds: self.bounds(&streets),
            streets: streets.iter().map(|street| street.0).collect(),
            kept: kept.iter().map(|street| street.0).collect(),
            metres,
            metres_left: f64::min(metres_left, metres),
            set: published.members.len(),
            k_left: Some(k_left),
            error: left.expected_error(map, map.point(published.query.position)),
            told: match (has_failed, path.is_empty()) {
                (true, _) => NO_EVIDENCE.into(),
                (false, true) => conclusion(&left, published, k_left),
                (false, false) => pursued(&path),
            },
            path,
        }
    }

    /// Runs the attack with all knowledge that an attack may need.
    fn attack(
        &self,
        attack: &Attack,
        attacked: usize,
        published: &ReplayedPublication,
    ) -> Option<Posterior> {
        let publications = self.replay.published.get(&published.query.user)?;
        let disclosures: Vec<LinkedDisclosure> = publications.iter().map(disclosure).collect();
        let candidate_sets: Vec<Vec<UserId>> =
            publications.iter().map(|published| self.users(published)).collect();
        let state: &State = published.state.as_deref()?;
        let candidates = SchemeRerun::candidates(state);
        let atlas = &self.arena.atlas;
        let make = || self.arena.factory.make(self.scheme).expect("the id is one of SCHEMES");
        let rerun = SchemeRerun { make: &make, state, now: published.at };
        let snapshot = Snapshot::new(&candidates, &rerun);
        let query = &published.query;
        let set = (attack.level == Level::Pasts).then(|| self.known_set(published));
        attack.attack(&View {
            atlas,
            rule: make().describe().regions,
            target: Target { dc: query.distance_constraint, speed: query.speed },
            disclosures: &disclosures,
            attacked,
            previous: self.previous(query),
            set: set.as_ref(),
            snapshot: Some(&snapshot),
            candidate_sets: &candidate_sets,
            prior: Some(&self.moment.prior),
        })
    }

    fn users(&self, published: &ReplayedPublication) -> Vec<UserId> {
        let queries = published.members.iter().filter_map(|id| self.replay.queries.get(id));
        let mut users: Vec<UserId> = queries.map(|query| query.user).collect();
        users.sort_unstable();
        users
    }

    /// Returns everyone's past and the places of the target's set.
    fn known_set(&self, published: &ReplayedPublication) -> KnownSet {
        let members = published.members.iter().filter_map(|id| self.replay.queries.get(id));
        let member = |query: &Query| KnownMember {
            accepted: self.previous(query),
            published: self.previously_published(query),
            speed: query.speed,
            asked_at: query.asked_at,
        };
        let is_target = |query: &Query| query.id == published.query.id;
        KnownSet {
            places: members.clone().map(|query| query.position).collect(),
            target: members.clone().position(is_target).unwrap_or(0),
            members: members.map(member).collect(),
        }
    }

    /// Returns the last query of the same user that was published before this one.
    fn previously_published(&self, query: &Query) -> Option<KnownPosition> {
        let publications = self.replay.published.get(&query.user)?.iter().rev();
        let mut before = publications.filter(|published| published.query.id < query.id);
        before.next().map(|published| known(&published.query))
    }

    /// Returns the previous query of the same user, published or not.
    fn previous(&self, query: &Query) -> Option<KnownPosition> {
        let before = self.replay.queries.range(..query.id).rev().map(|(_, query)| query);
        let mut of_user = before.filter(|earlier| earlier.user == query.user);
        of_user.next().map(known)
    }

    /// Number of candidate users: those named by the attack, or else the members of the set at
    /// candidate positions.
    fn candidate_count(&self, left: &Posterior, published: &ReplayedPublication) -> usize {
        if let Some(candidates) = &left.candidates {
            return candidates.len();
        }
        let queries = published.members.iter().filter_map(|id| self.replay.queries.get(id));
        queries.filter(|query| left.holds(query.position)).count()
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
        let lon_lats = corners.into_iter().map(|corner| self.arena.frame.lon_lat(corner));
        Some(lon_lats.map(|lon_lat| [lon_lat.lon, lon_lat.lat]).collect())
    }
}

fn known(query: &Query) -> KnownPosition {
    KnownPosition { at: query.asked_at, position: query.position }
}

/// Returns one of 48 points on the circle.
fn rim(disc: &Disc, step: u32) -> Point {
    let (sin, cos) = (f64::from(step) / 48.0 * std::f64::consts::TAU).sin_cos();
    Point::new(disc.centre.x + disc.radius * cos, disc.centre.y + disc.radius * sin)
}

fn disclosure(published: &ReplayedPublication) -> LinkedDisclosure {
    let region = Arc::clone(&published.region);
    LinkedDisclosure::new(published.query.asked_at, published.at, region)
}

/// Returns the published streets that hold candidate positions.
fn kept(left: &Posterior, streets: &[StreetId]) -> Vec<StreetId> {
    let mut kept: Vec<StreetId> = left.pieces.iter().map(|piece| piece.street).collect();
    kept.dedup();
    kept.retain(|street| streets.binary_search(street).is_ok());
    kept
}

/// Conclusion of the tracker.
fn pursued(path: &[TrackedPoint]) -> String {
    let radius = path.last().map_or(0.0, |point| point.radius);
    let seconds = path.len().saturating_sub(1);
    format!("followed for {seconds} s from a known position; now within about {radius:.0} m.")
}

/// Conclusion if an attack does not apply.
pub(super) const NO_EVIDENCE: &str =
    "this attack does not apply; the whole published region remains.";

/// Conclusion of an attack, in one sentence.
fn conclusion(left: &Posterior, published: &ReplayedPublication, k_left: usize) -> String {
    let k = published.query.k as usize;
    if left.pieces.is_empty() {
        return "the adversary excludes every position and is wrong.".into();
    }
    if left.candidates.is_none() && !left.holds(published.query.position) {
        return "the adversary excludes the true position and is wrong.".into();
    }
    match k_left {
        0 | 1 => format!("only the target remains as candidate; k = {k} was requested."),
        few if few < k => format!("only {few} candidates remain; k = {k} was requested."),
        enough => format!("{enough} candidates remain; k = {k} was requested."),
    }
}
