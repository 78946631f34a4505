//! Figure 1: movement in free space and on a map.

use super::landmarks::draw_path;
use super::{atlas, draw_user, metres, panel};
use meshcloak::distance::Atlas;
use picture::scene::{SceneUser, TownScene};
use picture::sheet::{BLUE, INK, Mark, ORANGE, Panel, STREET, Sheet};
use picture::{Canvas, Weight};

/// Figure 1: the same two users in the plane and on the map, and two users on one-way streets.
pub fn settings(bridge: &TownScene, one_way: &TownScene) -> Canvas {
    let (on_map, on_one_way) = (atlas(bridge), atlas(one_way));
    let (a, b) = (bridge.user("A"), bridge.user("B"));
    let plane = bridge.point(a).distance(bridge.point(b));
    let note = |words: String| vec![(words, Weight::Regular)];
    let panels = [
        Panel { notes: note(format!("A to B {plane:.0} m")), ..panel("Free space", bridge) },
        Panel { notes: note(both_ways(bridge, &on_map)), ..panel("The same on the map", bridge) },
        Panel { notes: note(both_ways(one_way, &on_one_way)), ..panel("One-way streets", one_way) },
    ];
    let straight = Mark::Line(ORANGE, 3.0);
    let legend = [
        (Mark::Dot(INK), "user"),
        (straight, "straight line"),
        (Mark::Line(BLUE, 7.0), "shortest path along streets"),
        (Mark::Line(STREET, 5.0), "street; one-way if it has an arrow"),
    ];
    let mut sheet = Sheet::new(&panels, &legend);
    sheet.select(0, "plane");
    sheet.line(bridge.point(a), bridge.point(b), straight);
    draw_users(&mut sheet, bridge);
    sheet.select(1, "map");
    sheet.streets(&bridge.town.map);
    draw_path(&mut sheet, bridge, &on_map, ["A", "B"]);
    draw_users(&mut sheet, bridge);
    sheet.select(2, "one-way");
    sheet.streets(&one_way.town.map);
    draw_path(&mut sheet, one_way, &on_one_way, ["B", "A"]);
    draw_users(&mut sheet, one_way);
    sheet.canvas
}

fn both_ways(scene: &TownScene, atlas: &Atlas) -> String {
    let (a, b) = (scene.user("A"), scene.user("B"));
    let length = |from: &SceneUser, to: &SceneUser| {
        atlas.distance(from.position, to.position).map_or("none".to_owned(), metres)
    };
    format!("A to B {}, B to A {}", length(a, b), length(b, a))
}

fn draw_users(sheet: &mut Sheet, scene: &TownScene) {
    for user in &scene.users {
        draw_user(sheet, scene, user, Mark::Dot(INK));
    }
}
