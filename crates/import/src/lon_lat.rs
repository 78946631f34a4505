//! Lon/lat of a map's points, for writers.

#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)
)]

use crate::error::Problem;
use meshcloak::map::{Frame, StreetMap};
use meshcloak::units::{LonLat, Point};

/// Converts points of a map to lon/lat, if the map has a frame.
pub(crate) struct LonLatConverter<'a> {
    frame: Option<&'a Frame>,
}

impl<'a> LonLatConverter<'a> {
    /// Returns the converter of a map after checking all points; an error for the first point
    /// without a valid lon/lat.
    pub(crate) fn of(map: &'a StreetMap) -> Result<LonLatConverter<'a>, Problem> {
        let converter = LonLatConverter { frame: map.frame() };
        let tables = map.tables();
        let terminals = tables.terminals.iter().zip(tables.terminal_labels.iter());
        let pois = tables.pois.iter().map(|poi| &poi.point).zip(tables.poi_labels.iter());
        let bends = tables.shape_points.iter().map(|point| (point, "shape"));
        for (&point, label) in terminals.chain(pois).chain(bends) {
            if converter
                .at(point)
                .is_some_and(|LonLat { lon, lat }| LonLat::new(lon, lat).is_none())
            {
                let Point { x, y } = point;
                return Err(Problem::OffEarth { label: label.to_owned(), x, y });
            }
        }
        Ok(converter)
    }

    /// Returns the lon/lat of a point, with lon normalised to ±180; `None` without a frame.
    pub(crate) fn at(&self, point: Point) -> Option<LonLat> {
        let LonLat { lon, lat } = self.frame?.lon_lat(point);
        let lon = if lon.abs() > 180.0 { lon - 360.0 * (lon / 360.0).round() } else { lon };
        Some(LonLat { lon, lat })
    }

    /// Returns the CSV column names of lon/lat; none without a frame.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &'static str> + use<> {
        let names: &[&str] = if self.frame.is_some() { &["lon", "lat"] } else { &[] };
        names.iter().copied()
    }
}
