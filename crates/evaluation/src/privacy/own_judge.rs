//! Attacks on single regions, as the authors of rival schemes define them. The scheme itself states what
//! a region must hold: k users, more at sensitive places, or places of different meaning.

use super::Targets;
use super::attack_score::{AttackScore, Observation};
use attacks::{Piece, Posterior, Prior};
use baselines::registry::OwnAttack;
use meshcloak::map::{Position, StreetMap};
use meshcloak::query::{Query, UserId};
use meshcloak::region::{Disc, Region};
use meshcloak::scheme::{Published, Scheme, State};
use meshcloak::units::{Length, Point, Rectangle, Time};
use rustc_hash::FxHashMap;

/// Largest number of publications to which the prior is applied: each one weighs all streets.
const MAX_POSTERIORS: u64 = 500;

/// What was last published for a user.
struct LastRegion {
    region: Region<'static>,
    asked_at: Time,
    at: Time,
}

/// Scores the regions of targets by one attack.
pub(super) struct OwnJudge<'a> {
    attack: OwnAttack,
    map: &'a StreetMap,
    targets: &'a Targets,
    prior: &'a Prior,
    /// The adversary's copy of the scheme.
    mechanism: Box<dyn Scheme>,
    last: FxHashMap<UserId, LastRegion>,
    /// Positions of all queries of earlier batches.
    visits: Vec<(UserId, Position)>,
    pub score: AttackScore,
}

impl<'a> OwnJudge<'a> {
    pub(super) fn new(
        attack: OwnAttack,
        map: &'a StreetMap,
        targets: &'a Targets,
        prior: &'a Prior,
        mechanism: Box<dyn Scheme>,
    ) -> OwnJudge<'a> {
        let (last, visits) = (FxHashMap::default(), Vec::new());
        let score = AttackScore::default();
        OwnJudge { attack, map, targets, prior, mechanism, last, visits, score }
    }

    /// Scores the publications of a batch.
    pub(super) fn inspect(&mut self, state: &State, now: Time, published: &Published) {
        for served in published.served() {
            let query = &state.waiting[served.index as usize];
            if query.asks && self.targets.contains(query.user) {
                self.score_region(state, now, query, &published.set(served.set).region);
            }
        }
        if self.attack == OwnAttack::Visitors {
            let arrived = &state.waiting[state.waiting.len() - state.arrived..];
            self.visits.extend(arrived.iter().map(|query| (query.user, query.position)));
        }
    }

    fn score_region(&mut self, state: &State, now: Time, query: &Query, region: &Region<'_>) {
        let everyone = state.waiting.iter();
        let required = self.mechanism.requirement(self.map, query, region);
        let (k, remaining) = match self.attack {
            OwnAttack::Prior => return self.score_posterior(query, region),
            OwnAttack::Visitors => (query.k, self.effective_visitors(region)),
            OwnAttack::Places => {
                let places = required.places;
                places.map_or((1, 0), |places| (places.required, places.present as usize))
            }
            OwnAttack::Movement => {
                let reachable = self.reachable(query, now);
                let inside = everyone.filter(|other| {
                    region.contains(self.map, other.position) && reachable(other.position)
                });
                (required.users, count_users(inside))
            }
            _ => {
                let inside = everyone.filter(|other| region.contains(self.map, other.position));
                (required.users, count_users(inside))
            }
        };
        self.score.add(&Observation { k, remaining: Some(remaining), ..Observation::default() });
        if self.attack == OwnAttack::Movement {
            let region = region.clone().into_owned();
            let last = LastRegion { region, asked_at: query.asked_at, at: now };
            self.last.insert(query.user, last);
        }
    }

    /// Returns whether the target can have come from its last region to a position, in the plane.
    /// Time counts between queries or between publications, whichever is longer.
    fn reachable(&self, query: &Query, now: Time) -> impl Fn(Position) -> bool + '_ {
        let last = self.last.get(&query.user);
        let travel = last.zip(query.speed).map(|(last, speed)| {
            let time = (query.asked_at - last.asked_at).max(now - last.at);
            // Schemes round distances up to units of a length.
            (&last.region, (speed * time + Length::UNIT).as_metres())
        });
        move |position| {
            travel.is_none_or(|(region, metres)| {
                distance(self.map, region, self.map.point(position)) <= metres
            })
        }
    }

    /// Returns 2^entropy of the visitors of a region, rounded down.
    fn effective_visitors(&self, region: &Region<'_>) -> usize {
        let mut visits: FxHashMap<UserId, u32> = FxHashMap::default();
        for &(user, position) in &self.visits {
            if region.contains(self.map, position) {
                *visits.entry(user).or_default() += 1;
            }
        }
        let mut counts: Vec<u32> = visits.into_values().collect();
        counts.sort_unstable();
        let total: f64 = counts.iter().map(|&count| f64::from(count)).sum();
        let entropy: f64 = counts
            .iter()
            .map(|&count| f64::from(count) / total)
            .map(|share| -share * share.log2())
            .sum();
        // The scheme computes in fixed point.
        if counts.is_empty() { 0 } else { (entropy.exp2() + 1e-3) as usize }
    }

    /// Adds the expected error of an adversary who weighs all streets by prior and mechanism.
    fn score_posterior(&mut self, query: &Query, region: &Region<'_>) {
        if self.score.publications >= MAX_POSTERIORS {
            return;
        }
        let piece = |street| {
            let to = self.map.street(street).length;
            let mut piece = Piece { street, from: Length::ZERO, to, weight: 0.0 };
            let likelihood = self.mechanism.likelihood(self.map, region, piece.middle());
            let prior = self.prior.per_metre.get(street.index()).copied().unwrap_or(0.0);
            piece.weight = likelihood.unwrap_or(0.0) * prior * piece.metres();
            piece
        };
        let pieces: Vec<Piece> = self.map.streets().map(piece).collect();
        let is_possible = pieces.iter().any(|piece| piece.weight > 0.0);
        let posterior = is_possible.then(|| Posterior::of_pieces(pieces));
        let truth = self.map.point(query.position);
        let error = posterior.and_then(|found| found.expected_error(self.map, truth));
        self.score.add(&Observation {
            k: query.k,
            error,
            wrong: !is_possible,
            ..Observation::default()
        });
    }
}

fn count_users<'q>(queries: impl Iterator<Item = &'q Query>) -> usize {
    let mut users: Vec<UserId> = queries.map(|query| query.user).collect();
    users.sort_unstable();
    users.dedup();
    users.len()
}

/// Returns the distance of a point from a region in metres; a mesh counts as its bounding box.
fn distance(map: &StreetMap, region: &Region<'_>, point: Point) -> f64 {
    match region {
        Region::Rectangle(rectangle) => rectangle.nearest(point).distance(point),
        Region::Disc(Disc { centre, radius }) => (centre.distance(point) - radius).max(0.0),
        Region::Mesh(streets) => {
            let points = streets.iter().flat_map(|&street| map.shape(street).iter().copied());
            Rectangle::around(points).map_or(0.0, |bounds| bounds.nearest(point).distance(point))
        }
    }
}
