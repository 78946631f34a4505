//! Section "Why a map": the paper's motivating examples (Figures 2 and 3) on small towns. The sets are
//! those that the schemes publish.

pub(super) mod published;
mod reach;

use super::page::{HtmlTable, ReportSection};
use super::plot::Plot;
use crate::schemes::PAPER;
use meshcloak::distance::{Atlas, MAX_DC_MAX};
use meshcloak::map::Position;
use meshcloak::region::Region;
use picture::scene::{QueryStep, SceneUser, TownScene};
use picture::sheet::{BLUE, FAINT, INK, LabelOffset, Mark, ORANGE, Panel, STREET, Sheet};
use picture::{Canvas, Weight};
use published::{PublishedSet, describe_sets, label};
use std::sync::Arc;

/// A fixture and its description.
struct Example {
    id: &'static str,
    title: &'static str,
    fixture: &'static str,
    description: &'static str,
    /// The free-space scheme that is drawn.
    rival: &'static str,
    /// User whose reach is drawn; `None` draws the reach of the first published rectangle.
    reach_of: Option<&'static str>,
}

const EXAMPLES: [Example; 3] = [
    Example {
        id: "why-bridge",
        title: "One bridge",
        fixture: include_str!("../../../../../fixtures/bridge.town"),
        description: "A and B have moved away from the bridge, on opposite banks. A′ and B′ are near \
                      in the plane; along streets neither can reach the other within Δt.",
        rival: "clique-cloak",
        reach_of: Some("A"),
    },
    Example {
        id: "why-one-way",
        title: "A block of one-way streets",
        fixture: include_str!("../../../../../fixtures/one-way.town"),
        description: "The way from A′ to B′ is short; the way from B′ to A′ leads around the block.",
        rival: "clique-cloak",
        reach_of: Some("B"),
    },
    Example {
        id: "why-mmb",
        title: "A movement boundary in the plane",
        fixture: include_str!("../../../../../fixtures/mmb.town"),
        description: "The rectangle of A, B and C was published first. ICliqueCloak then publishes A′ \
                      with D and E, because their rectangle is within the movement boundary of A. By \
                      the map, no user of the first rectangle can have reached D or E: A′ is \
                      identified.",
        rival: "i-clique-cloak",
        reach_of: None,
    },
];

/// Schemes in the order of the table.
const SCHEMES: [&str; 3] = ["clique-cloak", "i-clique-cloak", PAPER];

/// A scene with its distances.
struct ExampleTown {
    scene: TownScene,
    atlas: Arc<Atlas>,
}

impl ExampleTown {
    fn read(fixture: &str) -> ExampleTown {
        let scene = TownScene::read(fixture);
        let atlas = Arc::new(Atlas::new(scene.town.map.clone(), MAX_DC_MAX));
        ExampleTown { scene, atlas }
    }

    fn publish(&self, scheme: &str) -> Vec<PublishedSet> {
        published::publish(&self.scene, &self.atlas, scheme)
    }

    /// Describes the sets of the last step.
    fn describe_last(&self, sets: &[PublishedSet]) -> String {
        describe_sets(&self.scene, sets.iter().filter(|set| set.step == last_step(&self.scene)))
    }
}

/// Builds the section.
pub(super) fn section() -> ReportSection {
    let mut section = ReportSection::new("why", "Why a map");
    section.paper_note(
        "motivates street distances with two towns in which CliqueCloak puts A′ and B′ in one set \
         although an adversary with a map can tell them apart (Figure 2), and one in which the \
         movement boundary of ICliqueCloak isolates A′ (Figure 3). It runs neither scheme; here the \
         published sets are computed.",
    );
    let mut table = HtmlTable::new(["town", "clique-cloak", "i-clique-cloak", PAPER]);
    for example in &EXAMPLES {
        let town = ExampleTown::read(example.fixture);
        let sets = SCHEMES.map(|scheme| town.describe_last(&town.publish(scheme)));
        table.row([example.title.to_owned()].into_iter().chain(sets));
    }
    section.table(&table);
    for example in &EXAMPLES {
        section.heading(example.title);
        section.paragraph(example.description);
        section.figure(Plot::drawing(example.id, &draw(example)), example.title);
    }
    section
}

