//! Filters as text: CQL2 clauses and boxes.

use super::cover::cover;
use crate::service::ground::{Ground, Reach};
use crate::service::spot::Spot;
use meshcloak::units::{Point, Rectangle};

/// Bytes of a place in an address: `-179.1234567+-89.1234567%2C`.
const SPOT_BYTES: usize = 27;

/// Bytes of what stands around places in a clause, with room to spare.
const CLAUSE_BYTES: usize = 250;

/// Whether a server that conforms to these classes understands `S_INTERSECTS` with polygons in
/// text. One that knows filters but says nothing of CQL2 is believed to know all of it.
pub(super) fn knows_polygons(classes: &[String]) -> bool {
    let has = |end: &str| classes.iter().any(|class| class.ends_with(end));
    let of_cql2: Vec<&String> = classes.iter().filter(|class| class.contains("/cql2/")).collect();
    let says = |end: &str| of_cql2.iter().any(|class| class.ends_with(end));
    let polygons = ["/conf/basic-spatial-functions-plus", "/conf/spatial-functions"];
    let filters = has("/conf/filter") && has("/conf/features-filter");
    let text_and_polygons = says("/conf/cql2-text") && polygons.iter().any(|end| says(end));
    filters && (of_cql2.is_empty() || text_and_polygons)
}

/// The clause for a category, with `AND` behind it; empty for any.
pub(super) fn category(property: &str, word: Option<&str>) -> String {
    word.map_or(String::new(), |word| format!("{property}='{}' AND ", word.replace('\'', "''")))
}

/// One clause with polygons around everything within reach, in `room` bytes.
pub(super) fn intersects(ground: &Ground, reach: &Reach, geometry: &str, room: usize) -> String {
    let most_corners = room.saturating_sub(CLAUSE_BYTES) / SPOT_BYTES;
    let rings = cover(&reach.lines, reach.metres, most_corners);
    let polygons = rings.iter().map(|ring| {
        let ring = ring.iter().chain(ring.first());
        format!("(({}))", joined(ring.map(|&corner| ground.spot(corner))))
    });
    let polygons: Vec<String> = polygons.collect();
    format!("S_INTERSECTS({geometry},MULTIPOLYGON({}))", polygons.join(","))
}

/// Clauses with lines and metres, each in `room` bytes, that together hold everything in reach.
pub(super) fn dwithin<'a>(
    ground: &Ground,
    reach: &Reach,
    geometry: &'a str,
    room: usize,
) -> impl Iterator<Item = String> + 'a {
    let most = (room.saturating_sub(CLAUSE_BYTES) / SPOT_BYTES).max(2);
    let mut portions: Vec<(usize, Vec<String>)> = Vec::new();
    for line in ground.lines(&reach.lines) {
        // A line has two places at least, even if they are the same.
        let line = if line.len() == 1 { vec![line[0]; 2] } else { line };
        for start in (0..line.len() - 1).step_by(most - 1) {
            let part = &line[start..(start + most).min(line.len())];
            let text = format!("({})", joined(part.iter().copied()));
            match portions.last_mut() {
                Some((count, texts)) if *count + part.len() <= most => {
                    *count += part.len();
                    texts.push(text);
                }
                _ => portions.push((part.len(), vec![text])),
            }
        }
    }
    let metres = (reach.metres * 10.0).ceil() / 10.0;
    portions.into_iter().map(move |(_, texts)| {
        format!("S_DWITHIN({geometry},MULTILINESTRING({}),{metres:.1},meters)", texts.join(","))
    })
}

/// The box around everything within reach: west, south, east, north.
pub(super) fn bbox(ground: &Ground, reach: &Reach) -> String {
    let rings = cover(&reach.lines, reach.metres, 4);
    let spots = rings.iter().flatten().map(|&corner| ground.spot(corner));
    let places = spots.map(|spot| Point::new(spot.lon(), spot.lat()));
    let zero = Rectangle { min: Point::default(), max: Point::default() };
    let Rectangle { min, max } = Rectangle::around(places).unwrap_or(zero);
    format!("{:.7},{:.7},{:.7},{:.7}", min.x, min.y, max.x, max.y)
}

fn joined(spots: impl Iterator<Item = Spot>) -> String {
    let texts: Vec<String> = spots.map(|spot| spot.lon_lat().to_string()).collect();
    texts.join(",")
}

/// The rectangle around lines; a point at zero if there are none.
pub(super) fn bounds(lines: &[Vec<Point>]) -> Rectangle {
    let zero = Rectangle { min: Point::default(), max: Point::default() };
    Rectangle::around(lines.iter().flatten().copied()).unwrap_or(zero)
}
