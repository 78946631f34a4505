//! What the adversary knows of a scheme from running it on trips of other users: where and how soon
//! queries are published, how many users a region has, and where in a region they are.

use super::region_stream::RegionStream;
use super::street_order::StreetOrder;
use crate::possible_streets::PossibleStreets;
use crate::view::RegionDependence;
use meshcloak::distance::Atlas;
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::units::Length;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A publication of another user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// Tick of the publication.
    pub tick: usize,
    /// Index of the region in its tick.
    pub region: usize,
    /// Street of the query.
    pub street: StreetId,
    /// Its dc.
    pub dc: Length,
    /// Number of ticks that the query waited after its first one.
    pub waited: usize,
}

/// Queries of other users in the ticks of a stream.
#[derive(Clone, Debug, Default)]
pub struct Lessons {
    /// Number of queries by street, published or not.
    pub asked: Vec<u32>,
    /// The published ones.
    pub published: Vec<Example>,
}

/// Statistics of a scheme.
#[derive(Clone)]
pub struct SchemeModel {
    pub(super) atlas: Arc<Atlas>,
    dependence: RegionDependence,
    /// Share of publications by street; the sum is 1.
    pub(super) shares: Vec<f64>,
    /// Expected number of publications in each tick of the window.
    volume: Vec<f64>,
    first_tick: usize,
    /// Probability of being published by number of ticks waited, for a query that still waits.
    odds: Vec<f64>,
    /// Share of queries that are published, by street, relative to all streets.
    served: Vec<f64>,
    /// Mean number of users of a region, by the logarithm of the usual number on its streets.
    sizes: [f64; SIZE_CLASSES],
    pub(super) order: StreetOrder,
}

/// Likelihoods of the regions of a tick for a target that waits, relative to those without it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    /// The target is published.
    pub published: f64,
    /// It still waits.
    pub waiting: f64,
}

/// Largest probability of being published in a tick.
const MAX_ODDS: f64 = 0.98;
/// Ticks before and after a tick over which publications are averaged.
const VOLUME_REACH: usize = 5;
/// Number of queries that the mean of the map counts for on every street.
const SERVED_WEIGHT: f64 = 4.0;
/// Number of classes of regions, one for each power of two.
const SIZE_CLASSES: usize = 32;
/// Smallest expected number of publications in a tick.
const MIN_VOLUME: f64 = 0.1;

impl SchemeModel {
    /// Learns from other users.
    pub fn learn(
        atlas: &Arc<Atlas>,
        dependence: RegionDependence,
        stream: &RegionStream,
        lessons: &Lessons,
    ) -> SchemeModel {
        let map = atlas.map();
        let counts = counts(map, &lessons.published);
        let total: f64 = counts.iter().sum();
        let asked: f64 = lessons.asked.iter().map(|&count| f64::from(count)).sum();
        let mut model = SchemeModel {
            atlas: Arc::clone(atlas),
            dependence,
            shares: shares(map, &counts, total),
            volume: volume(stream, &lessons.published),
            first_tick: stream.window().start,
            odds: odds(asked, &lessons.published),
            served: served(&counts, &lessons.asked, total / asked.max(1.0)),
            sizes: [1.0; SIZE_CLASSES],
            order: StreetOrder::default(),
        };
        model.sizes = model.learn_sizes(map, stream, &lessons.published);
        model.order =
            StreetOrder::learn(atlas, dependence, &model.shares, stream, &lessons.published);
        model
    }

    /// Mean number of users of regions, by class.
    fn learn_sizes(
        &self,
        map: &StreetMap,
        stream: &RegionStream,
        published: &[Example],
    ) -> [f64; SIZE_CLASSES] {
        let mut users: FxHashMap<(usize, usize), f64> = FxHashMap::default();
        published.iter().for_each(|one| *users.entry((one.tick, one.region)).or_default() += 1.0);
        let mut sums = [(0.0, 0.0); SIZE_CLASSES];
        for tick in stream.window() {
            for (index, region) in stream.regions(tick).iter().enumerate() {
                let class = size_class(self.usual(tick, &region.streets(map)));
                sums[class].0 += users.get(&(tick, index)).copied().unwrap_or(0.0);
                sums[class].1 += 1.0;
            }
        }
        let all = sums.iter().fold((0.0, 0.0), |all, one| (all.0 + one.0, all.1 + one.1));
        let mean = all.0 / f64::max(all.1, 1.0);
        sums.map(|(users, regions)| (users + mean) / (regions + 1.0))
    }

