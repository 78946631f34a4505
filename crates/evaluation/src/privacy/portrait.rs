//! Drawing of one target: the published region, the part that an adversary with the target's
//! previous position cannot exclude, and the positions of the members. Stored as rows of
//! `victim.csv`, so that a report needs files only.

use super::attack_score::Observation;
use crate::point_list;
use attacks::{Piece, Posterior};
use meshcloak::map::{Position, StreetMap};
use meshcloak::query::{Query, UserId};
use meshcloak::units::{Point, Rectangle};
use serde::{Deserialize, Serialize};

/// Drawing of a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Portrait {
    /// Layer and points of each row.
    rows: Vec<(&'static str, String)>,
}

/// A row of `victim.csv`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PortraitRow {
    /// Canonical name of the scheme.
    #[serde(deserialize_with = "crate::schemes::deserialize_name")]
    pub scheme: String,
    /// `street`, `shown`, `left`, `member`, `before`, `victim`, or `facts`.
    pub layer: String,
    /// `x y;x y;…` in metres; for `facts` `name=number;…`.
    pub points: String,
}

/// Suitability of a publication as an example: remaining candidates per k, then the difference of
/// the region length from 3 km. Smaller is better.
pub(super) type Suitability = (u64, u64);

/// Limit of the region length of a drawing, in metres.
const MAX_METRES: f64 = 9_000.0;

/// Content of a drawing.
pub(super) struct PortraitContent<'a> {
    pub map: &'a StreetMap,
    pub shown: &'a Posterior,
    /// Part of the region that the adversary cannot exclude.
    pub remaining: &'a Posterior,
    pub truth: &'a Query,
    /// Previous position of the target.
    pub previous: Option<Position>,
    pub members: &'a [(UserId, Position)],
}

impl PortraitContent<'_> {
    /// Draws the layers; `None` if the region is empty.
    pub(super) fn draw(&self) -> Option<Portrait> {
        let PortraitContent { map, shown, remaining, truth, previous, members } = *self;
        let shape = |piece: &Piece| polyline(map, piece);
        let bounds = Rectangle::around(shown.pieces.iter().flat_map(shape))?;
        let mut rows = Vec::new();
        for street in map.streets_near(with_margin(bounds)) {
            rows.push(("street", point_list::write(map.shape(street).iter().copied())));
        }
        let layer = |name: &'static str, posterior: &Posterior| {
            let rows = posterior.pieces.iter().map(|piece| (name, point_list::write(shape(piece))));
            rows.collect::<Vec<_>>()
        };
        rows.extend(layer("shown", shown));
        rows.extend(layer("left", remaining));
        let point = |position| point_list::write([map.point(position)]);
        let others = members.iter().filter(|member| member.0 != truth.user);
        rows.extend(others.map(|member| ("member", point(member.1))));
        rows.extend(previous.map(|position| ("before", point(position))));
        rows.push(("victim", point(truth.position)));
        rows.push(("facts", self.facts()));
        Some(Portrait { rows })
    }

    fn facts(&self) -> String {
        let PortraitContent { shown, remaining, truth, members, .. } = *self;
        format!(
            "k={};set={};left={};metres={:.0};metres_left={:.0}",
            truth.k,
            members.len(),
            members.iter().filter(|member| remaining.holds(member.1)).count(),
            shown.metres(),
            remaining.metres(),
        )
    }
}

impl Portrait {
    /// Rates an observation as an example; `None` if its region does not fit a drawing.
    pub(super) fn suitability(
        observation: &Observation,
        members: usize,
        metres: f64,
    ) -> Option<Suitability> {
        let fits = (500.0..MAX_METRES).contains(&metres) && members >= 4 && !observation.wrong;
        let remaining = observation.remaining.filter(|_| fits)? as u64;
        let per_k = remaining * 1000 / u64::from(observation.k.max(1));
        Some((per_k, (metres - 3_000.0).abs() as u64))
    }

    /// Returns the rows of `victim.csv`.
    pub fn rows(&self, scheme: &str) -> Vec<PortraitRow> {
        let row = |(layer, points): &(&'static str, String)| PortraitRow {
            scheme: scheme.to_owned(),
            layer: (*layer).to_owned(),
            points: points.clone(),
        };
        self.rows.iter().map(row).collect()
    }
}

fn with_margin(Rectangle { min, max }: Rectangle) -> Rectangle {
    let margin = 0.06 * (max.x - min.x).max(max.y - min.y);
    Rectangle {
        min: Point::new(min.x - margin, min.y - margin),
        max: Point::new(max.x + margin, max.y + margin),
    }
}

/// Approximates a piece of street by three points.
fn polyline(map: &StreetMap, piece: &Piece) -> [Point; 3] {
    let at = |offset| map.point(Position { street: piece.street, offset });
    [at(piece.from), map.point(piece.middle()), at(piece.to)]
}
