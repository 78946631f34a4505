//! B: boundary. Members determine where a region ends: each side of a bounding rectangle has a member
//! on it, and each exit of a mesh is just beyond the dc of a member.
//!
//! Half of the probability goes to positions that explain the boundary and half to the whole region,
//! because the target need not be one of the members that determine it.

use crate::attack::{Attack, Level};
use crate::posterior::{Piece, Posterior};
use crate::street_search::{SearchDirection, StreetInterval, StreetSearch};
use crate::view::{RegionDependence, View};
use meshcloak::map::{Position, StreetId, StreetMap, TerminalId};
use meshcloak::region::Region;
use meshcloak::units::{Length, Point, Rectangle};

/// The attack.
pub const BOUNDARY: Attack = Attack {
    name: "boundary",
    letter: 'B',
    level: Level::Service,
    needs: "the target's dc: positions from which the region's frontier is exactly dc away, or which \
         lie on a side of a rectangle",
    run: attack,
};

fn attack(view: &View<'_>) -> Option<Posterior> {
    let map = view.atlas.map();
    let mut pieces = view.disclosure().uniform(map).pieces.clone();
    let votes = match (&*view.disclosure().region, view.rule) {
        (Region::Rectangle(rectangle), RegionDependence::Tight) => {
            side_votes(map, *rectangle, &pieces)
        }
        (Region::Mesh(streets), RegionDependence::Mesh(_)) => {
            exit_votes(map, streets, view.target.dc, &pieces)
        }
        _ => return None,
    };
    let sum: f64 = votes.iter().sum();
    if sum <= 0.0 {
        return None;
    }
    for (piece, votes) in pieces.iter_mut().zip(votes) {
        piece.weight = (piece.weight + votes / sum) / 2.0;
    }
    Some(Posterior::of_pieces(pieces))
}

/// Distributes one vote per side of a rectangle over the pieces that it crosses.
fn side_votes(map: &StreetMap, Rectangle { min, max }: Rectangle, pieces: &[Piece]) -> Vec<f64> {
    let mut votes = vec![0.0; pieces.len()];
    let distances: [fn(Point, Point, Point) -> f64; 4] = [
        |point, min, _| point.x - min.x,
        |point, min, _| point.y - min.y,
        |point, _, max| max.x - point.x,
        |point, _, max| max.y - point.y,
    ];
    for distance in distances {
        share_vote(&mut votes, pieces, |&Piece { street, from, to, .. }| {
            let signed = |offset| distance(map.point(Position { street, offset }), min, max);
            let (a, b) = (signed(from), signed(to));
            a * b <= 0.0 || a.abs() < 0.5 || b.abs() < 0.5
        });
    }
    votes
}

/// Distributes one vote equally over the pieces that satisfy a condition.
fn share_vote(votes: &mut [f64], pieces: &[Piece], condition: impl Fn(&Piece) -> bool) {
    let chosen: Vec<usize> = (0..pieces.len()).filter(|&index| condition(&pieces[index])).collect();
    chosen.iter().for_each(|&index| votes[index] += 1.0 / chosen.len() as f64);
}

/// Maximum number of exits examined per region; there can be hundreds.
const MAX_EXITS: usize = 12;

/// Distributes one vote per exit of a mesh over the streets from which it is just out of reach.
fn exit_votes(map: &StreetMap, mesh: &[StreetId], dc: Length, pieces: &[Piece]) -> Vec<f64> {
    let inside = |street: StreetId| mesh.binary_search(&street).is_ok();
    let leads_out = |end: &TerminalId| map.leaving(*end).iter().any(|arm| !inside(arm.street));
    let mut exits: Vec<TerminalId> =
        mesh.iter().flat_map(|&street| street_exits(map, street)).filter(leads_out).collect();
    exits.sort_unstable();
    exits.dedup();
    let mut votes = vec![0.0; pieces.len()];
    let mut search = StreetSearch::default();
    for &exit in exits.iter().step_by(exits.len().div_ceil(MAX_EXITS).max(1)) {
        let longest = map.arriving(exit).iter().filter(|arm| inside(arm.street));
        let longest = longest.map(|arm| map.street(arm.street).length).max().unwrap_or_default();
        let distance = distance_to(map, &mut search, exit, dc + longest);
        share_vote(&mut votes, pieces, |piece| {
            distance(piece.street).is_some_and(|length| length >= dc && length < dc + longest)
        });
    }
    votes
}

