//! Why a map: the paper's motivation (Figures 2 and 3) on towns small enough to draw. The schemes
//! themselves say who is hidden with whom; what is drawn is what they publish.

pub(super) mod hidden;
mod reach;

use super::page::{Section, Table};
use super::plot::Plot;
use crate::schemes::PAPER;
use hidden::{Hidden, label, together};
use meshcloak::distance::{Atlas, MAX_DC_MAX};
use meshcloak::map::Position;
use meshcloak::region::Region;
use meshcloak::units::Rectangle;
use picture::scene::{Asks, Scene};
use picture::sheet::{BLUE, FAINT, INK, Mark, ORANGE, Panel, STREET, Sheet};
use picture::{Canvas, Weight};
use std::sync::Arc;

/// A fixture, and what to look at.
struct Case {
    id: &'static str,
    title: &'static str,
    fixture: &'static str,
    /// What the reader sees.
    words: &'static str,
    /// The scheme of free space that is drawn.
    rival: &'static str,
    /// Whose reach is drawn: somebody's, or, if nobody's, that of the rectangle first shown.
    whose: Option<&'static str>,
}

const CASES: [Case; 3] = [
    Case {
        id: "why-bridge",
        title: "One bridge",
        fixture: include_str!("../../../../../fixtures/bridge.town"),
        words: "A and B have walked away from the bridge, each on her own bank. In the plane A′ \
                and B′ are near; along streets neither reaches the other in the time she has.",
        rival: "clique-cloak",
        whose: Some("A"),
    },
    Case {
        id: "why-one-way",
        title: "A block of one-way streets",
        fixture: include_str!("../../../../../fixtures/one-way.town"),
        words: "From A′ it is a few steps to B′; from B′ to A′ it is all round the block.",
        rival: "clique-cloak",
        whose: Some("B"),
    },
    Case {
        id: "why-mmb",
        title: "A movement boundary in the plane",
        fixture: include_str!("../../../../../fixtures/mmb.town"),
        words: "The rectangle of A, B and C was shown. ICliqueCloak then shows A′ with D and E, for \
                their rectangle is within A’s movement boundary. Whoever has the map knows that \
                nobody from the first rectangle can have come to D or E: A′ stands alone.",
        rival: "i-clique-cloak",
        whose: None,
    },
];

/// Those who are asked, in the order of the table.
const SCHEMES: [&str; 3] = ["clique-cloak", "i-clique-cloak", PAPER];

/// The section.
pub(super) fn section() -> Section {
    let mut section = Section::new("why", "Why a map");
    section.paper(
        "motivates streets with two towns in which CliqueCloak joins A′ and B′ though an attacker \
         with a map can tell them apart (its Figure 2), and one in which ICliqueCloak’s movement \
         boundary isolates A′ (its Figure 3). It runs neither; here the schemes themselves decide.",
    );
    let mut table = Table::new(["town", "clique-cloak", "i-clique-cloak", PAPER]);
    for case in &CASES {
        let scene = Scene::read(case.fixture);
        let atlas = Arc::new(Atlas::new(scene.town.map.clone(), MAX_DC_MAX));
        let said = SCHEMES.map(|scheme| {
            let hidden = hidden::ask(&scene, &atlas, scheme);
            together(&scene, hidden.iter().filter(|hidden| hidden.asks == last(&scene)))
        });
        table.row([case.title.to_owned()].into_iter().chain(said));
    }
    section.table(&table);
    for case in &CASES {
        section.heading(case.title);
        section.say(case.words);
        section.figure(Plot::drawing(case.id, &draw(case)), case.title);
    }
    section
}

/// When the last of them ask.
fn last(scene: &Scene) -> Asks {
    let later = scene.people.iter().any(|person| person.asks == Asks::Later);
    if later { Asks::Later } else { Asks::Now }
}

