//! Picture of some clusters before and after anonymisation.

use super::Published;
use crate::drawing::{Drawing, square};
use meshcloak::map::StreetMap;
use meshcloak::units::{Point, Rectangle};

const LAYERS: [&str; 4] = ["cluster 1", "cluster 2", "cluster 3", "cluster 4"];

/// Draws four clusters before and after translation. Layers: `street`, `cluster 1` to `cluster 4`,
/// `start`.
///
/// The first cluster is one of median extent; the others are nearest to it.
pub fn trajectory_drawings(map: &StreetMap, published: &Published) -> Option<[Drawing; 2]> {
    let mut clusters: Vec<(f64, Point, std::ops::Range<usize>)> = published
        .clusters()
        .filter_map(|cluster| {
            let points = published.original[cluster.clone()].iter().flat_map(|one| &one.points);
            let bounds = Rectangle::around(points.copied())?;
            Some((bounds.width().max(bounds.height()), bounds.centre(), cluster))
        })
        .collect();
    clusters.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.2.start.cmp(&b.2.start)));
    let centre = clusters.get(clusters.len() / 2)?.1;
    clusters.sort_by(|a, b| {
        let distance = |one: &(f64, Point, _)| one.1.distance(centre);
        distance(a).total_cmp(&distance(b)).then(a.2.start.cmp(&b.2.start))
    });
    clusters.truncate(LAYERS.len());
    let shown = clusters.iter().flat_map(|cluster| &published.original[cluster.2.clone()]);
    let bounds = Rectangle::around(shown.flat_map(|one| one.points.iter().copied()))?;
    let streets = map.streets_near(square(bounds));
    let drawing = |trajectories: &[super::Trajectory]| {
        let mut drawing = Drawing::default();
        for &street in &streets {
            drawing.add("street", map.shape(street).to_vec());
        }
        for (layer, cluster) in LAYERS.iter().zip(&clusters) {
            for trajectory in &trajectories[cluster.2.clone()] {
                drawing.add(layer, trajectory.points.clone());
                drawing.add("start", vec![trajectory.points[0]]);
            }
        }
        drawing
    };
    Some([drawing(&published.original), drawing(&published.trajectories)])
}
