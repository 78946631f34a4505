//! Pictures of a published region: its streets on the map around it.

use crate::error::failed;
use crate::source::Source;
use import::Imported;
use import::columns::{BatchSource, JsonColumn, JsonKind, JsonRows};
use meshcloak::map::{Extent, MapBuilder, RawStreet, StreetMap};
use meshcloak::units::{Point, Rectangle};
use picture::{Circle, Colour, DrawOptions, Pixel, Polylines, Stroke, draw_map};
use pyo3::prelude::*;
use serde_json::{Map as Fields, Value};
use std::collections::HashSet;

const REGION: Colour = Colour::hex(0xd55e00);
const MEMBER: Colour = Colour::hex(0x0072b2);

/// The outcome to draw: the n-th succeeded one, or that of a query.
pub(crate) enum Choice {
    Nth(usize),
    Query(String),
}

const COLUMNS: [JsonColumn; 6] = [
    JsonColumn { name: "query", kind: JsonKind::Id },
    JsonColumn { name: "outcome", kind: JsonKind::Text },
    JsonColumn { name: "set", kind: JsonKind::Texts },
    JsonColumn { name: "mesh", kind: JsonKind::Texts },
    JsonColumn { name: "rectangle", kind: JsonKind::Numbers },
    JsonColumn { name: "disc", kind: JsonKind::Numbers },
];

/// A region to draw.
pub(crate) struct Drawn {
    set: Vec<String>,
    mesh: HashSet<String>,
    /// Outline of a rectangle or disc.
    outline: Vec<Point>,
}

/// Finds the chosen outcome.
pub(crate) fn find(outcomes: Source, choice: &Choice) -> PyResult<Drawn> {
    let source = match outcomes {
        Source::File(path) => {
            let names = COLUMNS.map(|column| column.name);
            BatchSource::open(&path, &names, &()).map_err(failed)?
        }
        Source::Stream { name, batches } => BatchSource::of_stream(name, batches),
    };
    let mut rows = JsonRows::new(source, &COLUMNS);
    let mut succeeded = 0;
    while let Some(row) = rows.next_row().map_err(failed)? {
        let fields = row.fields;
        let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
        let is_success = text("outcome") == "succeeded";
        match choice {
            Choice::Query(id) if text("query") == id => {
                let outcome = text("outcome");
                return if is_success {
                    Ok(drawn(&fields))
                } else {
                    Err(failed(format!("query `{id}` is {outcome}: it has no region")))
                };
            }
            Choice::Nth(n) if is_success && succeeded == *n => return Ok(drawn(&fields)),
            _ => succeeded += usize::from(is_success),
        }
    }
    Err(match choice {
        Choice::Query(id) => failed(format!("query `{id}` is not among the outcomes")),
        Choice::Nth(n) => failed(format!("outcome {n}: only {succeeded} queries succeeded")),
    })
}

fn drawn(fields: &Fields<String, Value>) -> Drawn {
    let list = |name: &str| fields.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let texts = |name: &str| -> Vec<String> {
        list(name).iter().filter_map(|value| value.as_str().map(str::to_owned)).collect()
    };
    let numbers = |name| list(name).iter().filter_map(Value::as_f64).collect::<Vec<f64>>();
    let mut outline = Vec::new();
    if let [x0, y0, x1, y1] = numbers("rectangle")[..] {
        outline = [(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)]
            .map(|(x, y)| Point::new(x, y))
            .to_vec();
    }
    if let [x, y, radius] = numbers("disc")[..] {
        let at = |step: u32| {
            let (sine, cosine) = (f64::from(step) * std::f64::consts::TAU / 72.0).sin_cos();
            Point::new(x + radius * cosine, y + radius * sine)
        };
        outline = (0..=72).map(at).collect();
    }
    Drawn { set: texts("set"), mesh: texts("mesh").into_iter().collect(), outline }
}

impl Drawn {
    /// Ids of the members.
    pub(crate) fn set(&self) -> &[String] {
        &self.set
    }

