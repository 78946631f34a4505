//! The paper's third motivation figure, attacked: what reachability between two regions leaves of
//! the second, under ICliqueCloak and under the `history` guarantee.

use super::super::page::Section;
use super::super::plot::Plot;
use super::super::why_a_map::hidden::{self, Hidden, label};
use attacks::reachability::Reachability;
use attacks::{Attack as _, LinkedDisclosure, Posterior, RegionDependence, Target, View};
use meshcloak::distance::{Atlas, MAX_DC_MAX};
use meshcloak::query::Query;
use meshcloak::region::Region;
use picture::scene::{Asks, Scene};
use picture::sheet::{BLUE, FAINT, INK, Mark, ORANGE, Panel, Sheet};
use picture::{Canvas, Weight};
use std::sync::Arc;

const FIXTURE: &str = include_str!("../../../../../fixtures/mmb.town");

/// What was shown for A, and what is left of it.
struct Seen {
    shown: Vec<Hidden>,
    left: Option<Posterior>,
}

/// Puts figure and words.
pub(super) fn put(section: &mut Section) {
    let scene = Scene::read(FIXTURE);
    let (rival, ours) = (seen(&scene, "i-clique-cloak"), seen(&scene, "meshcloak/history"));
    section.say(&format!(
        "The paper’s third motivation, run: A asks twice. Under ICliqueCloak the service, who knows \
         the map and how fast A is, is left with {}. Under history {}.",
        people(&scene, &rival),
        match ours.shown.iter().any(|hidden| hidden.asks == Asks::Later) {
            true => format!("it is left with {}", people(&scene, &ours)),
            false => "A′ is not published until others can have come to where she is".to_owned(),
        },
    ));
    let canvas = draw(&scene, [("i-clique-cloak", &rival), ("meshcloak/history", &ours)]);
    section.figure(Plot::drawing("isolated", &canvas), "What reachability leaves of A′");
}

/// The query of A at a time.
fn query_of_a(scene: &Scene, asks: Asks) -> Option<Query> {
    let place = scene
        .people
        .iter()
        .position(|person| person.asks == asks && person.name.trim_end_matches('\'') == "A")?;
    scene.queries().into_iter().nth(place)
}

fn seen(scene: &Scene, scheme: &str) -> Seen {
    let atlas = Arc::new(Atlas::new(scene.town.map.clone(), MAX_DC_MAX));
    let shown = hidden::ask(scene, &atlas, scheme);
    let mut disclosures = Vec::new();
    for hidden in &shown {
        if let Some(query) = query_of_a(scene, hidden.asks)
            && hidden.members.contains(&(query.id.0 as usize))
        {
            let region = Arc::new(hidden.region.clone());
            disclosures.push(LinkedDisclosure::new(query.asked_at, query.asked_at, region));
        }
    }
    let left =
        query_of_a(scene, Asks::Later).filter(|_| disclosures.len() == 2).and_then(|query| {
            Reachability::BETWEEN_REGIONS.attack(&View {
                atlas: &atlas,
                rule: RegionDependence::Tight,
                target: Target { dc: query.distance_constraint, speed: query.speed },
                disclosures: &disclosures,
                attacked: 1,
                previous: None,
                snapshot: None,
                candidate_sets: &[],
                prior: None,
            })
        });
    Seen { shown, left }
}

/// Who of the set of A′ may be where the service thinks she may be.
fn people(scene: &Scene, seen: &Seen) -> String {
    let set = seen.shown.iter().rev().find(|hidden| hidden.asks == Asks::Later);
    let members = set.map_or(&[][..], |hidden| &hidden.members);
    let possible = |place: &&usize| {
        let position = scene.people[**place].position;
        seen.left.as_ref().is_none_or(|left| left.holds(position))
    };
    let left: Vec<String> =
        members.iter().filter(possible).map(|&place| label(scene, &scene.people[place])).collect();
    match &left[..] {
        [alone] => format!("{alone} alone, of {}", members.len()),
        _ => format!("{} of {}", left.join(", "), members.len()),
    }
}

fn draw(scene: &Scene, sides: [(&str, &Seen); 2]) -> Canvas {
    let map = &scene.town.map;
    let panel = |(scheme, seen): (&str, &Seen)| {
        let published = seen.shown.iter().any(|hidden| hidden.asks == Asks::Later);
        let words = match published {
            true => format!("left: {}", people(scene, seen)),
            false => "A′ is not published".to_owned(),
        };
        let metres =
            seen.left.as_ref().map(|left| format!("{:.0} m of street left", left.metres()));
        let mut notes = vec![(words, Weight::Bold)];
        notes.extend(metres.map(|metres| (metres, Weight::Regular)));
        Panel { caption: scheme.to_owned(), bounds: map.bounds(), notes }
    };
    let panels = sides.map(panel);
    let legend = [
        (Mark::Dot(INK), "who asks now"),
        (Mark::Line(ORANGE, 3.0), "published now"),
        (Mark::Dot(FAINT), "who asked before"),
        (Mark::Line(BLUE, 7.0), "cannot be ruled out"),
    ];
    let mut sheet = Sheet::new(&panels, &legend);
    for (place, (_, seen)) in sides.into_iter().enumerate() {
        sheet.choose(place, "isolated");
        sheet.streets(map);
        for hidden in &seen.shown {
            let colour = if hidden.asks == Asks::Later { ORANGE } else { FAINT };
            match &hidden.region {
                Region::Rectangle(rectangle) => sheet.rectangle(*rectangle, colour),
                region => {
                    let whole = |street| {
                        let none = meshcloak::units::Length::ZERO;
                        (street, none, map.street(street).length)
                    };
                    let parts: Vec<_> = region.streets(map).iter().map(|&s| whole(s)).collect();
                    sheet.parts(map, &parts, Mark::Line(colour.with_opacity(90), 9.0));
                }
            }
        }
        let left = seen.left.iter().flat_map(|left| &left.pieces);
        let parts: Vec<_> = left.map(|piece| (piece.street, piece.from, piece.to)).collect();
        sheet.parts(map, &parts, Mark::Line(BLUE, 7.0));
        for person in &scene.people {
            let point = scene.point(person);
            let now = person.asks == Asks::Later;
            let at = sheet.at(point);
            sheet.mark(Mark::Dot(if now { INK } else { FAINT }), at);
            let beside = if now { (10.0, -11.0) } else { (-20.0, -11.0) };
            sheet.label(&label(scene, person), point, beside, Weight::Bold);
        }
    }
    sheet.canvas
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_attack_isolates_a_under_i_clique_cloak_and_not_under_history() {
        let scene = Scene::read(FIXTURE);
        assert_eq!(people(&scene, &seen(&scene, "i-clique-cloak")), "A′ alone, of 3");
        let ours = seen(&scene, "meshcloak/history");
        assert!(ours.shown.iter().all(|hidden| hidden.asks == Asks::Now), "A′ waits");
        assert_eq!(ours.shown.len(), 1, "A, B and C were hidden before");
    }
}
