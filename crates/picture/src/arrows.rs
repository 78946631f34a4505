//! Arrow heads along one-way streets, thinned to a smallest distance. Important and long streets are
//! placed first, so that a dense quarter shows a sample.

use crate::map_view::{MapView, Pixel};
use crate::polylines::Polylines;
use crate::streets::{is_main_road, street_widths};
use crate::thinning::Thinning;
use meshcloak::map::{Rank, StreetId, StreetMap};

/// Smallest length of an arrow from tail to tip, in pixels.
const MIN_LENGTH: f64 = 5.6;
/// Largest length of an arrow, in pixels.
const MAX_LENGTH: f64 = 12.0;
/// Smallest distance of two arrows in pixels.
const MIN_DISTANCE: f64 = 22.0;
/// Approximate distance of the arrows along one street, in pixels.
const SPACING: f64 = 70.0;

/// Arrow heads of a map's one-way streets, as outlines to fill.
pub(crate) struct Arrows {
    /// On main roads.
    pub main: Polylines,
    /// On all other streets.
    pub minor: Polylines,
}

impl Arrows {
    /// Places the arrows of a map.
    pub fn gather(map: &StreetMap, view: &MapView, scale: f64) -> Arrows {
        let widths = street_widths(view.metres_per_pixel(), scale);
        let length = |rank: Rank| arrow_length(widths[rank.number()], scale);
        let mut thinning = Thinning::new(view.area(), MIN_DISTANCE * scale);
        let mut arrows = Arrows { main: Polylines::new(), minor: Polylines::new() };
        let mut shape: Vec<Pixel> = Vec::new();
        for (rank, street) in candidates(map, view, length) {
            shape.clear();
            shape.extend(map.shape(street).iter().map(|&point| view.to_pixel(point)));
            let heads = if is_main_road(rank) { &mut arrows.main } else { &mut arrows.minor };
            for [tail, tip] in chords(&shape, length(rank), SPACING * scale) {
                let centre = Pixel::new((tail.x + tip.x) / 2.0, (tail.y + tip.y) / 2.0);
                if thinning.try_accept(centre) {
                    heads.add(head(centre, tail, tip, length(rank)));
                }
            }
        }
        arrows
    }
}

/// Returns the outline of an arrow head of `length` pixels at `centre` in the direction `from → to`.
pub(crate) fn head(centre: Pixel, from: Pixel, to: Pixel, length: f64) -> [Pixel; 4] {
    let distance = from.distance(to);
    let (dx, dy) = ((to.x - from.x) / distance * length, (to.y - from.y) / distance * length);
    let at =
        |along: f64, across: f64| centre.moved(dx * along - dy * across, dy * along + dx * across);
    [at(0.5, 0.0), at(-0.5, 0.4), at(-0.25, 0.0), at(-0.5, -0.4)]
}

/// Returns the length of an arrow on a street of `width` pixels.
pub(crate) fn arrow_length(width: f64, scale: f64) -> f64 {
    (width * 0.9).clamp(MIN_LENGTH * scale, MAX_LENGTH * scale)
}

/// Returns the one-way streets that are long enough for an arrow, by rank, then descending length.
fn candidates(
    map: &StreetMap,
    view: &MapView,
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

/// Returns tail and tip of evenly spaced arrows along a line.
fn chords(line: &[Pixel], length: f64, spacing: f64) -> impl Iterator<Item = [Pixel; 2]> {
    let total: f64 = line.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
    let count = (total / spacing).floor().max(1.0);
    (0..count as usize)
        .filter_map(move |index| chord(line, total * (index as f64 + 0.5) / count, length))
}

/// Returns the points of a line `length / 2` before and after the offset `middle`; `None` in a sharp
/// bend, where an arrow would point off the street.
fn chord(line: &[Pixel], middle: f64, length: f64) -> Option<[Pixel; 2]> {
    let tail = point_at(line, middle - length / 2.0)?;
    let tip = point_at(line, middle + length / 2.0)?;
    (tail.distance(tip) > 0.7 * length).then_some([tail, tip])
}

/// Returns the point of a line at an offset from its start, clamped to its ends.
fn point_at(line: &[Pixel], mut offset: f64) -> Option<Pixel> {
    if offset <= 0.0 {
        return line.first().copied();
    }
    for pair in line.windows(2) {
        let length = pair[0].distance(pair[1]);
        if offset <= length {
            let part = offset / length;
            let (dx, dy) = (pair[1].x - pair[0].x, pair[1].y - pair[0].y);
            return Some(pair[0].moved(dx * part, dy * part));
        }
        offset -= length;
    }
    line.last().copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map_view::PixelBox;
    use meshcloak::town::town;

    const AREA: PixelBox = PixelBox { left: 0.0, top: 0.0, width: 500.0, height: 500.0 };

    #[test]
    fn arrows_point_along_one_way_streets_only() {
        //  A ─▶ B
        //       │
        //       C
        let map = town("A 0,0  B 500,0  C 500,-500 | A>B B-C").map;
        let found = Arrows::gather(&map, &MapView::fit(map.bounds(), AREA), 1.0).minor;
        assert_eq!(found.len(), 7);
        for head in found.iter() {
            let [tip, left, notch, right] = head else { panic!("{head:?}") };
            assert!(tip.y.abs() < 1e-9 && left.x < notch.x && notch.x < tip.x);
            assert!((left.x - right.x).abs() < 1e-9);
        }
    }

    #[test]
    fn near_parallel_streets_share_their_arrows() {
        let map = town("A 0,0 B 500,0 C 0,-5 D 500,-5 E 0,-500 F 1,-500 | A>B C>D E-F").map;
        assert_eq!(Arrows::gather(&map, &MapView::fit(map.bounds(), AREA), 1.0).minor.len(), 7);
    }

    #[test]
    fn a_street_too_short_for_an_arrow_has_none() {
        let map = town("A 0,0 B 3,0 C 500,500 | A>B A-C A>A:500").map;
        assert!(Arrows::gather(&map, &MapView::fit(map.bounds(), AREA), 1.0).minor.is_empty());
    }
}
