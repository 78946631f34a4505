//! The paper's figures, computed by the engine from fixtures.

mod architecture;
mod landmarks;
mod reach;
mod settings;

use meshcloak::constraint_graph::{Coverage, GraphBuilder};
use meshcloak::distance::{Atlas, DistanceMatrix, MAX_DC_MAX};
use meshcloak::engine::{Batch, turn};
use meshcloak::mesh_cloak::{MeshCloak, Settings};
use meshcloak::scheme::State;
use meshcloak::units::{Length, Point, Rectangle};
use picture::scene::{SceneUser, TownScene};
use picture::sheet::{
    BLUE, FAINT, INK, LabelOffset, Mark, ORANGE, Panel, STREET, Sheet, StreetPart, in_square,
    square_around,
};
use picture::{Canvas, Weight};
use std::sync::Arc;

macro_rules! fixture {
    ($name:literal) => {
        TownScene::read(include_str!(concat!("../../../../fixtures/", $name, ".town")))
    };
}

/// Returns every figure with the base name of its file.
pub fn figures() -> Vec<(&'static str, Canvas)> {
    vec![
        ("fig-1-settings", settings::settings(&fixture!("bridge"), &fixture!("one-way"))),
        ("fig-2-free-space", landmarks::free_space(&fixture!("bridge"), &fixture!("one-way"))),
        ("fig-4-architecture", architecture::architecture()),
        ("fig-5-reachable", reach::reachable(&fixture!("reachable"))),
        ("fig-6-constraint-graph", constraint_graph(&fixture!("figure-cg"))),
        (
            "fig-7-landmarks",
            landmarks::paths(&[&fixture!("landmarks"), &fixture!("landmarks-one-way")]),
        ),
        ("fig-8-sub-map", sub_map(&fixture!("sub-map"))),
        ("fig-9-distance-constraint", distance_constraint(&fixture!("distance-constraint"))),
    ]
}

fn panel(caption: &str, scene: &TownScene) -> Panel {
    Panel { caption: caption.to_owned(), bounds: scene.town.map.bounds(), notes: Vec::new() }
}

/// A panel whose extent includes the square of side `2 × reach` around a point.
fn panel_with_square(caption: &str, scene: &TownScene, centre: Point, reach: Length) -> Panel {
    let plain = panel(caption, scene);
    let square = square_around(centre, reach);
    let corners = [plain.bounds.min, plain.bounds.max, square.min, square.max];
    let bounds = Rectangle::around(corners).expect("a square has corners");
    Panel { bounds, ..plain }
}

fn atlas(scene: &TownScene) -> Atlas {
    Atlas::new(scene.town.map.clone(), MAX_DC_MAX)
}

fn metres(length: Length) -> String {
    format!("{:.0} m", length.as_metres())
}

fn draw_user(sheet: &mut Sheet, scene: &TownScene, user: &SceneUser, mark: Mark) {
    let point = scene.point(user);
    let at = sheet.at(point);
    sheet.mark(mark, at);
    sheet.label(&user.name, point, LabelOffset { right: 11.0, down: -10.0 }, Weight::Bold);
}

/// Figure 6: the constraint graph, and the cloaking mesh of a cloaking set.
fn constraint_graph(scene: &TownScene) -> Canvas {
    let map = &scene.town.map;
    let queries = scene.queries();
    let mut graph = GraphBuilder::default();
    let atlas = Arc::new(atlas(scene));
    let edges = graph.build(&atlas, Coverage::Own, &queries).clone();
    let mut scheme = MeshCloak::new(Arc::clone(&atlas), Settings::paper());
    let batch = Batch { arrivals: queries, ..Batch::default() };
    let turn = turn(&mut scheme, &mut State::default(), batch, &mut ());
    let (_, set) = turn.served.first().expect("the fixture has a cloaking set");
    let cloaking = turn.published.set(*set);
    let members: Vec<usize> = cloaking.members.iter().map(|id| id.0 as usize).collect();
    let names: Vec<&str> = members.iter().map(|&at| scene.users[at].name.as_str()).collect();
    let length = cloaking.region.metres(map);
    let caption = format!("Cloaking mesh of {}: {length:.0} m", names.join(", "));
    let mesh = Mark::Line(BLUE, 7.0);
    let edge = Mark::Line(ORANGE, 2.5);
    let legend = [
        (Mark::Dot(INK), "user"),
        (mesh, "street of the cloaking mesh"),
        (edge, "edge: each within the other's reach"),
        (Mark::Line(STREET, 5.0), "street"),
    ];
    let reach = |user: &SceneUser| format!("{} {}", user.name, metres(user.dc));
    let reaches: Vec<String> = scene.users.iter().map(reach).collect();
    let notes = vec![(format!("Distance constraints: {}", reaches.join(", ")), Weight::Regular)];
    let panels = [Panel { notes, ..panel("Constraint graph", scene) }, panel(&caption, scene)];
    let mut sheet = Sheet::new(&panels, &legend);
    sheet.select(0, "graph");
    sheet.streets(map);
    let user = |node: u32| &scene.users[graph.waiting_indices()[node as usize] as usize];
    for node in 0..edges.len() as u32 {
        for &later in edges.later(node) {
            sheet.line(scene.point(user(node)), scene.point(user(later)), edge);
        }
    }
    for user in &scene.users {
        draw_user(&mut sheet, scene, user, Mark::Dot(INK));
    }
    sheet.select(1, "mesh");
    sheet.streets(map);
    let streets = cloaking.region.streets(map);
    let parts: Vec<_> = streets.iter().map(|&street| StreetPart::whole(map, street)).collect();
    sheet.parts(map, &parts, mesh);
    for (index, user) in scene.users.iter().enumerate() {
        let colour = if members.contains(&index) { INK } else { FAINT };
        draw_user(&mut sheet, scene, user, Mark::Dot(colour));
    }
    sheet.canvas
}

