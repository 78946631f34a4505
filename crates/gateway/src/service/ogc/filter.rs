//! Filters as text: CQL2 clauses and bounding boxes.

use super::cover::cover;
use crate::service::fixed_lonlat::wkt_points;
use crate::service::projection::{Projection, WidenedRange};
use meshcloak::units::{Point, Rectangle};

/// Largest size of a point in a URL: `-179.1234567+-89.1234567%2C`.
const POINT_BYTES: usize = 27;

/// Upper bound of the bytes of a clause besides its points.
const CLAUSE_BYTES: usize = 250;

/// Returns whether a server with these conformance classes supports `S_INTERSECTS` with polygons in
/// CQL2 text. A server with filters that lists no class of CQL2 is assumed to support all of it.
pub(super) fn supports_polygons(classes: &[String]) -> bool {
    let has = |end: &str| classes.iter().any(|class| class.ends_with(end));
    let cql2: Vec<&String> = classes.iter().filter(|class| class.contains("/cql2/")).collect();
    let has_cql2 = |end: &str| cql2.iter().any(|class| class.ends_with(end));
    let polygons = ["/conf/basic-spatial-functions-plus", "/conf/spatial-functions"];
    let filters = has("/conf/filter") && has("/conf/features-filter");
    let text_and_polygons = has_cql2("/conf/cql2-text") && polygons.iter().any(|end| has_cql2(end));
    filters && (cql2.is_empty() || text_and_polygons)
}

/// Writes the clause for a category, followed by `AND`; empty for all categories. The only escaper
/// of CQL2 texts: a quote is doubled.
pub(super) fn category(property: &str, name: Option<&str>) -> String {
    name.map_or(String::new(), |name| format!("{property}='{}' AND ", name.replace('\'', "''")))
}

/// Writes one clause of at most `max_bytes` bytes with polygons around the range.
pub(super) fn intersects(
    projection: &Projection,
    range: &WidenedRange,
    geometry: &str,
    max_bytes: usize,
) -> String {
    let max_corners = max_bytes.saturating_sub(CLAUSE_BYTES) / POINT_BYTES;
    let rings = cover(&range.lines, range.metres, max_corners);
    let polygons = rings.iter().map(|ring| {
        let ring = ring.iter().chain(ring.first());
        format!("(({}))", wkt_points(ring.map(|&corner| projection.lon_lat(corner))))
    });
    let polygons: Vec<String> = polygons.collect();
    format!("S_INTERSECTS({geometry},MULTIPOLYGON({}))", polygons.join(","))
}

/// Writes clauses of at most `max_bytes` bytes that together cover the range by lines and distance.
pub(super) fn dwithin<'a>(
    projection: &Projection,
    range: &WidenedRange,
    geometry: &'a str,
    max_bytes: usize,
) -> impl Iterator<Item = String> + 'a {
    let max_points = (max_bytes.saturating_sub(CLAUSE_BYTES) / POINT_BYTES).max(2);
    let mut clauses: Vec<(usize, Vec<String>)> = Vec::new();
    for line in projection.line_strings(&range.lines) {
        let step = max_points.saturating_sub(1).max(1);
        for start in (0..line.len().saturating_sub(1)).step_by(step) {
            let end = start.saturating_add(max_points).min(line.len());
            let part = line.get(start..end).unwrap_or_default();
            let text = format!("({})", wkt_points(part.iter().copied()));
            match clauses.last_mut() {
                Some((count, texts)) if count.saturating_add(part.len()) <= max_points => {
                    *count = count.saturating_add(part.len());
                    texts.push(text);
                }
                _ => clauses.push((part.len(), vec![text])),
            }
        }
    }
    let metres = (range.metres * 10.0).ceil() / 10.0;
    clauses.into_iter().map(move |(_, texts)| {
        format!("S_DWITHIN({geometry},MULTILINESTRING({}),{metres:.1},meters)", texts.join(","))
    })
}

/// Writes the bounding box of the range: west, south, east, north.
pub(super) fn bbox(projection: &Projection, range: &WidenedRange) -> String {
    let rings = cover(&range.lines, range.metres, 4);
    let corners = rings.into_iter().flatten().map(|corner| {
        let corner = projection.lon_lat(corner);
        Point::new(corner.lon(), corner.lat())
    });
    let Rectangle { min, max } = bounding_box(corners);
    format!("{:.7},{:.7},{:.7},{:.7}", min.x, min.y, max.x, max.y)
}

/// Returns the bounding box of points; the origin if there are none.
pub(super) fn bounding_box(points: impl Iterator<Item = Point>) -> Rectangle {
    let origin = Rectangle { min: Point::default(), max: Point::default() };
    Rectangle::around(points).unwrap_or(origin)
}
