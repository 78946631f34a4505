//! Attack on published trajectories: an adversary who knows true positions of a target picks the
//! published trajectory that is nearest to them.

use super::Published;
use super::trajectory::Trajectory;
use crate::statistics::Average;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;

/// Largest number of attacked trajectories.
const MAX_TARGETS: usize = 1000;

/// Probability that the nearest published trajectory is the target's, if the adversary knows `known`
/// positions at random times, or all with `None`.
pub fn link_by_distance(published: &Published, known: Option<usize>, seed: u64) -> Average {
    let targets = published.original.len();
    let step = targets.div_ceil(MAX_TARGETS).max(1);
    let chosen: Vec<usize> = (0..targets).step_by(step).collect();
    let success = chosen.par_iter().map(|&target| {
        let truth = &published.original[target];
        let mut random = Pcg64Mcg::seed_from_u64(seed ^ target as u64);
        let samples: Vec<u32> = match known {
            None => (truth.start..truth.end()).collect(),
            Some(known) => {
                (0..known).map(|_| random.random_range(truth.start..truth.end())).collect()
            }
        };
        let own = mismatch(&published.trajectories[target], truth, &samples);
        let mut ties = 0_u32;
        for trajectory in &published.trajectories {
            let other = mismatch(trajectory, truth, &samples);
            if other < own {
                return 0.0;
            }
            ties += u32::from(other == own);
        }
        1.0 / f64::from(ties.max(1))
    });
    success.collect::<Vec<f64>>().into_iter().collect()
}

/// Sum of the squared distances at the known times; infinite if the trajectory is not present.
fn mismatch(trajectory: &Trajectory, truth: &Trajectory, samples: &[u32]) -> f64 {
    let mut sum = 0.0;
    for &sample in samples {
        let (Some(published), Some(known)) = (trajectory.at(sample), truth.at(sample)) else {
            return f64::INFINITY;
        };
        sum += published.distance_squared(known);
    }
    sum
}
