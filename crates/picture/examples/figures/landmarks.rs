//! Figures 2 and 7: distances along streets, path by path.

use super::{atlas, draw_user, metres, panel};
use meshcloak::constraint_graph::{Coverage, GraphBuilder};
use meshcloak::distance::Atlas;
use meshcloak::map::{StreetId, TerminalId};
use meshcloak::units::Length;
use picture::scene::{SceneUser, TownScene};
use picture::sheet::{BLUE, FAINT, INK, LabelOffset, Mark, Panel, STREET, Sheet, StreetPart};
use picture::{Canvas, Weight};

/// A path from A to B through an exit of A's street and an entrance of B's street.
struct StreetPath {
    exit: TerminalId,
    entrance: TerminalId,
    leave: Length,
    across: Length,
    arrive: Length,
}

impl StreetPath {
    fn length(&self) -> Length {
        self.leave + self.across + self.arrive
    }
}

fn all_paths(atlas: &Atlas, a: &SceneUser, b: &SceneUser) -> Vec<StreetPath> {
    let map = atlas.map();
    let mut paths = Vec::new();
    for (exit, leave) in map.exits(a.position) {
        for (entrance, arrive) in map.entrances(b.position) {
            let across = atlas.matrix().get(exit, entrance);
            paths.extend(across.map(|across| StreetPath { exit, entrance, leave, across, arrive }));
        }
    }
    paths.sort_by_key(|path| (path.exit, path.entrance));
    paths
}

/// Returns the streets of a shortest path between two terminals, from the distance matrix.
fn streets_between(atlas: &Atlas, from: TerminalId, to: TerminalId) -> Vec<StreetId> {
    let map = atlas.map();
    let mut streets = Vec::new();
    let mut at = from;
    while let Some(left) = atlas.matrix().get(at, to).filter(|&left| left > Length::ZERO) {
        let next = map.leaving(at).iter().find(|arm| {
            let rest = atlas.matrix().get(arm.terminal, to);
            rest.is_some_and(|rest| map.street(arm.street).length + rest == left)
        });
        let arm = next.expect("a shortest path continues on some street");
        streets.push(arm.street);
        at = arm.terminal;
    }
    streets
}

/// Figure 7: the paths from A to B in each scene; the shortest is drawn.
pub fn paths(scenes: &[&TownScene; 2]) -> Canvas {
    let captions = ["Case 1: two-way streets", "Case 4: one-way streets"];
    let atlases = scenes.map(atlas);
    let panels: Vec<Panel> = captions
        .iter()
        .zip(scenes.iter().zip(&atlases))
        .map(|(caption, (scene, atlas))| Panel {
            notes: notes(scene, atlas),
            ..panel(caption, scene)
        })
        .collect();
    let legend = [
        (Mark::Dot(INK), "user"),
        (Mark::Line(BLUE, 7.0), "shortest path from A to B"),
        (Mark::Square(FAINT), "terminal: u, v, w, t are landmarks"),
        (Mark::Line(STREET, 5.0), "street; one-way if it has an arrow"),
    ];
    let mut sheet = Sheet::new(&panels, &legend);
    for (index, (scene, atlas)) in scenes.iter().zip(&atlases).enumerate() {
        sheet.select(index, "ways");
        sheet.streets(&scene.town.map);
        draw_path(&mut sheet, scene, atlas, ["A", "B"]);
        let map = &scene.town.map;
        for terminal in map.terminals() {
            let (point, label) = (map.terminal(terminal), map.terminal_label(terminal));
            let at = sheet.at(point);
            sheet.mark(Mark::Square(FAINT), at);
            if ["u", "v", "w", "t"].contains(&label) {
                sheet.label(label, point, LabelOffset { right: 9.0, down: -9.0 }, Weight::Bold);
            }
        }
        for user in &scene.users {
            draw_user(&mut sheet, scene, user, Mark::Dot(INK));
        }
    }
    sheet.canvas
}

