//! Cuts regions into street pieces of about 20 m. Of a rectangle or disc, only street pieces
//! inside it count.

use crate::posterior::{Piece, Posterior};
use meshcloak::map::{Position, StreetId, StreetMap};
use meshcloak::region::{Disc, Region};
use meshcloak::units::{Length, Point, Rectangle};

/// Target length of a piece in units of length: 20 m.
const PIECE_UNITS: u32 = 20 * 32;

/// Returns the uniform distribution over the streets of a region.
pub fn uniform(map: &StreetMap, region: &Region<'_>) -> Posterior {
    let mut pieces = Vec::new();
    for &street in region.streets(map).iter() {
        cut(map, street, |piece| {
            if touches(map, region, &piece) {
                pieces.push(piece);
            }
        });
    }
    Posterior::of_pieces(pieces)
}

/// Cuts a street into equal pieces of at most 20 m, weighted by metres.
pub fn cut(map: &StreetMap, street: StreetId, mut emit: impl FnMut(Piece)) {
    let length = map.street(street).length.units();
    let count = length.div_ceil(PIECE_UNITS).max(1);
    let boundary = |number: u32| {
        let units = u64::from(length) * u64::from(number) / u64::from(count);
        Length::from_units(units as u32)
    };
    for number in 0..count {
        let (from, to) = (boundary(number), boundary(number + 1));
        // A street of one unit keeps a positive weight.
        let weight = (to - from).as_metres().max(1.0 / 64.0);
        emit(Piece { street, from, to, weight });
    }
}

/// Returns whether a piece may be partly inside a region. Samples every 5 m with a margin of 2.5 m.
fn touches(map: &StreetMap, region: &Region<'_>, piece: &Piece) -> bool {
    let grown = match region {
        Region::Mesh(_) => return true,
        Region::Rectangle(Rectangle { min, max }) => Region::Rectangle(Rectangle {
            min: Point::new(min.x - SAMPLING_MARGIN, min.y - SAMPLING_MARGIN),
            max: Point::new(max.x + SAMPLING_MARGIN, max.y + SAMPLING_MARGIN),
        }),
        Region::Disc(disc) => Region::Disc(Disc { radius: disc.radius + SAMPLING_MARGIN, ..*disc }),
    };
    let units = (piece.to - piece.from).units();
    let mut samples = (0..=4).map(|step| {
        let offset = Length::from_units(piece.from.units() + units * step / 4);
        Position { street: piece.street, offset }
    });
    samples.any(|position| grown.contains(map, position))
}

/// Half of the sampling distance, in metres.
const SAMPLING_MARGIN: f64 = 2.5;

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::{Town, town};
    use rand::RngExt as _;

    #[test]
    fn meshes_are_cut_whole_and_rectangles_by_their_inside() {
        //  A ───────── B     300 m, of which 100 lie in the rectangle
        let town = town("A 0,0  B 300,0  C 300,50 | A-B B-C");
        let mesh = uniform(&town.map, &Region::Mesh(vec![town.street("A-B")].into()));
        assert_eq!((mesh.metres(), mesh.pieces.len()), (300.0, 15));
        let weights: f64 = mesh.pieces.iter().map(|piece| piece.weight).sum();
        assert!((weights - 1.0).abs() < 1e-9);
        let rectangle = Rectangle { min: Point::new(103.0, -5.0), max: Point::new(197.0, 5.0) };
        let inside = uniform(&town.map, &Region::Rectangle(rectangle));
        assert_eq!(inside.pieces.first().map(|piece| piece.from.as_metres()), Some(100.0));
        assert_eq!(inside.metres(), 100.0);
        let disc = Disc { centre: Point::new(0.0, 0.0), radius: 30.0 };
        assert_eq!(uniform(&town.map, &Region::Disc(disc)).metres(), 40.0);
    }

    #[test]
    fn every_position_inside_a_region_is_on_a_piece() {
        let mut inside = 0;
        for seed in 0..150 {
            let town = Town::random(seed * 4);
            let mut random = Town::generator(seed);
            let mut corner = || town.map.point(town.position(&mut random));
            let around = Rectangle::around([corner(), corner()]).expect("two points");
            let radius = Town::generator(seed).random_range(1.0..400.0);
            let disc = Disc { centre: corner(), radius };
            for region in [Region::Rectangle(around), Region::Disc(disc)] {
                let pieces = uniform(&town.map, &region);
                for _ in 0..40 {
                    let position = town.position(&mut random);
                    if region.contains(&town.map, position) {
                        assert!(pieces.holds(position), "seed {seed} {position:?}\n{town}");
                        inside += 1;
                    }
                }
            }
        }
        assert!(inside > 1_000, "{inside}");
    }
}
