//! The streets of a map: gathered by rank and direction, important ones on top.

use crate::canvas::{Canvas, CanvasLines, Stroke};
use crate::lines::Lines;
use crate::theme::{Palette, StreetColours};
use crate::view::View;
use meshcloak::map::{Rank, StreetMap};

/// Shape points nearer than this many pixels to the one before do not show.
pub(crate) const SPACING: f64 = 0.4;
/// Streets narrower than this have no casing: those of a colour of their own, and pale ones,
/// which would be all casing.
const LEAST_CASED: (f64, f64) = (1.5, 2.4);
/// Slip roads are that much narrower than the road they lead to.
const LINK: f64 = 0.6;
/// How the streets of one rank are told apart: `[two-way, one-way]`, then the same of links.
const KINDS: usize = 4;

/// How broad streets look, by rank: least pixels, metres on the ground, most pixels.
const BREADTHS: [(f64, f64, f64); 7] = [
    (2.3, 26.0, 18.0),
    (2.1, 23.0, 16.0),
    (1.9, 20.0, 14.0),
    (1.6, 16.0, 12.0),
    (1.0, 12.5, 10.0),
    (0.6, 9.0, 9.0),
    (0.4, 5.0, 5.0),
];

/// How many pixels broad the streets of each rank are drawn; `scale` enlarges everything.
///
/// True to the ground where that leaves room, never thinner than an eye can see, never clumsy.
pub fn street_widths(metres_per_pixel: f64, scale: f64) -> [f64; 7] {
    BREADTHS
        .map(|(least, ground, most)| (ground / metres_per_pixel).clamp(least * scale, most * scale))
}

/// The streets of a map as lines on a picture.
pub(crate) struct Streets {
    /// By rank and kind.
    groups: [[Lines; KINDS]; 7],
}

/// One group of streets, ready to be stroked.
struct Group {
    lines: CanvasLines,
    casing: Option<Stroke>,
    core: Stroke,
    rank: Rank,
}

impl Streets {
    /// No streets, where they are drawn otherwise.
    pub fn none() -> Streets {
        Streets { groups: Default::default() }
    }

    /// The streets as `view` shows them.
    pub fn gather(map: &StreetMap, view: &View) -> Streets {
        let mut groups: [[Lines; KINDS]; 7] = Default::default();
        let classes = map.tables().classes.iter();
        let links: Vec<bool> = classes.map(|class| class.ends_with("_link")).collect();
        for id in map.streets() {
            let street = map.street(id);
            let kind =
                usize::from(street.one_way) + 2 * usize::from(links[usize::from(street.class)]);
            let lines = &mut groups[map.rank(id).number()][kind];
            let shape = map.shape(id).iter().map(|&point| view.to_pixel(point));
            lines.add_spaced(shape, SPACING);
        }
        Streets { groups }
    }

    /// The ranks that have a street, most important first.
    pub fn ranks(&self) -> Vec<Rank> {
        let has_street = |rank: &Rank| self.groups[rank.number()].iter().any(|l| !l.is_empty());
        Rank::ALL.into_iter().filter(has_street).collect()
    }

    /// The rank whose one-way streets show best what one looks like: quiet streets are tinted.
    pub fn one_way_sample(&self) -> Option<Rank> {
        let has_one_way = |rank: &Rank| {
            let [_, one_way, _, one_way_link] = &self.groups[rank.number()];
            !(one_way.is_empty() && one_way_link.is_empty())
        };
        let quiet_first = Rank::ALL[..6].iter().rev().chain([&Rank::Service]);
        quiet_first.copied().find(has_one_way)
    }

    /// Draws them, minor ones first. Casings lie below all streets of their deck, so junctions
    /// are open; motorways and trunk roads are a deck of their own, above the others.
    pub fn draw(self, canvas: &mut Canvas, palette: &Palette, view: &View, scale: f64) {
        let widths = street_widths(view.metres_per_pixel(), scale);
        let mut groups: Vec<Group> = Vec::new();
        for (rank, kinds) in Rank::ALL.into_iter().zip(self.groups).rev() {
            for (kind, lines) in kinds.into_iter().enumerate() {
                if !lines.is_empty() {
                    let (name, colours, part) = look(rank, kind, palette);
                    let lines = canvas.keep(&name, lines);
                    let width = widths[rank.number()] * part;
                    let (casing, core) = strokes(rank, colours, width, scale);
                    groups.push(Group { lines, casing, core, rank });
                }
            }
        }
        let (high, low): (Vec<&Group>, Vec<&Group>) =
            groups.iter().partition(|group| group.rank <= Rank::Trunk);
        for (name, deck) in [("streets", low), ("main-roads", high)] {
            draw_deck(canvas, name, &deck);
        }
    }
}

fn draw_deck(canvas: &mut Canvas, name: &str, deck: &[&Group]) {
    if deck.is_empty() {
        return;
    }
    canvas.layer(&format!("{name}-casing"));
    for group in deck {
        if let Some(casing) = group.casing {
            canvas.stroke(group.lines, casing);
        }
    }
    canvas.layer(name);
    for group in deck {
        canvas.stroke(group.lines, group.core);
    }
}

/// Name, colours and part of the rank's width of one kind of its streets.
fn look(rank: Rank, kind: usize, palette: &Palette) -> (String, StreetColours, f64) {
    let (one_way, link) = (kind % 2 == 1, kind >= 2);
    let name = rank_name(rank);
    let link_name = if link { " link" } else { "" };
    let part = if link { LINK } else { 1.0 };
    if one_way {
        (format!("{name}{link_name} one-way"), palette.one_way_street(rank), part)
    } else {
        (format!("{name}{link_name}"), palette.street(rank), part)
    }
}

/// How a street is drawn: its casing, if it is broad enough to have one, and itself.
pub(crate) fn strokes(
    rank: Rank,
    colours: StreetColours,
    width: f64,
    scale: f64,
) -> (Option<Stroke>, Stroke) {
    let least = if rank < Rank::Tertiary { LEAST_CASED.0 } else { LEAST_CASED.1 };
    if width < least * scale {
        return (None, Stroke { colour: colours.hairline, width });
    }
    let casing = Stroke { colour: colours.casing, width: width + 1.1 * scale.max(1.0) };
    (Some(casing), Stroke { colour: colours.core, width })
}

fn rank_name(rank: Rank) -> &'static str {
    match rank {
        Rank::Motorway => "motorway",
        Rank::Trunk => "trunk",
        Rank::Primary => "primary",
        Rank::Secondary => "secondary",
        Rank::Tertiary => "tertiary",
        Rank::Residential => "residential",
        Rank::Service => "service",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn important_streets_are_broader_at_every_scale() {
        for metres_per_pixel in [0.01, 0.5, 4.0, 9.0, 16.0, 30.0, 1000.0] {
            let widths = street_widths(metres_per_pixel, 1.0);
            assert!(widths.is_sorted_by(|a, b| a > b), "{metres_per_pixel}: {widths:?}");
        }
    }

    #[test]
    fn a_small_lane_is_a_hairline_on_a_metropolitan_map() {
        assert_eq!(street_widths(23.0, 1.0)[Rank::Service.number()], 0.4);
        assert_eq!(street_widths(0.0001, 2.0)[Rank::Motorway.number()], 36.0);
    }
}
