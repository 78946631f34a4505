//! Streets of a map as lines, grouped by rank and kind, important ones on top.

use crate::canvas::{Canvas, CanvasLines, Stroke};
use crate::map_view::MapView;
use crate::polylines::Polylines;
use crate::theme::{Palette, StreetColours};
use meshcloak::map::{Rank, StreetMap};

/// Shape points nearer than this to the previous one are omitted, in pixels.
pub(crate) const SPACING: f64 = 0.4;
/// Smallest width of a main road with a casing, in pixels.
const MIN_CASED_MAIN: f64 = 1.5;
/// Smallest width of another street with a casing, in pixels; on narrower ones the casing would
/// cover the pale core.
const MIN_CASED_MINOR: f64 = 2.4;
/// Width of a slip road relative to the road it leads to.
const LINK_WIDTH: f64 = 0.6;
/// Kinds of streets of one rank: two-way, one-way, two-way link, one-way link.
const KINDS: usize = 4;

/// Names of the ranks in SVG files.
const RANK_NAMES: [&str; 7] =
    ["motorway", "trunk", "primary", "secondary", "tertiary", "residential", "service"];

/// Widths of streets by rank: smallest in pixels, true in metres, largest in pixels.
const WIDTHS: [(f64, f64, f64); 7] = [
    (2.3, 26.0, 18.0),
    (2.1, 23.0, 16.0),
    (1.9, 20.0, 14.0),
    (1.6, 16.0, 12.0),
    (1.0, 12.5, 10.0),
    (0.6, 9.0, 9.0),
    (0.4, 5.0, 5.0),
];

/// Returns the drawn width of the streets of each rank, in pixels: the true width, limited to a
/// visible smallest and a legible largest width. `scale` multiplies the limits.
pub fn street_widths(metres_per_pixel: f64, scale: f64) -> [f64; 7] {
    WIDTHS.map(|(min, metres, max)| (metres / metres_per_pixel).clamp(min * scale, max * scale))
}

/// Whether streets of this rank have the colour of their rank.
pub(crate) fn is_main_road(rank: Rank) -> bool {
    rank < Rank::Tertiary
}

/// Streets of a map as lines on a picture.
pub(crate) struct Streets {
    /// Lines by rank and kind.
    groups: [[Polylines; KINDS]; 7],
}

/// Strokes of a street, drawn in this order.
pub(crate) struct StreetStrokes {
    /// Broader line below the street; `None` for a narrow street.
    pub casing: Option<Stroke>,
    pub core: Stroke,
}

impl StreetStrokes {
    /// Returns the strokes of a street of `width` pixels.
    pub fn new(rank: Rank, colours: StreetColours, width: f64, scale: f64) -> StreetStrokes {
        let min_cased = if is_main_road(rank) { MIN_CASED_MAIN } else { MIN_CASED_MINOR };
        if width < min_cased * scale {
            let core = Stroke { colour: colours.hairline, width };
            return StreetStrokes { casing: None, core };
        }
        let casing = Stroke { colour: colours.casing, width: width + 1.1 * scale.max(1.0) };
        StreetStrokes { casing: Some(casing), core: Stroke { colour: colours.core, width } }
    }
}

/// A group of streets with one style.
struct StyledStreets {
    lines: CanvasLines,
    strokes: StreetStrokes,
    rank: Rank,
}

impl Streets {
    /// Collects the streets of a map.
    pub fn gather(map: &StreetMap, view: &MapView) -> Streets {
        let mut groups: [[Polylines; KINDS]; 7] = Default::default();
        let classes = map.tables().classes.iter();
        let is_link: Vec<bool> = classes.map(|class| class.ends_with("_link")).collect();
        for id in map.streets() {
            let street = map.street(id);
            let is_link = is_link[usize::from(street.class)];
            let kind = usize::from(street.one_way) + 2 * usize::from(is_link);
            let lines = &mut groups[map.rank(id).number()][kind];
            let shape = map.shape(id).iter().map(|&point| view.to_pixel(point));
            lines.add_spaced(shape, SPACING);
        }
        Streets { groups }
    }

    /// Returns the ranks that have a street, most important first.
    pub fn ranks(&self) -> Vec<Rank> {
        let has_street = |rank: &Rank| self.groups[rank.number()].iter().any(|l| !l.is_empty());
        Rank::ALL.into_iter().filter(has_street).collect()
    }

    /// Returns the rank that shows one-way streets in the legend: minor ones first, because these
    /// are tinted.
    pub fn one_way_example(&self) -> Option<Rank> {
        let has_one_way = |rank: &Rank| {
            let [_, one_way, _, one_way_link] = &self.groups[rank.number()];
            !(one_way.is_empty() && one_way_link.is_empty())
        };
        let minor_first = Rank::ALL[..6].iter().rev().chain([&Rank::Service]);
        minor_first.copied().find(has_one_way)
    }

    /// Draws the streets, minor ones first. All casings of a deck are below its streets, so that
    /// junctions are open; motorways and trunk roads are a deck above the other streets.
    pub fn draw(self, canvas: &mut Canvas, palette: &Palette, view: &MapView, scale: f64) {
        let widths = street_widths(view.metres_per_pixel(), scale);
        let mut groups: Vec<StyledStreets> = Vec::new();
        for (rank, kinds) in Rank::ALL.into_iter().zip(self.groups).rev() {
            for (kind, lines) in kinds.into_iter().enumerate() {
                if lines.is_empty() {
                    continue;
                }
                let (is_one_way, is_link) = (kind % 2 == 1, kind >= 2);
                let colours = palette.street(rank, is_one_way);
                let part = if is_link { LINK_WIDTH } else { 1.0 };
                let width = widths[rank.number()] * part;
                let lines = canvas.keep(&group_name(rank, is_one_way, is_link), lines);
                let strokes = StreetStrokes::new(rank, colours, width, scale);
                groups.push(StyledStreets { lines, strokes, rank });
            }
        }
        let (high, low): (Vec<&StyledStreets>, Vec<&StyledStreets>) =
            groups.iter().partition(|group| group.rank <= Rank::Trunk);
        for (name, deck) in [("streets", low), ("main-roads", high)] {
            draw_deck(canvas, name, &deck);
        }
    }
}

fn draw_deck(canvas: &mut Canvas, name: &str, deck: &[&StyledStreets]) {
    if deck.is_empty() {
        return;
    }
    canvas.layer(&format!("{name}-casing"));
    for group in deck {
        if let Some(casing) = group.strokes.casing {
            canvas.stroke(group.lines, casing);
        }
    }
    canvas.layer(name);
    for group in deck {
        canvas.stroke(group.lines, group.strokes.core);
    }
}

fn group_name(rank: Rank, is_one_way: bool, is_link: bool) -> String {
    let link = if is_link { " link" } else { "" };
    let one_way = if is_one_way { " one-way" } else { "" };
    format!("{}{link}{one_way}", RANK_NAMES[rank.number()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn important_streets_are_wider_at_every_scale() {
        for metres_per_pixel in [0.01, 0.5, 4.0, 9.0, 16.0, 30.0, 1000.0] {
            let widths = street_widths(metres_per_pixel, 1.0);
            assert!(widths.is_sorted_by(|a, b| a > b), "{metres_per_pixel}: {widths:?}");
        }
    }

    #[test]
    fn widths_are_limited_at_both_ends() {
        assert_eq!(street_widths(23.0, 1.0)[Rank::Service.number()], 0.4);
        assert_eq!(street_widths(0.0001, 2.0)[Rank::Motorway.number()], 36.0);
    }
}
