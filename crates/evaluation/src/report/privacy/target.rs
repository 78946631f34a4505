//! Drawing of the attack on one target from `victim.csv`: the method as printed beside the
//! recommended guarantee.

use super::super::data::Data;
use super::comparison::AttackComparison;
use crate::point_list;
use crate::schemes::PAPER;
use meshcloak::units::{Point, Rectangle};
use picture::sheet::{BLUE, FAINT, INK, Mark, ORANGE, Panel, STREET, Sheet};
use picture::{Canvas, Polylines, Stroke, Weight};

/// Layers of the drawing of one target.
struct TargetLayers<'a> {
    scheme: &'a str,
    /// Layer name and points.
    rows: Vec<(&'a str, Vec<Point>)>,
    /// `name=value` pairs, separated by semicolons.
    facts: &'a str,
}

/// Draws up to two targets side by side; `None` without data.
pub(super) fn draw(data: &Data, comparison: &AttackComparison<'_>) -> Option<Canvas> {
    let history = comparison.schemes().into_iter().rev();
    let history = history.filter(|scheme| scheme.starts_with("meshcloak/history"));
    let wanted = [
        Some(PAPER),
        history.clone().find(|name| name.contains("cells")).or(history.clone().next()),
    ];
    let mut targets: Vec<TargetLayers<'_>> =
        wanted.into_iter().flatten().filter_map(|scheme| target_layers(data, scheme)).collect();
    if targets.is_empty() {
        targets.extend(data.targets.first().and_then(|row| target_layers(data, &row.scheme)));
    }
    let panels: Vec<Panel> = targets.iter().filter_map(panel).collect();
    if panels.is_empty() || panels.len() < targets.len() {
        return None;
    }
    let legend = [
        (Mark::Line(ORANGE, 5.0), "published region"),
        (Mark::Line(BLUE, 5.0), "not excluded by the adversary"),
        (Mark::Ringed(INK), "target"),
        (Mark::Dot(FAINT), "other members of the set"),
        (Mark::Hollow(INK), "previous position of the target"),
        (Mark::Line(STREET, 3.0), "street"),
    ];
    let mut sheet = Sheet::new(&panels, &legend);
    for (index, target) in targets.iter().enumerate() {
        sheet.select(index, "victim");
        draw_layers(&mut sheet, target, panels[index].bounds);
    }
    Some(sheet.canvas)
}

fn target_layers<'a>(data: &'a Data, scheme: &str) -> Option<TargetLayers<'a>> {
    let rows = || data.targets.iter().filter(|row| row.scheme == scheme);
    let facts = rows().find(|row| row.layer == "facts")?;
    Some(TargetLayers {
        scheme: &facts.scheme,
        rows: rows().map(|row| (row.layer.as_str(), point_list::read(&row.points))).collect(),
        facts: &facts.points,
    })
}

impl TargetLayers<'_> {
    fn of(&self, layer: &str) -> impl Iterator<Item = &Vec<Point>> {
        self.rows.iter().filter(move |row| row.0 == layer).map(|row| &row.1)
    }

    fn fact(&self, name: &str) -> &str {
        let mut facts = self.facts.split(';').filter_map(|fact| fact.split_once('='));
        facts.find(|fact| fact.0 == name).map_or("?", |fact| fact.1)
    }
}

/// Builds the panel: a square around the published region and the previous position.
fn panel(target: &TargetLayers<'_>) -> Option<Panel> {
    let all = target.of("shown").chain(target.of("before")).flatten().copied();
    let Rectangle { min, max } = Rectangle::around(all)?;
    let half = 0.55 * (max.x - min.x).max(max.y - min.y).max(50.0);
    let (x, y) = (f64::midpoint(min.x, max.x), f64::midpoint(min.y, max.y));
    let corner = |sign: f64| Point::new(x + sign * half, y + sign * half);
    let notes = vec![
        (
            format!(
                "k = {}: set of {}, {}",
                target.fact("k"),
                target.fact("set"),
                match target.fact("left") {
                    "1" => "1 candidate left".to_owned(),
                    left => format!("{left} candidates left"),
                }
            ),
            Weight::Bold,
        ),
        (
            format!(
                "{} m of street published, {} m not excluded",
                target.fact("metres"),
                target.fact("metres_left")
            ),
            Weight::Regular,
        ),
    ];
    let bounds = Rectangle { min: corner(-1.0), max: corner(1.0) };
    Some(Panel { caption: target.scheme.to_owned(), bounds, notes })
}

fn draw_layers(sheet: &mut Sheet, target: &TargetLayers<'_>, bounds: Rectangle) {
    for (layer, colour, width) in
        [("street", STREET, 1.5), ("shown", ORANGE, 3.5), ("left", BLUE, 3.5)]
    {
        let mut lines = Polylines::new();
        for line in target.of(layer) {
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
        for point in target.of(layer).flatten() {
            let at = sheet.at(*point);
            sheet.mark(mark, at);
        }
    }
}
