//! Splits a street that is too long into pieces of nearly equal length.

use meshcloak::units::Point;

/// A split street.
#[derive(Debug, PartialEq)]
pub(super) struct Pieces {
    pub points: Vec<SplitPoint>,
    /// Indices of `points` where pieces meet, ascending; neither first nor last.
    pub cuts: Vec<usize>,
}

/// A point of a split street.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SplitPoint {
    pub point: Point,
    /// Index of the original point; `None` if the point was added.
    pub original: Option<usize>,
}

/// Splits the street through `points` into the smallest number of pieces of at most `longest`
/// metres, and minimises the longest piece. Pieces meet at bends; a straight segment longer than
/// `longest` is divided into equal parts.
///
/// Returns `None` if the street is not too long.
pub(super) fn split(points: &[Point], longest: f64) -> Option<Pieces> {
    let metres: f64 = points.iter().zip(points.iter().skip(1)).map(|(a, b)| a.distance(*b)).sum();
    if metres <= longest {
        return None;
    }
    let points = with_added(points, longest);
    let (mut along, mut metres) = (vec![0.0], 0.0);
    for (a, b) in points.iter().zip(points.iter().skip(1)) {
        metres += a.point.distance(b.point);
        along.push(metres);
    }
    // Rounding can make an equal part slightly longer than the limit; accept it.
    let steps = || along.iter().zip(along.iter().skip(1)).map(|(from, to)| to - from);
    let longest = steps().fold(longest, f64::max);
    let fewest = cuts(&along, longest).len();
    let (mut too_short, mut enough) = (0.0, longest);
    for _ in 0..50 {
        let middle = (too_short + enough) / 2.0;
        let fits = steps().all(|step| step <= middle);
        if fits && cuts(&along, middle).len() <= fewest {
            enough = middle;
        } else {
            too_short = middle;
        }
    }
    let cuts = cuts(&along, enough);
    Some(Pieces { points, cuts })
}

/// Adds equally spaced points to segments longer than `longest`.
fn with_added(points: &[Point], longest: f64) -> Vec<SplitPoint> {
    let mut all: Vec<SplitPoint> = Vec::with_capacity(points.len().saturating_add(1));
    for (row, &point) in points.iter().enumerate() {
        if let Some(&SplitPoint { point: previous, .. }) = all.last() {
            let steps = (Point::distance(previous, point) / longest).ceil().max(1.0);
            for step in 1..steps as usize {
                let point = previous.towards(point, step as f64 / steps);
                all.push(SplitPoint { point, original: None });
            }
        }
        all.push(SplitPoint { point, original: Some(row) });
    }
    all
}

/// Returns greedy cuts: every piece extends as far as `longest` allows. No step exceeds `longest`.
fn cuts(along: &[f64], longest: f64) -> Vec<usize> {
    let mut cuts = Vec::new();
    let (mut start, mut start_metres) = (0, along.first().copied().unwrap_or(0.0));
    for (row, (&before, &metres)) in along.iter().zip(along.iter().skip(1)).enumerate() {
        if metres - start_metres > longest && row > start {
            (start, start_metres) = (row, before);
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
        pieces.cuts.iter().map(|&row| pieces.points[row].point.x).collect()
    }

    #[test]
    fn a_street_within_the_limit_is_not_split() {
        assert_eq!(split(&line(&[0.0, 400.0, 1000.0]), 1000.0), None);
        assert_eq!(split(&line(&[0.0, 1e6]), f64::INFINITY), None);
    }

    #[test]
    fn pieces_meet_at_bends_and_are_nearly_equal() {
        assert_eq!(ends(&[0.0, 300.0, 700.0, 900.0, 1400.0], 1000.0), [700.0]);
        assert_eq!(ends(&[0.0, 100.0, 900.0, 1800.0, 1900.0], 1000.0), [900.0]);
        assert_eq!(ends(&[0.0, 600.0, 1200.0, 1800.0], 1000.0), [600.0, 1200.0]);
    }

    #[test]
    fn a_long_straight_segment_is_divided_into_equal_parts() {
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
                let metres: f64 = shape.windows(2).map(|e| e[0].point.distance(e[1].point)).sum();
                assert!(metres <= 250.0 + 1e-6, "{metres} m with {bends} bends");
            }
        }
    }
}
