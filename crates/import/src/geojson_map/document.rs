//! Features of a GeoJSON file.

use crate::error::{FileLocation, LocatedProblem, Problem};
use crate::input::Input;
use crate::line_network::{Line, LineUnit, PointOfInterest, Vertex};
use serde::Deserialize;
use serde_json::{Map, Value};

/// Content of a file.
#[derive(Debug, Default)]
pub(super) struct Document {
    pub(super) lines: Vec<Line>,
    pub(super) pois: Vec<PointOfInterest>,
    /// Number of other features.
    pub(super) ignored: u64,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Root {
    Collection { features: Vec<Feature> },
    Single(Feature),
}

#[derive(Deserialize)]
struct Feature {
    #[serde(default)]
    id: Value,
    geometry: Option<Geometry>,
    properties: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
struct Geometry {
    r#type: String,
    #[serde(default)]
    coordinates: Value,
}

impl Document {
    pub(super) fn read(input: &mut Input) -> Result<Document, LocatedProblem> {
        let root: Root = serde_json::from_reader(input).map_err(|error| {
            let line = FileLocation::Line(error.line() as u64);
            line.with(Problem::Damaged(error.to_string()))
        })?;
        let features = match root {
            Root::Collection { features } => features,
            Root::Single(feature) => vec![feature],
        };
        let mut document = Document::default();
        for (number, feature) in (1..).zip(&features) {
            document.add(number, feature)?;
        }
        Ok(document)
    }

    fn add(&mut self, number: u64, feature: &Feature) -> Result<(), LocatedProblem> {
        let Some(geometry) = &feature.geometry else {
            self.ignored = self.ignored.saturating_add(1);
            return Ok(());
        };
        match geometry.r#type.as_str() {
            "LineString" => self.add_line(number, feature, &geometry.coordinates),
            "MultiLineString" => {
                let parts = geometry.coordinates.as_array();
                let mut parts = parts.into_iter().flatten();
                parts.try_for_each(|part| self.add_line(number, feature, part))
            }
            "Point" if !feature.text(&["category"]).is_empty() => {
                let vertex = vertex(&geometry.coordinates)
                    .ok_or_else(|| bad_position(number, &geometry.coordinates))?;
                self.pois.push(PointOfInterest {
                    vertex,
                    id: feature.label(),
                    category: feature.text(&["category"]),
                    name: feature.text(&["name"]),
                    feature: number,
                });
                Ok(())
            }
            _ => {
                self.ignored = self.ignored.saturating_add(1);
                Ok(())
            }
        }
    }

    fn add_line(
        &mut self,
        number: u64,
        feature: &Feature,
        positions: &Value,
    ) -> Result<(), LocatedProblem> {
        let positions = positions.as_array().ok_or_else(|| bad_position(number, positions))?;
        let on_earth = |position| vertex(position).ok_or_else(|| bad_position(number, position));
        let mut vertices = positions.iter().map(on_earth).collect::<Result<Vec<_>, _>>()?;
        vertices.dedup();
        if vertices.len() < 2 {
            self.ignored = self.ignored.saturating_add(1);
            return Ok(());
        }
        let direction = feature.text(&["oneway"]);
        let is_reversed = direction == "-1";
        self.lines.push(Line {
            vertices,
            id: feature.label(),
            name: feature.text(&["name"]),
            class: feature.text(&["class", "highway"]),
            is_one_way: is_reversed || ["true", "yes", "1"].contains(&direction.as_str()),
            is_reversed,
            feature: number,
        });
        Ok(())
    }
}

impl Feature {
    /// First of these properties that is a text, number or boolean, as text.
    fn text(&self, names: &[&str]) -> String {
        let properties = self.properties.iter();
        let values = properties.flat_map(|all| names.iter().filter_map(|name| all.get(*name)));
        values.map(plain).find(|text| !text.is_empty()).unwrap_or_default()
    }

    /// Property `id`, or the id of the feature.
    fn label(&self) -> String {
        let property = self.text(&["id"]);
        if property.is_empty() { plain(&self.id) } else { property }
    }
}

/// Vertex at a position `[lon, lat, …]`.
fn vertex(position: &Value) -> Option<Vertex> {
    let numbers = position.as_array()?;
    let (lon, lat) = (numbers.first()?.as_f64()?, numbers.get(1)?.as_f64()?);
    Vertex::new(LineUnit::Degrees, lon, lat)
}

/// Text of a simple value; empty for others.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(answer) => answer.to_string(),
        _ => String::new(),
    }
}

fn bad_position(number: u64, value: &Value) -> LocatedProblem {
    let expected = "lon from -180 to 180 and lat from -90 to 90 (RFC 7946)";
    let problem = Problem::bad_field("coordinates", &value.to_string(), expected);
    FileLocation::Row(number).with(problem)
}