/// Returns the terminals by which a street can be left.
fn street_exits(map: &StreetMap, street: StreetId) -> impl Iterator<Item = TerminalId> {
    let street = map.street(street);
    [Some(street.to), (!street.one_way).then_some(street.from)].into_iter().flatten()
}

/// Returns a function for the distance from the exits of a street to a terminal, up to a bound.
fn distance_to<'a>(
    map: &'a StreetMap,
    search: &'a mut StreetSearch,
    terminal: TerminalId,
    bound: Length,
) -> impl Fn(StreetId) -> Option<Length> + 'a {
    let from: Vec<StreetInterval> = map
        .leaving(terminal)
        .iter()
        .map(|arm| {
            // An empty interval at the end of a street is the terminal itself.
            let street = map.street(arm.street);
            let offset = if street.from == terminal { 0 } else { street.length.units() };
            StreetInterval { street: arm.street, from: offset, to: offset }
        })
        .collect();
    search.search(map, &from, bound, SearchDirection::Backward);
    let search = &*search;
    move |street| street_exits(map, street).filter_map(|exit| search.to(exit)).min()
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
        let posterior = BOUNDARY.attack(&scenario.view(0)).expect("a rectangle");
        let uniform = scenario.disclosures[0].uniform(&scenario.town.map).clone();
        let weight_at = |posterior: &Posterior, metres: f64| {
            let position = scenario.town.at("A-B", metres);
            posterior
                .pieces
                .iter()
                .find(|piece| piece.holds(position))
                .map_or(0.0, |piece| piece.weight)
        };
        assert!(weight_at(&posterior, 105.0) > 1.1 * weight_at(&uniform, 105.0), "{posterior:?}");
        assert!(weight_at(&posterior, 195.0) > 1.1 * weight_at(&uniform, 195.0));
        assert!(weight_at(&posterior, 150.0) < weight_at(&uniform, 150.0));
        scenario.rule = RegionDependence::Fixed;
        assert!(BOUNDARY.attack(&scenario.view(0)).is_none(), "fixed quadrants reveal nothing");
    }

    #[test]
    fn streets_that_explain_the_exits_of_a_mesh_gain_weight() {
        // 0 ─ 1 ─ 2 ─ … ─ 9, 100 m each. A member on 4-5 with dc 150 has mesh 2-3 to 6-7 by exits 4
        // and 5: terminals 3 and 6 are 100 m away, 2 and 7 are 200 m, farther than 150.
        let text = "0 0,0 1 100,0 2 200,0 3 300,0 4 400,0 5 500,0 6 600,0 7 700,0 8 800,0 9 900,0 \
                    | 0-1 1-2 2-3 3-4 4-5 5-6 6-7 7-8 8-9";
        let mut scenario = Scenario::on(town(text), 150.0, 10.0);
        scenario.show(seconds(0), &["2-3", "3-4", "4-5", "5-6", "6-7"]);
        let posterior = BOUNDARY.attack(&scenario.view(0)).expect("a mesh with exits");
        let weight = |name: &str| -> f64 {
            let street = scenario.town.street(name);
            let own = posterior.pieces.iter().filter(|piece| piece.street == street);
            own.map(|piece| piece.weight).sum()
        };
        assert!(weight("4-5") > 0.5, "{}", weight("4-5"));
        assert!(weight("2-3") < 0.2 && weight("6-7") < 0.2);
    }
}
