//! One victim to draw: what was published for her, what an attacker who knew where she was before
//! cannot rule out, and where she and the others are. As rows of a file, so that a report can be
//! made from files alone.

use super::score::Look;
use super::truth::Asked;
use attacks::{Piece, Posterior};
use meshcloak::map::{Position, StreetMap};
use meshcloak::query::UserId;
use meshcloak::units::{Point, Rectangle};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// A victim.
#[derive(Clone, Debug, PartialEq)]
pub struct Portrait {
    /// Lines and places, without the scheme.
    rows: Vec<(&'static str, String)>,
}

/// A row of `victim.csv`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PortraitRow {
    /// The scheme that published.
    pub scheme: String,
    /// `street`, `shown`, `left`, `member`, `before`, `victim`, or `facts`.
    pub layer: String,
    /// `x y;x y;…` in metres; of the facts numbers by name.
    pub points: String,
}

/// How good an example somebody is; less is better.
pub(super) type Order = (u64, u64);

/// Regions longer than this make no picture.
const LONGEST: f64 = 9_000.0;

impl Portrait {
    /// The portrait of a victim, unless it would not fit a picture.
    pub(super) fn of(
        map: &StreetMap,
        (shown, left): (&Posterior, &Posterior),
        (truth, before): (&Asked, Option<Position>),
        members: &[(UserId, Position)],
    ) -> Option<Portrait> {
        let remaining = members.iter().filter(|member| left.holds(member.1)).count();
        let metres = shown.metres();
        let mut rows = Vec::new();
        let points = shown.pieces.iter().flat_map(|piece| line(map, piece));
        let bounds = Rectangle::around(points)?;
        for street in map.streets_near(grown(bounds)) {
            rows.push(("street", text(map.shape(street).iter().copied())));
        }
        rows.extend(shown.pieces.iter().map(|piece| ("shown", text(line(map, piece).into_iter()))));
        rows.extend(left.pieces.iter().map(|piece| ("left", text(line(map, piece).into_iter()))));
        let place = |position| text([map.point(position)].into_iter());
        let others = members.iter().filter(|member| member.0 != truth.user);
        rows.extend(others.map(|member| ("member", place(member.1))));
        rows.extend(before.map(|position| ("before", place(position))));
        rows.push(("victim", place(truth.position)));
        let facts = format!(
            "k={};set={};left={remaining};metres={metres:.0};metres_left={:.0}",
            truth.k,
            members.len(),
            left.metres(),
        );
        rows.push(("facts", facts));
        Some(Portrait { rows })
    }

    /// How good an example a look is; `None` if it would not fit a picture.
    pub(super) fn order(look: &Look, members: usize, metres: f64) -> Option<Order> {
        let fits = (500.0..LONGEST).contains(&metres) && members >= 4 && !look.wrong;
        let left = look.left.filter(|_| fits)? as u64;
        Some((left * 1000 / u64::from(look.k.max(1)), (metres - 3_000.0).abs() as u64))
    }

    /// Its rows.
    pub fn rows(&self, scheme: &str) -> Vec<PortraitRow> {
        let row = |(layer, points): &(&'static str, String)| PortraitRow {
            scheme: scheme.to_owned(),
            layer: (*layer).to_owned(),
            points: points.clone(),
        };
        self.rows.iter().map(row).collect()
    }
}

fn grown(Rectangle { min, max }: Rectangle) -> Rectangle {
    let edge = 0.06 * (max.x - min.x).max(max.y - min.y);
    Rectangle {
        min: Point::new(min.x - edge, min.y - edge),
        max: Point::new(max.x + edge, max.y + edge),
    }
}

/// A piece as it is drawn: three points follow a bend well enough.
fn line(map: &StreetMap, piece: &Piece) -> [Point; 3] {
    let at = |offset| map.point(Position { street: piece.street, offset });
    [at(piece.from), map.point(piece.middle()), at(piece.to)]
}

fn text(points: impl Iterator<Item = Point>) -> String {
    let mut out = String::new();
    for point in points {
        let gap = if out.is_empty() { "" } else { ";" };
        write!(out, "{gap}{:.1} {:.1}", point.x, point.y).expect("a String takes any text");
    }
    out
}
