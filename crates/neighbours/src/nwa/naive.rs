//! Clustering as the authors describe it, comparing all pairs; the reference of tests.

use super::clustering::Clustering;
use super::trajectory::{Trajectory, mean_point};

/// Clusters a class as [`super::clustering::cluster`] does.
pub(super) fn cluster(class: &[Trajectory], k: usize, radius: f64) -> Clustering {
    let limit = radius * radius;
    let distance = |a: usize, b: usize| class[a].distance_squared(&class[b]);
    let centre = Trajectory {
        user: 0,
        start: 0,
        points: (0..class[0].points.len())
            .map(|sample| mean_point(class.iter().map(|one| one.points[sample])))
            .collect(),
    };
    let mut active: Vec<usize> = (0..class.len()).collect();
    let mut clusters: Vec<Vec<u32>> = Vec::new();
    let is_clustered = |clusters: &[Vec<u32>], index: usize| {
        clusters.iter().flatten().any(|&member| member as usize == index)
    };
    while !active.is_empty() {
        let far = |index: usize| {
            let pivots = clusters.iter().map(|members| distance(index, members[0] as usize));
            pivots.reduce(f64::min).unwrap_or_else(|| class[index].distance_squared(&centre))
        };
        let pivot = active
            .iter()
            .copied()
            .fold(active[0], |best, index| if far(index) > far(best) { index } else { best });
        active.retain(|&index| index != pivot);
        let mut others: Vec<usize> = (0..class.len())
            .filter(|&index| index != pivot && !is_clustered(&clusters, index))
            .collect();
        others.sort_by(|&a, &b| distance(pivot, a).total_cmp(&distance(pivot, b)).then(a.cmp(&b)));
        others.truncate(k - 1);
        let fits = others.iter().all(|&index| distance(pivot, index) <= limit);
        if others.len() + 1 < k || !fits {
            continue;
        }
        active.retain(|index| !others.contains(index));
        clusters.push([pivot].iter().chain(&others).map(|&index| index as u32).collect());
    }
    let mut result = Clustering { clusters: clusters.clone(), trash: Vec::new() };
    for index in (0..class.len()).filter(|&index| !is_clustered(&clusters, index)) {
        let pivots = clusters.iter().enumerate();
        let pivots =
            pivots.map(|(at, members)| (distance(index, members[0] as usize), at, members[0]));
        let nearest = pivots
            .filter(|pivot| pivot.0 <= limit)
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.2.cmp(&b.2)));
        match nearest {
            Some((_, cluster, _)) => result.clusters[cluster].push(index as u32),
            None => result.trash.push(index as u32),
        }
    }
    result
}