fn draw(case: &Case) -> Canvas {
    let scene = Scene::read(case.fixture);
    let atlas = Arc::new(Atlas::new(scene.town.map.clone(), MAX_DC_MAX));
    let rival = hidden::ask(&scene, &atlas, case.rival);
    let ours = hidden::ask(&scene, &atlas, PAPER);
    let rectangles: Vec<(Asks, Rectangle)> = rival
        .iter()
        .filter_map(|hidden| match hidden.region {
            Region::Rectangle(rectangle) => Some((hidden.asks, rectangle)),
            _ => None,
        })
        .collect();
    let sources = match case.whose {
        Some(name) => vec![scene.person(name).position],
        None => rectangles.first().map_or(Vec::new(), |(_, first)| reach::inside(&scene, *first)),
    };
    let bounds = scene.town.map.bounds();
    let panel = |caption: &str, notes| Panel { caption: caption.to_owned(), bounds, notes };
    let panels = [
        panel(&format!("In the plane: {}", case.rival), plane_notes(&scene, &rival)),
        panel("Along streets: meshcloak", street_notes(case, &scene, &atlas, (&sources, &ours))),
    ];
    let legend = [
        (Mark::Dot(INK), "who asks now"),
        (Mark::Line(ORANGE, 3.0), "rectangle that is published"),
        (Mark::Dot(FAINT), "who asked before"),
        (Mark::Line(BLUE, 7.0), "within reach by the map"),
    ];
    let legend = if last(&scene) == Asks::Later { &legend[..] } else { &legend[..2] };
    let mut entries = legend.to_vec();
    if entries.len() == 2 {
        entries.push((Mark::Line(STREET, 5.0), "street; an arrow where it is one-way"));
        entries.push((Mark::Line(BLUE, 7.0), "within reach by the map"));
    }
    let mut sheet = Sheet::new(&panels, &entries);
    sheet.choose(0, "plane");
    sheet.streets(&scene.town.map);
    for (asks, rectangle) in rectangles {
        sheet.rectangle(rectangle, if asks == last(&scene) { ORANGE } else { FAINT });
    }
    draw_people(&mut sheet, &scene);
    sheet.choose(1, "streets");
    sheet.streets(&scene.town.map);
    let dc = scene.people.iter().map(|person| person.dc).max().unwrap_or_default();
    let parts = reach::parts(&atlas, &sources, dc);
    sheet.parts(&scene.town.map, &parts, Mark::Line(BLUE, 7.0));
    draw_people(&mut sheet, &scene);
    sheet.canvas
}

fn draw_people(sheet: &mut Sheet, scene: &Scene) {
    for person in &scene.people {
        let point = scene.point(person);
        let at = sheet.at(point);
        let colour = if person.asks == last(scene) { INK } else { FAINT };
        sheet.mark(Mark::Dot(colour), at);
        // Those before are named on the other side, for they stand close together.
        let beside = if person.asks == last(scene) { (10.0, -11.0) } else { (-20.0, -11.0) };
        sheet.label(&label(scene, person), point, beside, Weight::Bold);
    }
}

fn plane_notes(scene: &Scene, hidden: &[Hidden]) -> Vec<(String, Weight)> {
    let now = |hidden: &&Hidden| hidden.asks == last(scene);
    let mut notes = Vec::new();
    for before in hidden.iter().filter(|hidden| hidden.asks != last(scene)) {
        notes.push((format!("before: {}", together(scene, [before].into_iter())), Weight::Regular));
    }
    notes.push((together(scene, hidden.iter().filter(now)), Weight::Bold));
    for hidden in hidden.iter().filter(now) {
        if let Region::Rectangle(shown) = hidden.region {
            let (width, height) = (shown.width(), shown.height());
            notes.push((format!("rectangle {width:.0} × {height:.0} m"), Weight::Regular));
        }
    }
    if let [a, b] = &scene.people[..] {
        let metres = scene.point(a).distance(scene.point(b));
        notes.push((format!("{metres:.0} m apart in the plane"), Weight::Regular));
    }
    notes
}