/// Returns the last step at which a user asks.
fn last_step(scene: &TownScene) -> QueryStep {
    let has_later = scene.users.iter().any(|user| user.step == QueryStep::Later);
    if has_later { QueryStep::Later } else { QueryStep::Now }
}

fn draw(example: &Example) -> Canvas {
    let town = ExampleTown::read(example.fixture);
    let ExampleTown { scene, atlas } = &town;
    let (rival, ours) = (town.publish(example.rival), town.publish(PAPER));
    let sources = sources(example, scene, &rival);
    let bounds = scene.town.map.bounds();
    let panel = |caption: &str, notes| Panel { caption: caption.to_owned(), bounds, notes };
    let mut street_notes = set_notes(&town, &ours);
    street_notes.extend(distance_notes(example, &town, &sources));
    let panels = [
        panel(&format!("In the plane: {}", example.rival), plane_notes(&town, &rival)),
        panel(&format!("Along streets: {PAPER}"), street_notes),
    ];
    let mut sheet = Sheet::new(&panels, &legend(scene));
    sheet.select(0, "plane");
    sheet.streets(&scene.town.map);
    for set in &rival {
        if let Region::Rectangle(rectangle) = set.region {
            let colour = if set.step == last_step(scene) { ORANGE } else { FAINT };
            sheet.rectangle(rectangle, colour);
        }
    }
    draw_users(&mut sheet, scene);
    sheet.select(1, "streets");
    sheet.streets(&scene.town.map);
    let dc = scene.users.iter().map(|user| user.dc).max().unwrap_or_default();
    let parts = reach::parts(atlas, &sources, dc);
    sheet.parts(&scene.town.map, &parts, Mark::Line(BLUE, 7.0));
    draw_users(&mut sheet, scene);
    sheet.canvas
}

/// Returns the positions whose reach is drawn.
fn sources(example: &Example, scene: &TownScene, rival: &[PublishedSet]) -> Vec<Position> {
    if let Some(name) = example.reach_of {
        return vec![scene.user(name).position];
    }
    let first = rival.iter().find_map(|set| match set.region {
        Region::Rectangle(rectangle) => Some(rectangle),
        _ => None,
    });
    first.map_or(Vec::new(), |first| reach::inside(scene, first))
}