    /// Whether what a region says about the target depends on the target's dc.
    pub fn depends_on_dc(&self) -> bool {
        !matches!(self.dependence, RegionDependence::Fixed | RegionDependence::Tight)
    }

    /// Possible streets of members with a dc; `None` if all streets of a region are possible.
    pub(super) fn possible(&self, dc: Length) -> Option<PossibleStreets> {
        PossibleStreets::new(&self.atlas, self.dependence, dc)
    }

    /// Usual number of publications on some streets in a tick.
    pub(super) fn usual(&self, tick: usize, streets: &[StreetId]) -> f64 {
        let share: f64 = streets.iter().map(|street| self.shares[street.index()]).sum();
        share * self.volume(tick)
    }

    /// Expected number of publications in a tick.
    pub(super) fn volume(&self, tick: usize) -> f64 {
        let index = tick.saturating_sub(self.first_tick);
        self.volume.get(index).copied().unwrap_or(MIN_VOLUME)
    }

    /// Expected number of users of a region whose streets have `usual` publications in a tick.
    pub(super) fn members(&self, usual: f64) -> f64 {
        self.sizes[size_class(usual)]
    }

    /// Probability that a query on a street that has waited for that number of ticks is published.
    pub(super) fn odds(&self, waited: usize, street: StreetId) -> f64 {
        let odds = self.odds.get(waited).copied().unwrap_or(0.0);
        (odds * self.served[street.index()]).min(MAX_ODDS)
    }

    /// Evidence for a target that asked on a street and has waited for that number of ticks;
    /// `likelihood` is that of the regions if it is published
    /// ([`Associations::likelihood`](super::Associations::likelihood)).
    pub fn evidence(&self, waited: usize, street: StreetId, likelihood: f64) -> Evidence {
        let odds = self.odds(waited, street);
        Evidence { published: odds * likelihood, waiting: 1.0 - odds }
    }
}

fn size_class(usual: f64) -> usize {
    (usual.max(1e-9).log2().round() + 16.0).clamp(0.0, SIZE_CLASSES as f64 - 1.0) as usize
}

/// Number of publications by street.
fn counts(map: &StreetMap, published: &[Example]) -> Vec<f64> {
    let mut counts = vec![0.0; map.street_count()];
    published.iter().for_each(|one| counts[one.street.index()] += 1.0);
    counts
}

/// Shares of publications; streets with few of them tend to the mean by length.
fn shares(map: &StreetMap, counts: &[f64], total: f64) -> Vec<f64> {
    let metres = || map.streets().map(|street| map.metres(street).max(1.0));
    let all: f64 = metres().sum();
    let expected = metres().map(|metres| metres / all * total.max(1.0));
    let smooth = |(count, expected): (f64, f64)| expected * (1.0 + count) / (1.0 + expected);
    let mut shares: Vec<f64> = counts.iter().copied().zip(expected).map(smooth).collect();
    let sum: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= sum);
    shares
}

/// Publications in a tick, averaged over the ticks around it.
fn volume(stream: &RegionStream, published: &[Example]) -> Vec<f64> {
    let window = stream.window();
    let mut counts = vec![0.0; window.len()];
    for one in published {
        if let Some(count) = counts.get_mut(one.tick.wrapping_sub(window.start)) {
            *count += 1.0;
        }
    }
    let mean = |tick: usize| {
        let around =
            &counts[tick.saturating_sub(VOLUME_REACH)..(tick + VOLUME_REACH + 1).min(counts.len())];
        (around.iter().sum::<f64>() / around.len() as f64).max(MIN_VOLUME)
    };
    (0..counts.len()).map(mean).collect()
}

/// Probability of being published by ticks waited.
fn odds(asked: f64, published: &[Example]) -> Vec<f64> {
    let mut counts: Vec<f64> = Vec::new();
    for one in published {
        if counts.len() <= one.waited {
            counts.resize(one.waited + 1, 0.0);
        }
        counts[one.waited] += 1.0;
    }
    let mut left = asked;
    let mut odds = |count: f64| {
        let odds = if left > 0.0 { (count / left).min(1.0) } else { 0.0 };
        left -= count;
        odds
    };
    counts.into_iter().map(&mut odds).collect()
}

/// Share of published queries by street, relative to that of all streets.
fn served(counts: &[f64], asked: &[u32], share: f64) -> Vec<f64> {
    let relative = |(&count, &asked): (&f64, &u32)| {
        let smooth = (count + SERVED_WEIGHT * share) / (f64::from(asked) + SERVED_WEIGHT);
        smooth / share.max(f64::MIN_POSITIVE)
    };
    counts.iter().zip(asked).map(relative).collect()
}