fn street_notes(
    case: &Case,
    scene: &Scene,
    atlas: &Atlas,
    (sources, hidden): (&[Position], &[Hidden]),
) -> Vec<(String, Weight)> {
    let now = |hidden: &&Hidden| hidden.asks == last(scene);
    let mut notes = Vec::new();
    for before in hidden.iter().filter(|hidden| hidden.asks != last(scene)) {
        notes.push((format!("before: {}", together(scene, [before].into_iter())), Weight::Regular));
    }
    notes.push((together(scene, hidden.iter().filter(now)), Weight::Bold));
    let metres = |person: &picture::scene::Person, sources: &[Position]| {
        let nearest =
            sources.iter().filter_map(|&from| atlas.distance(from, person.position)).min();
        nearest.map_or("no way".to_owned(), |length| format!("{:.0} m", length.as_metres()))
    };
    if let (Some(_), [a, b]) = (case.whose, &scene.people[..]) {
        let (there, back) = (metres(b, &[a.position]), metres(a, &[b.position]));
        notes.push((format!("A′ to B′ {there}, B′ to A′ {back}"), Weight::Regular));
    } else {
        let asks = scene.people.iter().filter(|person| person.asks == last(scene));
        let all =
            asks.map(|person| format!("{} {}", label(scene, person), metres(person, sources)));
        let all: Vec<String> = all.collect();
        notes.push((format!("from the first rectangle to {}", all.join(", ")), Weight::Regular));
    }
    let dc = scene.people.first().map_or(0.0, |person| person.dc.as_metres());
    notes.push((format!("everyone can go {dc:.0} m"), Weight::Regular));
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who is hidden with whom in the last step of a fixture.
    fn said(case: &Case, scheme: &str) -> String {
        let scene = Scene::read(case.fixture);
        let atlas = Arc::new(Atlas::new(scene.town.map.clone(), MAX_DC_MAX));
        let hidden = hidden::ask(&scene, &atlas, scheme);
        together(&scene, hidden.iter().filter(|hidden| hidden.asks == last(&scene)))
    }

    #[test]
    fn free_space_joins_whom_streets_keep_apart() {
        for case in &CASES[..2] {
            assert_eq!(said(case, "clique-cloak"), "A′ and B′ in one set", "{}", case.id);
            assert_eq!(said(case, PAPER), "nobody is joined", "{}", case.id);
        }
        assert_eq!(said(&CASES[2], "i-clique-cloak"), "A′, D and E in one set");
        assert_eq!(said(&CASES[2], "clique-cloak"), "A′, D and E in one set");
        assert_eq!(said(&CASES[2], PAPER), "nobody is joined");
    }

    #[test]
    fn by_the_map_only_a_can_have_come_from_the_first_rectangle() {
        let scene = Scene::read(CASES[2].fixture);
        let atlas = Arc::new(Atlas::new(scene.town.map.clone(), MAX_DC_MAX));
        let hidden = hidden::ask(&scene, &atlas, "i-clique-cloak");
        let Region::Rectangle(first) = hidden[0].region else { panic!("a rectangle is shown") };
        let sources = reach::inside(&scene, first);
        let nearest = |name: &str| {
            let to = scene.person(name).position;
            let ways = sources.iter().filter_map(|&from| atlas.distance(from, to));
            ways.map(meshcloak::units::Length::as_metres).fold(f64::MAX, f64::min)
        };
        // From x = 300 to 370; from x = 180 back to 0, down 120, and on to 440 or 330.
        let found = ["A'", "D", "E"].map(|name| nearest(name).round());
        assert_eq!(found, [70.0, 180.0 + 120.0 + 440.0, 180.0 + 120.0 + 330.0]);
        // MeshCloak, too, hid A among B and C before.
        let ours = hidden::ask(&scene, &atlas, PAPER);
        assert_eq!(together(&scene, ours.iter()), "A, B and C in one set");
    }
}
