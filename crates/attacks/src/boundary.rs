//! B: the boundary. Something made the region end where it ends: of a rectangle around the members
//! somebody stands on every side; of a mesh every way out is just farther than somebody's dc.
//!
//! Half of what the attacker believes goes to places that explain the boundary, half to the rest,
//! for it does not know whether its target is among those who made it.

use crate::attack::{Attack, Level};
use crate::posterior::Posterior;
use crate::view::{Rule, View};
use crate::walk::{Stretch, Walk, Way};
use meshcloak::map::{Position, StreetId, StreetMap, TerminalId};
use meshcloak::region::Region;
use meshcloak::units::{Length, Point, Rectangle};

/// The attack.
#[derive(Clone, Copy, Debug)]
pub struct Boundary;

impl Attack for Boundary {
    fn name(&self) -> &'static str {
        "boundary"
    }

    fn letter(&self) -> char {
        'B'
    }

    fn level(&self) -> Level {
        Level::Service
    }

    fn needs(&self) -> &'static str {
        "the target's dc: places from which the region's frontier is exactly dc away, or which lie \
         on a side of a rectangle"
    }

    fn attack(&self, view: &View<'_>) -> Option<Posterior> {
        let map = view.atlas.map();
        let shown = &*view.shown().region;
        let mut left = view.shown().everywhere(map).clone();
        let votes = match (shown, view.rule) {
            (Region::Rectangle(rectangle), Rule::Tight) => sides(map, *rectangle, &left),
            (Region::Mesh(streets), Rule::Mesh(_)) => frontier(map, streets, view.target.dc, &left),
            _ => return None,
        };
        let sum: f64 = votes.iter().sum();
        if sum <= 0.0 {
            return None;
        }
        for (piece, votes) in left.pieces.iter_mut().zip(votes) {
            piece.weight = (piece.weight + votes / sum) / 2.0;
        }
        Some(Posterior::places(left.pieces))
    }
}

/// Each side of a rectangle has one vote, shared by the pieces that it crosses.
fn sides(map: &StreetMap, Rectangle { min, max }: Rectangle, left: &Posterior) -> Vec<f64> {
    let mut votes = vec![0.0; left.pieces.len()];
    let away: [fn(Point, Point, Point) -> f64; 4] = [
        |point, min, _| point.x - min.x,
        |point, min, _| point.y - min.y,
        |point, _, max| max.x - point.x,
        |point, _, max| max.y - point.y,
    ];
    for side in away {
        let crosses = |street: StreetId, from: Length, to: Length| {
            let off = |offset| side(map.point(Position { street, offset }), min, max);
            let (a, b) = (off(from), off(to));
            a * b <= 0.0 || a.abs() < 0.5 || b.abs() < 0.5
        };
        let on: Vec<usize> = (0..left.pieces.len())
            .filter(|&place| {
                let piece = &left.pieces[place];
                crosses(piece.street, piece.from, piece.to)
            })
            .collect();
        on.iter().for_each(|&place| votes[place] += 1.0 / on.len() as f64);
    }
    votes
}

/// So many ways out of a region are looked at; there can be hundreds.
const MOST_WAYS_OUT: usize = 12;

/// Each way out of a mesh has one vote, shared by the streets from which it is just too far.
fn frontier(map: &StreetMap, mesh: &[StreetId], dc: Length, left: &Posterior) -> Vec<f64> {
    let inside = |street: StreetId| mesh.binary_search(&street).is_ok();
    let mut out: Vec<TerminalId> = Vec::new();
    for &street in mesh {
        let found = map.street(street);
        let ends = [Some(found.to), (!found.one_way).then_some(found.from)];
        let leads_out = |end: &TerminalId| map.leaving(*end).iter().any(|arm| !inside(arm.street));
        out.extend(ends.into_iter().flatten().filter(leads_out));
    }
    out.sort_unstable();
    out.dedup();
    let mut votes = vec![0.0; left.pieces.len()];
    let mut walk = Walk::default();
    for &end in out.iter().step_by(out.len().div_ceil(MOST_WAYS_OUT).max(1)) {
        let longest = map.arriving(end).iter().filter(|arm| inside(arm.street));
        let longest = longest.map(|arm| map.street(arm.street).length).max().unwrap_or_default();
        let explains = way_to(map, &mut walk, end, dc + longest);
        let makes = |street: StreetId| {
            explains(street).is_some_and(|length| length >= dc && length < dc + longest)
        };
        let who: Vec<usize> =
            (0..left.pieces.len()).filter(|&place| makes(left.pieces[place].street)).collect();
        who.iter().for_each(|&place| votes[place] += 1.0 / who.len() as f64);
    }
    votes
}

