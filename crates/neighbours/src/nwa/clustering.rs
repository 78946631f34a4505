//! Greedy clustering of one class, for a given largest radius.
//!
//! Pivots are chosen farthest first. A pivot with its k − 1 nearest free trajectories is a cluster if
//! all are within the radius; the rest joins the nearest pivot within the radius, or is trash.

use super::mean_grid::MeanGrid;
use super::trajectory::{Trajectory, mean_point};

/// Clusters of one class, as indices of its trajectories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clustering {
    /// Members of each cluster, the pivot first; at least k.
    pub clusters: Vec<Vec<u32>>,
    /// Trajectories in no cluster, ascending.
    pub trash: Vec<u32>,
}

/// Clusters a class of trajectories with the same span.
///
/// Time O(n²/k × samples) in the worst case: the distances of all trajectories to all pivots.
pub(super) fn cluster(class: &[Trajectory], k: usize, radius: f64) -> Clustering {
    let grid = MeanGrid::new(class, radius);
    let mut state = PivotChoice::new(class);
    let mut is_clustered = vec![false; class.len()];
    let mut result = Clustering::default();
    while let Some(pivot) = state.next() {
        let mut near = grid.within(pivot, |index| !is_clustered[index as usize]);
        // The pivot is its own nearest, also if others have the same positions.
        near.retain(|member| member.1 != pivot as u32);
        if near.len() + 1 < k {
            continue;
        }
        near.truncate(k - 1);
        let members: Vec<u32> =
            [pivot as u32].into_iter().chain(near.iter().map(|member| member.1)).collect();
        for &member in &members {
            is_clustered[member as usize] = true;
            state.deactivate(member as usize);
        }
        state.add_pivot(pivot);
        result.clusters.push(members);
    }
    assign_rest(&grid, &is_clustered, &mut result);
    result
}

/// Adds the remaining trajectories to the nearest pivot within the radius, or to the trash.
fn assign_rest(grid: &MeanGrid<'_>, is_clustered: &[bool], result: &mut Clustering) {
    let mut cluster_of_pivot = vec![None; is_clustered.len()];
    for (cluster, members) in result.clusters.iter().enumerate() {
        cluster_of_pivot[members[0] as usize] = Some(cluster);
    }
    for index in (0..is_clustered.len()).filter(|&index| !is_clustered[index]) {
        let pivots = grid.within(index, |other| cluster_of_pivot[other as usize].is_some());
        let nearest = pivots.first().and_then(|pivot| cluster_of_pivot[pivot.1 as usize]);
        match nearest {
            Some(cluster) => result.clusters[cluster].push(index as u32),
            None => result.trash.push(index as u32),
        }
    }
}

/// Chooses the active trajectory that is farthest from all pivots; the first is farthest from the
/// mean of the class. Ties by index.
struct PivotChoice<'a> {
    class: &'a [Trajectory],
    means: Vec<meshcloak::units::Point>,
    is_active: Vec<bool>,
    /// Squared distance to the nearest pivot.
    nearest: Vec<f64>,
    has_pivot: bool,
}

impl<'a> PivotChoice<'a> {
    fn new(class: &'a [Trajectory]) -> PivotChoice<'a> {
        let samples = class.first().map_or(0, |trajectory| trajectory.points.len());
        let at = |sample: usize| mean_point(class.iter().map(|one| one.points[sample]));
        let points = (0..samples).map(at).collect();
        let centre = Trajectory { user: 0, start: 0, points };
        PivotChoice {
            class,
            means: class.iter().map(Trajectory::mean).collect(),
            is_active: vec![true; class.len()],
            nearest: class.iter().map(|one| one.distance_squared(&centre)).collect(),
            has_pivot: false,
        }
    }

    fn next(&mut self) -> Option<usize> {
        let active = (0..self.class.len()).filter(|&index| self.is_active[index]);
        let farthest =
            active.max_by(|&a, &b| self.nearest[a].total_cmp(&self.nearest[b]).then(b.cmp(&a)))?;
        self.is_active[farthest] = false;
        Some(farthest)
    }

    fn deactivate(&mut self, index: usize) {
        self.is_active[index] = false;
    }

    fn add_pivot(&mut self, pivot: usize) {
        if !self.has_pivot {
            self.nearest.fill(f64::INFINITY);
            self.has_pivot = true;
        }
        for index in 0..self.class.len() {
            // The distance of the means is a lower bound.
            let bound = self.means[index].distance_squared(self.means[pivot]);
            if self.is_active[index] && bound * (1.0 - 1e-9) < self.nearest[index] {
                let distance = self.class[index].distance_squared(&self.class[pivot]);
                self.nearest[index] = self.nearest[index].min(distance);
            }
        }
    }
}
