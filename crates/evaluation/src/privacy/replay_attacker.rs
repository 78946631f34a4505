//! Replays of a randomised scheme: the adversary knows all users of a batch but not the random seed,
//! runs the algorithm with many other seeds, and lists the users who publish the region in any run.
//!
//! One replay is not enough: a user who draws another star in it may well have published the region.

use super::attack_score::{AttackScore, Observation};
use super::{AttackedScheme, Targets};
use baselines::SchemeError;
use meshcloak::distance::Atlas;
use meshcloak::map::StreetMap;
use meshcloak::query::UserId;
use meshcloak::region::Region;
use meshcloak::scheme::{Published, Scheme, Served, State};
use meshcloak::units::Time;
use rayon::prelude::*;
use std::sync::Arc;

/// Number of replays of a batch.
const REPLAYS: u64 = 32;

/// Scores the regions of targets by replays.
pub(super) struct ReplayAttacker<'a> {
    map: &'a StreetMap,
    targets: &'a Targets,
    /// The adversary's copies of the scheme. Buffers that are used give the same result as new ones.
    copies: Vec<Box<dyn Scheme>>,
    pub score: AttackScore,
}

impl<'a> ReplayAttacker<'a> {
    /// # Errors
    /// If the map lacks what the scheme needs.
    pub(super) fn new(
        scheme: &AttackedScheme,
        atlas: &'a Arc<Atlas>,
        targets: &'a Targets,
    ) -> Result<ReplayAttacker<'a>, SchemeError> {
        let copies = (0..REPLAYS).map(|number| scheme.replay(atlas, number));
        let copies = copies.collect::<Result<_, _>>()?;
        Ok(ReplayAttacker { map: atlas.map(), targets, copies, score: AttackScore::default() })
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
        let replay = |copy: &mut Box<dyn Scheme>| {
            publishers(state, copy.cloak(state, now, &mut ()), &regions)
        };
        let found: Vec<Vec<Vec<UserId>>> = self.copies.par_iter_mut().map(replay).collect();
        for (index, (hit, region)) in hits.iter().zip(&regions).enumerate() {
            let mut named: Vec<UserId> =
                found.iter().flat_map(|replay| &replay[index]).copied().collect();
            if named.is_empty() {
                // No replay yields the region: every user inside stays possible.
                let inside = state.waiting.iter();
                let inside = inside.filter(|query| region.contains(self.map, query.position));
                named = inside.map(|query| query.user).collect();
            }
            named.sort_unstable();
            named.dedup();
            let target = &state.waiting[hit.index as usize];
            self.score.add(&Observation {
                k: target.k,
                remaining: Some(named.len()),
                wrong: !named.contains(&target.user),
                ..Observation::default()
            });
        }
    }
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
