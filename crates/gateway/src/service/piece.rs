//! A part of a region as lines in the plane, and how it is cut in two when a service has more to
//! say about it than it says at once. Where it is cut depends on the lines alone.

use meshcloak::map::{StreetId, StreetMap};
use meshcloak::units::{Point, Rectangle};

/// Lines in the plane of the map, each of two points or more.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    lines: Vec<Vec<Point>>,
}

impl Piece {
    /// The shapes of streets.
    pub fn of(map: &StreetMap, region: &[StreetId]) -> Piece {
        Piece { lines: region.iter().map(|&street| map.shape(street).to_vec()).collect() }
    }

    /// The lines.
    pub fn lines(&self) -> &[Vec<Point>] {
        &self.lines
    }

    /// How far `point` is from the nearest of them, in metres.
    pub fn distance(&self, point: Point) -> f64 {
        let pairs = self.lines.iter().flat_map(|line| line.windows(2));
        let gaps = pairs.map(|pair| {
            let fraction = point.nearest_fraction(pair[0], pair[1]);
            pair[0].towards(pair[1], fraction).distance_squared(point)
        });
        gaps.fold(f64::INFINITY, f64::min).sqrt()
    }

    /// Two halves: of the lines, by where they lie; of a single line, its own. `None` if it is no
    /// longer than `shortest`: then halves would have about the same neighbours.
    pub fn split(mut self, shortest: f64) -> Option<(Piece, Piece)> {
        match self.lines.len() {
            0 => None,
            1 => {
                let (first, second) = halves(&self.lines.remove(0), shortest)?;
                Some((Piece { lines: vec![first] }, Piece { lines: vec![second] }))
            }
            count => {
                self.sort_along_longer_side();
                let second = self.lines.split_off(count / 2);
                Some((self, Piece { lines: second }))
            }
        }
    }

    fn sort_along_longer_side(&mut self) {
        let middle = |line: &Vec<Point>| {
            Rectangle::around(line.iter().copied()).map_or(Point::default(), |r| r.centre())
        };
        let Some(bounds) = Rectangle::around(self.lines.iter().map(middle)) else { return };
        if bounds.width() >= bounds.height() {
            self.lines.sort_by(|a, b| middle(a).x.total_cmp(&middle(b).x));
        } else {
            self.lines.sort_by(|a, b| middle(a).y.total_cmp(&middle(b).y));
        }
    }
}

/// A line cut in the middle.
fn halves(line: &[Point], shortest: f64) -> Option<(Vec<Point>, Vec<Point>)> {
    let metres: f64 = line.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
    if metres <= shortest {
        return None;
    }
    let mut left = metres / 2.0;
    for (index, pair) in line.windows(2).enumerate() {
        let here = pair[0].distance(pair[1]);
        if left <= here {
            let cut = pair[0].towards(pair[1], left / here);
            let first = line[..=index].iter().copied().chain([cut]).collect();
            let second = [cut].into_iter().chain(line[index + 1..].iter().copied()).collect();
            return Some((first, second));
        }
        left -= here;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::Town;

    #[test]
    fn halves_cover_what_was_cut_and_cutting_ends() {
        for seed in 0..60 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            let region: Vec<StreetId> = town.map.streets().collect();
            let whole = Piece::of(&town.map, &region);
            let mut open = vec![whole.clone()];
            let mut done = Vec::new();
            while let Some(piece) = open.pop() {
                match piece.clone().split(40.0) {
                    Some((first, second)) => open.extend([first, second]),
                    None => done.push(piece),
                }
            }
            assert!(done.iter().all(|piece| piece.lines().len() == 1), "seed {seed}");
            for _ in 0..10 {
                let here = town.map.point(town.position(&mut random));
                let gap = done.iter().map(|piece| piece.distance(here)).fold(9e9, f64::min);
                assert!(gap < 1e-6, "seed {seed} {gap}\n{town}");
            }
        }
    }

    #[test]
    fn nothing_and_a_point_are_not_cut() {
        assert_eq!(Piece { lines: Vec::new() }.split(0.0), None);
        let point = vec![Point::new(3.0, 4.0); 2];
        assert_eq!(Piece { lines: vec![point] }.split(0.0), None);
    }
}
