//! What an object looks like on the ground, and the one point by which it counts.
//!
//! Services find lines and areas by how they are drawn, so that point must not be far from there:
//! what is near the point would be missed by a range around the region else.

use meshcloak::units::Point;

/// The outline of an object, in lon/lat: chains of places that are joined, or places alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Drawn {
    chains: Vec<Vec<[f64; 2]>>,
}

impl Drawn {
    /// A single place.
    #[cfg(test)]
    pub(crate) fn point(place: [f64; 2]) -> Drawn {
        Drawn { chains: vec![vec![place]] }
    }

    /// One more chain.
    pub(crate) fn join(&mut self, chain: Vec<[f64; 2]>) {
        if !chain.is_empty() {
            self.chains.push(chain);
        }
    }

    /// Where it counts: the middle of the box around it, if some of it is within `metres` of that;
    /// else its place nearest to the middle. `on_map` tells where a place is in the plane.
    pub(crate) fn place(
        &self,
        metres: f64,
        on_map: impl Fn([f64; 2]) -> Option<Point>,
    ) -> Option<Point> {
        let middle = on_map(self.middle()?)?;
        let chains = self.chains.iter().map(|chain| {
            let chain: Option<Vec<Point>> = chain.iter().map(|&place| on_map(place)).collect();
            chain
        });
        let mut nearest: Option<(f64, Point)> = None;
        for chain in chains.collect::<Option<Vec<_>>>()? {
            let alone = chain.first().map(|&only| (only, only));
            let sides = chain.windows(2).map(|pair| (pair[0], pair[1])).chain(alone);
            for (a, b) in sides {
                let point = a.towards(b, middle.nearest_fraction(a, b));
                let apart = point.distance(middle);
                if nearest.is_none_or(|(least, _)| apart < least) {
                    nearest = Some((apart, point));
                }
            }
        }
        // A little is left to the service's idea of a metre.
        nearest.map(|(apart, point)| if apart <= metres * 0.98 { middle } else { point })
    }

    fn middle(&self) -> Option<[f64; 2]> {
        let (mut min, mut max) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for place in self.chains.iter().flatten() {
            for (axis, &degrees) in place.iter().enumerate() {
                min[axis] = min[axis].min(degrees);
                max[axis] = max[axis].max(degrees);
            }
        }
        let middle = |axis: usize| min[axis] + (max[axis] - min[axis]) / 2.0;
        (min[0] <= max[0]).then(|| [middle(0), middle(1)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(chains: &[&[[f64; 2]]], metres: f64) -> Option<(f64, f64)> {
        let mut drawn = Drawn::default();
        chains.iter().for_each(|chain| drawn.join(chain.to_vec()));
        let flat = |[x, y]: [f64; 2]| x.is_finite().then(|| Point::new(x, y));
        drawn.place(metres, flat).map(|point| (point.x, point.y))
    }

    #[test]
    fn an_area_counts_by_its_middle_unless_that_is_far_from_its_outline() {
        let hall = [[0.0, 0.0], [80.0, 0.0], [80.0, 300.0], [0.0, 300.0], [0.0, 0.0]];
        assert_eq!(place(&[&hall], 100.0), Some((40.0, 150.0)));
        assert_eq!(place(&[&hall], 40.0), Some((80.0, 150.0)), "a side, not only its corners");
        let path = [[0.0, 0.0], [0.0, 500.0], [500.0, 500.0]];
        assert_eq!(place(&[&path], 100.0), Some((0.0, 250.0)), "outside, where it bends");
        assert_eq!(place(&[&[[7.0, 8.0]]], 0.0), Some((7.0, 8.0)));
        let stops: [&[[f64; 2]]; 2] = [&[[0.0, 0.0]], &[[90.0, 0.0]]];
        assert_eq!(place(&stops, 100.0), Some((45.0, 0.0)));
        assert_eq!(place(&stops, 10.0), Some((0.0, 0.0)), "nothing is between them");
        assert_eq!(place(&[], 100.0), None);
        assert_eq!(place(&[&[[f64::NAN, 0.0]]], 100.0), None);
    }
}
