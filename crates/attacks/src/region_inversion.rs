//! E: region inversion. The region holds all that its members can reach. So the target's street is
//! one from which everything within her dc was shown; and every street shown is one that somebody
//! can reach, so streets that alone explain a part of the region are likelier than others.

use crate::attack::{Attack, Level};
use crate::posterior::Posterior;
use crate::view::{Rule, View};
use meshcloak::map::StreetId;
use meshcloak::mesh::{MeshBuilder, MeshKey, MeshRule};
use meshcloak::region::Region;
use std::sync::Arc;

/// The attack.
#[derive(Clone, Copy, Debug)]
pub struct RegionInversion;

impl Attack for RegionInversion {
    fn name(&self) -> &'static str {
        "region-inversion"
    }

    fn letter(&self) -> char {
        'E'
    }

    fn level(&self) -> Level {
        Level::Service
    }

    fn needs(&self) -> &'static str {
        "the target's dc: streets from which all that she can reach was shown, weighted by how much \
         of the region nobody else explains"
    }

    fn attack(&self, view: &View<'_>) -> Option<Posterior> {
        let (Region::Mesh(mesh), Rule::Mesh(rule)) = (&*view.shown().region, view.rule) else {
            return None; // nothing follows from where somebody is within it
        };
        let standing = explanations(view, mesh, rule);
        let weight = |street: StreetId| {
            let found = standing.binary_search_by_key(&street, |hers| hers.0);
            found.map_or(0.0, |place| standing[place].1)
        };
        let mut left = view.shown().everywhere(view.atlas.map()).clone();
        left.pieces.iter_mut().for_each(|piece| piece.weight *= weight(piece.street));
        Some(Posterior::places(left.pieces))
    }
}

/// The streets on which the target can be, ascending, and what each explains: a part of the region
/// that several explain is shared among them, as if all members had her dc.
fn explanations(view: &View<'_>, mesh: &[StreetId], rule: MeshRule) -> Vec<(StreetId, f64)> {
    let mut builder = MeshBuilder::new(Arc::clone(view.atlas), rule);
    let mut explained: Vec<(StreetId, Vec<u32>)> = Vec::new();
    let mut reached = Vec::new();
    let mut explainers = vec![0_u32; mesh.len()];
    for &street in mesh {
        reached.clear();
        let hers = MeshKey { street, dc: view.target.dc };
        builder.cloaking_mesh([hers].into_iter(), &mut reached);
        let places = reached.iter().map(|street| mesh.binary_search(street).ok());
        let places: Option<Vec<u32>> =
            places.map(|place| place.map(|place| place as u32)).collect();
        if let Some(places) = places {
            places.iter().for_each(|&place| explainers[place as usize] += 1);
            explained.push((street, places));
        }
    }
    let share = |place: &u32| 1.0 / f64::from(explainers[*place as usize]);
    explained.iter().map(|(street, places)| (*street, places.iter().map(share).sum())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Lookout, seconds};
    use meshcloak::town::town;

    /// 0 ─ 1 ─ … ─ 9, 100 m each; with dc 150 somebody on a street shows two more on each side.
    fn road() -> Lookout {
        let text = "0 0,0 1 100,0 2 200,0 3 300,0 4 400,0 5 500,0 6 600,0 7 700,0 8 800,0 9 900,0 \
                    | 0-1 1-2 2-3 3-4 4-5 5-6 6-7 7-8 8-9";
        Lookout::on(town(text), 150.0, 10.0)
    }

    fn streets(lookout: &Lookout) -> Vec<(String, f64)> {
        let left = RegionInversion.attack(&lookout.view(0)).expect("a mesh");
        let mut found: Vec<(String, f64)> = Vec::new();
        for piece in &left.pieces {
            let name = lookout.town.map.street_label(piece.street).to_owned();
            match found.last_mut() {
                Some(last) if last.0 == name => last.1 += piece.weight,
                _ => found.push((name, piece.weight)),
            }
        }
        found
    }

    #[test]
    fn one_alone_is_found_on_her_street() {
        let mut lookout = road();
        lookout.show(seconds(0), &["2-3", "3-4", "4-5", "5-6", "6-7"]);
        let found = streets(&lookout);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].0, "4-5");
    }

    #[test]
    fn of_two_both_streets_are_left_and_those_between() {
        let mut lookout = road();
        // Somebody on 3-4 and somebody on 5-6: 1-2 to 7-8. 4-5 explains nothing by itself.
        lookout.show(seconds(0), &["1-2", "2-3", "3-4", "4-5", "5-6", "6-7", "7-8"]);
        let found = streets(&lookout);
        let names: Vec<&str> = found.iter().map(|street| street.0.as_str()).collect();
        assert_eq!(names, ["3-4", "4-5", "5-6"]);
        assert!(found[0].1 > found[1].1 && found[2].1 > found[1].1, "{found:?}");
    }

    #[test]
    fn cells_say_nothing() {
        let mut lookout = road();
        lookout.rule = Rule::Fixed;
        lookout.show(seconds(0), &["2-3", "3-4"]);
        assert!(RegionInversion.attack(&lookout.view(0)).is_none());
    }
}