    /// Renders a PNG file; `members` are the positions of members, if known.
    pub(crate) fn png(
        &self,
        imported: &Imported,
        members: &[Point],
        width: u32,
    ) -> PyResult<Vec<u8>> {
        let map = &imported.map;
        let corners = map.streets().filter(|&street| self.mesh.contains(map.street_label(street)));
        let points = corners.flat_map(|street| map.shape(street).iter().copied());
        let points = points.chain(self.outline.iter().copied()).chain(members.iter().copied());
        let window = window(points).unwrap_or(map.bounds());
        let part = cut(map, window)?;
        let osm = imported.provenance.format.starts_with("OSM");
        let options = DrawOptions {
            width_pixels: width,
            title: format!("{} users, one region", self.set.len()),
            attribution: if osm { "© OpenStreetMap contributors".into() } else { String::new() },
            ..DrawOptions::default()
        };
        let mut picture = draw_map(&part, &options).map_err(failed)?;
        let (view, scale) = (picture.view, picture.scale);
        picture.canvas.layer("region");
        let mut lines = Polylines::new();
        for street in part.streets().filter(|&s| self.mesh.contains(part.street_label(s))) {
            lines.add(part.shape(street).iter().map(|&point| view.to_pixel(point)));
        }
        if !self.outline.is_empty() {
            lines.add(self.outline.iter().map(|&point| view.to_pixel(point)));
        }
        let colour = REGION.with_opacity(190);
        picture.canvas.lines("mesh", lines, Stroke { colour, width: 5.0 * scale });
        let centres: Vec<Pixel> = members.iter().map(|&point| view.to_pixel(point)).collect();
        let circle = Circle { radius: 7.0 * scale, fill: MEMBER, outline: None };
        picture.canvas.circles("members", centres, circle);
        Ok(picture.to_png())
    }
}

/// Returns the surroundings of the points.
fn window(points: impl Iterator<Item = Point>) -> Option<Rectangle> {
    let bounds = points.fold(None, |bounds: Option<Rectangle>, point| {
        let Rectangle { min, max } = bounds.unwrap_or(Rectangle { min: point, max: point });
        let min = Point::new(min.x.min(point.x), min.y.min(point.y));
        let max = Point::new(max.x.max(point.x), max.y.max(point.y));
        Some(Rectangle { min, max })
    })?;
    let margin = 300.0 + 0.2 * bounds.width().max(bounds.height());
    let min = Point::new(bounds.min.x - margin, bounds.min.y - margin);
    let max = Point::new(bounds.max.x + margin, bounds.max.y + margin);
    Some(Rectangle { min, max })
}

/// Returns the streets that have a point in the window.
fn cut(map: &StreetMap, window: Rectangle) -> PyResult<StreetMap> {
    let is_inside = |point: &Point| {
        (window.min.x..=window.max.x).contains(&point.x)
            && (window.min.y..=window.max.y).contains(&point.y)
    };
    let mut builder = MapBuilder::new();
    for id in map.streets().filter(|&street| map.shape(street).iter().any(is_inside)) {
        let street = map.street(id);
        let mut end = |terminal| {
            let label = map.terminal_label(terminal);
            let known = builder.find_terminal(label);
            known.map_or_else(|| builder.terminal(label, map.terminal(terminal)), Ok)
        };
        let (from, to) = (end(street.from).map_err(failed)?, end(street.to).map_err(failed)?);
        let shape = map.shape(id);
        let bends = shape.get(1..shape.len().saturating_sub(1)).unwrap_or_default();
        let raw = RawStreet {
            one_way: street.one_way,
            bends,
            name: map.street_name(id).unwrap_or_default(),
            class: map.class(id).unwrap_or_default(),
            ..RawStreet::new(map.street_label(id), from, to)
        };
        builder.street(raw).map_err(failed)?;
    }
    Ok(builder.build(Extent::Whole).map_err(failed)?.map)
}
