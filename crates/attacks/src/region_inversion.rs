//! E: region inversion.
//!
//! - `reach`: the region contains all streets that its members can reach. So every street within dc
//!   of the target was published, and every published street is reachable for some member. Streets
//!   that alone explain a part of the region are more probable.
//! - `cells`: each cell of the region has a member, and members can reach one another. So the target
//!   is within its dc of every other cell of the region.

use crate::attack::{Attack, Level};
use crate::possible_streets::PossibleStreets;
use crate::posterior::Posterior;
use crate::view::{RegionDependence, View};
use meshcloak::map::StreetId;
use meshcloak::region::Region;

/// The attack.
pub const REGION_INVERSION: Attack = Attack {
    name: "region-inversion",
    letter: 'E',
    level: Level::Service,
    needs: "the target's dc: streets whose reachable streets were all published, weighted by the share \
         of the region that only they explain; of cells, the streets within dc of every other cell",
    run: attack,
};

fn attack(view: &View<'_>) -> Option<Posterior> {
    let Region::Mesh(streets) = &*view.disclosure().region else { return None };
    // `None`: the region does not depend on positions inside it.
    let mut possible = PossibleStreets::new(view.atlas, view.rule, view.target.dc)?;
    let left = possible.of(streets)?;
    let weights = match view.rule {
        RegionDependence::Mesh(_) => explanations(&mut possible, streets, &left),
        _ => vec![1.0; left.len()],
    };
    let weight = |street: StreetId| left.binary_search(&street).map_or(0.0, |at| weights[at]);
    let mut pieces = view.disclosure().uniform(view.atlas.map()).pieces.clone();
    pieces.iter_mut().for_each(|piece| piece.weight *= weight(piece.street));
    Some(Posterior::of_pieces(pieces))
}

