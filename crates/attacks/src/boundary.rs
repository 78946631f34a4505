//! B: boundary. Members determine where a region ends: each side of a bounding rectangle has a member
//! on it, and each exit of a mesh is just beyond the dc of a member.
//!
//! Half of the probability goes to positions that explain the boundary and half to the whole region,
//! because the target need not be one of the members that determine it.

use crate::attack::{Attack, Level};
use crate::posterior::Posterior;
use crate::street_search::{Direction, StreetInterval, StreetSearch};
use crate::view::{RegionDependence, View};
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
        "the target's dc: positions from which the region's frontier is exactly dc away, or which \
         lie on a side of a rectangle"
    }

    fn attack(&self, view: &View<'_>) -> Option<Posterior> {
        let map = view.atlas.map();
        let shown = &*view.shown().region;
        let mut left = view.shown().everywhere(map).clone();
        let votes = match (shown, view.rule) {
            (Region::Rectangle(rectangle), RegionDependence::Tight) => {
                sides(map, *rectangle, &left)
            }
            (Region::Mesh(streets), RegionDependence::Mesh(_)) => {
                frontier(map, streets, view.target.dc, &left)
            }
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

/// Distributes one vote per side of a rectangle over the pieces that it crosses.
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

/// Maximum number of exits examined per region; there can be hundreds.
const MAX_EXITS: usize = 12;

/// Distributes one vote per exit of a mesh over the streets from which it is just out of reach.
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
    let mut search = StreetSearch::default();
    for &end in out.iter().step_by(out.len().div_ceil(MAX_EXITS).max(1)) {
        let longest = map.arriving(end).iter().filter(|arm| inside(arm.street));
        let longest = longest.map(|arm| map.street(arm.street).length).max().unwrap_or_default();
        let explains = distance_to(map, &mut search, end, dc + longest);
        let makes = |street: StreetId| {
            explains(street).is_some_and(|length| length >= dc && length < dc + longest)
        };
        let who: Vec<usize> =
            (0..left.pieces.len()).filter(|&place| makes(left.pieces[place].street)).collect();
        who.iter().for_each(|&place| votes[place] += 1.0 / who.len() as f64);
    }
    votes
}

/// Returns a function for the distance from the exits of a street to a terminal, up to a bound.
fn distance_to<'a>(
    map: &'a StreetMap,
    search: &'a mut StreetSearch,
    end: TerminalId,
    bound: Length,
) -> impl Fn(StreetId) -> Option<Length> + 'a {
    let from: Vec<StreetInterval> = map
        .leaving(end)
        .iter()
        .map(|arm| {
            // A stretch of no length at the end of a street is the terminal itself.
            let street = map.street(arm.street);
            let offset = if street.from == end { 0 } else { street.length.units() };
            StreetInterval { street: arm.street, from: offset, to: offset }
        })
        .collect();
    search.search(map, &from, bound, Direction::Backward);
    let search = &*search;
    move |street| {
        let found = map.street(street);
        let ends = [Some(found.to), (!found.one_way).then_some(found.from)];
        ends.into_iter().flatten().filter_map(|exit| search.to(exit)).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Scenario, seconds};
    use meshcloak::town::town;

    #[test]
    fn sides_of_a_bounding_rectangle_gain_weight() {
        //  A ─────────── B     the rectangle ends at x = 100 and x = 200, where members are
        let mut scenario = Scenario::on(town("A 0,0  B 300,0 | A-B"), 200.0, 10.0);
        scenario.rule = RegionDependence::Tight;
        let (min, max) = (Point::new(100.0, 0.0), Point::new(200.0, 0.0));
        scenario.show_region(seconds(0), Region::Rectangle(Rectangle { min, max }));
        let left = Boundary.attack(&scenario.view(0)).expect("it has sides");
        let flat = scenario.shown[0].everywhere(&scenario.town.map).clone();
        let at = |belief: &Posterior, metres: f64| {
            let here = scenario.town.at("A-B", metres);
            belief.pieces.iter().find(|piece| piece.holds(here)).map_or(0.0, |piece| piece.weight)
        };
        assert!(at(&left, 105.0) > 1.1 * at(&flat, 105.0), "{left:?}");
        assert!(at(&left, 195.0) > 1.1 * at(&flat, 195.0));
        assert!(at(&left, 150.0) < at(&flat, 150.0));
        scenario.rule = RegionDependence::Fixed;
        assert!(Boundary.attack(&scenario.view(0)).is_none(), "fixed quadrants reveal nothing");
    }

    #[test]
    fn streets_that_explain_the_exits_of_a_mesh_gain_weight() {
        // 0 ─ 1 ─ 2 ─ … ─ 9, 100 m each. A member on 4-5 with dc 150 has mesh 2-3 to 6-7 by exits 4
        // and 5: terminals 3 and 6 are 100 m away, 2 and 7 are 200 m, farther than 150.
        let text = "0 0,0 1 100,0 2 200,0 3 300,0 4 400,0 5 500,0 6 600,0 7 700,0 8 800,0 9 900,0 \
                    | 0-1 1-2 2-3 3-4 4-5 5-6 6-7 7-8 8-9";
        let mut scenario = Scenario::on(town(text), 150.0, 10.0);
        scenario.show(seconds(0), &["2-3", "3-4", "4-5", "5-6", "6-7"]);
        let left = Boundary.attack(&scenario.view(0)).expect("it has ways out");
        let weight = |name: &str| -> f64 {
            let street = scenario.town.street(name);
            let own = left.pieces.iter().filter(|piece| piece.street == street);
            own.map(|piece| piece.weight).sum()
        };
        assert!(weight("4-5") > 0.5, "{}", weight("4-5"));
        assert!(weight("2-3") < 0.2 && weight("6-7") < 0.2);
    }
}