/// Figure 8: the terminals of the square around u, and those within dc_max of it.
fn sub_map(scene: &TownScene) -> Canvas {
    let map = &scene.town.map;
    let u = scene.terminal("u");
    let dc_max = scene.user("u").dc;
    let matrix = DistanceMatrix::new(map, dc_max);
    let middle = map.terminal(u);
    let caption = format!("Sub-map centred at u, dc_max {}", metres(dc_max));
    let legend = [
        (Mark::Square(BLUE), "terminal within dc_max of u, with its distance in metres"),
        (Mark::Hollow(FAINT), "terminal outside the square"),
        (Mark::Square(ORANGE), "terminal of the sub-map, farther than dc_max"),
        (Mark::Line(BLUE, 1.8), "the square of side 2 dc_max"),
    ];
    let mut sheet = Sheet::new(&[panel_with_square(&caption, scene, middle, dc_max)], &legend);
    sheet.select(0, "sub-map");
    sheet.square(map.terminal(u), dc_max, BLUE);
    sheet.streets(map);
    for terminal in map.terminals() {
        let point = map.terminal(terminal);
        let distance = matrix.get(u, terminal);
        let mark = match distance {
            Some(_) => Mark::Square(BLUE),
            None if in_square(map.terminal(u), dc_max, point) => Mark::Square(ORANGE),
            None => Mark::Hollow(FAINT),
        };
        let at = sheet.at(point);
        sheet.mark(mark, at);
        if terminal == u {
            sheet.label("u", point, LabelOffset { right: 11.0, down: -10.0 }, Weight::Bold);
        } else if let Some(distance) = distance {
            let words = format!("{:.0}", distance.as_metres());
            sheet.label(&words, point, LabelOffset { right: 9.0, down: -9.0 }, Weight::Regular);
        }
    }
    sheet.canvas
}

/// Figure 9: users near A in the plane, and users within the distance constraint along streets.
fn distance_constraint(scene: &TownScene) -> Canvas {
    let map = &scene.town.map;
    let atlas = atlas(scene);
    let a = scene.user("A");
    let caption = format!("Distance constraint of A: dc {}", metres(a.dc));
    let legend = [
        (Mark::Ringed(BLUE), "within reach of A, with the distance along streets"),
        (Mark::Dot(FAINT), "outside the square"),
        (Mark::Dot(ORANGE), "near in the plane, but not within reach"),
        (Mark::Line(BLUE, 1.8), "the square of side 2 dc"),
    ];
    let mut sheet =
        Sheet::new(&[panel_with_square(&caption, scene, scene.point(a), a.dc)], &legend);
    sheet.select(0, "constraint");
    sheet.square(scene.point(a), a.dc, BLUE);
    sheet.streets(map);
    for user in &scene.users {
        let point = scene.point(user);
        let distance = atlas.distance(a.position, user.position);
        let near = in_square(scene.point(a), a.dc, point);
        let mark = match distance {
            _ if user.name == a.name => Mark::Dot(INK),
            Some(distance) if distance <= a.dc => Mark::Ringed(BLUE),
            _ if near => Mark::Dot(ORANGE),
            _ => Mark::Dot(FAINT),
        };
        draw_user(&mut sheet, scene, user, mark);
        if let Some(distance) = distance.filter(|_| near && user.name != a.name) {
            sheet.label(
                &metres(distance),
                point,
                LabelOffset { right: 14.0, down: 20.0 },
                Weight::Regular,
            );
        }
    }
    sheet.canvas
}