/// How far it is from the exits of a street to a terminal, up to a bound.
fn way_to<'a>(
    map: &'a StreetMap,
    walk: &'a mut Walk,
    end: TerminalId,
    bound: Length,
) -> impl Fn(StreetId) -> Option<Length> + 'a {
    let from: Vec<Stretch> = map
        .leaving(end)
        .iter()
        .map(|arm| {
            // A stretch of no length at the end of a street is the terminal itself.
            let street = map.street(arm.street);
            let offset = if street.from == end { 0 } else { street.length.units() };
            Stretch { street: arm.street, from: offset, to: offset }
        })
        .collect();
    walk.search(map, &from, bound, Way::Backward);
    let walk = &*walk;
    move |street| {
        let found = map.street(street);
        let ends = [Some(found.to), (!found.one_way).then_some(found.from)];
        ends.into_iter().flatten().filter_map(|exit| walk.to(exit)).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Lookout, seconds};
    use meshcloak::town::town;

    #[test]
    fn of_a_tight_rectangle_the_sides_hold_somebody() {
        //  A ─────────── B     the rectangle ends at x = 100 and x = 200, where people stand
        let mut lookout = Lookout::on(town("A 0,0  B 300,0 | A-B"), 200.0, 10.0);
        lookout.rule = Rule::Tight;
        let (min, max) = (Point::new(100.0, 0.0), Point::new(200.0, 0.0));
        lookout.show_region(seconds(0), Region::Rectangle(Rectangle { min, max }));
        let left = Boundary.attack(&lookout.view(0)).expect("it has sides");
        let flat = lookout.shown[0].everywhere(&lookout.town.map).clone();
        let at = |belief: &Posterior, metres: f64| {
            let here = lookout.town.at("A-B", metres);
            belief.pieces.iter().find(|piece| piece.holds(here)).map_or(0.0, |piece| piece.weight)
        };
        assert!(at(&left, 105.0) > 1.1 * at(&flat, 105.0), "{left:?}");
        assert!(at(&left, 195.0) > 1.1 * at(&flat, 195.0));
        assert!(at(&left, 150.0) < at(&flat, 150.0));
        lookout.rule = Rule::Fixed;
        assert!(Boundary.attack(&lookout.view(0)).is_none(), "quadrants say nothing");
    }

    #[test]
    fn of_a_mesh_the_ways_out_are_just_too_far() {
        // 0 ─ 1 ─ 2 ─ … ─ 9, 100 m each. Somebody on 4-5 with dc 150 shows 3-4 to 6-7 by exits 4
        // and 5: terminals 3 and 6 are 100 m away, 2 and 7 are 200 m, farther than 150.
        let text = "0 0,0 1 100,0 2 200,0 3 300,0 4 400,0 5 500,0 6 600,0 7 700,0 8 800,0 9 900,0 \
                    | 0-1 1-2 2-3 3-4 4-5 5-6 6-7 7-8 8-9";
        let mut lookout = Lookout::on(town(text), 150.0, 10.0);
        lookout.show(seconds(0), &["2-3", "3-4", "4-5", "5-6", "6-7"]);
        let left = Boundary.attack(&lookout.view(0)).expect("it has ways out");
        let weight = |name: &str| -> f64 {
            let street = lookout.town.street(name);
            let hers = left.pieces.iter().filter(|piece| piece.street == street);
            hers.map(|piece| piece.weight).sum()
        };
        assert!(weight("4-5") > 0.5, "{}", weight("4-5"));
        assert!(weight("2-3") < 0.2 && weight("6-7") < 0.2);
    }
}
