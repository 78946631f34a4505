//! Pictures of a published region: its streets on the map around it.

use crate::call::Reports;
use crate::error::failed;
use crate::source::Source;
use evaluation::score::{OutcomeLine, RecordedOutcome, SucceededOutcome};
use import::Imported;
use meshcloak::map::{Extent, MapBuilder, RawStreet, StreetMap};
use meshcloak::region::{Disc, Region};
use meshcloak::units::{Point, Rectangle};
use picture::{Circle, Colour, DrawOptions, Pixel, Polylines, Stroke, draw_map};
use pyo3::prelude::*;
use std::collections::HashSet;
use std::sync::Arc;

const REGION: Colour = Colour::hex(0xd55e00);
const MEMBER: Colour = Colour::hex(0x0072b2);

/// The outcome to draw: the n-th succeeded one, or that of a query.
pub(crate) enum Choice {
    Nth(usize),
    Query(String),
}

/// A region to draw.
pub(crate) struct Drawn {
    set: Vec<String>,
    mesh: HashSet<String>,
    /// Outline of a rectangle or disc.
    outline: Vec<Point>,
}

/// Finds the chosen outcome.
pub(crate) fn find(outcomes: Source, choice: &Choice, reports: &Arc<Reports>) -> PyResult<Drawn> {
    let mut outcomes = outcomes.outcomes(reports)?;
    let mut succeeded = 0;
    while let Some(OutcomeLine { query, outcome, .. }) = outcomes.next_outcome().map_err(failed)? {
        let is_chosen = match choice {
            Choice::Query(id) => query.as_ref() == Some(id),
            Choice::Nth(n) => succeeded == *n,
        };
        match (outcome, choice) {
            (RecordedOutcome::Succeeded(success), _) if is_chosen => return Ok(drawn(success)),
            (RecordedOutcome::Succeeded(_), _) => succeeded += 1,
            (outcome, Choice::Query(id)) if is_chosen => {
                let outcome = outcome.name();
                return Err(failed(format!("query `{id}` is {outcome}: it has no region")));
            }
            _ => {}
        }
    }
    Err(match choice {
        Choice::Query(id) => failed(format!("query `{id}` is not among the outcomes")),
        Choice::Nth(n) => failed(format!("outcome {n}: only {succeeded} queries succeeded")),
    })
}

fn drawn(success: SucceededOutcome) -> Drawn {
    let SucceededOutcome { set, mesh, shape, .. } = success;
    let outline = match shape {
        Some(Region::Rectangle(Rectangle { min, max })) => {
            [(min.x, min.y), (max.x, min.y), (max.x, max.y), (min.x, max.y), (min.x, min.y)]
                .map(|(x, y)| Point::new(x, y))
                .to_vec()
        }
        Some(Region::Disc(Disc { centre, radius })) => {
            let at = |step: u32| {
                let (sine, cosine) = (f64::from(step) * std::f64::consts::TAU / 72.0).sin_cos();
                Point::new(centre.x + radius * cosine, centre.y + radius * sine)
            };
            (0..=72).map(at).collect()
        }
        _ => Vec::new(),
    };
    Drawn { set, mesh: mesh.into_iter().flatten().collect(), outline }
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