/// Lists every path as a sum, the shortest in bold, then the distances of the atlas.
fn notes(scene: &TownScene, atlas: &Atlas) -> Vec<(String, Weight)> {
    let map = atlas.map();
    let (a, b, c) = (scene.user("A"), scene.user("B"), scene.user("C"));
    let shortest = atlas.distance(a.position, b.position);
    let note = |path: &StreetPath| {
        let (u, w) = (map.terminal_label(path.exit), map.terminal_label(path.entrance));
        let [leave, across, arrive] =
            [path.leave, path.across, path.arrive].map(|part| format!("{:.0}", part.as_metres()));
        let sum = metres(path.length());
        let words =
            format!("d(A,{u}) + d({u},{w}) + d({w},B) = {leave} + {across} + {arrive} = {sum}");
        let weight = if Some(path.length()) == shortest { Weight::Bold } else { Weight::Regular };
        (words, weight)
    };
    let mut notes: Vec<_> = all_paths(atlas, a, b).iter().map(note).collect();
    let say = |from: &SceneUser, to: &SceneUser| {
        let length = atlas.distance(from.position, to.position);
        format!("d({},{}) = {}", from.name, to.name, length.map_or("none".to_owned(), metres))
    };
    notes.push((format!("So {}; back {}", say(a, b), say(b, a)), Weight::Regular));
    notes.push((format!("On one street {}; {}", say(a, c), say(c, a)), Weight::Regular));
    notes
}

/// Draws a shortest path between two users.
pub(super) fn draw_path(sheet: &mut Sheet, scene: &TownScene, atlas: &Atlas, names: [&str; 2]) {
    let map = atlas.map();
    let [a, b] = names.map(|name| scene.user(name));
    let paths = all_paths(atlas, a, b);
    let path = paths.iter().min_by_key(|path| path.length()).expect("B can be reached from A");
    let between = streets_between(atlas, path.exit, path.entrance);
    let mut parts: Vec<_> =
        between.into_iter().map(|street| StreetPart::whole(map, street)).collect();
    for (user, end) in [(a, path.exit), (b, path.entrance)] {
        let (street, offset) = (user.position.street, user.position.offset);
        let (from, to) = match map.street(street).from == end {
            true => (Length::ZERO, offset),
            false => (offset, map.street(street).length),
        };
        parts.push(StreetPart { street, from, to });
    }
    sheet.parts(map, &parts, Mark::Line(BLUE, 7.0));
}

/// Figure 2: near in the plane, far along streets.
pub fn free_space(bridge: &TownScene, one_way: &TownScene) -> Canvas {
    let scenes = [bridge, one_way];
    let atlases = scenes.map(atlas);
    let captions = ["One bridge", "A block of one-way streets"];
    let panels: Vec<Panel> = captions
        .iter()
        .zip(scenes.iter().zip(&atlases))
        .map(|(caption, (scene, atlas))| Panel {
            notes: plane_and_streets(scene, atlas),
            ..panel(caption, scene)
        })
        .collect();
    let legend =
        [(Mark::Dot(INK), "user"), (Mark::Line(STREET, 5.0), "street; one-way if it has an arrow")];
    let mut sheet = Sheet::new(&panels, &legend);
    for (index, scene) in scenes.iter().enumerate() {
        sheet.select(index, "town");
        sheet.streets(&scene.town.map);
        for user in &scene.users {
            draw_user(&mut sheet, scene, user, Mark::Dot(INK));
        }
    }
    sheet.canvas
}

fn plane_and_streets(scene: &TownScene, atlas: &Atlas) -> Vec<(String, Weight)> {
    let (a, b) = (scene.user("A"), scene.user("B"));
    let plane = scene.point(a).distance(scene.point(b));
    let say = |from: &SceneUser, to: &SceneUser| {
        let length = atlas.distance(from.position, to.position);
        length.map_or("none".to_owned(), metres)
    };
    let mut graph = GraphBuilder::default();
    let edges = graph.build(atlas, Coverage::Own, &scene.queries()).edge_count();
    let edge = if edges == 0 { "no edge" } else { "an edge" };
    let (there, back) = (say(a, b), say(b, a));
    vec![
        (format!("In the plane {plane:.0} m; d(A,B) = {there}, d(B,A) = {back}"), Weight::Regular),
        (format!("With dc {} for both: {edge}", metres(a.dc)), Weight::Bold),
    ]
}
