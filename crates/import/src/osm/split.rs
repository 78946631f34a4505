//! Cutting a street that is too long into pieces as even as its bends allow.

use meshcloak::units::Point;

/// A street in pieces: its points, and which of them are ends of pieces.
#[derive(Debug, PartialEq)]
pub(super) struct Pieces {
    /// Each point with its row among the points given; `None` if it was added.
    pub points: Vec<(Point, Option<usize>)>,
    /// Rows of `points` where pieces meet, ascending; neither first nor last.
    pub cuts: Vec<usize>,
}

/// The street through `points` in as few pieces as can be, none longer than `longest` metres, and
/// the longest of them as short as can be. Pieces meet at bends; only a straight stretch that is
/// too long in itself is cut in its middle, into equal parts.
///
/// `None` if the street is not too long.
pub(super) fn split(points: &[Point], longest: f64) -> Option<Pieces> {
    let metres: f64 = points.windows(2).map(|ends| ends[0].distance(ends[1])).sum();
    if metres <= longest {
        return None;
    }
    let points = with_added(points, longest);
    let mut along = vec![0.0];
    for ends in points.windows(2) {
        along.push(along[along.len() - 1] + ends[0].0.distance(ends[1].0));
    }
    // Rounding can leave an equal part a hair above the limit; it must still count as within.
    let steps = along.windows(2).map(|ends| ends[1] - ends[0]);
    let longest = steps.fold(longest, f64::max);
    let fewest = cuts(&along, longest).len();
    let (mut too_short, mut enough) = (0.0, longest);
    for _ in 0..50 {
        let middle = (too_short + enough) / 2.0;
        let fits = along.windows(2).all(|ends| ends[1] - ends[0] <= middle);
        if fits && cuts(&along, middle).len() <= fewest {
            enough = middle;
        } else {
            too_short = middle;
        }
    }
    let cuts = cuts(&along, enough);
    Some(Pieces { points, cuts })
}

/// The points, with equal steps of at most `longest` between them where they lie farther apart.
fn with_added(points: &[Point], longest: f64) -> Vec<(Point, Option<usize>)> {
    let mut all = Vec::with_capacity(points.len() + 1);
    for (row, &point) in points.iter().enumerate() {
        if let Some(&(previous, _)) = all.last() {
            let steps = (Point::distance(previous, point) / longest).ceil().max(1.0);
            for step in 1..steps as usize {
                all.push((previous.towards(point, step as f64 / steps), None));
            }
        }
        all.push((point, Some(row)));
    }
    all
}

/// Where to cut if every piece goes as far as `longest` lets it, no step being longer than that.
fn cuts(along: &[f64], longest: f64) -> Vec<usize> {
    let mut cuts = Vec::new();
    let mut start = 0;
    for row in 1..along.len() {
        if along[row] - along[start] > longest && row - 1 > start {
            start = row - 1;
            cuts.push(start);
        }
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(metres: &[f64]) -> Vec<Point> {
        metres.iter().map(|&x| Point::new(x, 0.0)).collect()
    }

    fn ends(metres: &[f64], longest: f64) -> Vec<f64> {
        let pieces = split(&line(metres), longest).unwrap();
        pieces.cuts.iter().map(|&row| pieces.points[row].0.x).collect()
    }

    #[test]
    fn a_street_within_the_limit_stays_whole() {
        assert_eq!(split(&line(&[0.0, 400.0, 1000.0]), 1000.0), None);
        assert_eq!(split(&line(&[0.0, 1e6]), f64::INFINITY), None);
    }

    #[test]
    fn pieces_meet_at_the_bends_that_make_them_most_even() {
        assert_eq!(ends(&[0.0, 300.0, 700.0, 900.0, 1400.0], 1000.0), [700.0]);
        assert_eq!(ends(&[0.0, 100.0, 900.0, 1800.0, 1900.0], 1000.0), [900.0]);
        assert_eq!(ends(&[0.0, 600.0, 1200.0, 1800.0], 1000.0), [600.0, 1200.0]);
    }

    #[test]
    fn a_straight_stretch_that_is_too_long_is_cut_into_equal_parts() {
        assert_eq!(ends(&[0.0, 2400.0], 1000.0), [800.0, 1600.0]);
        assert_eq!(ends(&[0.0, 50.0, 1650.0, 1700.0], 1000.0), [850.0]);
    }

    #[test]
    fn no_piece_is_longer_than_the_limit() {
        for bends in 1..60_usize {
            let points: Vec<Point> = (0..=bends)
                .map(|i| Point::new((i * i * 37 % 900) as f64, (i * 7919 % 1300) as f64))
                .collect();
            let Some(pieces) = split(&points, 250.0) else { continue };
            let mut rows = vec![0];
            rows.extend(&pieces.cuts);
            rows.push(pieces.points.len() - 1);
            for piece in rows.windows(2) {
                let shape = &pieces.points[piece[0]..=piece[1]];
                let metres: f64 = shape.windows(2).map(|e| e[0].0.distance(e[1].0)).sum();
                assert!(metres <= 250.0 + 1e-6, "{metres} m with {bends} bends");
            }
        }
    }
}
