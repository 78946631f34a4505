//! The result of an attack: remaining candidates and a distribution over street pieces, from which
//! the adversary's error is computed.

use crate::view::Candidate;
use meshcloak::map::{Position, StreetId, StreetMap};
use meshcloak::query::UserId;
use meshcloak::units::{Length, Point};

/// A piece of a street with the probability that the target is on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// The street.
    pub street: StreetId,
    /// Offset of its start.
    pub from: Length,
    /// Offset of its end, at or after the start.
    pub to: Length,
    /// Probability; the weights of a posterior add up to one.
    pub weight: f64,
}

impl Piece {
    /// Returns its midpoint.
    pub fn middle(&self) -> Position {
        let units = self.from.units() / 2 + self.to.units() / 2;
        let odd = (self.from.units() & 1) + (self.to.units() & 1);
        Position { street: self.street, offset: Length::from_units(units + odd / 2) }
    }

    /// Returns its length in metres.
    pub fn metres(&self) -> f64 {
        (self.to - self.from).as_metres()
    }

    /// Returns whether a position is on it, ends included.
    pub fn holds(&self, position: Position) -> bool {
        self.street == position.street && self.from <= position.offset && position.offset <= self.to
    }

    /// Creates a piece that is a single position.
    pub fn point(position: Position) -> Piece {
        Piece { street: position.street, from: position.offset, to: position.offset, weight: 1.0 }
    }
}

/// Candidates, street pieces, or both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Posterior {
    /// Candidate users, ascending; `None` if the attack does not distinguish users.
    pub candidates: Option<Vec<UserId>>,
    /// Possible positions by ascending street and offset; weights add up to one.
    pub pieces: Vec<Piece>,
}

impl Posterior {
    /// Creates a distribution over pieces. Weights are normalised; pieces of weight zero are dropped.
    pub fn of_pieces(mut pieces: Vec<Piece>) -> Posterior {
        let sum: f64 = pieces.iter().map(|piece| piece.weight).sum();
        pieces.retain(|piece| piece.weight > 0.0);
        pieces.iter_mut().for_each(|piece| piece.weight /= sum);
        Posterior { candidates: None, pieces }
    }

    /// Creates a uniform distribution over candidates at their positions.
    pub fn of_candidates(mut candidates: Vec<&Candidate>) -> Posterior {
        candidates.sort_unstable_by_key(|candidate| (candidate.user, candidate.position));
        candidates.dedup_by_key(|candidate| candidate.user);
        let users = candidates.iter().map(|candidate| candidate.user).collect();
        let mut pieces: Vec<Piece> =
            candidates.iter().map(|candidate| Piece::point(candidate.position)).collect();
        pieces.sort_unstable_by_key(|piece| (piece.street, piece.from));
        Posterior { candidates: Some(users), ..Posterior::of_pieces(pieces) }
    }

    /// Returns the length of street with positive probability, in metres.
    pub fn metres(&self) -> f64 {
        self.pieces.iter().map(Piece::metres).sum()
    }

    /// Returns whether a position is possible.
    pub fn holds(&self, position: Position) -> bool {
        let start = self.pieces.partition_point(|piece| piece.street < position.street);
        let own = self.pieces[start..].iter().take_while(|piece| piece.street == position.street);
        own.clone().any(|piece| piece.holds(position))
    }

    /// Returns the weighted mean point; `None` if there are no pieces.
    pub fn centre(&self, map: &StreetMap) -> Option<Point> {
        let add = |sum: (f64, f64), piece: &Piece| {
            let point = map.point(piece.middle());
            (sum.0 + point.x * piece.weight, sum.1 + point.y * piece.weight)
        };
        let (x, y) = self.pieces.iter().fold((0.0, 0.0), add);
        (!self.pieces.is_empty()).then(|| Point::new(x, y))
    }

    /// Returns the adversary's guess: the possible midpoint nearest to the centre.
    pub fn guess(&self, map: &StreetMap) -> Option<Position> {
        let centre = self.centre(map)?;
        let distance = |piece: &Piece| map.point(piece.middle()).distance_squared(centre);
        let nearest = self.pieces.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        Some(nearest.middle())
    }

    /// Returns the adversary's expected error in metres for a true position (Shokri et al. 2011);
    /// `None` if there are no pieces.
    pub fn expected_error(&self, map: &StreetMap, truth: Point) -> Option<f64> {
        let error = |piece: &Piece| map.point(piece.middle()).distance(truth) * piece.weight;
        (!self.pieces.is_empty()).then(|| self.pieces.iter().map(error).sum())
    }

    /// Returns the point with the least expected distance from the target: the best guess of an
    /// adversary whose loss is the distance (Shokri et al. 2012); `None` if there are no pieces.
    ///
    /// Weighted geometric median by Weiszfeld's iteration from the centre. A distance below one metre
    /// counts as one metre, so that a piece under the guess does not stop it.
    pub fn best_guess(&self, map: &StreetMap) -> Option<Point> {
        const MAX_STEPS: u32 = 200;
        const MIN_STEP: f64 = 0.1;
        let mut guess = self.centre(map)?;
        let points: Vec<(Point, f64)> =
            self.pieces.iter().map(|piece| (map.point(piece.middle()), piece.weight)).collect();
        for _ in 0..MAX_STEPS {
            let (mut x, mut y, mut sum) = (0.0, 0.0, 0.0);
            for &(point, weight) in &points {
                let pull = weight / point.distance(guess).max(1.0);
                (x, y, sum) = (x + pull * point.x, y + pull * point.y, sum + pull);
            }
            let next = Point::new(x / sum, y / sum);
            let step = next.distance(guess);
            guess = next;
            if step < MIN_STEP {
                break;
            }
        }
        Some(guess)
    }

