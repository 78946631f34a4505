//! Attacks on single regions, as the authors of rival schemes define them. The scheme itself states what
//! a region must hold: k users, more at sensitive places, or places of different meaning.

use super::Targets;
use super::attack_score::{AttackScore, Observation, indicator};
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

/// Figure of the movement attack: share of publications with fewer than k users left if the adversary
/// also excludes those who cannot have arrived in the target's next region.
pub(super) const WITH_NEXT: &str = "below k: with the next region";

/// What was last published for a target.
struct LastRegion {
    region: Region<'static>,
    asked_at: Time,
    at: Time,
    /// Users that the region must hold.
    k: u32,
    /// Users inside that the region before it does not exclude, by their queries.
    left: Vec<(UserId, Point)>,
}

impl LastRegion {
    /// Distance in metres that the target can have travelled up to a query that is published `now`;
    /// `None` if it has no speed. Time counts between queries or between publications, whichever is
    /// longer.
    fn travelled(&self, query: &Query, now: Time) -> Option<f64> {
        let time = (query.asked_at - self.asked_at).max(now - self.at);
        // Schemes round distances up to units of a length.
        query.speed.map(|speed| (speed * time + Length::UNIT).as_metres())
    }
}

/// What is published for a target.
struct TargetPublication<'a> {
    query: &'a Query,
    region: &'a Region<'a>,
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
                let region = &published.set(served.set).region;
                self.score_region(state, &TargetPublication { query, region, at: now });
            }
        }
        if self.attack == OwnAttack::Visitors {
            let arrived = &state.waiting[state.waiting.len() - state.arrived..];
            self.visits.extend(arrived.iter().map(|query| (query.user, query.position)));
        }
    }

    fn score_region(&mut self, state: &State, publication: &TargetPublication<'_>) {
        let &TargetPublication { query, region, .. } = publication;
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
                return self.score_movement(state, publication, required.users);
            }
            _ => {
                let inside = everyone.filter(|other| region.contains(self.map, other.position));
                (required.users, count_users(inside.map(|other| other.user)))
            }
        };
        self.score.add(&Observation { k, remaining: Some(remaining), ..Observation::default() });
    }

    /// Counts the users inside a region who can have come from the target's last region, and those of
    /// the last region who can have arrived in this one.
    fn score_movement(&mut self, state: &State, publication: &TargetPublication<'_>, k: u32) {
        let &TargetPublication { query, region, at } = publication;
        let map = self.map;
        let inside = state.waiting.iter().filter(|other| region.contains(map, other.position));
        let mut left: Vec<(UserId, Point)> =
            inside.map(|other| (other.user, map.point(other.position))).collect();
        let last = self.last.remove(&query.user);
        let travel = last.as_ref().and_then(|last| Some((last, last.travelled(query, at)?)));
        if let Some((last, metres)) = travel {
            let from_last = distance_from(map, &last.region);
            left.retain(|&(_, point)| from_last(point) <= metres);
            let to_this = distance_from(map, region);
            let arrived = last.left.iter().filter(|(_, point)| to_this(*point) <= metres);
            let arrived = count_users(arrived.map(|&(user, _)| user));
            self.score.add_figure(WITH_NEXT, indicator(arrived < last.k as usize));
        }
        let remaining = Some(count_users(left.iter().map(|&(user, _)| user)));
        self.score.add(&Observation { k, remaining, ..Observation::default() });
        let (region, asked_at) = (region.clone().into_owned(), query.asked_at);
        self.last.insert(query.user, LastRegion { region, asked_at, at, k, left });
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

    /// Adds the error of the best guess of an adversary who weighs all streets by prior and mechanism.
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
        let guess = posterior.and_then(|found| found.best_guess(self.map));
        let error = guess.map(|guess| guess.distance(truth));
        self.score.add(&Observation {
            k: query.k,
            error,
            wrong: !is_possible,
            ..Observation::default()
        });
    }
}

fn count_users(users: impl Iterator<Item = UserId>) -> usize {
    let mut users: Vec<UserId> = users.collect();
    users.sort_unstable();
    users.dedup();
    users.len()
}

/// Returns the distance of points from a region in metres; a mesh counts as its bounding box.
fn distance_from(map: &StreetMap, region: &Region<'_>) -> impl Fn(Point) -> f64 {
    let (bounds, radius) = match region {
        Region::Rectangle(rectangle) => (Some(*rectangle), 0.0),
        Region::Disc(Disc { centre, radius }) => {
            (Some(Rectangle { min: *centre, max: *centre }), *radius)
        }
        Region::Mesh(streets) => {
            let points = streets.iter().flat_map(|&street| map.shape(street).iter().copied());
            (Rectangle::around(points), 0.0)
        }
    };
    move |point| {
        let distance = bounds.map_or(0.0, |bounds| bounds.nearest(point).distance(point));
        (distance - radius).max(0.0)
    }
}
