//! Never Walk Alone (Abul, Bonchi, Nanni 2008): (k, δ)-anonymity of published trajectories.
//!
//! ```text
//! journeys ─► samples ─► equal time spans ─► clusters of ≥ k ─► translation within δ ─► published
//!                        (too short, too     (trash ≤ bound,
//!                         rare: suppressed)   else the radius grows)
//! ```
//!
//! Every published trajectory is at all times within δ of at least k − 1 others, so that positions
//! uncertain by δ do not tell them apart.

mod clustering;
mod linking;
mod mean_grid;
#[cfg(test)]
mod naive;
mod preprocessing;
mod range_queries;
mod scene;
#[cfg(test)]
mod tests;
mod top_locations;
mod trajectory;
mod translation;

pub use clustering::Clustering;
pub use linking::link_by_distance;
pub use preprocessing::{Classes, best_period};
pub use range_queries::{RangeErrors, RangeQuery, range_errors};
pub use scene::trajectory_drawings;
pub use top_locations::{Uniqueness, uniqueness};
pub use trajectory::Trajectory;
pub use translation::is_colocalised;

use meshcloak::map::StreetMap;
use rayon::prelude::*;
use traffic::Journey;

/// Settings of the anonymisation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NwaSettings {
    /// Smallest number of trajectories in a cluster, at least 2.
    pub k: u32,
    /// Diameter of the cylinder that holds a cluster, in metres.
    pub delta: f64,
    /// Milliseconds between two samples.
    pub step: u64,
    /// Milliseconds between possible beginnings and ends of trajectories; a multiple of `step`.
    pub period: u64,
    /// Largest share of trajectories that clustering may drop.
    pub max_trash: f64,
    /// First largest radius of a cluster, in metres.
    pub radius: f64,
}

impl Default for NwaSettings {
    fn default() -> NwaSettings {
        let (step, period) = (15_000, 300_000);
        NwaSettings { k: 5, delta: 200.0, step, period, max_trash: 0.1, radius: 100.0 }
    }
}

impl NwaSettings {
    /// Samples per period, at least 1.
    pub fn samples_per_period(&self) -> u32 {
        u32::try_from(self.period / self.step.max(1)).unwrap_or(u32::MAX).max(1)
    }
}

/// Factor by which the radius grows while too much is trash.
const RADIUS_GROWTH: f64 = 1.5;
/// Number of growths after which the radius is unlimited: from 1 m to beyond any map.
const MAX_GROWTHS: u32 = 45;

/// Published trajectories and the originals they stand for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Published {
    /// Published trajectories, clusters one after the other.
    pub trajectories: Vec<Trajectory>,
    /// The same trajectories before translation, in the same order.
    pub original: Vec<Trajectory>,
    /// Index of the first trajectory of each cluster.
    pub clusters: Vec<usize>,
    /// Trajectories that cover no whole period.
    pub too_short: usize,
    /// Trajectories in classes of fewer than k.
    pub too_rare: usize,
    /// Trajectories that clustering dropped.
    pub trash: usize,
    /// Trimmed trajectories of all classes.
    pub trimmed: Vec<Trajectory>,
    /// Largest radius at the end, in metres.
    pub radius: f64,
}

/// Number of samples of all journeys, at most.
pub fn sample_count(journeys: &[Journey], step: u64) -> u64 {
    journeys.iter().map(|journey| (journey.end() - journey.start()) / step + 1).sum()
}

/// Samples all journeys.
pub fn sample(map: &StreetMap, journeys: &[Journey], step: u64) -> Vec<Trajectory> {
    let sampled = journeys.par_iter().enumerate();
    let sampled =
        sampled.map(|(user, journey)| Trajectory::sample(map, user as u32, journey, step));
    sampled.collect::<Vec<_>>().into_iter().flatten().collect()
}

