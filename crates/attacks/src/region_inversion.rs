//! E: region inversion. The region contains all streets that its members can reach. So every
//! street within dc of the target was published, and every published street is reachable for some
//! member. Streets that alone explain a part of the region are more probable.

use crate::attack::{Attack, Level};
use crate::posterior::Posterior;
use crate::view::{RegionDependence, View};
use meshcloak::map::StreetId;
use meshcloak::mesh::{MeshBuilder, MeshKey, MeshRule};
use meshcloak::region::Region;
use std::sync::Arc;

/// The attack.
pub const REGION_INVERSION: Attack = Attack {
    name: "region-inversion",
    letter: 'E',
    level: Level::Service,
    needs: "the target's dc: streets whose reachable streets were all published, weighted by the share \
         of the region that only they explain",
    run: attack,
};

fn attack(view: &View<'_>) -> Option<Posterior> {
    let (Region::Mesh(mesh), RegionDependence::Mesh(rule)) =
        (&*view.disclosure().region, view.rule)
    else {
        return None; // the region does not depend on positions inside it
    };
    let explanations = explanations(view, mesh, rule);
    let weight = |street: StreetId| {
        let found = explanations.binary_search_by_key(&street, |explanation| explanation.0);
        found.map_or(0.0, |index| explanations[index].1)
    };
    let mut pieces = view.disclosure().uniform(view.atlas.map()).pieces.clone();
    pieces.iter_mut().for_each(|piece| piece.weight *= weight(piece.street));
    Some(Posterior::of_pieces(pieces))
}

/// Returns the possible streets of the target, ascending, each with the number of published streets it
/// explains. A published street that is explained by `n` streets counts 1/n for each of them. All
/// members are assumed to have the dc of the target.
fn explanations(view: &View<'_>, mesh: &[StreetId], rule: MeshRule) -> Vec<(StreetId, f64)> {
    let mut builder = MeshBuilder::new(Arc::clone(view.atlas), rule);
    let mut explained: Vec<(StreetId, Vec<usize>)> = Vec::new();
    let mut reached = Vec::new();
    let mut explainers = vec![0_u32; mesh.len()];
    for &street in mesh {
        reached.clear();
        let key = MeshKey { street, dc: view.target.dc };
        builder.cloaking_mesh([key].into_iter(), &mut reached);
        let indices = reached.iter().map(|street| mesh.binary_search(street).ok());
        let indices: Option<Vec<usize>> = indices.collect();
        if let Some(indices) = indices {
            indices.iter().for_each(|&index| explainers[index] += 1);
            explained.push((street, indices));
        }
    }
    let share = |index: &usize| 1.0 / f64::from(explainers[*index]);
    explained.iter().map(|(street, indices)| (*street, indices.iter().map(share).sum())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Scenario, seconds};
    use meshcloak::town::town;

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
    fn fixed_cells_reveal_nothing() {
        let mut scenario = road();
        scenario.rule = RegionDependence::Fixed;
        scenario.show(seconds(0), &["2-3", "3-4"]);
        assert!(REGION_INVERSION.attack(&scenario.view(0)).is_none());
    }
}
