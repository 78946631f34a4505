//! Replays of a randomised scheme: the adversary knows all users of a batch but not the random seed,
//! runs the algorithm with many other seeds, and lists the users who publish the region in any run.
//!
//! One replay is not enough: a user who draws another star in it may well have published the region.

use super::attack_score::{AttackScore, Observation, indicator};
use super::{AttackedScheme, Targets};
use baselines::SchemeError;
use meshcloak::distance::Atlas;
use meshcloak::map::StreetMap;
use meshcloak::query::{Query, UserId};
use meshcloak::region::{Disc, Region};
use meshcloak::scheme::{Published, Scheme, Served, State};
use meshcloak::units::{Rectangle, Time};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash as _, Hasher as _};
use std::sync::Arc;

/// Schemes that grow regions by whole stars.
const STAR_SCHEMES: [&str; 2] = ["xstar", "star-cloak"];

/// Scores the regions of targets by replays.
pub(super) struct ReplayAttacker<'a> {
    map: &'a StreetMap,
    targets: &'a Targets,
    /// The adversary's copies of the scheme. Buffers that are used give the same result as new ones.
    copies: Vec<Box<dyn Scheme>>,
    /// Whether complete stars can explain regions below k.
    has_stars: bool,
    pub score: AttackScore,
}

impl<'a> ReplayAttacker<'a> {
    /// # Errors
    /// If the map lacks what the scheme needs.
    pub(super) fn new(
        scheme: &AttackedScheme,
        atlas: &'a Arc<Atlas>,
        targets: &'a Targets,
        replays: u64,
    ) -> Result<ReplayAttacker<'a>, SchemeError> {
        let copies = (0..replays).map(|number| scheme.replay(atlas, number));
        let copies: Vec<Box<dyn Scheme>> = copies.collect::<Result<_, _>>()?;
        let has_stars = copies.first().is_some_and(|copy| STAR_SCHEMES.contains(&copy.name()));
        let score = AttackScore::default();
        Ok(ReplayAttacker { map: atlas.map(), targets, copies, has_stars, score })
    }

    /// Scores the publications of a batch.
    pub(super) fn attack(&mut self, state: &State, now: Time, published: &Published) {
        let is_target = |served: &&Served| {
            let query = &state.waiting[served.index as usize];
            query.asks && self.targets.contains(query.user)
        };
        let hits: Vec<Served> = published.served().iter().filter(is_target).copied().collect();
        if hits.is_empty() {
            return;
        }
        let regions: Vec<Region<'_>> =
            hits.iter().map(|hit| published.set(hit.set).region).collect();
        let inside: Vec<Vec<UserId>> = regions
            .iter()
            .map(|region| {
                let here = |query: &&Query| region.contains(self.map, query.position);
                distinct(state.waiting.iter().filter(here).map(|query| query.user))
            })
            .collect();
        let watched: FxHashSet<UserId> = inside.iter().flatten().copied().collect();
        let replay = |copy: &mut Box<dyn Scheme>| {
            let published = copy.cloak(state, now, &mut ());
            Replay {
                publishers: publishers(state, published, &regions),
                shown: shown(state, published, &watched),
            }
        };
        let replays: Vec<Replay> = self.copies.par_iter_mut().map(replay).collect();
        for (index, (hit, inside)) in hits.iter().zip(&inside).enumerate() {
            let hits = replays.iter().filter(|replay| !replay.publishers[index].is_empty()).count();
            let named = replays.iter().flat_map(|replay| &replay.publishers[index]).copied();
            let named = distinct(named);
            // If no replay yields the region, every user inside stays possible.
            let left = if named.is_empty() { inside } else { &named };
            let target = &state.waiting[hit.index as usize];
            let observation = Observation {
                k: target.k,
                remaining: Some(left.len()),
                wrong: !left.contains(&target.user),
                ..Observation::default()
            };
            self.score.add(&observation);
            self.add_figures(&observation, hits, inside.len());
            if self.has_stars && !observation.wrong && left.len() < target.k as usize {
                let is_fixed =
                    |user: &&UserId| !named.contains(user) && has_complete_stars(&replays, **user);
                let fixed = inside.iter().filter(is_fixed).count();
                let is_explained = inside.len() - fixed < target.k as usize;
                self.score.add_figure("below k: by complete stars", indicator(is_explained));
            }
        }
    }

    /// Adds how often replays publish the region, and how many users are inside.
    fn add_figures(&mut self, observation: &Observation, hits: usize, inside: usize) {
        let k = f64::from(observation.k);
        let share = hits as f64 / self.copies.len() as f64;
        let named = observation.remaining.unwrap_or(0) as f64;
        self.score.add_figure("replays with the region", share);
        self.score.add_figure("in no replay", indicator(hits == 0));
        self.score.add_figure("users inside per k", inside as f64 / k);
        if !observation.wrong && named < k {
            self.score.add_figure("below k: replays with the region", share);
            self.score.add_figure("below k: users inside per k", inside as f64 / k);
        }
    }
}

/// One run with another seed.
struct Replay {
    /// By region: users that publish it.
    publishers: Vec<Vec<UserId>>,
    /// Hash of the region that each watched user publishes.
    shown: FxHashMap<UserId, u64>,
}

/// Whether a user publishes at most two regions in all replays: those of the stars at both ends of the
/// user's segment, which are complete before they grow, so that only the first star is drawn.
fn has_complete_stars(replays: &[Replay], user: UserId) -> bool {
    let mut shown: Vec<Option<&u64>> =
        replays.iter().map(|replay| replay.shown.get(&user)).collect();
    shown.sort_unstable();
    shown.dedup();
    shown.len() <= 2 && !shown.contains(&None)
}

/// Returns the hash of the region that each watched user publishes.
fn shown(
    state: &State,
    published: &Published,
    watched: &FxHashSet<UserId>,
) -> FxHashMap<UserId, u64> {
    let user = |served: &Served| state.waiting[served.index as usize].user;
    let served = published.served().iter().filter(|served| watched.contains(&user(served)));
    served.map(|served| (user(served), fingerprint(&published.set(served.set).region))).collect()
}

fn fingerprint(region: &Region<'_>) -> u64 {
    let mut hasher = FxHasher::default();
    match region {
        Region::Mesh(streets) => streets.hash(&mut hasher),
        Region::Rectangle(Rectangle { min, max }) => {
            [min.x, min.y, max.x, max.y].map(f64::to_bits).hash(&mut hasher);
        }
        Region::Disc(Disc { centre, radius }) => {
            [centre.x, centre.y, *radius].map(f64::to_bits).hash(&mut hasher);
        }
    }
    hasher.finish()
}

fn distinct(users: impl Iterator<Item = UserId>) -> Vec<UserId> {
    let mut users: Vec<UserId> = users.collect();
    users.sort_unstable();
    users.dedup();
    users
}

/// Returns for each region the users that publish exactly this region.
fn publishers(state: &State, published: &Published, regions: &[Region<'_>]) -> Vec<Vec<UserId>> {
    let sets = 0..published.set_count() as u32;
    let equal = |set: u32| regions.iter().position(|region| published.set(set).region == *region);
    let region_of: Vec<Option<usize>> = sets.map(equal).collect();
    regions
        .iter()
        .map(|region| {
            let first = regions.iter().position(|other| other == region);
            let served = published.served().iter();
            let served = served.filter(|served| region_of[served.set as usize] == first);
            served.map(|served| state.waiting[served.index as usize].user).collect()
        })
        .collect()
}
