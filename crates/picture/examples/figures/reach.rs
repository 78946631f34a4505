//! Figure 5: the parts of streets that can be reached from a place, and where they end.

use super::{draw_person, metres, panel};
use meshcloak::distance::{Arcs, Search};
use meshcloak::map::{Position, StreetId, StreetMap};
use meshcloak::units::Length;
use picture::Canvas;
use picture::scene::{Person, Scene};
use picture::sheet::{BLUE, INK, Mark, ORANGE, STREET, Sheet};

/// A stretch of a street, from where it is begun to where one must stop.
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
pub fn reachable(scene: &Scene) -> Canvas {
    let map = &scene.town.map;
    let a = scene.person("A");
    let stretches = stretches(map, a);
    let reached = Mark::Line(BLUE, 7.0);
    let caption = format!("Reachable from A within {}", metres(a.dc));
    let legend = [
        (Mark::Dot(INK), "where A is"),
        (reached, "reachable part of a street"),
        (Mark::Triangle(ORANGE), "as far as A can come"),
        (Mark::Line(STREET, 5.0), "street; an arrow where it is one-way"),
    ];
    let mut sheet = Sheet::new(&[panel(&caption, scene)], &legend);
    sheet.choose(0, "reachable");
    sheet.streets(map);
    let parts: Vec<_> =
        stretches.iter().map(|part| (part.street, part.low(), part.high())).collect();
    sheet.parts(map, &parts, reached);
    for part in stretches.iter().filter(|part| is_boundary(map, &stretches, part)) {
        let street = part.street;
        let near =
            if part.end > part.begin { part.end - Length::UNIT } else { part.end + Length::UNIT };
        let [from, to] = [near, part.end].map(|offset| map.point(Position { street, offset }));
        sheet.head(from, to, ORANGE);
    }
    draw_person(&mut sheet, scene, a, Mark::Dot(INK));
    sheet.canvas
}

/// Whether one has to stop inside the street, and nobody comes there from the other side.
fn is_boundary(map: &StreetMap, all: &[Stretch], part: &Stretch) -> bool {
    let inside = part.end > Length::ZERO && part.end < map.street(part.street).length;
    inside && !all.iter().any(|other| other.holds(part.street, part.end))
}

/// Along her own street, and into every street from a terminal she reaches.
fn stretches(map: &StreetMap, person: &Person) -> Vec<Stretch> {
    let Position { street, offset } = person.position;
    let own = map.street(street);
    let mut stretches =
        vec![Stretch { street, begin: offset, end: (offset + person.dc).min(own.length) }];
    if !own.one_way {
        let end = offset.checked_sub(person.dc).unwrap_or(Length::ZERO);
        stretches.push(Stretch { street, begin: offset, end });
    }
    let mut search = Search::new(map.terminal_count());
    search.run(&Arcs::forward(map), map.exits(person.position), person.dc, |terminal, behind| {
        for arm in map.leaving(terminal) {
            let length = map.street(arm.street).length;
            let come = (person.dc - behind).min(length);
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