    /// Returns the entropy over pieces, in bits.
    pub fn entropy(&self) -> f64 {
        let bits = |piece: &Piece| -piece.weight * piece.weight.log2();
        self.pieces.iter().map(bits).sum()
    }

    /// Combines two independent posteriors over one region: the intersection of their pieces, weighted by
    /// the product of their densities.
    pub fn and(&self, other: &Posterior) -> Posterior {
        let mut both = Vec::with_capacity(self.pieces.len().min(other.pieces.len()));
        let mut start = 0;
        for piece in &self.pieces {
            let before = |next: &Piece| (next.street, next.to) < (piece.street, piece.from);
            while other.pieces.get(start).is_some_and(before) {
                start += 1;
            }
            let near = other.pieces[start..].iter();
            for next in near.take_while(|next| (next.street, next.from) <= (piece.street, piece.to))
            {
                let (from, to) = (piece.from.max(next.from), piece.to.min(next.to));
                if from <= to {
                    let density = |piece: &Piece| piece.weight / piece.metres().max(1.0 / 32.0);
                    let metres = (to - from).as_metres();
                    let weight = density(piece) * density(next) * metres;
                    both.push(Piece { street: piece.street, from, to, weight });
                }
            }
        }
        Posterior::of_pieces(both)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::query::Query;
    use meshcloak::town::{Town, town};
    use rand::RngExt as _;

    fn piece(street: u32, from: f64, to: f64, weight: f64) -> Piece {
        let (from, to) = (Length::metres(from), Length::metres(to));
        Piece { street: StreetId(street), from, to, weight }
    }

    #[test]
    fn metres_centre_guess_and_error_are_those_of_the_pieces() {
        //  A ──── B ──── C     100 m each
        let town = town("A 0,0  B 100,0  C 200,0 | A-B B-C");
        let posterior =
            Posterior::of_pieces(vec![piece(0, 0.0, 20.0, 1.0), piece(1, 80.0, 100.0, 3.0)]);
        assert_eq!(posterior.metres(), 40.0);
        // A quarter at x = 10 and three quarters at 190: the centre is 145, and 190 is nearer to it.
        assert_eq!(posterior.centre(&town.map), Some(Point::new(145.0, 0.0)));
        assert_eq!(posterior.guess(&town.map), Some(town.at("B-C", 90.0)));
        let error = posterior.expected_error(&town.map, Point::new(10.0, 0.0));
        assert_eq!(error, Some(0.75 * 180.0));
        assert!((posterior.entropy() - 0.811_278).abs() < 1e-6);
        assert!(posterior.holds(town.at("A-B", 20.0)) && !posterior.holds(town.at("A-B", 21.0)));
        let empty = Posterior::default();
        assert_eq!((empty.centre(&town.map), empty.guess(&town.map)), (None, None));
    }

    #[test]
    fn no_point_of_a_fine_grid_has_a_smaller_expected_distance_than_the_best_guess() {
        let mut better = 0;
        for seed in 0..200 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            let pieces = (0..1 + seed % 12).map(|_| Piece {
                weight: random.random_range(0.01..1.0),
                ..Piece::point(town.position(&mut random))
            });
            let posterior = Posterior::of_pieces(pieces.collect());
            let error = |point: Point| posterior.expected_error(&town.map, point).unwrap();
            let found = error(posterior.best_guess(&town.map).unwrap());
            let (min, max) = (town.map.bounds().min, town.map.bounds().max);
            for (column, row) in (0..=60).flat_map(|column| (0..=60).map(move |row| (column, row)))
            {
                let along =
                    |low: f64, high: f64, step: i32| low + (high - low) * f64::from(step) / 60.0;
                let point = Point::new(along(min.x, max.x, column), along(min.y, max.y, row));
                assert!(found <= error(point) + 1.0, "seed {seed}: {found} {point:?}\n{town}");
            }
            // Nor has a possible position; the mean point often has a larger one.
            for piece in &posterior.pieces {
                assert!(
                    found <= error(town.map.point(piece.middle())) + 1.0,
                    "seed {seed}\n{town}"
                );
            }
            better += usize::from(found + 1.0 < error(posterior.centre(&town.map).unwrap()));
        }
        assert!(better > 80, "{better}");
        assert_eq!(Posterior::default().best_guess(&town("A 0,0  B 9,0 | A-B").map), None);
    }

    #[test]
    fn the_combination_keeps_what_both_allow() {
        let a = Posterior::of_pieces(vec![piece(0, 0.0, 20.0, 1.0), piece(0, 20.0, 40.0, 1.0)]);
        let b = Posterior::of_pieces(vec![piece(0, 10.0, 20.0, 1.0), piece(2, 0.0, 10.0, 1.0)]);
        let both = a.and(&b);
        assert_eq!(both.metres(), 10.0);
        assert_eq!(both, b.and(&a));
        assert!(a.and(&Posterior::default()).pieces.is_empty());
    }

    #[test]
    fn candidates_are_distinct_and_keep_their_positions() {
        let town = town("A 0,0  B 100,0 | A-B");
        let (near, far) = (town.at("A-B", 0.0), town.at("A-B", 100.0));
        let candidate = |user: u64, position| {
            Candidate::from(&Query::builder(UserId(user), position).build_unchecked())
        };
        let (a, b) = (candidate(7, far), candidate(3, near));
        let posterior = Posterior::of_candidates(vec![&a, &b, &a]);
        assert_eq!(posterior.candidates.as_deref(), Some(&[UserId(3), UserId(7)][..]));
        assert_eq!(posterior.expected_error(&town.map, Point::new(0.0, 0.0)), Some(50.0));
        assert_eq!(posterior.metres(), 0.0);
    }
}
