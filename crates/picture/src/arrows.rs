//! Arrow heads along one-way streets, where the scale leaves room for them.
//!
//! Important and long streets choose first; arrows keep apart, so a dense quarter shows a sample.

use crate::lines::Lines;
use crate::streets::street_widths;
use crate::thinning::Thinning;
use crate::view::{Pixel, View};
use meshcloak::map::{Rank, StreetId, StreetMap};

/// Pixels from tip to tail, at least and at most.
const LENGTHS: (f64, f64) = (5.6, 12.0);
/// Pixels between any two arrows.
const APART: f64 = 22.0;
/// Pixels between the arrows of one street.
const ALONG: f64 = 70.0;

/// The arrow heads of a map's one-way streets as outlines to fill.
pub(crate) struct Arrows {
    /// On streets that have a colour of their own.
    pub main: Lines,
    /// On all others.
    pub quiet: Lines,
}

impl Arrows {
    /// The arrows of a map as `view` shows it.
    pub fn gather(map: &StreetMap, view: &View, scale: f64) -> Arrows {
        let widths = street_widths(view.metres_per_pixel(), scale);
        let length = |rank: Rank| arrow_length(widths[rank.number()], scale);
        let mut thinning = Thinning::new(view.area(), APART * scale);
        let mut arrows = Arrows { main: Lines::new(), quiet: Lines::new() };
        let mut shape: Vec<Pixel> = Vec::new();
        for (rank, street) in candidates(map, view, length) {
            shape.clear();
            shape.extend(map.shape(street).iter().map(|&point| view.to_pixel(point)));
            let heads = if rank < Rank::Tertiary { &mut arrows.main } else { &mut arrows.quiet };
            for (tail, tip) in chords(&shape, length(rank), ALONG * scale) {
                let centre = Pixel::new((tail.x + tip.x) / 2.0, (tail.y + tip.y) / 2.0);
                if thinning.admits(centre) {
                    heads.add(head(centre, tail, tip, length(rank)));
                }
            }
        }
        arrows
    }
}

/// The outline of an arrow head of that length, its middle at `centre`, pointing `from → to`.
pub(crate) fn head(centre: Pixel, from: Pixel, to: Pixel, length: f64) -> [Pixel; 4] {
    let distance = from.distance(to);
    let (dx, dy) = ((to.x - from.x) / distance * length, (to.y - from.y) / distance * length);
    let at =
        |along: f64, across: f64| centre.moved(dx * along - dy * across, dy * along + dx * across);
    [at(0.5, 0.0), at(-0.5, 0.4), at(-0.25, 0.0), at(-0.5, -0.4)]
}

/// How long an arrow is on a street of that width.
pub(crate) fn arrow_length(width: f64, scale: f64) -> f64 {
    (width * 0.9).clamp(LENGTHS.0 * scale, LENGTHS.1 * scale)
}

/// One-way streets long enough for an arrow, those that choose first in front.
fn candidates(
    map: &StreetMap,
    view: &View,
    length: impl Fn(Rank) -> f64,
) -> impl Iterator<Item = (Rank, StreetId)> {
    let metres_per_pixel = view.metres_per_pixel();
    let mut found: Vec<(Rank, f64, StreetId)> = map
        .streets()
        .filter(|&street| map.street(street).one_way)
        .map(|street| (map.rank(street), map.metres(street) / metres_per_pixel, street))
        .filter(|&(rank, pixels, _)| pixels >= 1.1 * length(rank))
        .collect();
    found.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
    found.into_iter().map(|(rank, _, street)| (rank, street))
}

/// Where the arrows of a line may be, evenly spread: tails and tips.
fn chords(line: &[Pixel], length: f64, apart: f64) -> impl Iterator<Item = (Pixel, Pixel)> {
    let whole = line_length(line);
    let count = (whole / apart).floor().max(1.0);
    (0..count as usize)
        .filter_map(move |index| chord(line, whole * (index as f64 + 0.5) / count, length))
}

/// Two points of a line about `length` apart with `middle` between them; `None` if they coincide.
fn chord(line: &[Pixel], middle: f64, length: f64) -> Option<(Pixel, Pixel)> {
    let tail = along(line, middle - length / 2.0)?;
    let tip = along(line, middle + length / 2.0)?;
    // Where the street bends sharply an arrow would point beside it.
    (tail.distance(tip) > 0.7 * length).then_some((tail, tip))
}

/// The point of a line that far from its beginning; its ends beyond them.
fn along(line: &[Pixel], mut distance: f64) -> Option<Pixel> {
    if distance <= 0.0 {
        return line.first().copied();
    }
    for pair in line.windows(2) {
        let length = pair[0].distance(pair[1]);
        if distance <= length {
            let part = distance / length;
            let (dx, dy) = (pair[1].x - pair[0].x, pair[1].y - pair[0].y);
            return Some(pair[0].moved(dx * part, dy * part));
        }
        distance -= length;
    }
    line.last().copied()
}

fn line_length(line: &[Pixel]) -> f64 {
    line.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::PixelBox;
    use meshcloak::town::town;

    const AREA: PixelBox = PixelBox { left: 0.0, top: 0.0, width: 500.0, height: 500.0 };

    #[test]
    fn arrows_point_along_one_way_streets_only() {
        //  A ─▶ B
        //       │
        //       C
        let map = town("A 0,0  B 500,0  C 500,-500 | A>B B-C").map;
        let found = Arrows::gather(&map, &View::fit(map.bounds(), AREA), 1.0).quiet;
        assert_eq!(found.len(), 7);
        for head in found.iter() {
            let [tip, left, notch, right] = head else { panic!("{head:?}") };
            assert!(tip.y.abs() < 1e-9 && left.x < notch.x && notch.x < tip.x);
            assert!((left.x - right.x).abs() < 1e-9);
        }
    }

    #[test]
    fn crowded_parallel_streets_share_their_arrows() {
        let map = town("A 0,0 B 500,0 C 0,-5 D 500,-5 E 0,-500 F 1,-500 | A>B C>D E-F").map;
        assert_eq!(Arrows::gather(&map, &View::fit(map.bounds(), AREA), 1.0).quiet.len(), 7);
    }

    #[test]
    fn a_street_too_short_or_without_extent_has_none() {
        let map = town("A 0,0 B 3,0 C 500,500 | A>B A-C A>A:500").map;
        assert!(Arrows::gather(&map, &View::fit(map.bounds(), AREA), 1.0).quiet.is_empty());
    }
}
