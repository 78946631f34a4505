//! One scheme under one attack on one target: the published region and what the attack leaves of
//! it.

use super::replay::{Replay, ReplayedPublication};
use super::{Arena, Moment};
use attacks::{
    Attack, KnownPosition, LinkedDisclosure, Posterior, SchemeRerun, Snapshot, Target, View, pieces,
};
use meshcloak::map::StreetId;
use meshcloak::query::UserId;
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
        let posterior = self.attack(attack, attacked, published);
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
            told: if has_failed {
                NO_EVIDENCE.into()
            } else {
                conclusion(&left, published, k_left)
            },
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
        attack.attack(&View {
            atlas,
            rule: make().describe().regions,
            target: Target { dc: query.distance_constraint, speed: query.speed },
            disclosures: &disclosures,
            attacked,
            previous: self.previous(published),
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

    /// Returns the previous query of the target, published or not.
    fn previous(&self, published: &ReplayedPublication) -> Option<KnownPosition> {
        let before = self.replay.queries.range(..published.query.id).rev().map(|(_, query)| query);
        let mut of_target = before.filter(|query| query.user == published.query.user);
        of_target.next().map(|query| KnownPosition { at: query.asked_at, position: query.position })
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

/// Conclusion if an attack does not apply.
const NO_EVIDENCE: &str = "this attack does not apply; the whole published region remains.";

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
