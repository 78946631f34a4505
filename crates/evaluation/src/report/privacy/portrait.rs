//! One victim on the map, from `victim.csv`: as the method is printed, and under what is advised.

use super::super::data::Data;
use super::field::Field;
use crate::schemes::PAPER;
use meshcloak::units::{Point, Rectangle};
use picture::sheet::{BLUE, FAINT, INK, Mark, ORANGE, Panel, STREET, Sheet};
use picture::{Canvas, Lines, Stroke, Weight};

/// The lines and places of a victim.
struct Victim<'a> {
    scheme: &'a str,
    rows: Vec<(&'a str, Vec<Point>)>,
    facts: &'a str,
}

/// Two victims side by side; one if there is but one.
pub(super) fn draw(data: &Data, field: &Field<'_>) -> Option<Canvas> {
    let strong = field.schemes().into_iter().rev();
    let strong = strong.filter(|scheme| scheme.starts_with("meshcloak/history"));
    let wanted =
        [Some(PAPER), strong.clone().find(|name| name.contains("cells")).or(strong.clone().next())];
    let mut victims: Vec<Victim<'_>> =
        wanted.into_iter().flatten().filter_map(|scheme| victim(data, scheme)).collect();
    if victims.is_empty() {
        victims.extend(data.victims.first().and_then(|row| victim(data, &row.scheme)));
    }
    let panels: Vec<Panel> = victims.iter().filter_map(panel).collect();
    if panels.is_empty() || panels.len() < victims.len() {
        return None;
    }
    let legend = [
        (Mark::Line(ORANGE, 5.0), "published"),
        (Mark::Line(BLUE, 5.0), "cannot be ruled out"),
        (Mark::Ringed(INK), "the victim"),
        (Mark::Dot(FAINT), "who else is in the set"),
        (Mark::Hollow(INK), "where she was before"),
        (Mark::Line(STREET, 3.0), "street"),
    ];
    let mut sheet = Sheet::new(&panels, &legend);
    for (place, victim) in victims.iter().enumerate() {
        sheet.choose(place, "victim");
        put(&mut sheet, victim, panels[place].bounds);
    }
    Some(sheet.canvas)
}

fn victim<'a>(data: &'a Data, scheme: &str) -> Option<Victim<'a>> {
    let rows = || data.victims.iter().filter(|row| row.scheme == scheme);
    let facts = rows().find(|row| row.layer == "facts")?;
    Some(Victim {
        scheme: &facts.scheme,
        rows: rows().map(|row| (row.layer.as_str(), points(&row.points))).collect(),
        facts: &facts.points,
    })
}

/// `x y;x y`; what is no point is left out.
fn points(text: &str) -> Vec<Point> {
    let point = |text: &str| {
        let (x, y) = text.split_once(' ')?;
        let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.abs() < 1e9);
        Some(Point::new(number(x)?, number(y)?))
    };
    text.split(';').filter_map(point).collect()
}

impl Victim<'_> {
    fn of(&self, layer: &str) -> impl Iterator<Item = &Vec<Point>> {
        self.rows.iter().filter(move |row| row.0 == layer).map(|row| &row.1)
    }

    fn fact(&self, name: &str) -> &str {
        let mut facts = self.facts.split(';').filter_map(|fact| fact.split_once('='));
        facts.find(|fact| fact.0 == name).map_or("?", |fact| fact.1)
    }
}

/// The square around what was shown and where she was.
fn panel(victim: &Victim<'_>) -> Option<Panel> {
    let all = victim.of("shown").chain(victim.of("before")).flatten().copied();
    let Rectangle { min, max } = Rectangle::around(all)?;
    let half = 0.55 * (max.x - min.x).max(max.y - min.y).max(50.0);
    let (x, y) = (f64::midpoint(min.x, max.x), f64::midpoint(min.y, max.y));
    let corner = |sign: f64| Point::new(x + sign * half, y + sign * half);
    let notes = vec![
        (
            format!(
                "k = {}: {} in the set, {} left",
                victim.fact("k"),
                victim.fact("set"),
                victim.fact("left")
            ),
            Weight::Bold,
        ),
        (
            format!("{} m published, {} m left", victim.fact("metres"), victim.fact("metres_left")),
            Weight::Regular,
        ),
    ];
    let bounds = Rectangle { min: corner(-1.0), max: corner(1.0) };
    Some(Panel { caption: victim.scheme.to_owned(), bounds, notes })
}

fn put(sheet: &mut Sheet, victim: &Victim<'_>, bounds: Rectangle) {
    for (layer, colour, width) in
        [("street", STREET, 1.5), ("shown", ORANGE, 3.5), ("left", BLUE, 3.5)]
    {
        let mut lines = Lines::new();
        for line in victim.of(layer) {
            for pair in line.windows(2) {
                if pair.iter().all(|&point| bounds.nearest(point) == point) {
                    lines.add([sheet.at(pair[0]), sheet.at(pair[1])]);
                }
            }
        }
        sheet.canvas.lines(layer, lines, Stroke { colour, width });
    }
    for (layer, mark) in
        [("member", Mark::Dot(FAINT)), ("before", Mark::Hollow(INK)), ("victim", Mark::Ringed(INK))]
    {
        for point in victim.of(layer).flatten() {
            let at = sheet.at(*point);
            sheet.mark(mark, at);
        }
    }
}
