//! Figure 5: the reachable parts of streets and their boundaries.

use super::{draw_user, metres, panel};
use meshcloak::distance::{Arcs, Search};
use meshcloak::map::{Position, StreetId, StreetMap};
use meshcloak::units::Length;
use picture::Canvas;
use picture::scene::{SceneUser, TownScene};
use picture::sheet::{BLUE, INK, Mark, ORANGE, STREET, Sheet, StreetPart};

/// Reachable part of a street in travel direction.
#[derive(Clone, Copy)]
struct Stretch {
    street: StreetId,
    begin: Length,
    end: Length,
}

impl Stretch {
    fn low(&self) -> Length {
        self.begin.min(self.end)
    }

    fn high(&self) -> Length {
        self.begin.max(self.end)
    }

    fn holds(&self, street: StreetId, offset: Length) -> bool {
        self.street == street && self.low() < offset && offset < self.high()
    }
}

/// Figure 5.
pub fn reachable(scene: &TownScene) -> Canvas {
    let map = &scene.town.map;
    let a = scene.user("A");
    let stretches = stretches(map, a);
    let reached = Mark::Line(BLUE, 7.0);
    let caption = format!("Reachable from A within {}", metres(a.dc));
    let legend = [
        (Mark::Dot(INK), "position of A"),
        (reached, "reachable part of a street"),
        (Mark::Triangle(ORANGE), "boundary of the reach of A"),
        (Mark::Line(STREET, 5.0), "street; one-way if it has an arrow"),
    ];
    let mut sheet = Sheet::new(&[panel(&caption, scene)], &legend);
    sheet.select(0, "reachable");
    sheet.streets(map);
    let part =
        |part: &Stretch| StreetPart { street: part.street, from: part.low(), to: part.high() };
    let parts: Vec<_> = stretches.iter().map(part).collect();
    sheet.parts(map, &parts, reached);
    for part in stretches.iter().filter(|part| is_boundary(map, &stretches, part)) {
        let street = part.street;
        let near =
            if part.end > part.begin { part.end - Length::UNIT } else { part.end + Length::UNIT };
        let [from, to] = [near, part.end].map(|offset| map.point(Position { street, offset }));
        sheet.head(from, to, ORANGE);
    }
    draw_user(&mut sheet, scene, a, Mark::Dot(INK));
    sheet.canvas
}

/// Whether a part ends inside its street and no other part covers its end.
fn is_boundary(map: &StreetMap, all: &[Stretch], part: &Stretch) -> bool {
    let inside = part.end > Length::ZERO && part.end < map.street(part.street).length;
    inside && !all.iter().any(|other| other.holds(part.street, part.end))
}

/// Returns the reachable parts: of the user's street, and of every street that leaves a reachable
/// terminal.
fn stretches(map: &StreetMap, user: &SceneUser) -> Vec<Stretch> {
    let Position { street, offset } = user.position;
    let own = map.street(street);
    let mut stretches =
        vec![Stretch { street, begin: offset, end: (offset + user.dc).min(own.length) }];
    if !own.one_way {
        let end = offset.checked_sub(user.dc).unwrap_or(Length::ZERO);
        stretches.push(Stretch { street, begin: offset, end });
    }
    let mut search = Search::new(map.terminal_count());
    search.run(&Arcs::forward(map), map.exits(user.position), user.dc, |terminal, behind| {
        for arm in map.leaving(terminal) {
            let length = map.street(arm.street).length;
            let come = (user.dc - behind).min(length);
            let part = if map.street(arm.street).from == terminal {
                Stretch { street: arm.street, begin: Length::ZERO, end: come }
            } else {
                Stretch { street: arm.street, begin: length, end: length - come }
            };
            stretches.push(part);
        }
    });
    stretches
}
