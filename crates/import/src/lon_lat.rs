//! The places on Earth of a map's points, for writers.

use crate::error::Problem;
use meshcloak::map::{Frame, StreetMap};
use meshcloak::units::{LonLat, Point};

/// Where on Earth the points of a map lie; nowhere if the map does not say.
pub(crate) struct LonLats<'a> {
    frame: Option<&'a Frame>,
}

impl<'a> LonLats<'a> {
    /// The places of a map, all of which exist, or the first point that lies nowhere on Earth.
    pub(crate) fn of(map: &'a StreetMap) -> Result<LonLats<'a>, Problem> {
        let places = LonLats { frame: map.frame() };
        let tables = map.tables();
        let terminals = tables.terminals.iter().zip(tables.terminal_labels.iter());
        let pois = tables.pois.iter().map(|poi| &poi.point).zip(tables.poi_labels.iter());
        let bends = tables.shape_points.iter().map(|point| (point, "shape"));
        for (&point, label) in terminals.chain(pois).chain(bends) {
            if places.at(point).is_some_and(|LonLat { lon, lat }| LonLat::new(lon, lat).is_none()) {
                let Point { x, y } = point;
                return Err(Problem::OffEarth { label: label.to_owned(), x, y });
            }
        }
        Ok(places)
    }

    /// Where on Earth a point of the map lies.
    pub(crate) fn at(&self, point: Point) -> Option<LonLat> {
        let LonLat { lon, lat } = self.frame?.lon_lat(point);
        let lon = if lon.abs() > 180.0 { lon - 360.0 * (lon / 360.0).round() } else { lon };
        Some(LonLat { lon, lat })
    }

    /// The names of the columns that hold [`LonLats::at`].
    pub(crate) fn columns(&self) -> impl Iterator<Item = &'static str> + use<> {
        let names: &[&str] = if self.frame.is_some() { &["lon", "lat"] } else { &[] };
        names.iter().copied()
    }
}