fn legend(scene: &TownScene) -> [(Mark, &'static str); 4] {
    let third = match last_step(scene) {
        QueryStep::Later => (Mark::Dot(FAINT), "user at the earlier time"),
        QueryStep::Now => (Mark::Line(STREET, 5.0), "street; one-way if it has an arrow"),
    };
    [
        (Mark::Dot(INK), "user asking now"),
        (Mark::Line(ORANGE, 3.0), "published rectangle"),
        third,
        (Mark::Line(BLUE, 7.0), "reachable by the map"),
    ]
}

/// Draws all users with their names; users of an earlier step are faint.
pub(super) fn draw_users(sheet: &mut Sheet, scene: &TownScene) {
    for user in &scene.users {
        let point = scene.point(user);
        let at = sheet.at(point);
        // Earlier users stand close together, so their names are on the other side.
        let (colour, right) =
            if user.step == last_step(scene) { (INK, 10.0) } else { (FAINT, -20.0) };
        sheet.mark(Mark::Dot(colour), at);
        let offset = LabelOffset { right, down: -11.0 };
        sheet.label(&label(scene, user), point, offset, Weight::Bold);
    }
}

type Notes = Vec<(String, Weight)>;

/// Describes the sets of the earlier step, then those of the last step in bold.
fn set_notes(town: &ExampleTown, sets: &[PublishedSet]) -> Notes {
    let scene = &town.scene;
    let earlier = sets.iter().filter(|set| set.step != last_step(scene));
    let mut notes: Notes = earlier
        .map(|set| {
            (format!("before: {}", describe_sets(scene, [set].into_iter())), Weight::Regular)
        })
        .collect();
    notes.push((town.describe_last(sets), Weight::Bold));
    notes
}

fn plane_notes(town: &ExampleTown, sets: &[PublishedSet]) -> Notes {
    let scene = &town.scene;
    let mut notes = set_notes(town, sets);
    for set in sets.iter().filter(|set| set.step == last_step(scene)) {
        if let Region::Rectangle(published) = set.region {
            let (width, height) = (published.width(), published.height());
            notes.push((format!("rectangle {width:.0} × {height:.0} m"), Weight::Regular));
        }
    }
    if let [a, b] = &scene.users[..] {
        let metres = scene.point(a).distance(scene.point(b));
        notes.push((format!("{metres:.0} m apart in the plane"), Weight::Regular));
    }
    notes
}

fn distance_notes(example: &Example, town: &ExampleTown, sources: &[Position]) -> Notes {
    let ExampleTown { scene, atlas } = town;
    let metres = |user: &SceneUser, sources: &[Position]| {
        let nearest = sources.iter().filter_map(|&from| atlas.distance(from, user.position)).min();
        nearest.map_or("unreachable".to_owned(), |length| format!("{:.0} m", length.as_metres()))
    };
    let distances = if let (Some(_), [a, b]) = (example.reach_of, &scene.users[..]) {
        let (there, back) = (metres(b, &[a.position]), metres(a, &[b.position]));
        format!("A′ to B′ {there}, B′ to A′ {back}")
    } else {
        let asking = scene.users.iter().filter(|user| user.step == last_step(scene));
        let all = asking.map(|user| format!("{} {}", label(scene, user), metres(user, sources)));
        format!("from the first rectangle to {}", all.collect::<Vec<_>>().join(", "))
    };
    let dc = scene.users.first().map_or(0.0, |user| user.dc.as_metres());
    vec![
        (distances, Weight::Regular),
        (format!("distance constraint of every user: {dc:.0} m"), Weight::Regular),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Describes the sets of the last step of an example.
    fn last_sets(example: &Example, scheme: &str) -> String {
        let town = ExampleTown::read(example.fixture);
        town.describe_last(&town.publish(scheme))
    }

    #[test]
    fn free_space_schemes_join_users_that_meshcloak_separates() {
        for example in &EXAMPLES[..2] {
            assert_eq!(
                last_sets(example, "clique-cloak"),
                "A′ and B′ in one set",
                "{}",
                example.id
            );
            assert_eq!(last_sets(example, PAPER), "no set", "{}", example.id);
        }
        assert_eq!(last_sets(&EXAMPLES[2], "i-clique-cloak"), "A′, D and E in one set");
        assert_eq!(last_sets(&EXAMPLES[2], "clique-cloak"), "A′, D and E in one set");
        assert_eq!(last_sets(&EXAMPLES[2], PAPER), "no set");
    }

    #[test]
    fn by_the_map_only_a_can_come_from_the_first_rectangle() {
        let town = ExampleTown::read(EXAMPLES[2].fixture);
        let ExampleTown { scene, atlas } = &town;
        let sets = town.publish("i-clique-cloak");
        let Region::Rectangle(first) = sets[0].region else { panic!("a rectangle is published") };
        let sources = reach::inside(scene, first);
        let nearest = |name: &str| {
            let to = scene.user(name).position;
            let ways = sources.iter().filter_map(|&from| atlas.distance(from, to));
            ways.map(meshcloak::units::Length::as_metres).fold(f64::MAX, f64::min)
        };
        // From x = 300 to 370; from x = 180 back to 0, down 120, and on to 440 or 330.
        let found = ["A'", "D", "E"].map(|name| nearest(name).round());
        assert_eq!(found, [70.0, 180.0 + 120.0 + 440.0, 180.0 + 120.0 + 330.0]);
        // MeshCloak also publishes A with B and C in the first step.
        let ours = town.publish(PAPER);
        assert_eq!(describe_sets(scene, ours.iter()), "A, B and C in one set");
    }
}
