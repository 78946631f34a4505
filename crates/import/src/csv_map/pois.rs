//! The table of points of interest: `x,y` or `lon,lat`, `category` or `cat`, optionally `id` and
//! `name`. A category may be empty, as in real files.

use super::axes::Axes;
use super::table::Table;
use crate::error::{ImportError, Problem};
use meshcloak::map::{Frame, FrameError, MapBuilder, RawPoi};
use meshcloak::units::{LonLat, Point};

/// Adds all points of interest. `origin` is the lon/lat of the origin of a map without a frame.
pub(super) fn read(
    table: &mut Table,
    origin: Option<LonLat>,
    builder: &mut MapBuilder,
) -> Result<(), ImportError> {
    let axes = Axes::of(table)?;
    let category = match table.column("category")? {
        Some(column) => column,
        None => table.column("cat")?.ok_or_else(|| table.missing("`category` or `cat`"))?,
    };
    let (id, name) = (table.column("id")?, table.column("name")?);
    let frame = builder.frame().cloned().or_else(|| origin.map(Frame::at));
    if frame.is_none() && axes.metres.is_none() {
        return Err(table.file_error(Problem::NoFrame("a table of lon,lat")));
    }
    let mut rows = 0;
    while table.next()? {
        let raw = RawPoi {
            label: table.optional_text(id)?,
            point: point(table, axes, frame.as_ref(), rows)?,
            category: table.text(category)?,
            name: table.optional_text(name)?,
        };
        builder.poi(raw).map_err(|error| table.error(error))?;
        rows = rows.saturating_add(1);
    }
    Ok(())
}

/// Largest distance between x,y and lon,lat in metres, as for nodes.
const TOLERANCE: f64 = 25.0;

/// Returns the point of the current row, in metres.
pub(super) fn point(
    table: &Table,
    axes: Axes,
    frame: Option<&Frame>,
    index: usize,
) -> Result<Point, ImportError> {
    let given = axes.metres.map(|columns| table.point(columns)).transpose()?;
    let lon_lat = axes.degrees.map(|columns| table.degrees(columns)).transpose()?;
    let projected = lon_lat.zip(frame).map(|(lon_lat, frame)| frame.point(lon_lat));
    if let (Some(given), Some(projected)) = (given, projected) {
        let metres = given.distance(projected);
        if metres.is_nan() || metres > TOLERANCE {
            return Err(table.error(FrameError::Disagree { index, metres }));
        }
    }
    Ok(given.or(projected).unwrap_or(Point::new(f64::NAN, f64::NAN)))
}