/// Returns for each possible street the number of published streets that it explains. A published
/// street that is explained by `n` streets counts 1/n for each of them. All members are assumed to
/// have the dc of the target.
fn explanations(possible: &mut PossibleStreets, mesh: &[StreetId], left: &[StreetId]) -> Vec<f64> {
    let mut explained: Vec<Vec<usize>> = Vec::new();
    let mut explainers = vec![0_u32; mesh.len()];
    for &street in left {
        let reached = possible.reached(street).iter();
        let indices: Vec<usize> = reached.filter_map(|one| mesh.binary_search(one).ok()).collect();
        indices.iter().for_each(|&index| explainers[index] += 1);
        explained.push(indices);
    }
    let share = |index: &usize| 1.0 / f64::from(explainers[*index]);
    explained.iter().map(|indices| indices.iter().map(share).sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Scenario, seconds};
    use meshcloak::cells::{CellId, Cells};
    use meshcloak::map::Position;
    use meshcloak::naive;
    use meshcloak::town::{Town, town};
    use meshcloak::units::Length;
    use rand::RngExt as _;
    use std::collections::BTreeSet;

    /// 0 ─ 1 ─ … ─ 9, 100 m each; with dc 150 a mesh extends by two streets on each side.
    fn road() -> Scenario {
        let text = "0 0,0 1 100,0 2 200,0 3 300,0 4 400,0 5 500,0 6 600,0 7 700,0 8 800,0 9 900,0 \
                    | 0-1 1-2 2-3 3-4 4-5 5-6 6-7 7-8 8-9";
        Scenario::on(town(text), 150.0, 10.0)
    }

    fn weight_by_street(scenario: &Scenario) -> Vec<(String, f64)> {
        let posterior = REGION_INVERSION.attack(&scenario.view(0)).expect("a mesh");
        let mut found: Vec<(String, f64)> = Vec::new();
        for piece in &posterior.pieces {
            let name = scenario.town.map.street_label(piece.street).to_owned();
            match found.last_mut() {
                Some(last) if last.0 == name => last.1 += piece.weight,
                _ => found.push((name, piece.weight)),
            }
        }
        found
    }

    #[test]
    fn a_single_member_is_located_on_its_street() {
        let mut scenario = road();
        scenario.show(seconds(0), &["2-3", "3-4", "4-5", "5-6", "6-7"]);
        let found = weight_by_street(&scenario);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].0, "4-5");
    }

    #[test]
    fn two_members_leave_their_streets_and_those_between() {
        let mut scenario = road();
        // Members on 3-4 and 5-6 yield 1-2 to 7-8. No street is explained by 4-5 alone.
        scenario.show(seconds(0), &["1-2", "2-3", "3-4", "4-5", "5-6", "6-7", "7-8"]);
        let found = weight_by_street(&scenario);
        let names: Vec<&str> = found.iter().map(|street| street.0.as_str()).collect();
        assert_eq!(names, ["3-4", "4-5", "5-6"]);
        assert!(found[0].1 > found[1].1 && found[2].1 > found[1].1, "{found:?}");
    }

    #[test]
    fn one_cell_reveals_nothing() {
        let mut scenario = road();
        scenario.rule = RegionDependence::Fixed;
        scenario.show(seconds(0), &["2-3", "3-4"]);
        assert!(REGION_INVERSION.attack(&scenario.view(0)).is_none());
    }

    #[test]
    fn two_cells_leave_the_streets_near_their_border() {
        let mut scenario = road();
        scenario.rule = RegionDependence::Cells(Length::metres(400.0));
        let cells = Cells::new(&scenario.town.map, Length::metres(400.0));
        assert_eq!(cells.count(), 2, "a road of 900 m");
        scenario.show(seconds(0), &["0-1", "1-2", "2-3", "3-4", "4-5", "5-6", "6-7", "7-8", "8-9"]);
        let found = weight_by_street(&scenario);
        assert_eq!(found.len(), 4, "two streets on each side of the border: {found:?}");
        let part: Vec<StreetId> = cells.streets(CellId(0)).to_vec();
        scenario.disclosures.clear();
        scenario.show_region(seconds(0), Region::Mesh(part.clone().into()));
        assert_eq!(weight_by_street(&scenario).len(), part.len(), "one cell: all of its streets");
        scenario.disclosures.clear();
        scenario.show_region(seconds(0), Region::Mesh(part[1..].to_vec().into()));
        assert!(REGION_INVERSION.attack(&scenario.view(0)).is_none(), "not a whole cell");
    }

    #[test]
    fn streets_near_all_cells_equal_those_of_the_naive_distances() {
        let (mut excluded, mut left) = (0, 0);
        for seed in 0..150 {
            let mut random = Town::generator(seed);
            let dc = random.random_range(50.0..600.0);
            let mut scenario = Scenario::on(Town::random(seed), dc, 10.0);
            let (map, length) = (&scenario.town.map, Length::metres(200.0));
            let cells = Cells::new(map, length);
            let chosen: BTreeSet<CellId> =
                (0..3).map(|_| cells.of(scenario.town.position(&mut random).street)).collect();
            let region = map.streets().filter(|&street| chosen.contains(&cells.of(street)));
            let region: Vec<StreetId> = region.collect();
            let table = naive::terminal_distances(map);
            let is_near = |street: StreetId, cell: CellId| {
                let start = |street| Position { street, offset: Length::ZERO };
                let exits = map.exits(start(street));
                let exits: Vec<usize> = exits.map(|(terminal, _)| terminal.index()).collect();
                let ends = cells.streets(cell).iter().flat_map(|&to| map.entrances(start(to)));
                cells.of(street) == cell
                    || ends.into_iter().any(|(terminal, _)| {
                        let from = exits.iter().filter_map(|&exit| table[exit][terminal.index()]);
                        from.min().is_some_and(|d| d <= scenario.target.dc)
                    })
            };
            let expected =
                region.iter().filter(|&&street| chosen.iter().all(|&c| is_near(street, c)));
            let expected: Vec<StreetId> = expected.copied().collect();
            scenario.rule = RegionDependence::Cells(length);
            scenario.show_region(seconds(0), Region::Mesh(region.clone().into()));
            let dc = scenario.target.dc;
            let mut possible = PossibleStreets::new(&scenario.atlas, scenario.rule, dc).unwrap();
            let found = possible.of(&region).expect("whole cells");
            assert_eq!(found, expected, "seed {seed}\n{}", scenario.town);
            excluded += region.len() - found.len();
            left += found.len();
        }
        assert!(excluded > 100 && left > 200, "{excluded} excluded, {left} left");
    }
}
