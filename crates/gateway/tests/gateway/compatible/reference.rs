//! Brute force over all objects of the map, independent of the gateway's code.

use crate::fixture::walker;
use gateway::service::Object;
use meshcloak::units::LonLat;

/// An object with its distance from a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Near {
    pub id: String,
    pub name: String,
    pub category: String,
    pub lon: f64,
    pub lat: f64,
    pub metres: f64,
}

/// Returns all objects by great-circle distance, from the angle between two vectors.
pub fn by_distance((lon, lat): (f64, f64)) -> Vec<Near> {
    let walker = walker();
    let frame = walker.map().frame().unwrap();
    let rounded = |degrees: f64| (degrees * 1e7).round() / 1e7;
    let vector = |lon: f64, lat: f64| {
        let (lon, lat) = (lon.to_radians(), lat.to_radians());
        [lat.cos() * lon.cos(), lat.cos() * lon.sin(), lat.sin()]
    };
    let here = vector(lon, lat);
    let near = |object: &Object| {
        let LonLat { lon, lat } = frame.lon_lat(object.point);
        let (lon, lat) = (rounded(lon), rounded(lat));
        let there = vector(lon, lat);
        let chord = here.iter().zip(there).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        let metres = 2.0 * 6_371_008.8 * (chord / 2.0).asin();
        let (id, name) = (object.id.clone(), object.name.clone());
        Near { id, name, category: object.category.clone(), lon, lat, metres }
    };
    let mut all: Vec<Near> =
        Object::all_of(walker.map()).iter().map(|object| near(object)).collect();
    all.sort_by(|a, b| a.metres.total_cmp(&b.metres).then_with(|| a.id.cmp(&b.id)));
    all
}

/// Returns the objects of some categories within a radius, nearest first; all without categories.
pub fn within(at: (f64, f64), categories: &[&str], metres: f64) -> Vec<Near> {
    let mut near = by_distance(at);
    let wanted = |near: &Near| categories.is_empty() || categories.contains(&&*near.category);
    near.retain(|near| near.metres <= metres && wanted(near));
    near
}