/// Anonymises trajectories. The result does not depend on the number of threads.
pub fn anonymise(trajectories: &[Trajectory], settings: &NwaSettings) -> Published {
    let classes = Classes::group(trajectories, settings);
    let allowed = (settings.max_trash * classes.len() as f64) as usize;
    let mut radius = settings.radius;
    let mut growths = 0;
    let clusterings = loop {
        let clusterings: Vec<Clustering> = classes
            .classes
            .par_iter()
            .map(|class| clustering::cluster(class, settings.k as usize, radius))
            .collect();
        let trash: usize = clusterings.iter().map(|clustering| clustering.trash.len()).sum();
        // Classes have at least k members: with an infinite radius nothing is trash.
        if trash <= allowed || growths > MAX_GROWTHS {
            break clusterings;
        }
        growths += 1;
        radius = if growths > MAX_GROWTHS { f64::INFINITY } else { radius * RADIUS_GROWTH };
    };
    publish(&classes, &clusterings, settings, radius)
}

fn publish(
    classes: &Classes,
    clusterings: &[Clustering],
    settings: &NwaSettings,
    radius: f64,
) -> Published {
    let mut published = Published {
        too_short: classes.too_short,
        too_rare: classes.too_rare,
        trimmed: classes.classes.iter().flatten().cloned().collect(),
        radius,
        ..Published::default()
    };
    for (class, clustering) in classes.classes.iter().zip(clusterings) {
        published.trash += clustering.trash.len();
        for members in &clustering.clusters {
            let members: Vec<&Trajectory> =
                members.iter().map(|&member| &class[member as usize]).collect();
            published.clusters.push(published.trajectories.len());
            published.trajectories.extend(translation::translate(&members, settings.delta));
            published.original.extend(members.into_iter().cloned());
        }
    }
    published
}

/// Loss of information.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Distortion {
    /// Mean distance by which a published position was moved, in metres.
    pub mean_metres: Option<f64>,
    /// Largest such distance, in metres: the authors' Ω, the cost of a suppressed position.
    pub max_metres: f64,
    /// Sum over all positions of the trimmed trajectories, suppressed ones at Ω, in metres.
    pub total_metres: f64,
    /// Share of the sampled positions that are not published.
    pub suppressed: Option<f64>,
    /// Discernibility: Σ |cluster|² + |suppressed| × |all trajectories|.
    pub discernibility: f64,
    /// The same if every cluster had exactly k members and nothing were suppressed.
    pub ideal_discernibility: f64,
}

impl Published {
    /// Members of each cluster.
    pub fn clusters(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let ends = self.clusters.iter().skip(1).copied().chain([self.trajectories.len()]);
        self.clusters.iter().copied().zip(ends).map(|(start, end)| start..end)
    }

    /// Measures the loss against the sampled trajectories.
    pub fn distortion(&self, sampled: &[Trajectory], k: u32) -> Distortion {
        let pairs = self.trajectories.iter().zip(&self.original);
        let moved = pairs.flat_map(|(a, b)| a.points.iter().zip(&b.points));
        let (mut sum, mut max, mut count) = (0.0, 0.0_f64, 0_u64);
        for distance in moved.map(|(a, b)| a.distance(*b)) {
            sum += distance;
            max = max.max(distance);
            count += 1;
        }
        let points =
            |all: &[Trajectory]| all.iter().map(|one| one.points.len() as u64).sum::<u64>();
        let trimmed = points(&self.trimmed);
        let all = points(sampled);
        let users = sampled.len() as f64;
        let squares: f64 = self.clusters().map(|cluster| (cluster.len() as f64).powi(2)).sum();
        let lost = sampled.len() - self.trajectories.len();
        Distortion {
            mean_metres: (count > 0).then(|| sum / count as f64),
            max_metres: max,
            total_metres: sum + max * trimmed.saturating_sub(count) as f64,
            suppressed: (all > 0).then(|| 1.0 - count as f64 / all as f64),
            discernibility: squares + lost as f64 * users,
            ideal_discernibility: users * f64::from(k),
        }
    }
}
