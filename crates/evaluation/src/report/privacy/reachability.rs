//! The reachability attack on the paper's third motivating example (Figure 3), under ICliqueCloak and
//! under the `history` guarantee.

use super::super::page::ReportSection;
use super::super::plot::Plot;
use super::super::why_a_map::draw_users;
use super::super::why_a_map::published::{self, PublishedSet, label};
use attacks::reachability::BETWEEN_REGIONS;
use attacks::{LinkedDisclosure, Posterior, RegionDependence, Target, View};
use meshcloak::distance::{Atlas, MAX_DC_MAX};
use meshcloak::query::Query;
use meshcloak::region::Region;
use picture::scene::{QueryStep, TownScene};
use picture::sheet::{BLUE, FAINT, INK, Mark, ORANGE, Panel, Sheet, StreetPart};
use picture::{Canvas, Weight};
use std::sync::Arc;

const FIXTURE: &str = include_str!("../../../../../fixtures/mmb.town");

/// Sets that a scheme published, and the attack on the second set of user A.
struct AttackedSets {
    scheme: &'static str,
    sets: Vec<PublishedSet>,
    /// Candidate positions of A′ after the attack; `None` if A was not published twice.
    posterior: Option<Posterior>,
}

/// Appends text and figure to `section`.
pub(super) fn add(section: &mut ReportSection) {
    let scene = TownScene::read(FIXTURE);
    let sides = ["i-clique-cloak", "meshcloak/history"].map(|scheme| attack(&scene, scheme));
    let [rival, ours] = &sides;
    section.paragraph(&format!(
        "The paper’s third motivating example: user A asks twice, and the service knows the map and \
         the speed of A. Remaining candidates for A′ under ICliqueCloak: {}. Under history: {}.",
        remaining_users(&scene, rival),
        match ours.publishes_later() {
            true => remaining_users(&scene, ours),
            false => "A′ is not published until other users can have reached its position".to_owned(),
        },
    ));
    let plot = Plot::drawing("isolated", &draw(&scene, &sides));
    section.figure(plot, "Candidate positions of A′ after the reachability attack");
}

impl AttackedSets {
    fn publishes_later(&self) -> bool {
        self.sets.iter().any(|set| set.step == QueryStep::Later)
    }
}

/// Returns the query of A at `step`.
fn query_of_a(scene: &TownScene, step: QueryStep) -> Option<Query> {
    let is_a = |user: &picture::scene::SceneUser| user.name.trim_end_matches('\'') == "A";
    let index = scene.users.iter().position(|user| user.step == step && is_a(user))?;
    scene.queries().into_iter().nth(index)
}

fn attack(scene: &TownScene, scheme: &'static str) -> AttackedSets {
    let atlas = Arc::new(Atlas::new(scene.town.map.clone(), MAX_DC_MAX));
    let sets = published::publish(scene, &atlas, scheme);
    let mut disclosures = Vec::new();
    for set in &sets {
        if let Some(query) = query_of_a(scene, set.step)
            && set.members.contains(&(query.id.0 as usize))
        {
            let region = Arc::new(set.region.clone());
            disclosures.push(LinkedDisclosure::new(query.asked_at, query.asked_at, region));
        }
    }
    let query = query_of_a(scene, QueryStep::Later).filter(|_| disclosures.len() == 2);
    let posterior = query.and_then(|query| {
        BETWEEN_REGIONS.attack(&View {
            atlas: &atlas,
            rule: RegionDependence::Tight,
            target: Target { dc: query.distance_constraint, speed: query.speed },
            disclosures: &disclosures,
            attacked: 1,
            previous: None,
            set: None,
            snapshot: None,
            candidate_sets: &[],
            prior: None,
        })
    });
    AttackedSets { scheme, sets, posterior }
}

/// Names the members of the set of A′ whose positions the attack does not exclude.
fn remaining_users(scene: &TownScene, attacked: &AttackedSets) -> String {
    let set = attacked.sets.iter().rev().find(|set| set.step == QueryStep::Later);
    let members = set.map_or(&[][..], |set| &set.members);
    let is_candidate = |index: &&usize| {
        let position = scene.users[**index].position;
        attacked.posterior.as_ref().is_none_or(|posterior| posterior.holds(position))
    };
    let names = members.iter().filter(is_candidate).map(|&index| label(scene, &scene.users[index]));
    let names: Vec<String> = names.collect();
    match &names[..] {
        [only] => format!("{only} only, of {}", members.len()),
        _ => format!("{} of {}", names.join(", "), members.len()),
    }
}

fn draw(scene: &TownScene, sides: &[AttackedSets; 2]) -> Canvas {
    let legend = [
        (Mark::Dot(INK), "user asking now"),
        (Mark::Line(ORANGE, 3.0), "region published now"),
        (Mark::Dot(FAINT), "user at the earlier time"),
        (Mark::Line(BLUE, 7.0), "not excluded by the attack"),
    ];
    let mut sheet = Sheet::new(&sides.each_ref().map(|side| panel(scene, side)), &legend);
    for (index, side) in sides.iter().enumerate() {
        sheet.select(index, "isolated");
        sheet.streets(&scene.town.map);
        for set in &side.sets {
            draw_region(&mut sheet, scene, set);
        }
        let pieces = side.posterior.iter().flat_map(|posterior| &posterior.pieces);
        let parts: Vec<StreetPart> = pieces
            .map(|piece| StreetPart { street: piece.street, from: piece.from, to: piece.to })
            .collect();
        sheet.parts(&scene.town.map, &parts, Mark::Line(BLUE, 7.0));
        draw_users(&mut sheet, scene);
    }
    sheet.canvas
}

fn panel(scene: &TownScene, side: &AttackedSets) -> Panel {
    let result = match side.publishes_later() {
        true => format!("candidates: {}", remaining_users(scene, side)),
        false => "A′ is not published".to_owned(),
    };
    let mut notes = vec![(result, Weight::Bold)];
    if let Some(posterior) = &side.posterior {
        let metres = format!("{:.0} m of street not excluded", posterior.metres());
        notes.push((metres, Weight::Regular));
    }
    Panel { caption: side.scheme.to_owned(), bounds: scene.town.map.bounds(), notes }
}

fn draw_region(sheet: &mut Sheet, scene: &TownScene, set: &PublishedSet) {
    let map = &scene.town.map;
    let colour = if set.step == QueryStep::Later { ORANGE } else { FAINT };
    if let Region::Rectangle(rectangle) = &set.region {
        return sheet.rectangle(*rectangle, colour);
    }
    let streets = set.region.streets(map);
    let parts: Vec<StreetPart> = streets.iter().map(|&s| StreetPart::whole(map, s)).collect();
    sheet.parts(map, &parts, Mark::Line(colour.with_opacity(90), 9.0));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_attack_isolates_a_under_i_clique_cloak_and_not_under_history() {
        let scene = TownScene::read(FIXTURE);
        let rival = attack(&scene, "i-clique-cloak");
        assert_eq!(remaining_users(&scene, &rival), "A′ only, of 3");
        let ours = attack(&scene, "meshcloak/history");
        assert!(ours.sets.iter().all(|set| set.step == QueryStep::Now), "A′ is not published");
        assert_eq!(ours.sets.len(), 1, "A, B and C were published before");
    }
}
